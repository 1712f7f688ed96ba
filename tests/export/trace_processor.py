#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Perfetto's own trace processor on what we export: its SQL tables `slice`, `flow`,
`counter`, `process`, `thread`, `sched` and `thread_state` say what `tandem report` says.

Needs `trace_processor_shell` ($PATH, or its file in $TANDEM_TRACE_PROCESSOR), which no
distribution has: doc/HOWTO_TEST.md tells how it is built."""
import csv
import io
import os
import platform
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import perfetto
from kernelside import Gaps, scope
from tap import check, finish, skip
from traces import BUILD, mandelbrot, record, report, synthetic, tandem

SHELL = os.environ.get("TANDEM_TRACE_PROCESSOR") or shutil.which("trace_processor_shell")
if not SHELL:
    print("there is no trace_processor_shell here (doc/HOWTO_TEST.md)")
    sys.exit(77)
NOT_OURS = {"mismatched_sched_switch_tids"}  # of kernels that leave a switch out: counted below


def number(text):
    try:
        return int(text)
    except ValueError:
        return None if text == "[NULL]" else text


class Processor:
    """A trace, and SQL on it."""

    def __init__(self, session, *more):
        self.path = session + ".pftrace"
        done = tandem("export", "-q", "-f", "perfetto", "-o", self.path, session, *more)
        check(done.returncode == 0, f"{session} is exported", done.stderr)
        self.stats = dict(self.query("SELECT name, value FROM stats WHERE value > 0 AND "
                                     "severity IN ('error', 'data_loss')"))
        check(not self.stats.keys() - NOT_OURS, f"{session} is read without an error",
              self.stats)

    def query(self, sql):
        with open("query.sql", "w", encoding="utf-8") as file:
            file.write(sql + ";\n")
        done = subprocess.run([SHELL, "-q", "query.sql", self.path], capture_output=True,
                              text=True, check=False)
        check(done.returncode == 0, "a query: " + " ".join(sql.split())[:60], done.stderr)
        return [tuple(map(number, row)) for row in csv.reader(io.StringIO(done.stdout))][1:]


def calls_and_commands(name, trace, said):
    """What lies on the tracks of threads and queues is what the report counts."""
    found = {row[0]: row[1:] for row in trace.query(
        "SELECT s.name, count(*), sum(dur) FROM slice s JOIN thread_track t ON s.track_id = t.id "
        "WHERE s.name NOT LIKE 'sys_%' GROUP BY 1")}
    wanted = {row["name"]: (row["calls"], row["total_ns"]) for row in said["api"]}
    check(found == wanted, f"{name}: calls, how many and how long",
          [(k, found.get(k), wanted.get(k)) for k in found.keys() | wanted.keys()
           if found.get(k) != wanted.get(k)][:4])
    found = {row[0]: row[1] for row in trace.query(
        "SELECT s.name, count(*) FROM slice s JOIN process_track t ON s.track_id = t.id "
        "WHERE t.name NOT LIKE 'program builds' GROUP BY 1")}
    wanted = {}
    for row in said["device"]:
        wanted[row["name"]] = wanted.get(row["name"], 0) + row["count"]
    check(found == wanted, f"{name}: commands, how many", (found, wanted))
    flows = trace.query(
        "SELECT count(*), sum(a.ts <= b.ts) FROM flow f JOIN slice a ON a.id = f.slice_out "
        "JOIN slice b ON b.id = f.slice_in JOIN thread_track t ON a.track_id = t.id")
    check(flows and flows[0][0] == sum(wanted.values()) == flows[0][1],
          f"{name}: an arrow from each command's call to it", (flows, wanted))
    names = {row[0]: row[1] for row in trace.query(
        "SELECT tid, t.name FROM thread t JOIN thread_track USING (utid) "
        "WHERE thread_track.id IN (SELECT track_id FROM slice WHERE name NOT LIKE 'sys_%')")}
    check(names == {t["tid"]: t["name"] for t in said["threads"] if t["calls"]},
          f"{name}: threads by name", (names, said["threads"]))


# Made up: many, and each as it was made.
made = synthetic("made", records=20000, processes=2, threads=2)
trace = Processor("made")
calls_and_commands("made", trace, report("made"))
found = trace.query("SELECT count(*), sum(dur) FROM slice s JOIN process_track t "
                    "ON s.track_id = t.id")
check(found == [(made["operations"], made["executing_ns"])], "commands, how long", found)
check(trace.query("SELECT count(DISTINCT upid) FROM process_track") == [(2,)], "two processes")
found = trace.query(
    "SELECT count(*) FROM slice s JOIN args a ON a.arg_set_id = s.arg_set_id "
    "WHERE s.name = 'clEnqueueNDRangeKernel' AND a.flat_key LIKE 'debug.kernel_name'")
wanted = trace.query("SELECT count(*) FROM slice WHERE name = 'clEnqueueNDRangeKernel'")
check(found == wanted and found[0][0], "arguments", (found, wanted))

# Recorded on an H200, told again by the stub.
replay = os.path.join(BUILD, "tests", "stubs", "cuda", "replay")
if os.access(replay, os.X_OK):
    data = os.path.join(os.environ["TANDEM_SOURCE"], "tests", "data", "cuda", "overlap.replay")
    check(record("overlap", [replay, data], "--kernel", "off") == 0, "a CUDA run is recorded")
    calls_and_commands("overlap", Processor("overlap"), report("overlap"))
else:
    skip("a CUDA run", "the stub is not built here")


def states(trace, said, gaps, early):
    """A thread's time by what it did, as Perfetto sees it and as the report does."""
    seen = {}
    for tid, state, ns in trace.query(
            "SELECT tid, state, sum(dur) FROM thread_state JOIN thread USING (utid) "
            "WHERE dur >= 0 GROUP BY 1, 2"):
        seen.setdefault(tid, {})[state] = ns
    threads = {t["tid"]: t for t in said["threads"]}
    wrong = {}
    for tid, thread in threads.items():
        mine = seen.get(tid, {})
        waits = mine.get("R", 0) + mine.get("R+", 0)
        # What no record tells the trace processor puts down to what was before.
        room = gaps.of(tid)[1] + thread["unknown_ns"] + early + 1000000
        if abs(mine.get("Running", 0) - thread["running_ns"]) > room or \
           abs(waits - thread["wait_cpu_ns"]) > room or \
           abs(mine.get("S", 0) + mine.get("D", 0) - thread["wait_blocked_ns"]) > room:
            wrong[tid] = mine, thread, room
    check(not wrong, "thread_state: running, waiting for a CPU, blocked", wrong)


if scope()[0] != "system":
    skip("scheduling", "the kernel lets us see the whole machine's scheduler only as root")
    finish()
if not mandelbrot("run", "--kernel", "syscalls", size=(320, 240)):
    skip("scheduling", "the image program does not run here")
    finish()
said = report("run")
trace = Processor("run")
calls_and_commands("run", trace, said)
decoded = perfetto.read("run.pftrace")
switches = [e for e in decoded.sched if e.name == "sched_switch"]
last, mismatched = {}, 0
for event in switches:
    mismatched += last.get(event.cpu, event.fields[2][0]) != event.fields[2][0]
    last[event.cpu] = event.fields[6][0]
check(trace.stats.get("mismatched_sched_switch_tids", 0) == mismatched,
      "it misses those switches that the kernel left out", (trace.stats, mismatched))
gaps = Gaps([(e.ns, e.cpu, e.fields[2][0], e.fields[6][0]) if e.name == "sched_switch" else
             (e.ns, None, e.fields[2][0], e.fields[2][0]) for e in decoded.sched
             if e.name in ("sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new")])
begin = min(e.ns for e in decoded.sched)
# A thread that never left its CPU until then: nobody saw it get there.
early = max(min(e.ns for e in switches if e.cpu == cpu) for cpu in last) - begin
states(trace, said, gaps, early)
count = trace.query("SELECT count(*) FROM sched JOIN thread USING (utid) WHERE tid != 0")[0][0]
wanted = sum(e.fields[6][0] != 0 for e in switches)
check(count == wanted, "sched: every stay on a CPU", (count, wanted))
found = trace.query("SELECT str_value FROM metadata WHERE name IN ('system_release', "
                    "'system_machine') ORDER BY 1")
check({row[0] for row in found} == {platform.release(), platform.machine()},
      "the machine and its kernel", found)
# The system calls of the traced threads, by name.
found = dict(trace.query(
    "SELECT s.name, count(*) FROM slice s JOIN thread_track t ON s.track_id = t.id "
    "WHERE s.name LIKE 'sys_%' GROUP BY 1"))
check(found.get("sys_futex", 0) + found.get("sys_mmap", 0) > 10 and
      all(isinstance(name, str) and not name.startswith("sys_4294") for name in found),
      "system calls by name", found)
woken = trace.query("SELECT count(*), sum(waker_utid IS NOT NULL) FROM thread_state JOIN thread "
                    f"USING (utid) WHERE state = 'R' AND upid = (SELECT upid FROM process "
                    f"WHERE pid = {said['threads'][0]['pid']})")
check(woken[0][1], "who woke whom", woken)
memory = trace.query("SELECT max(value) FROM counter c JOIN track t ON t.id = c.track_id "
                     "WHERE t.name LIKE 'memory in use%'")
check(float(memory[0][0]) == max(m["peak_bytes"] for m in said["memory"]),
      "memory in use, at its peak", (memory, said["memory"]))
finish()
