#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Findings of CUDA programs, as an H200 ran them and a stub CUPTI tells it again: the
same kinds as for OpenCL, in CUDA's words."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import TANDEM, check, finish
from traces import BUILD, tandem

REPLAY = os.path.join(BUILD, "tests", "stubs", "cuda", "replay")
DATA = os.path.join(os.environ["TANDEM_SOURCE"], "tests", "data", "cuda")
if not os.access(REPLAY, os.X_OK):
    print("the stub CUPTI is not built")
    sys.exit(77)


def findings(name, path=None):
    done = subprocess.run([TANDEM, "record", "-q", "--force", "-o", name, REPLAY,
                           path or os.path.join(DATA, name + ".replay")], text=True,
                          capture_output=True)
    said = tandem("findings", "--all", "--format", "json", name)
    if not check(done.returncode == 0 and said.returncode == 0, f"{name} is recorded and read",
                 done.stderr + said.stderr):
        return []
    said = json.loads(said.stdout)
    inside = [f for f in said["findings"]
              if f["cost_ns"] > said["duration_ns"] or f["where"].get("begin_ns", 0) < 0 or
              f["where"].get("end_ns", 0) > said["duration_ns"]]
    check(not inside, f"{name}: all that is found lies within the run", inside)
    words = " ".join(f["description"] + f["suggestion"] for f in said["findings"])
    check("clFinish" not in words and "CL_" not in words and "work-group" not in words,
          f"{name}: in CUDA's words", words)
    return said["findings"]


def pick(found, name, cause=None):
    return [f for f in found if f["name"] == name and cause in (None, f["cause"])]


overlap = findings("overlap")
few = pick(overlap, "launch", "few-groups")
check(len(few) == 1 and few[0]["count"] == 20 and "spin" in few[0]["object"] and
      "4 blocks for the device's 132 multiprocessors" in few[0]["description"],
      "too few blocks to fill the device", few)
check(not pick(overlap, "launch", "occupancy") and not pick(overlap, "launch", "group-size"),
      "a kernel that fills it is none", pick(overlap, "launch"))
idle = pick(overlap, "idle-device")
check(idle and all("H200" in f["where"]["device"] and f["confidence"] == "high" for f in idle),
      "an idle device", idle)
check(not pick(overlap, "overlap"), "what is no loop on one queue is not replayed",
      pick(overlap, "overlap"))
wrong = [f for f in overlap if f["name"] in ("leaks", "errors", "trace") and
         f["cause"] != "recording"]
check(not wrong, "a sound program leaks nothing and fails nowhere", wrong)

pageable = pick(overlap, "transfers", "pageable")
check(len(pageable) == 1 and pageable[0]["cost_ns"] > 40000 and
      "to the device" in pageable[0]["description"] and "to the host" in pageable[0]["description"] and
      "cudaMallocHost" in pageable[0]["suggestion"], "transfers from and to pageable memory are one finding", pageable)

# The same with 200 registers a thread, where there were 16.
text = open(os.path.join(DATA, "overlap.replay"), encoding="utf-8").read()
heavy = re.sub(r"(?m)^(activity 0a000000[0-9a-f]{4})1000", r"\1c800", text)
with open("heavy.replay", "w", encoding="utf-8") as file:
    file.write(heavy)
check(heavy != text, "kernels are made heavier")
occupancy = pick(findings("heavy", "heavy.replay"), "launch", "occupancy")
check(len(occupancy) == 1 and "add" in occupancy[0]["object"] and
      "8 of 64 warps" in occupancy[0]["description"] and "registers" in occupancy[0]["description"] and
      "registers" in occupancy[0]["suggestion"] and occupancy[0]["confidence"] == "low",
      "low occupancy, by the device's limits, and what limits it", occupancy)
check(occupancy and occupancy[0]["cost_ns"] == 0 and "where the kernel waits for memory" in
      occupancy[0]["evidence"], "what a kernel uses is its design, and costs nothing that is known",
      occupancy)

# Where another program takes the CPU, the gaps are its doing: three times it does not.
for attempt in range(3):
    graph = findings("graph")
    if pick(graph, "idle-device", "launch"):
        break
check(not pick(graph, "trace", "untimed"), "calls that a graph notes down are no lost commands",
      pick(graph, "trace"))
short = pick(graph, "idle-device", "launch")
check(short, "commands shorter than their launch", graph)
check(all("(a CUDA graph)" in f["do"] for f in short), "in the words of their runtime alone", short)
leaks = pick(graph, "leaks")
check(not leaks, "memory that is used to the end and does not grow is no leak: a pool keeps it", leaks)

with open(os.path.join(DATA, "graph.replay"), encoding="utf-8") as file:
    lines = file.read().splitlines(keepends=True)
at = [i for i, line in enumerate(lines) if " cudaMalloc " in line]
allocation = "".join(lines[at[0]:at[1] + 1])
copies = [allocation.replace("0000e087b47f0000", "0000e087%02x7f0000" % (i % 0xb0))
                    .replace(" 118 ", " %d " % (900000 + i)) for i in range(100)]
with open("leaks.replay", "w", encoding="utf-8") as file:
    file.writelines(lines[:at[1] + 1] + copies + lines[at[1] + 1:])
leaks = pick(findings("leaks", "leaks.replay"), "leaks")
check([f["object"] for f in leaks] == ["cudaMalloc"] and leaks[0]["count"] > 90,
      "memory that becomes more and is never freed, and who made it", leaks)

failing = pick(findings("failing"), "errors", "call")
check({(f["object"], f["count"]) for f in failing} >= {("cudaLaunchKernel", 3),
                                                       ("cudaDeviceSynchronize", 1)} and
      all("cudaError" in f["description"] for f in failing), "calls that failed, by CUDA's names", failing)
findings("managed")
finish()
