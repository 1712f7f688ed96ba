#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report of a part of a run (--from, --to): what begins in it counts, whole, shares
of time as far as they lie inside. Edges to the nanosecond on a session of a few
events; parts that lie side by side come to the whole in all tables.
"""
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from gputrace import KernelSide
from handmade import OPEN, Session
from tap import check, finish, skip
from traces import BUILD, mandelbrot, synthetic, tandem


def part(path, begin=None, end=None, *options):
    words = [*options]
    if begin is not None:
        words += ["--from", f"{begin}ns"]
    if end is not None:
        words += ["--to", f"{end}ns"]
    said = tandem("report", "--format", "json", *words, path)
    if said.returncode or said.stderr:
        check(False, f"{path}: {words} is reported", said.stderr)
        finish()
    return json.loads(said.stdout)


def by(rows, *keys):
    return {tuple(row[key] for key in keys): row for row in rows}


# Edges. All times are ns since the start; ticks are 0.4 ns, so even ones are exact.
made = Session("edges")
made.call("clGetDeviceInfo", 1000, 1400, result=-30)
made.call("clEnqueueNDRangeKernel", 2000, 2200, op=1)
made.call("clEnqueueNDRangeKernel", 2400, 2600, op=2)
made.call("clFinish", 3000, 9000)
made.operation(9010, op=1, times=(2100, 2300, 4000, 6000))
made.operation(9020, op=2, times=(2500, 2700, 6000, 8800))
made.call("clEnqueueNDRangeKernel", 9400, 9600, op=3)
made.call("clFinish", 10000, OPEN)
made.call("clGetDeviceInfo", 12000, 12400, thread=2)
made.write()

said = part("edges", 1000, 3000)
api = by(said["api"], "name")
check(set(api) == {("clGetDeviceInfo",), ("clEnqueueNDRangeKernel",)} and
      api["clGetDeviceInfo",]["errors"] == 1, "the begin belongs to a range, its end does not", api)
check([row["count"] for row in said["errors"]] == [1], "and so do errors", said["errors"])
check(said["session"]["from_ns"] == 1000 and said["session"]["to_ns"] == 3000, "it says which range",
      said["session"])
check(part("edges", 1002, 3000)["errors"] == [], "what began a moment before counts no more")

said = part("edges", 4000, 6000)
api = by(said["api"], "name")
check(set(api) == {("clFinish",)} and api["clFinish",]["calls"] == 0 and
      api["clFinish",]["total_ns"] == 0 and api["clFinish",]["within_ns"] == 2000,
      "a call that goes on in a range is shown with what lies inside", api)
bound = next(row["bound_ns"] for row in said["clocks"] if row["domain"] == "opencl")


def near(value, wanted):
    """Commands lie where the clock's fit puts them: within its bound."""
    return abs(value - wanted) <= bound


check(bound < 500, "the clock of this session is known well", said["clocks"])
device = said["devices"][0]
check(near(device["busy_ns"], 2000) and near(device["gpu_idle_ns"], 0) and
      near(device["executing_ns"], 2000) and near(device["device_queue_ns"], 2000),
      "the device was busy, and a command waited, as long as the range", device)
check(abs(device["busy_percent"] - 100) < 30 and abs(device["device_queue_depth"] - 1) < 0.3,
      "shares are of the range", device)

said = part("edges", 4000 - bound, 6000 - bound)
rows = said["device"]
check(len(rows) == 1 and rows[0]["count"] == 1 and rows[0]["total_ns"] == 2000 and
      0 < rows[0]["within_ns"] <= 2000, "a command counts where it starts, whole", rows)
check(said["zones"][0]["count"] == 1 and said["zones"][0]["executing_ns"] == 2000 and
      said["operations"]["total"] == 1, "in all tables", said["zones"])
check(part("edges", 2400, 2500)["operations"]["unfinished"] == 0 and
      part("edges", 9400, 9500)["operations"]["unfinished"] == 1,
      "one that never ended counts where its call began")
for begin, end, count in ((None, 9000, 0), (9000, None, 1), (11000, None, 1), (None, None, 1)):
    said = part("edges", begin, end)
    check(said["operations"]["open_calls"] == count and len(said["open_calls"]) == count,
          f"a call that never returned is in every range that it reaches: {begin} to {end}", said)
said = part("edges", 11000)
open_row = by(said["api"], "name")["clFinish",]
check(open_row["within_ns"] == said["session"]["to_ns"] - 11000 and open_row["calls"] == 0,
      "with its time until the end of all", open_row)

# Side by side.
SUMS = {
    "api": (("domain", "name"), ("calls", "errors", "open", "total_ns", "on_cpu_ns", "wait_cpu_ns",
                                 "wait_blocked_ns", "unknown_ns")),
    "device": (("device", "kind", "name"), ("count", "failed", "untimed", "bytes", "total_ns")),
    "zones": (("process", "queue"), ("host_queue_ns", "device_queue_ns", "executing_ns", "count",
                                     "untimed")),
    "devices": (("name",), ("operations",)),
    "memory": (("device",), ("allocated_bytes", "freed_bytes", "allocations", "frees")),
    "builds": ((), ("duration_ns", "one")),
    "errors": (("name", "code"), ("count",)),
    "processes": (("pid",), ("calls", "api_ns", "operations", "executing_ns")),
    "threads": (("pid", "tid"), ("calls", "errors", "events", "api_ns", "switches", "migrations")),
    "functions": (("name", "file"), ("self_samples", "total_samples")),
    "engine_users": (("engine", "pid"), ("jobs", "host_queue_ns", "device_queue_ns", "executing_ns")),
    "engines": (("name",), ("jobs", "dropped")),
}
# Each interval that an edge cuts is rounded twice. In a range each command lies on the
# host's clock for itself, so that neighbours may move by the clock's bound.
ROUNDED, PLACED = 1e-4, 0.02
SHARES = {
    "devices": (("name",), ("busy_ns", "host_queue_ns", "device_queue_ns", "executing_ns")),
    "threads": (("pid", "tid"), ("running_ns", "system_ns", "wait_cpu_ns", "wait_blocked_ns",
                                 "unknown_ns")),
    "waits": (("pid", "tid", "function", "state", "by_kind"), ("total_ns",)),
    "sharing": (("pid", "by_kind", "by_pid"), ("waited_ns", "beside_ns")),
    "engines": (("name",), ("busy_ns", "unknown_ns")),
}


def summed(report, name, keys, values):
    sums = {}
    for row in report[name]:
        row["one"] = 1
        mine = sums.setdefault(tuple(row[key] for key in keys), dict.fromkeys(values, 0))
        for value in values:
            mine[value] += row[value]
    return {key: row for key, row in sums.items() if any(row.values())}


def together(reports, name, keys, values):
    sums = {}
    for report in reports:
        for key, row in summed(report, name, keys, values).items():
            mine = sums.setdefault(key, dict.fromkeys(values, 0))
            for value in values:
                mine[value] += row[value]
    return sums


def check_parts(path, count=5, seed=3):
    whole = part(path)
    length = whole["session"]["duration_ns"]
    chance = random.Random(seed)
    edges = [None, *sorted(chance.randrange(length) for _ in range(count - 1)), None]
    parts = [part(path, *pair) for pair in zip(edges, edges[1:])]
    session = whole["session"]
    check(all(sum(each["session"][key] for each in parts) == session[key]
              for key in ("events", "calls", "kernel_events", "samples")),
          f"{path}: {count} parts hold all events", [each["session"] for each in parts])
    check(sum(each["session"]["to_ns"] - each["session"]["from_ns"] for each in parts) == length,
          f"{path}: and all of the time")
    some = 0
    for name, (keys, values) in SUMS.items():
        wanted, got = summed(whole, name, keys, values), together(parts, name, keys, values)
        some += len(wanted)
        check(got == wanted, f"{path}: {name}: parts come to the whole",
              {key: (got.get(key), wanted.get(key)) for key in got.keys() | wanted.keys()
               if got.get(key) != wanted.get(key)})
    for name, (keys, values) in SHARES.items():
        wanted, got = summed(whole, name, keys, values), together(parts, name, keys, values)
        part_of = PLACED if name in ("devices", "sharing") else ROUNDED
        longest = max((max(row.values()) for row in wanted.values()), default=0)
        off = {key: (got.get(key), wanted.get(key)) for key in got.keys() | wanted.keys()
               for value in values
               if abs(got.get(key, {}).get(value, 0) - wanted.get(key, {}).get(value, 0)) >
               2 * count + part_of * longest}
        check(not off, f"{path}: {name}: time inside comes to all of it", off)
    for name, keys in (("api", ("domain", "name")), ("device", ("device", "kind", "name"))):
        wanted = summed(whole, name, keys, ("total_ns",))
        got = together(parts, name, keys, ("within_ns",))
        # Calls that never returned have no length, but lie in parts.
        off = [key for key, row in wanted.items() if got[key]["within_ns"] <
               row["total_ns"] - row["total_ns"] // 10000 - 2 * count]
        check(not off, f"{path}: {name}: what lies inside of each part, too",
              [(wanted[key], got[key]) for key in off])
    check(parts[1]["clocks"] == whole["clocks"] and parts[1]["losses"] == whole["losses"],
          f"{path}: clocks and losses are the whole run's")
    check(some > 5, f"{path}: there was something to compare")
    return whole, parts, edges


synthetic("plain", records=20000, processes=2, threads=3)
whole, parts, edges = check_parts("plain")
held = [row["memory"][0] for row in parts]
check(all(row["peak_bytes"] == 2 << 20 for row in held[1:]) and
      not any(row["allocations"] for row in held[1:]),
      "memory that was allocated before is held in a range", held)
subprocess.run([os.path.join(BUILD, "bench", "gen_machine"), "-n", "20000", "-p", "3", "-t", "2",
                "machine"], check=True, capture_output=True)
check_parts("machine", 7)

synthetic("gpu", records=50, threads=1, args="none")
side = KernelSide("gpu")
side.collecting(0, 1000)
side.task(0, 2000, 500, 500, "game")
FENCE = 0xffff888000000000
steps = []
for number in range(40):
    at = 1_000_000 * (number + 1)
    values = dict(fence=FENCE + 64 * number, id=number, name="gfx", entity=16, job_count=0,
                  hw_job_count=0)
    steps += [(at, "drm_sched_job", values), (at + 300_000, "drm_run_job", values),
              (at + 1_500_000, "drm_sched_process_job", dict(fence=values["fence"]))]
for ns, name, values in sorted(steps, key=lambda step: step[0]):
    side.gpu(0, ns, 500, "gpu_scheduler", name, values)
side.write(50_000_000)
check_parts("gpu", 6)
said = part("gpu", 10_350_000, 10_450_000)["engines"][0]
check(said["jobs"] == 0 and said["busy_ns"] == 100_000 and said["device_most"] == 2 and
      said["host_most"] == 0 and abs(said["device_mean"] - 2) < 0.01,
      "what an engine holds all through a range is in it", said)

if mandelbrot("real", "--sample", "500"):
    whole, parts, edges = check_parts("real", 4)
    check(len(whole["builds"]) == 1, "the build of the real program is one part's", whole["builds"])
else:
    skip("a real run", "the image program can not run here")

# Metrics.
whole = part("plain", None, None, "--metrics")
sums = {}
for pair in [(None, 400_000), (400_000, 1_000_000), (1_000_000, None)]:
    for row in part("plain", *pair, "--metrics")["metrics"]:
        sums[row["name"]] = sums.get(row["name"], 0) + row["value"]
check(all(abs(sums[row["name"]] - row["value"]) <= 1e-9 + abs(row["value"]) * 1e-9
          for row in whole["metrics"]) and any(sums.values()), "metrics of parts come to the whole",
      (sums, whole["metrics"]))

# Words, and what cannot be.
said = tandem("report", "--from", "4us", "--to", "6us", "edges")
check(said.returncode == 0 and "only from 0.000004000 s to 0.000006000 s" in said.stdout and
      "within range" in said.stdout and "--from 4000ns --to 6000ns edges`" in said.stdout and "clGetDeviceInfo failed" not in said.stdout,
      "text says that it is a part, and which findings are of it", said.stdout)
check("in range" not in tandem("report", "edges").stdout, "the whole run has no such column")
check("within_ns" in tandem("report", "--format", "csv", "--from", "0", "edges").stdout.splitlines()[0],
      "CSV has it")
said = tandem("report", "--from", "12.6us", "edges")
check(said.returncode == 0 and "No event of the traced runtimes began there" in said.stdout,
      "an empty range says so", said)
said = tandem("report", "--from", "1s", "edges")
check(said.returncode == 1 and not said.stdout and said.stderr.startswith(
    "tandem: edges: --from 1.00 s is after its end: it lasted "), "a range behind the end is refused", said)
for words, expected in ((("--from", "soon"), "--from: invalid value 'soon'"),
                        (("--to", "1 fortnight"), "--to: invalid value '1 fortnight'"),
                        (("--from", "2s", "--to", "1s"), "--to is not after --from"),
                        (("--from", "1s", "--to", "1s"), "--to is not after --from"),
                        (("--findings", "perhaps"), "--findings: invalid value 'perhaps' (accepted: auto, on, off)")):
    said = tandem("report", *words, "edges")
    check(said.returncode == 2 and expected in said.stderr, f"{' '.join(words)} is refused", said)
finish()
