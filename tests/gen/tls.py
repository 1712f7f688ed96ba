#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runtimes load libtandem.so late, by dlopen(), and its thread-local state is at a fixed distance
from each thread's pointer: it has to fit into what the C library keeps free for such libraries
(glibc: 1,664 bytes for all of them together)."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish, skip  # noqa: E402

MOST = 1472
LIBRARY = os.path.join(os.environ["TANDEM_BUILD"], "libtandem.so.0")

if not shutil.which("readelf"):
    skip("thread-local state is small", "no readelf")
elif os.environ.get("TANDEM_SANITIZE"):
    skip("thread-local state is small", "a build with a sanitizer")
else:
    def readelf(how):
        return subprocess.run(["readelf", how, LIBRARY], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
    bytes_ = int(re.search(r"^ *TLS +\S+ \S+ \S+ \S+ (0x\w+)", readelf("-lW"), re.M)[1], 16)
    parts = sorted((int(size, 0), name) for size, name in
                   re.findall(r": \w+ +(\S+) TLS +\w+ +\w+ +\w+ (\S+)", readelf("-sW")))
    check(bytes_ <= MOST, "thread-local state is small", (bytes_, MOST, parts[::-1]))
finish()
