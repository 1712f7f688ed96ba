#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tandem-test: timeout=400
"""Debian's libhsakmt and HSA runtime, on a machine without a GPU: a program's calls are recorded,
which fail, and so are those that HSA's runtime makes of the driver when HIP initialises it. Either
sees what it sees untraced."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import debroot  # noqa: E402
from cuda import Trace  # noqa: E402
from tap import TANDEM, check, finish, skip  # noqa: E402

STUBS = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs")
NOT_OPENED = 20  # HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED


def run(command):
    return subprocess.run(command, text=True, capture_output=True, check=False)


if os.path.exists("/dev/kfd"):
    skip("libhsakmt without a GPU", "here is one")
else:
    for suite in ("bookworm", "trixie"):
        root, why = debroot.made(suite, "libamdhip64-5")
        if not root:
            skip("libhsakmt of Debian's %s" % suite, why)
            continue
        for title, program in (("program", "kfd/kfd-program"), ("hsa", "hip/hip-bare-5")):
            session = "%s-%s" % (suite, title)
            command = debroot.command(root, [os.path.join(STUBS, program)])
            untraced = run(command)
            done = run([TANDEM, "record", "-o", session, *command])
            check(untraced.returncode == done.returncode and untraced.stdout == done.stdout and
                  untraced.stdout, "%s: the program does what it does untraced" % session,
                  (untraced, done))
            seen = [(e["name"], e["result"]) for e in Trace(session).events if e["domain"] == "kfd"]
            check(seen[:1] == [("hsaKmtOpenKFD", NOT_OPENED)] and
                  (title == "hsa" or len(seen) == 1),
                  "%s: it can't be opened, and that is recorded" % session, seen)
finish()
