#!/usr/bin/env python3
"""`tandem record /bin/true` costs at most 3 ms more than /bin/true.

tandem-test: alone
"""
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish, skip, TANDEM

LIMIT_MS = 3.0
if os.environ.get("TANDEM_SANITIZE"):
    skip("a quick start", "a sanitizer's start is slow")
    finish()
alone, recorded = [], []
for i in range(60):
    start = time.perf_counter()
    subprocess.run(["/bin/true"])
    middle = time.perf_counter()
    subprocess.run([TANDEM, "record", "-o", str(i), "/bin/true"], stderr=subprocess.DEVNULL)
    alone.append(middle - start)
    recorded.append(time.perf_counter() - middle)
# The least, not the mean: other work on the machine only ever adds.
added = [min(times) * 1e3 for times in (alone, recorded)]
check(added[1] - added[0] <= LIMIT_MS, "a quick start", "%.2f ms alone, %.2f ms recorded" % tuple(added))
print("# %.2f ms alone, %.2f ms recorded" % tuple(added))
finish()
