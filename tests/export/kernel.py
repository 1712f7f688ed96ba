#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scheduling in the exports: what Perfetto and SQL make of it is what the report says."""
import json
import os
import platform
import shutil
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import perfetto
from kernelside import Gaps, need
from tap import check, finish, skip
from traces import events, mandelbrot, report, tandem

need("system")
if not mandelbrot("run", "--kernel", "syscalls"):
    print("the image program does not run here")
    sys.exit(77)
said = report("run")
threads = {(t["pid"], t["tid"]): t for t in said["threads"]}
pid = said["threads"][0]["pid"]
check({t["pid"] for t in said["threads"]} == {pid}, "threads of one process", said["threads"])

# SQL.
done = tandem("export", "-f", "sqlite", "-o", "run.sqlite", "run")
db = sqlite3.connect("run.sqlite")


def s64(value):
    return value - (1 << 64) if value >> 63 else value


def query(sql):
    return db.execute(sql).fetchall()


states = {}
for process, tid, state, ns in query("SELECT pid, tid, state, total_ns FROM state_summary"):
    states.setdefault((process, tid), {})[state] = ns
wanted = {key: {s: t[s + "_ns"] for s in ("running", "wait_cpu", "wait_blocked", "unknown")
                if t[s + "_ns"]} for key, t in threads.items()}
check(states == wanted, "states as in the report", (states, wanted))
check(query("SELECT count(*) FROM thread_states a JOIN thread_states b ON a.process = b.process "
            "AND a.tid = b.tid AND a.rowid < b.rowid AND a.begin_ns < b.end_ns "
            "AND b.begin_ns < a.end_ns") == [(0,)], "a thread is in one state at a time")
check(query("SELECT count(*) FROM thread_states s LEFT JOIN processes p ON p.id = s.process "
            "WHERE p.id IS NULL") == [(0,)], "each is of a process that is there")
check(query("SELECT count(*) FROM thread_states s LEFT JOIN threads t ON t.id = s.thread "
            f"WHERE s.tid = {pid} AND t.id IS NULL") == [(0,)], "and of its thread")
calls = {}
for name, state, ns in query("SELECT call_name, state, sum(duration_ns) FROM call_states "
                             "GROUP BY 1, 2"):
    calls.setdefault(name, {})[state] = ns
check(all(abs(calls.get(a["name"], {}).get("wait_blocked", 0) - a["wait_blocked_ns"]) <=
          0.001 * a["wait_blocked_ns"] for a in said["api"]),
      "what calls waited for, as in the report", calls)
check(query("SELECT count(*) FROM processes") == [(1,)], "CPUs are no process")
fresh = json.loads(tandem("findings", "--all", "--format", "json", "run").stdout)["findings"]
check(query("SELECT name, cause, cost_ns FROM findings") ==
      [(f["name"], f["cause"], f["cost_ns"]) for f in fresh], "findings as without SQL")

# Perfetto: the kernel's events make the same of it.
done = tandem("export", "-f", "perfetto", "-o", "run.pftrace", "run")
trace = perfetto.read("run.pftrace")
check(trace.release == platform.release(), "the kernel's release is told", trace.release)
running, since, last = {}, {}, {}
for event in sorted(trace.sched, key=lambda e: e.ns):
    if event.name != "sched_switch":
        continue
    prev = event.fields[2][0]
    # As a trace processor: who came, and is not who goes, was lost sight of. There are
    # kernels that leave out a switch now and then; the report goes on from what it knows.
    if prev and last.get(event.cpu) == prev:
        running[prev] = running.get(prev, 0) + event.ns - since[event.cpu]
    since[event.cpu], last[event.cpu] = event.ns, event.fields[6][0]
raw = events("run")
local = {}
for event in raw:
    if event["name"] in ("task", "task_new") and event["args"]["local_tid"]:
        local[event["args"]["tid"]] = event["args"]["local_tid"]
wanted = [(local.get(e["args"]["prev_tid"], e["args"]["prev_tid"]),
           local.get(e["args"]["next_tid"], e["args"]["next_tid"]), e["args"]["prev_prio"])
          for e in raw if e["name"] == "sched_switch"]
found = [(e.fields[2][0], e.fields[6][0], e.fields[3][0]) for e in trace.sched
         if e.name == "sched_switch"]
if all(tid == known for tid, known in local.items()):
    check(found == wanted, "each switch is there", (len(found), len(wanted)))
else:  # a namespace: others' threads have numbers of their own
    check(len(found) == len(wanted), "each switch is there", (len(found), len(wanted)))
gaps = Gaps([(e.ns, e.cpu, e.fields[2][0], e.fields[6][0]) if e.name == "sched_switch" else
             (e.ns, None, e.fields[2][0], e.fields[2][0]) for e in trace.sched
             if e.name in ("sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new")])
off = {tid: (running.get(tid, 0), t["running_ns"], gaps.of(tid)) for (_, tid), t in threads.items()
       if abs(running.get(tid, 0) - t["running_ns"]) >
       0.02 * t["running_ns"] + gaps.of(tid)[1] + 1000000}
check(not off, "threads ran as long as in the report", off)
described = {t.tid: t.pid for t in trace.tracks.values() if t.kind == "thread"}
check(all(trace.threads.get(tid, (described.get(tid),))[0] == p for p, tid in threads),
      "each thread is told of with its process", (trace.threads, described))
check(not [t for t in trace.tracks.values() if t.kind == "thread" and t.name.startswith("cpu ")],
      "CPUs are no threads")
woken = [e for e in trace.sched if e.name == "sched_waking" and e.fields[2][0] in
         [tid for _, tid in threads]]
check(woken and all(e.fields[1][0] for e in woken), "who woke whom, by name", woken[:1])
# A thread can be woken before it sleeps: then its waking is told again with its wake-up.
runs, sleeps, early, wanted = set(), set(), {}, []
for name, args in ((e["name"], e.get("args")) for e in raw):
    tid = args and args.get("tid")
    if name == "sched_switch":
        prev, next_ = args["prev_tid"], args["next_tid"]
        runs.discard(prev)
        (sleeps.discard if args["prev_state"] in ("runnable", "preempted", "dead", "zombie")
         else sleeps.add)(prev)
        runs.add(next_)
        sleeps.discard(next_)
        early.pop(next_, None)
    elif name == "sched_waking":
        early.pop(tid, None)
        if tid in runs:
            early[tid] = args
        wanted.append(args)
    elif name == "sched_wakeup" and tid in early and tid in sleeps:
        wanted.append(early.pop(tid))
wanted = [(local.get(a["tid"], a["tid"]), {"softirq": 0x10, "thread": 0}.get(a["waker"], 8))
          for a in wanted]
found = [(e.fields[2][0], e.flags) for e in trace.sched if e.name == "sched_waking"]
if all(tid == known for tid, known in local.items()):
    check(found == wanted, "wakings, and whether an interrupt woke", (len(found), len(wanted)))
for name, known in (("sys_enter", "syscall_entry"), ("sys_exit", "syscall_exit")):
    found = [(e.tid, e.fields[1][0]) for e in trace.sched if e.name == name]
    wanted = [(local.get(e["args"]["tid"], e["args"]["tid"]), e["args"]["number"]) for e in raw
              if e["name"] == known]
    check(found == wanted and found, f"system calls: {name}", (len(found), len(wanted)))
done = [(s64(e.fields[2][0]), e.tid) for e in trace.sched if e.name == "sys_exit"]
check(done == [(e["args"]["ret"], local.get(e["args"]["tid"], e["args"]["tid"])) for e in raw
               if e["name"] == "syscall_exit"], "and what they return", done[:3])
check(trace.machine == platform.machine(), "the machine is told", trace.machine)
blocked = [e for e in trace.sched if e.name == "sched_switch" and e.fields[2][0] == pid and
           e.fields[4][0] in (1, 2)]
check(blocked, "waits for something else are told from waits for a CPU", len(trace.sched))
slices = [s for s in trace.slices if trace.tracks[s.track].kind == "thread"]
check(slices and min(e.ns for e in trace.sched) < slices[0].ns < max(e.ns for e in trace.sched),
      "on the clock of the calls")

# Two sessions of the same moments: each switch once.
count = len([e for e in trace.sched if e.name == "sched_switch"])
tandem("export", "-f", "perfetto", "-o", "twice.pftrace", "run", "run")
twice = perfetto.read("twice.pftrace")
check(len([e for e in twice.sched if e.name == "sched_switch"]) == count,
      "no switch comes twice from two sessions", (count, len(twice.sched)))

# Two machines, and the first again: each with its own kernel's events, processes and names.
with open("run/session.json") as file:
    described = json.load(file)
boot = described["boot_id"]
shutil.copytree("run", "other")
for folder, _, files in os.walk("other"):
    for name in {"session.json", "metadata"} & set(files):
        with open(os.path.join(folder, name), "r+", encoding="utf-8") as file:
            text = file.read().replace(boot, boot[::-1])
            file.seek(0)
            file.write(text)
done = tandem("export", "-f", "perfetto", "-o", "machines.pftrace", "run", "other", "run")
machines = perfetto.read("machines.pftrace")
check(done.returncode == 0 and {track.of for track in machines.tracks.values()} == {0, 1},
      "sessions of another boot are of another machine", done.stderr)
processes = [sorted(t.pid for t in machines.tracks.values() if t.kind == "process" and t.of == of)
             for of in (0, 1)]
check(processes[1] and processes[0] == sorted(2 * processes[1]) and processes[1][0] == pid,
      "which has the processes' own numbers", processes)
check([len([e for e in machines.sched if e.name == "sched_switch" and e.of == of]) for of in (0, 1)]
      == [count, count], "and its own kernel's events, once", count)
check(list(machines.syncs) == [1] and len(machines.syncs[1]) == 2 and
      all(client == host and host[6] for client, host in machines.syncs[1]),
      "its clock is said to be the trace's", machines.syncs)
unknown = perfetto.unknown_fields("machines.pftrace")
if unknown is None:
    skip("Perfetto's own schema has all of its fields", "no package `perfetto` here")
else:
    check(not unknown, "Perfetto's own schema has all of its fields", unknown)
finish()
