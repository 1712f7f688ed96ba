#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kernel traces that are not what one would wish for: records lost, clocks that step,
numbers of threads that are used again, CPUs that went away, parts from another
machine. Nothing is guessed, and what is left out is said.
"""
import json
import os
import platform
import random
import struct
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from foreigntrace import write_dat, write_lttng
from gputrace import KernelSide
from recording import BUILD
from tap import check, finish, skip
from traces import synthetic, tandem

END = 10_000_000
MS = 1_000_000
SLEEPING, RUNNABLE = 2, 0


def switch(side, cpu, ns, prev, next, state=SLEEPING):
    side.add(cpu, ns, "sched_switch", struct.pack("<IIBBB", prev, next, state, 120, 120))


def wakeup(side, cpu, ns, tid, by, target):
    side.add(cpu, ns, "sched_waking", struct.pack("<IIHB", tid, by, target, 0))
    side.add(target, ns + 100, "sched_wakeup", struct.pack("<IH", tid, target))


def make(path):
    """A session of process 1000, with thread 1001 known to the kernel."""
    synthetic(path, records=50, threads=1, args="none")
    side = KernelSide(path)
    for cpu in range(2):
        side.collecting(cpu, 1000)
    side.task(0, 2000, 1001, 1000, "worker")
    return side


def thread(path, tid=1001):
    said = tandem("report", "--format", "json", path)
    check(said.returncode == 0, f"{path}: is reported", said.stderr)
    report = json.loads(said.stdout)
    for row in report["threads"]:
        check(row["running_ns"] + row["wait_cpu_ns"] + row["wait_blocked_ns"] +
              row["unknown_ns"] <= END + 1000, f"{path}: a thread's parts are no more than the whole", row)
    return next((row for row in report["threads"] if row["tid"] == tid), None), report, said.stderr


def near(a, b):
    return abs(a - b) <= 2000


# As it should be, to compare with.
side = make("whole")
switch(side, 0, 1 * MS, 0, 1001)
switch(side, 0, 4 * MS, 1001, 0)
wakeup(side, 1, 6 * MS, 1001, 1, 0)
switch(side, 0, 7 * MS, 0, 1001)
switch(side, 0, 9 * MS, 1001, 0)
side.write(END)
row, _, _ = thread("whole")
check(near(row["running_ns"], 5 * MS) and near(row["wait_cpu_ns"], MS) and
      row["wait_blocked_ns"] >= 2 * MS, "the whole one", row)

# Records are lost on the CPU where it runs: from there on, until its next record,
# nobody knows.
side = make("lost")
switch(side, 0, 1 * MS, 0, 1001)
side.lost(0, 3 * MS, 55)
switch(side, 0, 8 * MS, 1001, 0)
side.write(END)
row, report, _ = thread("lost")
check(row["unknown_ns"] >= 4 * MS and row["running_ns"] <= 3 * MS,
      "after a loss what a thread did is not known", row)
check(report["losses"]["by_reason"]["kernel_buffer"] == 55, "and the loss is counted",
      report["losses"])

# Its CPU goes away, and it is next seen on the other one.
side = make("gone")
switch(side, 1, 1 * MS, 0, 1001)
side.add(1, 3 * MS, "collecting", bytes([0, 1, 0, 0, 0, 0]))
switch(side, 0, 7 * MS, 0, 1001)
switch(side, 0, 9 * MS, 1001, 0)
side.write(END)
row, _, _ = thread("gone")
check(2 * MS <= row["running_ns"] <= 4 * MS + 2000 and row["unknown_ns"] >= 4 * MS,
      "of a CPU that went off-line nothing is known", row)

# Its number is another process's later on.
side = make("reused")
switch(side, 0, 1 * MS, 0, 1001)
side.add(0, 3 * MS, "task_exit", struct.pack("<III", 1001, 1001, 1000))
switch(side, 0, 3 * MS + 1000, 1001, 0, 6)
side.add(0, 5 * MS, "task_new", struct.pack("<IIIII", 1001, 1001, 2222, 1, 1))
side.task(0, 5 * MS + 10, 1001, 2222, "stranger")
switch(side, 0, 6 * MS, 0, 1001)
switch(side, 0, 9 * MS, 1001, 0)
side.write(END)
row, report, _ = thread("reused")
check(near(row["running_ns"], 2 * MS),
      "a number that is used again is another thread's", row)

# Without wake-ups it is not known when it could have run.
side = make("nowakes")
for cpu in range(2):
    side.add(cpu, 1500, "collecting", bytes([2, 1, 1, 0, 0, 0]))
switch(side, 0, 1 * MS, 0, 1001)
switch(side, 0, 4 * MS, 1001, 0)
switch(side, 0, 7 * MS, 0, 1001)
switch(side, 0, 9 * MS, 1001, 0)
side.write(END)
row, report, _ = thread("nowakes")
check(near(row["running_ns"], 5 * MS) and row["wait_cpu_ns"] == 0,
      "without wake-ups no wait for a CPU is made up", row)

# Parts of another boot, or another machine.
side = make("elsewhere")
switch(side, 0, 1 * MS, 0, 1001)
switch(side, 0, 4 * MS, 1001, 0)
side.run["boot_id"], side.run["host"] = "11111111-2222-4333-8444-555555555555", "here"
side.metadata = side.metadata.replace("env {", 'env {\n\thostname = "there";\n\tboot_id = '
                                      '"99999999-2222-4333-8444-555555555555";', 1)
side.write(END)
said = tandem("report", "--format", "json", "elsewhere")
report = json.loads(said.stdout)
check(said.returncode == 0 and report["session"]["kernel_events"] == 0 and
      report["session"]["calls"] > 0, "a kernel's side of another boot is left out", said.stderr)
check("there" in said.stderr and "can't be joined" in said.stderr and
      len(said.stderr.splitlines()) == 1, "and that is said", said.stderr)
with open("elsewhere/process-1000/metadata", "w", encoding="utf-8") as file:
    file.write(side.metadata)
said = tandem("report", "elsewhere")
check(said.returncode == 0 and said.stderr.count("left out") == 2,
      "a process that ran on another machine, too", said.stderr)

# trace-cmd's: a clock that steps back in the middle of a CPU's data; a page in front
# of which events were lost.
synthetic("dat", records=50, threads=1, args="none")
with open("dat/session.json", encoding="utf-8") as file:
    run = json.load(file)
run["host"] = platform.node()
run["end"] = {key: run["start_" + key] + END for key in ("monotonic_ns", "realtime_ns")}
run["end"]["ticks"] = run["start_ticks"] + END * 25 // 10
with open("dat/session.json", "w", encoding="utf-8") as file:
    json.dump(run, file)


def events(times):
    made = [dict(process=0, thread=0, name="task", monotonic_ns=run["start_monotonic_ns"],
                 args=dict(tid=tid, pid=1000, name="worker")) for tid in (1000, 1001)]
    turn = 0
    for ns in times:
        turn = 1001 - turn
        made.append(dict(process=0, thread=0, name="sched_switch",
                         monotonic_ns=run["start_monotonic_ns"] + ns,
                         args=dict(prev_tid=1001 - turn, next_tid=turn, prev_prio=120,
                                   next_prio=120, prev_state="sleeping")))
    return made


times = [100_000 + 10_000 * i for i in range(400)]
write_dat("plain.dat", events(times), platform.node(), "")
said = tandem("report", "--format", "json", "--with", "plain.dat", "dat")
check(said.returncode == 0, "trace.dat: is joined", said.stderr)
stepped = times[:200] + [ns - 1_500_000 for ns in times[200:]]
write_dat("step.dat", events(stepped), platform.node(), "")
said = tandem("report", "--format", "json", "--with", "step.dat", "dat")
rows = json.loads(said.stdout)["threads"] if said.returncode == 0 else []
check(rows and all(row["running_ns"] + row["wait_cpu_ns"] + row["wait_blocked_ns"] +
                   row["unknown_ns"] <= END + 1000 for row in rows),
      "trace.dat: a clock that steps back makes no time", (said.stderr, rows))
data = bytearray(open("plain.dat", "rb").read())
page = next(place for place in range(4096, len(data), 4096)
            if 150_000 < struct.unpack_from("<Q", data, place)[0] - run["start_monotonic_ns"] < END)
data[page + 11] |= 0x80  # RB_MISSED_EVENTS in the page's commit
with open("missed.dat", "wb") as file:
    file.write(data)
said = tandem("report", "--format", "json", "--with", "missed.dat", "dat")
report = json.loads(said.stdout) if said.returncode == 0 else {}
check(report and report["losses"]["by_reason"]["kernel_buffer"] > 0,
      "trace.dat: events that were lost are said", (said.stderr, report.get("losses")))

# LTTng's: the same, and one without what is needed.
BOOT = "93eacddb-4598-400f-a422-8d3e25180000"
times = [100_000 + 10_000 * i for i in range(700)]


def lttng(name, made, **more):
    write_lttng(name, made, BOOT, platform.node(), **more)
    said = tandem("report", "--format", "json", "--with", name, "dat")
    return said, json.loads(said.stdout) if said.returncode == 0 else None


if not (BUILD / "tandem-ctf.so").exists():
    skip("LTTng's", "built without libbabeltrace2")
    finish()
said, whole = lttng("plain", events(times))
check(whole and whole["session"]["scheduling"] == "system" and not whole["losses"]["total"],
      "LTTng's: is joined", said.stderr)
known = sum(row["running_ns"] for row in whole["threads"])
said, report = lttng("lossy", events(times), discarded=77)
check(report and report["losses"]["by_reason"]["kernel_buffer"] == 77,
      "LTTng's: events that were lost are said", (said.stderr, report and report["losses"]))
check(sum(row["unknown_ns"] for row in report["threads"]) >
      sum(row["unknown_ns"] for row in whole["threads"]) and
      sum(row["running_ns"] for row in report["threads"]) < known,
      "LTTng's: what threads did there is not guessed", report["threads"])
stepped = times[:350] + [ns - 1_500_000 for ns in times[350:]]
said, report = lttng("stepped", events(stepped))
check(said.returncode == 1 and len(said.stderr.splitlines()) == 1 or
      report and all(row["running_ns"] + row["wait_cpu_ns"] + row["wait_blocked_ns"] +
                     row["unknown_ns"] <= END + 1000 for row in report["threads"]),
      "LTTng's: a clock that steps back makes no time", (said.stderr, report and report["threads"]))
said, report = lttng("nothing", [e for e in events(times) if e["name"] != "sched_switch"])
check(said.returncode == 1 and len(said.stderr.splitlines()) == 1 and
      "sched_switch" in said.stderr, "LTTng's: without switches it is refused, with what helps",
      said.stderr)

# Damaged: libbabeltrace2 ends the process that reads some of these.
whole = {name: open(os.path.join("plain", name), "rb").read() for name in os.listdir("plain")}
stream = next(name for name in whole if name != "metadata")
data = bytearray(whole[stream])
data[40:56] = (b"\xff" * 7 + b"\x9f") * 2  # the packet's sizes
os.mkdir("damaged")
for name in whole:
    with open(os.path.join("damaged", name), "wb") as file:
        file.write(data if name == stream else whole[name])
said = tandem("report", "--with", "damaged", "dat")
check(said.returncode == 1 and len(said.stderr.splitlines()) == 1 and "damaged: " in said.stderr,
      "LTTng's: a size that can't be is refused in a line", said.stderr)
random.seed(2)
worst = []
for i in range(60):
    name = ("metadata", stream)[i % 2]
    data = bytearray(whole[name])
    place = random.randrange(256) if i % 3 else random.randrange(len(data))
    data[place] = random.randrange(256)
    with open(os.path.join("damaged", name), "wb") as file:
        file.write(data)
    if i % 2 == 0:
        with open(os.path.join("damaged", stream), "wb") as file:
            file.write(whole[stream])
    said = tandem("report", "--format", "json", "--with", "damaged", "dat")
    if said.returncode not in (0, 1) or len(said.stderr.splitlines()) > 1 or \
            said.returncode and not said.stderr.startswith("tandem: "):
        worst.append((i, said.returncode, said.stderr[-300:]))
    with open(os.path.join("damaged", "metadata"), "wb") as file:
        file.write(whole["metadata"])
check(not worst, "LTTng's: damaged ones are read as far as they go, or refused in a line", worst[:3])
finish()
