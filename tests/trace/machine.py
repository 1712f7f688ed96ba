#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report, print and the CTF export of a machine that was simulated: several
processes that share CPUs and a device. What its maker knows, they must find."""
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish, skip, TANDEM

GENERATOR = os.path.join(os.environ["TANDEM_BUILD"], "bench", "gen_machine")
STATES = ("running_ns", "wait_cpu_ns", "wait_blocked_ns")


def made(folder, *words):
    said = subprocess.run([GENERATOR, *words, folder], capture_output=True, text=True, check=True)
    return json.loads(said.stdout)


def tandem(*words):
    return subprocess.run([TANDEM, *words], capture_output=True, text=True)


def near(value, expected, most):
    return abs(value - expected) <= most


def check_machine(folder, *words):
    known = made(folder, *words)
    said = tandem("report", "--format", "json", folder)
    check(said.returncode == 0 and not said.stderr, f"{folder}: no complaint", said.stderr)
    report = json.loads(said.stdout)
    session = report["session"]
    check(session["kernel_events"] == known["kernel_records"] and
          session["events"] == known["records"] - known["kernel_records"] and
          session["calls"] == known["calls"] and
          report["operations"]["total"] == known["operations"], f"{folder}: every record", session)
    check(report["operations"]["unfinished"] == known["unfinished"],
          f"{folder}: what was in flight at the end", (report["operations"], known["unfinished"]))

    # Threads: each state to the nanosecond, but for the rounding of each interval.
    threads = {(row["pid"], row["tid"]): row for row in report["threads"]}
    check(set(threads) == {(row["pid"], row["tid"]) for row in known["threads"]},
          f"{folder}: the traced processes' threads and no others", sorted(threads))
    for row in known["threads"]:
        mine = threads[row["pid"], row["tid"]]
        slack = 4 * row["switches"] + 10
        check(all(near(mine[key], row[key], slack) for key in STATES) and
              all(mine[key] == row[key] for key in ("switches", "migrations", "name")),
              f"{folder}: thread {row['tid']}", (mine, row))
        whole = sum(mine[key] for key in STATES) + mine["unknown_ns"]
        check(near(whole, session["duration_ns"], slack), f"{folder}: ... and all of its life",
              (whole, session["duration_ns"]))
    waits = [row for row in report["waits"] if row["state"] == "wait_cpu"]
    check(sum(row["total_ns"] for row in waits) ==
          sum(row["wait_cpu_ns"] for row in report["threads"]),
          f"{folder}: each wait for a CPU is put down to somebody")

    read = next(row for row in report["api"] if row["name"] == "clEnqueueReadBuffer")
    slack = 8 * read["calls"]
    check(all(near(read[key], known["read"][key], slack)
              for key in ("total_ns", "on_cpu_ns", "wait_cpu_ns", "wait_blocked_ns")),
          f"{folder}: a call's time divided", (read, known["read"]))

    clock = next(row for row in report["clocks"] if row["domain"] == "opencl")
    # Where CPUs are short, every end is seen late, and no fit can know better.
    check(near(clock["offset_ns"], known["clock"]["offset_ns"], clock["bound_ns"]) and
          clock["bound_ns"] < (100000 if folder == "crowded" else 3000),
          f"{folder}: the device's clock within its bound", (clock, known["clock"]))
    seconds = session["duration_ns"] / 1e9
    check(near(clock["drift_ppm"], known["clock"]["drift_ppm"],
               2 * clock["bound_ns"] / 1e3 / seconds), f"{folder}: and its drift",
          (clock, known["clock"]))

    device = report["devices"][0]
    check(near(device["busy_ns"], known["busy_ns"], known["busy_ns"] / 1000),
          f"{folder}: how long the device was busy", (device, known["busy_ns"]))
    check(near(device["busy_ns"] + device["gpu_idle_ns"], session["duration_ns"], 1),
          f"{folder}: the rest of the time it had nothing to do", device)
    check_totals(folder, report)
    return known


def check_totals(folder, report):
    """Sums over queues and threads, as anyone can count them."""
    device, duration = report["devices"][0], report["session"]["duration_ns"]
    for key in ("host_queue_ns", "device_queue_ns", "executing_ns"):
        check(device[key] == sum(row[key] for row in report["zones"]),
              f"{folder}: {key} of the device are those of its queues", device)
        for process in report["processes"]:
            check(process[key] == sum(row[key] for row in report["zones"]
                                      if row["process"] == process["pid"]),
                  f"{folder}: {key} of process {process['pid']}", process)
    check(near(device["host_queue_depth"], device["host_queue_ns"] / duration, 1e-5) and
          near(device["device_queue_depth"], device["device_queue_ns"] / duration, 1e-5),
          f"{folder}: the mean depth of its queues", device)
    check({row["pid"] for row in report["processes"]} ==
          {row["pid"] for row in report["threads"]}, f"{folder}: each process has a row")
    for process in report["processes"]:
        rows = [row for row in report["threads"] if row["pid"] == process["pid"]]
        check(process["threads"] == len(rows) and
              all(process[key] == sum(row[key] for row in rows)
                  for key in (*STATES, "calls", "api_ns", "switches", "migrations")),
              f"{folder}: process {process['pid']} is the sum of its threads", process)


def check_order(folder, known):
    found = tandem("print", "--format", "json", folder)
    events = [json.loads(line) for line in found.stdout.splitlines()]
    times = [event["time_ns"] for event in events]
    check(times == sorted(times), f"{folder}: printed in the order of time")
    ended = [event for event in events if event.get("phase") == "end" and "op" in event and
             "bound_ns" in event]
    check(len(ended) == known["operations"], f"{folder}: each command ends once", len(ended))
    if not shutil.which("babeltrace2"):
        skip("babeltrace2", "is not installed")
        return
    raw = subprocess.run(["babeltrace2", folder], capture_output=True)
    check(not raw.stderr and raw.stdout.count(b"\n") == known["records"],
          f"{folder}: babeltrace2 reads the session as it is", raw.stderr[:500])
    out = folder + ".ctf"
    done = tandem("export", "-q", "-f", "ctf", "-o", out, folder)
    read = subprocess.run(["babeltrace2", out], capture_output=True)
    check(done.returncode == 0 and not read.stderr and
          read.stdout.count(b"\n") == len(events), f"{folder}: and the export in true order",
          (done.stderr, read.stderr[:500], read.stdout.count(b"\n"), len(events)))


known = check_machine("machine", "-n", "30000")
check_order("machine", known)
check_machine("crowded", "-n", "60000", "-p", "5", "-t", "6", "-c", "2")
check_machine("lonely", "-n", "20000", "-p", "1", "-t", "1", "-c", "1")
finish()
