#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How many bytes a record takes."""
import collections
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import BUILD, DRIVERS, PROGRAMS, run
from tap import check, finish

MANDELBROT = BUILD / "examples" / "opencl" / "mandelbrot" / "mandelbrot"


def sizes(command, state):
    found = collections.defaultdict(set)
    for name, size in run(command, state, env=DRIVERS["stub"]).session.records():
        found[name].add(size)
    return found


frames = [MANDELBROT, "-w", "64", "-h", "64", "-n", "10"]
for state in ("none", "basic"):
    found = sizes(frames, state)
    check(found["clEnqueueNDRangeKernel"] and max(found["clEnqueueNDRangeKernel"]) <= 64,
          f"{state}: an NDRange launch takes at most 64 bytes", found["clEnqueueNDRangeKernel"])
    check(found["operation"] and max(found["operation"]) <= 96,
          f"{state}: a device record takes at most 96 bytes", found["operation"])
plain = {name: size for name, size in sizes(frames, "none").items()
         if name.startswith("cl") and not name.startswith(("clEnqueue", "clCreate"))}
check(len(plain) >= 10 and all(size == {24} for size in plain.values()),
      "a call without arguments takes 24 bytes", plain)
found = sizes([PROGRAMS / "outoforder"], "basic")
check(max(found["clEnqueueNDRangeKernel"]) <= 64 + 8,
      "an event to wait for takes 8 more", found["clEnqueueNDRangeKernel"])
finish()
