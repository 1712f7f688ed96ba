#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Chrome's JSON, read back by a JSON reader."""
import json
import os
import sys
from collections import Counter

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from handmade import Session
from tap import check, finish
from traces import events, synthetic, tandem

made = synthetic("made", records=10000, processes=2, threads=2, args="full")
done = tandem("export", "--format", "chrome", "-o", "-", "made")
check(done.returncode == 0, "goes to the standard output", done.stderr)
trace = json.loads(done.stdout)["traceEvents"]
kinds = Counter(e["ph"] for e in trace)
check(kinds["X"] == made["calls"] + made["operations"], "a slice for each call and command", kinds)
check(kinds["s"] == kinds["f"] == made["operations"], "a flow for each command", kinds)
check(all({"pid", "tid", "name"} <= set(e) for e in trace), "each has its place")
check(all("cat" in e for e in trace if e["ph"] != "M"), "and its category")
wanted = {"process_name": "name", "process_labels": "labels", "thread_name": "name"}
check(all(list(e["args"]) == [wanted[e["name"]]] for e in trace if e["ph"] == "M"),
      "names as the trace viewer looks for them", [e for e in trace if e["ph"] == "M"][:2])

printed = events("made")
calls = sorted((round(e["ts"] * 1000), e["tid"], e["name"], round(e["dur"] * 1000))
               for e in trace if e["ph"] == "X" and e["cat"] == "opencl")
wanted = sorted((e["time_ns"], e["thread"], e["name"], e["duration_ns"])
                for e in printed if "duration_ns" in e)
check(calls == wanted, "each call where `tandem print` has it, to the ns",
      [p for p in zip(calls, wanted) if p[0] != p[1]][:3])
ops = [e for e in trace if e["ph"] == "X" and e["cat"] != "opencl"]
check(sum(round(e["dur"] * 1000) for e in ops) == made["executing_ns"],
      "commands as long as the device says")

starts = {e["id"]: e for e in trace if e["ph"] == "s"}
ends = {e["id"]: e for e in trace if e["ph"] == "f"}
slices = {(e["pid"], e["tid"], e["ts"]) for e in trace if e["ph"] == "X"}
check(set(starts) == set(ends), "flows begin and end")
check(all((e["pid"], e["tid"], e["ts"]) in slices for e in [*starts.values(), *ends.values()]),
      "on slices")
named = {(e["pid"], e["tid"]): e["args"]["name"] for e in trace
         if e["ph"] == "M" and e["name"] == "thread_name"}
check({(e["pid"], e["tid"]) for e in trace if e["ph"] == "X"} <= set(named), "rows have names")
check(all("queue" in named[e["pid"], e["tid"]] for e in ops), "commands lie on rows of queues")
row_end = {}
for e in sorted(ops, key=lambda e: e["ts"]):
    place = e["pid"], e["tid"]
    if e["ts"] < row_end.get(place, -1e18) - 1e-6:
        check(False, "commands of a row do not overlap", e)
        break
    row_end[place] = e["ts"] + e["dur"]
else:
    check(True, "commands of a row do not overlap")

# An enqueue that failed made no command: from it no flow begins.
failed = Session("failed")
failed.call("clEnqueueNDRangeKernel", 1000, 1200, op=1)
failed.operation(6000, op=1, times=(1100, 1300, 2000, 3000))
failed.call("clEnqueueNDRangeKernel", 4000, 4200, op=2, result=-54)
failed.write()
trace = json.loads(tandem("export", "--format", "chrome", "-o", "-", "failed").stdout)["traceEvents"]
check(sum(e["ph"] == "X" and e["name"] == "clEnqueueNDRangeKernel" for e in trace) == 2 and
      [(e["ph"], e["id"]) for e in trace if e["ph"] in "sf"] == [("s", 1), ("f", 1)],
      "a flow of the enqueue that made a command, none of the one that failed", trace)
finish()
