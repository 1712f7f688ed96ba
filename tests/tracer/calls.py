#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tracer on a real OpenCL: without `tandem record`, and with it, where both see one id."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import DRIVERS, has_pocl, run  # noqa: E402
from tap import check, finish, skip  # noqa: E402

PROGRAM = pathlib.Path(os.environ["TANDEM_BUILD"], "tests", "tracer", "tracer-calls")


def failed(text):
    return [line for line in text.splitlines() if line.startswith(("not ok", "#"))]


for driver in ("basic", "pthread"):
    if not has_pocl():
        skip("on PoCL's " + driver, "no PoCL")
        continue
    env = dict(os.environ, **DRIVERS[driver])
    env.pop("TANDEM_SESSION", None)
    done = subprocess.run([PROGRAM], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=100)
    check(done.returncode == 0 and done.stdout.count("\nok") > 25,
          "alone, on PoCL's " + driver, (done.returncode, failed(done.stdout), done.stderr[-500:]))

    recorded = run([PROGRAM], "basic", env=DRIVERS[driver])
    check(recorded.status == 0, "recorded, on PoCL's " + driver,
          (recorded.status, failed(recorded.stdout)))
    ids = {int(line) for line in recorded.stderr.splitlines() if line.isdigit()}
    parts = [record["op"].split(":") for record in recorded.session.operations()]
    calls = {int(thread) << 40 | int(count) for thread, count in parts}
    check(len(ids) == 200 and ids <= calls, "the session has the same ids", (len(ids), len(calls)))
finish()
