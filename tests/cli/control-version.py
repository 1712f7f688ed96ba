#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A control page of an earlier version is read as far as it is alike; of one that nobody
knows, that is said."""
import os
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import TANDEM, check, finish  # noqa: E402

MAGIC = struct.pack("<Q", 0x74646e4154725463)


def run(*command):
    return subprocess.run([TANDEM, *command], text=True, capture_output=True)


done = run("record", "-q", "--kernel", "off", "-o", "now", "sh", "-c", ":")
check(done.returncode == 0, "a session", done.stderr)
with open("now/control", "rb") as file:
    page = file.read()
at = page.index(MAGIC) + len(MAGIC)
newest = struct.unpack_from("<I", page, at)[0]
for version in range(1, newest + 2):
    session = "version-%d" % version
    shutil.copytree("now", session)
    with open(session + "/control", "wb") as file:
        file.write(page[:at] + struct.pack("<I", version) + page[at + 4:])
    status, printed = run("status", session), run("print", session)
    if 2 <= version <= newest:
        check(status.returncode == 0 and printed.returncode == 0 and not printed.stderr,
              "version %d is read" % version, (status.stderr, printed.stderr))
    else:
        check(status.returncode == 1 and "control page of version %d" % version in printed.stderr,
              "version %d is refused" % version, (status.stderr, printed.stderr))
finish()
