#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Perfetto traces, read back by a decoder of their own (tests/lib/perfetto.py)."""
import json
import os
import sys
from collections import Counter

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import perfetto
from tap import check, finish, skip
from traces import events, mandelbrot, report, synthetic, tandem

made = synthetic("made", records=20000, processes=2, threads=2)
done = tandem("export", "--format", "perfetto", "-o", "made.pftrace", "made")
check(done.returncode == 0, "a made session is exported", done.stderr)
trace = perfetto.read("made.pftrace")
printed = events("made")

threads = [t for t in trace.tracks.values() if t.kind == "thread"]
check(len(threads) == 4, "a track for each thread", [t.path for t in threads])
calls = [s for s in trace.slices if trace.tracks[s.track].kind == "thread"]
ops = [s for s in trace.slices if trace.tracks[s.track].kind == "track" and
       s.category != ["finding"]]
check(len(calls) == made["calls"], "a slice for each call", len(calls))
check(len(ops) == made["operations"], "a slice for each command", len(ops))
check(sum(s.end - s.ns for s in ops) == made["executing_ns"], "as long as the device says")
check(all(s.end is not None for s in trace.slices), "every slice ends")
names = Counter(s.name for s in calls)
wanted = Counter(e["name"] for e in printed if "duration_ns" in e)
check(names == wanted, "calls by name", (names, wanted))

by_time = {(s.ns, trace.tracks[s.track].tid, s.name): s for s in calls}
wrong = [e for e in printed if "duration_ns" in e and
         ((e["monotonic_ns"], e["thread"], e["name"]) not in by_time or
          by_time[e["monotonic_ns"], e["thread"], e["name"]].end !=
          e["monotonic_ns"] + e["duration_ns"])]
check(not wrong, "each call where `tandem print` has it, as long", wrong[:3])

launch = next(s for s in calls if s.name == "clEnqueueNDRangeKernel")
shown = next(e for e in printed if e["name"] == launch.name and
             e["monotonic_ns"] == launch.ns)
for key in ("queue", "kernel", "kernel_name", "global", "local", "work_dim"):
    check(launch.args.get(key) == shown["args"].get(key), f"its argument {key}",
          (launch.args, shown["args"]))
check(launch.args["result"] == "CL_SUCCESS", "its result")

flows = {}
for s in trace.slices:
    for flow in s.flows:
        flows.setdefault(flow, []).append(s)
check(len(flows) == made["operations"], "a flow for each command", len(flows))
check(all(len(f) == 2 and {trace.tracks[s.track].kind for s in f} == {"thread", "track"}
          for f in flows.values()), "from its call to its slice")
check(all(min(f, key=lambda s: trace.tracks[s.track].kind != "thread").ns <=
          min(s.ns for s in f if trace.tracks[s.track].kind == "track")
          for f in flows.values()), "the call first")
ends = Counter(flow for s in calls for flow in s.last_flows)
check(set(ends) == set(flows) and max(ends.values()) == 1, "and on to the call that waited")

rows = Counter(tuple(trace.tracks[s.track].path) for s in ops)
check(len(rows) == 8 and {r[2] for r in rows} == {"kernels", "transfers"},
      "a row for kernels and one for transfers of each queue", rows)
check(all(trace.tracks[s.track].path[0].startswith("process ") for s in ops),
      "below their process")
lanes = {}
for s in sorted(ops, key=lambda s: s.ns):
    check_end = lanes.get(s.track, 0)
    if s.ns < check_end:
        check(False, "slices of a lane do not overlap", s)
        break
    lanes[s.track] = s.end
else:
    check(True, "slices of a lane do not overlap")
counted = {}
for c in trace.counters:
    counted.setdefault(tuple(trace.tracks[c.track].path), []).append(c)
memory = [row for path, row in counted.items() if path[-1].startswith("memory in use")]
check(memory and memory[0][-1].value > 0, "memory in use is a counter", counted.keys())
check(all(trace.tracks[row[0].track].unit == 3 for row in memory), "in bytes")

# How many operations a queue holds, from their enqueue to their end.
for path, row in counted.items():
    if path[-1] != "operations in the queue":
        continue
    held = [s for s in ops if tuple(trace.tracks[s.track].path[:2]) == path[:2]]
    check(len(row) == 2 * len(held) and row[-1].value == 0 and
          max(c.value for c in row) >= 1 and
          all(abs(b.value - a.value) == 1 for a, b in zip(row, row[1:])),
          f"{path[1]}: what it holds goes up and down by one", (len(row), len(held)))
check(sum(path[-1] == "operations in the queue" for path in counted) == 4, "for each queue")
# How busy a device is: percent of stretches of time, which sum up to the report's.
busy = {path[0]: row for path, row in counted.items() if path[0].startswith("utilisation: ")}
devices = {d["name"]: d for d in report("made")["devices"] if d["operations"]}
check(len(busy) == len(devices) > 0, "each device's utilisation", (busy.keys(), devices.keys()))
for row in busy.values():
    check(trace.tracks[row[0].track].unit_name == "%" and all(0 <= c.value <= 100 for c in row) and
          row[-1].value == 0, "in percent, and 0 at the end", row[-1])
area = sum(c.value * (d.ns - c.ns) / 100 for row in busy.values() for c, d in zip(row, row[1:]))
check(abs(area - sum(d["busy_ns"] for d in devices.values())) < 0.05 * area,
      "as busy as the report says", (area, [d["busy_ns"] for d in devices.values()]))

# Perfetto's own table of what GPUs did: the same operations.
def piece(s):
    path = trace.tracks[s.track].path
    return s.ns, s.end, s.name, path[1].split(" on ")[0], s.args["kind"], int(path[0].split()[1])


check(Counter((s.ns, s.end, s.name, s.queue, s.stage, s.pid) for s in trace.stages) ==
      Counter(map(piece, ops)), "render stages are the operations", trace.stages[:1])
check(len({s.number for s in trace.stages}) == len(ops) and
      all((s.category == 2) == (s.stage == "kernel") for s in trace.stages), "kernels compute")

# Order: queues by their numbers, in them kernels before transfers.
ranks = {tuple(t.path): t.rank for t in trace.tracks.values() if t.rank is not None}
check(all(trace.tracks[t.parent].ordering == 3 for t in trace.tracks.values() if t.parent),
      "whoever has children orders them by rank")
check(all(ranks[path] == int(path[1].split()[1]) for path in ranks if len(path) == 2) and
      all(ranks[path[:2] + ("kernels",)] < ranks[path[:2] + ("transfers",)]
          for path in ranks if len(path) == 3), "queues by number, kernels first", ranks)

# Findings.
found = [e for e in trace.slices + trace.instants if e.category == ["finding"]]
wanted = json.loads(tandem("findings", "--all", "--format", "json", "made").stdout)["findings"]
check(sorted((f.name, f.args["kind"], f.args.get("cost_ns", 0), f.args.get("suggestion", ""))
             for f in found) == sorted((f["what"], f["name"], f["cost_ns"], f["do"]) for f in wanted)
      and wanted, "findings are those of `tandem findings`", (found, wanted))
start = trace.clocks[3]
starts = {}
for e in found:
    starts.setdefault(e.name, set()).add(e.ns - start)
check(all(f["where"].get("begin_ns") in {None} | starts[f["what"]] for f in wanted),
      "where the worst of each was")
unknown = perfetto.unknown_fields("made.pftrace")
if unknown is None:
    skip("Perfetto's own schema", "PyPI's package `perfetto` is not here")
else:
    check(not unknown, "Perfetto's own schema knows every field", unknown)
check({1, 3, 6} <= set(trace.clocks), "clocks are tied to the time of day")

if mandelbrot("run"):
    done = tandem("export", "-f", "perfetto", "-o", "run.pftrace", "run")
    trace = perfetto.read("run.pftrace")
    said = report("run")
    ops = [s for s in trace.slices if "op" in s.args and trace.tracks[s.track].kind == "track"]
    check(Counter(s.name for s in ops) ==
          Counter({d["name"]: d["count"] for d in said["device"]}),
          "a real run: commands as in the report")
    calls = {f: s for s in trace.slices for f in s.flows
             if trace.tracks[s.track].kind == "thread"}
    off = [s for s in ops if not calls[s.flows[0]].ns <= s.ns + s.args["clock_bound_ns"]]
    check(not off, "none begins before its call", off[:2])
    check(any(s.name == "build" for s in trace.slices), "the build of its program")
else:
    skip("a real run", "the image program does not run here")
finish()
