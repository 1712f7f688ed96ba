#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ways in: Python, a layer of the program's own, extension functions by name,
two platforms at once, no OpenCL at all, no loader at all."""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import (compare, DRIVERS, has_pocl, LAYER, layer_counts, PROGRAMS, run, SANITIZED,
                       STUB, STUB2)
from tap import check, finish, skip

SOURCE = pathlib.Path(os.environ["TANDEM_SOURCE"])

# Python: the module has its own way of loading OpenCL.
python = [SOURCE / "tests" / "programs" / "pyopencl_program.py"]
alone = run(python) if has_pocl() else None
if alone is None or alone.status == 77 or SANITIZED:
    skip("pyopencl", "PoCL or pyopencl is missing" if not SANITIZED else "not under a sanitizer")
else:
    calls = run(python, calls=True).calls
    for state in ("none", "basic", "full"):
        recorded = run(python, state)
        compare(f"pyopencl, {state}", alone, recorded)
        recorded.session.verify(f"pyopencl, {state}", calls)

# A layer of the program's own: both are there, and it sees what it saw.
for program in ("linked", "dynamic", "dynamic-linked"):
    counts = os.path.abspath(f"own-{program}")
    env = dict(DRIVERS["stub"], OPENCL_LAYERS=str(LAYER), LAYER_COUNTS=counts)
    alone = run([PROGRAMS / program], env=env)
    expected = layer_counts(counts)
    os.unlink(counts)
    recorded = run([PROGRAMS / program], "basic", env=env)
    compare(f"{program} with a layer of its own", alone, recorded)
    recorded.session.verify(f"{program} with a layer of its own", expected)
    seen = layer_counts(counts)
    check(all(seen[name] >= calls for name, calls in expected.items()),
          f"{program}: the layer sees the program's calls", f"{expected} {seen}")

# Either way in alone is enough, and both together record nothing twice.
for inject in ("layer", "preload", "both"):
    for program in ("linked", "dynamic", "dynamic-linked"):
        calls = run([PROGRAMS / program], env=DRIVERS["stub"], calls=True).calls
        recorded = run([PROGRAMS / program], "basic", env=DRIVERS["stub"],
                       options=["--inject", inject])
        words = f"{program} by {inject}"
        check(recorded.status == 0, f"{words}: works", recorded.stderr)
        found = recorded.session.calls()
        if inject == "preload" and program != "linked":
            check(not found - calls, f"{words}: nothing twice", found)
        else:
            check(found == calls, f"{words}: each call once", f"{found - calls} {calls - found}")

# Two platforms, each with extension functions of its own.
os.mkdir("vendors")
for number, library in enumerate((STUB, STUB2)):
    pathlib.Path("vendors", f"{number}.icd").write_text(f"{library}\n")
both = {"OCL_ICD_VENDORS": os.path.abspath("vendors") + "/"}
report = os.path.abspath("report")
for program in ("extensions", "platforms"):
    env = dict(both, STUB_REPORT=report, STUB_REUSE="0")
    alone = run([PROGRAMS / program], env=env)
    check(alone.status == 0 and alone.stdout.count("platform ") == 2, f"{program}: two platforms",
          alone.stdout + alone.stderr)
    lines = [json.loads(line) for line in open(report)]
    os.unlink(report)
    by_name = {}
    for line in lines:
        for name, calls in line["calls"].items():
            if name.endswith(("KHR", "INTEL")) and not name.startswith(("clIcd", "clGetGL")):
                by_name[name] = by_name.get(name, 0) + calls
    calls = run([PROGRAMS / program], env=dict(both), calls=True).calls
    for name, count in by_name.items():
        calls[name] = count
    for state in ("paused", "none", "basic", "full"):
        recorded = run([PROGRAMS / program], state, env=env)
        compare(f"{program} on two platforms, {state}", alone, recorded)
        left = {line["name"]: (line["live"], line["misused"])
                for line in map(json.loads, open(report))}
        os.unlink(report)
        check(all(not any(live.values()) and not misused for live, misused in left.values()),
              f"{program} on two platforms, {state}: nothing is left over", left)
        if state != "paused":
            recorded.session.verify(f"{program} on two platforms, {state}", calls)

# Programs without OpenCL.
for command, given in (([PROGRAMS / "plain", "a", "b"], "text\n"), (["/bin/true"], ""),
                       (["/bin/sh", "-c", "echo $0; exit 3"], ""),
                       ([sys.executable, "-c", "print(6 * 7)"], "")):
    alone = run(command, input=given)
    recorded = run(command, "full", options=["--kernel", "off"], input=given)
    words = os.path.basename(str(command[0]))
    compare(f"{words}: has no OpenCL", alone, recorded)
    check(not recorded.session.events and not recorded.session.processes(),
          f"{words}: leaves no trace", recorded.session.events)

# No driver, and a driver that can't be loaded.
for vendors in ("none", "broken"):
    os.mkdir(vendors)
pathlib.Path("broken", "x.icd").write_text("/no/such/library.so\n")
for vendors in ("none", "broken"):
    env = {"OCL_ICD_VENDORS": os.path.abspath(vendors) + "/"}
    alone, recorded = run([PROGRAMS / "tolerant"], env=env), run([PROGRAMS / "tolerant"], "full", env=env)
    compare(f"{vendors} driver", alone, recorded)
finish()
