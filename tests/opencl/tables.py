#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The report's tables say what the programs did: kinds, names, counts, bytes,
memory, queues, failed builds."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import DRIVERS, PROGRAMS, run
from tap import check, finish

# (kind, name): (operations, bytes). clEnqueueBarrier and clEnqueueWaitForEvents
# give no event, so that nobody can follow their commands.
DEVICE = {
    "transfers": {
        ("copy_h2d", "WriteBuffer"): (3, 3 * 4096), ("copy_d2h", "ReadBuffer"): (4, 4 * 4096),
        ("copy_d2d", "CopyBuffer"): (1, 4096), ("fill", "FillBuffer"): (1, 64),
        ("map", "MapBuffer"): (2, 256 + 128), ("unmap", "UnmapMemObject"): (2, 0),
        ("copy_d2h", "ReadBufferRect"): (1, 64), ("copy_h2d", "WriteBufferRect"): (1, 64),
        ("copy_d2d", "CopyBufferRect"): (1, 64), ("migrate", "MigrateMemObjects"): (1, 4096),
    },
    "outoforder": {
        ("kernel", "add"): (80, 0), ("copy_d2h", "ReadBuffer"): (8, 8 * 128),
        ("marker", "MarkerWithWaitList"): (9, 0), ("marker", "Marker"): (1, 0),
        ("barrier", "BarrierWithWaitList"): (2, 0),
    },
    "images": {
        ("copy_d2h", "ReadImage"): (8, 6 * 2048 + 2 * 8192),
        ("copy_h2d", "WriteImage"): (2, 2 * 2048), ("fill", "FillImage"): (1, 2048),
        ("copy_d2d", "CopyImage"): (1, 2048), ("copy_d2d", "CopyImageToBuffer"): (1, 2048),
        ("copy_d2d", "CopyBufferToImage"): (1, 2048), ("map", "MapImage"): (2, 2048 + 8192),
        ("unmap", "UnmapMemObject"): (2, 0),
    },
    "svm": {
        ("kernel", "add"): (1, 0), ("fill", "SVMMemFill"): (1, 256),
        ("copy_d2d", "SVMMemcpy"): (1, 256), ("map", "SVMMap"): (2, 512),
        ("unmap", "SVMUnmap"): (2, 0), ("other", "SVMFree"): (2, 0),
    },
}
# Allocations, bytes, peak.
MEMORY = {
    "transfers": (2, 2 * 4096, 2 * 4096), "outoforder": (8, 8 * 128, 8 * 128),
    "images": (8, 6 * 2048 + 2 * 8192, 8192), "svm": (2, 512, 512),
}

for program, expected in DEVICE.items():
    for state in ("none", "basic", "full"):
        words = f"{program}, {state}"
        report = run([PROGRAMS / program], state, env=DRIVERS["stub"]).session.report()
        found = {(row["kind"], row["name"]): (row["count"], row["bytes"]) for row in report["device"]}
        check(found == expected, f"{words}: operations", f"{found}\nnot {expected}")
        operations = sum(count for count, _ in expected.values())
        check(sum(zone["count"] for zone in report["zones"]) == operations, f"{words}: queues",
              report["zones"])
        memory = [(m["allocations"], m["allocated_bytes"], m["peak_bytes"]) for m in report["memory"]]
        freed = all(m["freed_bytes"] == m["allocated_bytes"] and m["frees"] == m["allocations"]
                    for m in report["memory"])
        check(memory == [MEMORY[program]] and freed, f"{words}: memory", report["memory"])
        check([d["name"] for d in report["devices"]] == ["Stub device A"], f"{words}: the device",
              report["devices"])

# Builds: one that fails has its log.
session = run([PROGRAMS / "builds"], "basic", env=DRIVERS["stub"]).session
builds = [e["args"] for e in session.events if e["name"] == "build"]
failed = [b for b in builds if b["status"] != 0]
check([b["log"].strip("\0") for b in failed] == ["stub: #error"], "a failed build has its log", builds)
report = session.report()
check(report["operations"]["builds_failed"] == 1 and report["operations"]["builds"] == len(builds) == 5,
      "builds are counted", report["operations"])
shown = [(build["status"], build["status_name"]) for build in report["builds"]]
check(shown == [(-11, "CL_BUILD_PROGRAM_FAILURE")] + 4 * [(0, "CL_SUCCESS")], "the failed one is first, by its name", shown)
times = [build["duration_ns"] for build in report["builds"][1:]]
check(times == sorted(times, reverse=True), "then the longest", times)
finish()
