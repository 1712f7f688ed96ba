#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a library finds with dlsym() is what it finds untraced: what RTLD_DEFAULT and RTLD_NEXT mean for
it alone, errors, errno; also where no domain is recorded."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import TANDEM, check, finish  # noqa: E402

STUBS = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "dlsym")
PROGRAM = [os.path.join(STUBS, "dlsym-program"), os.path.join(STUBS, "libdlsym-asking.so")]


def run(command):
    return subprocess.run(command, text=True, capture_output=True, check=False)


untraced = run(PROGRAM)
check(untraced.returncode == 0 and "default 1, next 2, program 0" in untraced.stdout,
      "it asks for what depends on who asks", untraced)
for title, options in (("all", ()), ("one", ("--domains", "opencl"))):
    done = run([TANDEM, "record", "-q", "-o", title, *options, *PROGRAM])
    check(done.returncode == 0 and done.stdout == untraced.stdout, title + ": it finds the same", (done, untraced))
finish()
