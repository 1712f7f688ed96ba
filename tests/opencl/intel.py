#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A second real OpenCL: Intel's driver for CPUs, with its own loader (Khronos' of
2026). Every program prints and ends there as it does alone, and the trace holds what
it did; the fit of the device's clock is held against the driver's own readings.

tandem-test: timeout=600
"""
import os
import pathlib
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from programs import CASES, same
from recording import compare, DRIVERS, has_intel, INTEL, PROGRAMS, run, SANITIZED
from tap import check, finish, skip

if not has_intel() or SANITIZED:
    skip("Intel's OpenCL", "not under a sanitizer" if SANITIZED else
         f"no {INTEL}/libintelocl.so: `tools/install-deps opencl-rt` gets it")
    finish()
    sys.exit()

for name, arguments, drivers in CASES:
    if "intel" in drivers:
        same(name, arguments, "intel", ["basic"])
env = DRIVERS["intel"]

# The clock's fit against the driver's own pairs, which the program read: each command
# is where they say that it was, within the stated bound and how sharp the pair is.
# Between two pairs the clocks may drift apart by 100 ppm of what lies between them.
recorded = run([PROGRAMS / "timers", os.path.abspath("pairs")], "basic", env=env)
check(recorded.status == 0, "timers: works", recorded.stdout + recorded.stderr)
pairs = [tuple(map(int, line.split())) for line in open("pairs")]
placed = [event for event in recorded.session.placed() if event["phase"] == "end"]
off = []
for event in placed:
    device_ns = event["args"]["end"]
    device, before, after = min(pairs, key=lambda pair: abs(pair[0] - device_ns))
    expected = device_ns - device + (before + after) / 2
    allowed = event["bound_ns"] + (after - before) / 2 + abs(device_ns - device) / 10000
    off.append((abs(event["monotonic_ns"] - expected), allowed, event["op"]))
check(len(off) == 301 and all(distance <= allowed for distance, allowed, _ in off),
      "the clock's fit agrees with the driver's readings",
      f"{len(off)}; {[row for row in off if row[0] > row[1]][:5]}")
(row,) = [row for row in recorded.session.report()["clocks"] if row["domain"] == "opencl"]
device, before, after = min(pairs, key=lambda pair: pair[2] - pair[1])
check(abs(row["offset_ns"] - (before + after) / 2 + device) <= row["bound_ns"] + after - before,
      "and so does what the report says of it", (row, device, before, after))
check(row["outliers"] == 0 and row["segments"] == 1, "nothing contradicts them", row)
print(f"# off by {max(off)[0]:.0f} ns at most, bound {row['bound_ns']} ns, at best {row['best_ns']} ns")

# Of a command that an error kept from running, the driver has an end and no start.
FINALS = os.path.join(os.environ["TANDEM_BUILD"], "tests", "findings", "finals", "finals")
recorded = run([FINALS, "rejected_frames"], "basic", env=env)
operations = recorded.session.report()["device"]
check(sum(row["untimed"] for row in operations) == 80, "80 commands did not run", operations)
check(sum(row["total_ns"] for row in operations) < recorded.session.report()["session"]["duration_ns"],
      "and have no time", operations)

# Real programs that find OpenCL in their own ways.
if shutil.which("clinfo"):
    alone = run(["clinfo"], env=env)
    recorded = run(["clinfo"], "basic", env=env)
    compare("clinfo", alone, recorded)
    calls = run(["clinfo"], env=env, calls=True).calls
    # Had by name, and the loader's own: no layer sees it called.
    calls["clGetICDLoaderInfoOCLICD"] = recorded.session.calls()["clGetICDLoaderInfoOCLICD"]
    recorded.session.verify("clinfo", calls)
else:
    skip("clinfo", "not installed")
python = [pathlib.Path(os.environ["TANDEM_SOURCE"]) / "tests" / "programs" / "pyopencl_program.py"]
alone = run(python, env=env)
if alone.status == 77:
    skip("pyopencl", alone.stdout.strip())
else:
    calls = run(python, env=env, calls=True).calls
    recorded = run(python, "full", env=env)
    compare("pyopencl", alone, recorded)
    recorded.session.verify("pyopencl", calls)
finish()
