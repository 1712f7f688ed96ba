#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the collector records of the scheduler is whole: a trace that babeltrace2
takes, each CPU's switches one after another, who wakes whom, names, beginnings
and ends of threads.

tandem-test: alone
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from kernelside import Kernel, need, need_tool
from tap import check, finish, TANDEM

need("system")
need_tool("babeltrace2")

PROGRAM = """
import os, threading, time
def work():
    for _ in range(150):
        time.sleep(0.002)
threads = [threading.Thread(target=work) for _ in range(2)]
[t.start() for t in threads]
[t.join() for t in threads]
child = os.fork()
if not child:
    open("/proc/self/comm", "w").write("renamed-child")
    time.sleep(0.02)
    os._exit(0)
os.waitpid(child, 0)
print(os.getpid(), child)
time.sleep(0.15)
"""

said = subprocess.run([TANDEM, "record", "-o", "whole", "--", sys.executable, "-c", PROGRAM],
                      capture_output=True, text=True)
check(said.returncode == 0, "the program runs", said.stderr)
pid, child = map(int, said.stdout.split())
kernel = Kernel("whole")
check(not kernel.complaints and kernel.events, "babeltrace2 reads it without a word",
      kernel.complaints)

ours = subprocess.run([TANDEM, "print", "--format", "json", "whole"], capture_output=True,
                      text=True).stdout.splitlines()
check(len(ours) == len(kernel.events), "and as many events as we do",
      f"{len(kernel.events)} {len(ours)}")

# The first says what is recorded, and before long it is all of the scheduler.
first = {}
for event in kernel.events:
    first.setdefault(event.cpu, event)
check(all(event.name == "collecting" and event.anew == 1 for event in first.values()),
      "each CPU's stream begins with what it holds", list(first.values()))
complete = {e.cpu: e.ticks for e in kernel.named("collecting") if e.wakeups and e.migrations}
check(complete.keys() == first.keys(), "and comes to hold wake-ups and migrations")

# Who gives up a CPU had it. (Until the first look at the records, a kernel that
# hides its idle threads' switches leaves gaps; then they are filled.)
gaps, switches, last = 0, 0, {}
start = min(complete.values())
for event in kernel.named("sched_switch"):
    if event.cpu in last and event.ticks > start:
        switches += 1
        gaps += last[event.cpu] != event.prev_tid
    last[event.cpu] = event.next_tid
check(switches > 100, "there are switches", switches)
check(gaps <= switches / 4, "one after another", f"{gaps} gaps of {switches}")

# Time stamps are one clock's, over all CPUs: a thread's waking, on whatever CPU,
# comes before it runs, and it runs on one CPU at a time.
mine = {e.local_tid for e in kernel.named("task_new") if e.pid in (pid, child)} | {pid}
check(len(mine) >= 4, "the program's threads came to be", mine)
running, wrong = {}, []
for event in kernel.named("sched_switch"):
    if event.next_tid in mine:
        if event.next_tid in running and event.ticks > start:
            wrong.append((running[event.next_tid], event))
        running[event.next_tid] = event
    running.pop(event.prev_tid, None)
check(len(wrong) <= 2, "a thread runs on one CPU at a time", wrong[:4])
woken = {e.tid for e in kernel.named("sched_waking")} & mine
check(woken, "its wakings are there", mine)
# Some kernels leave out a switch in a hundred, as perf record shows too: who leaves a CPU
# has run as well as who comes to it.
ran = {tid for e in kernel.named("sched_switch") for tid in (e.next_tid, e.prev_tid)} & mine
check(ran == mine, "each of its threads ran", mine - ran)

told = {(e.local_tid, e.pid, e.fields["name"]) for e in kernel.named("task")}
check((child, child, "renamed-child") in told, "a new name is told", sorted(told)[:20])
check(any(t[0] == pid and t[1] == pid for t in told), "and which process a thread is of")
check(any(e.local_tid == child for e in kernel.named("task_exit")), "ends are told")
execs = [e for e in kernel.named("task") if e.how == "exec" and e.local_tid == pid]
check(execs, "and when it became another program", kernel.named("task")[:10])
finish()
