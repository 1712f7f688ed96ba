#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The limits of tests: one that is asked for more has more time."""
import importlib.machinery
import importlib.util
import os
import sys

SOURCE = os.environ["TANDEM_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "tests", "lib"))
from tap import check, finish

sys.dont_write_bytecode = True  # nothing of ours in the checkout
loader = importlib.machinery.SourceFileLoader("tests_run", os.path.join(SOURCE, "tests", "run"))
runner = importlib.util.module_from_spec(importlib.util.spec_from_loader("tests_run", loader))
loader.exec_module(runner)


def limits():
    return {test.name: test.timeout for test in runner.script_tests()}


os.environ.pop("TANDEM_CRASHES", None)
usual = limits()
check(usual["cli/help.sh"] == 120, "a test that says nothing has two minutes", usual["cli/help.sh"])
check(usual["opencl/crash.py"] == 400, "one that names a limit has that", usual["opencl/crash.py"])
for asked, limit in (("5000", 10000), ("20", 400), ("many", 400)):
    os.environ["TANDEM_CRASHES"] = asked
    more = limits()
    check(more["opencl/crash.py"] == limit, f"for {asked} crashes: {limit} s",
          more["opencl/crash.py"])
    check({**more, "opencl/crash.py": 400} == usual, f"for {asked}: the others' limits stay")
finish()
