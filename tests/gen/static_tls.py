#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""libtandem.so can be loaded late, by a loader of layers or of tools: glibc has 1,664 bytes for
the initial-exec storage of threads of all libraries that come so (ld.so(8), rtld.optional_static_tls
and its surplus)."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish  # noqa: E402

MOST = 1536
library = os.path.join(os.environ["TANDEM_BUILD"], "libtandem.so.0")
run = subprocess.run(["readelf", "-lW", library], text=True, capture_output=True, check=True)
size = int(re.search(r"^\s*TLS(?:\s+0x\w+){4}\s+(0x\w+)", run.stdout, re.M)[1], 16)
check(0 < size <= MOST, "each thread has %d bytes, of at most %d" % (size, MOST))
finish()
