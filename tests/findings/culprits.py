#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who kept a new thread waiting for its CPU: as far as it was recorded, and how much confidence that allows; a
wait for a CPU that was idle is nobody's."""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from gputrace import KernelSide
from tap import check, finish
from traces import synthetic, tandem

MS = 1000000
MAIN, NEW, OTHER, LAST = 1001, 1500, 77, 78  # the first one is of the session's process


def waited(path, switches):
    """The preemption of a thread that begins at 10 ms and ends at 40 ms. Switches of CPU 1: when, from
    whom, to whom."""
    synthetic(path, records=200, threads=1)
    side = KernelSide(path)
    for cpu in (0, 1):
        side.add(cpu, 1, "collecting", bytes([2, 1, 1, 0, 0, 0]))  # without wake-ups
    for tid, pid, name in ((MAIN, 1000, "app"), (OTHER, OTHER, "other"), (LAST, LAST, "last")):
        side.task(0, 2, tid, pid, name)
    side.add(0, 10 * MS, "task_new", struct.pack("<IIIII", NEW, NEW, 1000, MAIN, 1000))
    for at, previous, following in switches:
        state = 7 if previous == NEW else 0
        side.add(1, at, "sched_switch", struct.pack("<IIBBB", previous, following, state, 120, 120))
    side.write(50 * MS)
    said = tandem("findings", "--all", "--format", "json", path)
    check(said.returncode == 0, f"{path} is read", said.stderr)
    found = [f for f in json.loads(said.stdout)["findings"]
             if f["name"] == "preemption" and f["where"].get("thread") == NEW]
    return found[0] if found else None


END = (40 * MS, NEW, LAST)
found = waited("seen", [(5 * MS, LAST, OTHER), (30 * MS, OTHER, NEW), END])
check(found and found["cost_ns"] == 20 * MS and "other" in found["culprits"] and "100 %" in found["culprits"],
      "who had the CPU all the time is the culprit", found)
check(found and found["confidence"] == "high" and "not recorded" not in found["evidence"], "with high confidence", found)

found = waited("part", [(5 * MS, OTHER, LAST), (16 * MS, LAST, OTHER), (30 * MS, OTHER, NEW), END])
check(found and found["cost_ns"] == 20 * MS and found["culprits"].startswith("other (process 77) for 70 %") and
      "unknown for 30 %" in found["culprits"], "who ran there before may not have been in its way", found)
check(found and found["confidence"] == "medium" and "what ran instead was not recorded for 30 % of it" in found["evidence"],
      "which costs confidence", found)

found = waited("unseen", [(5 * MS, OTHER, LAST), (28 * MS, LAST, OTHER), (30 * MS, OTHER, NEW), END])
check(found and "unknown for 90 %" in found["culprits"] and found["confidence"] == "low",
      "a finding whose culprit is not known has low confidence", found)

found = waited("idle", [(5 * MS, OTHER, 0), (30 * MS, 0, NEW), END])
check(found is None, "a CPU that was idle was taken by nobody", found)
finish()
