#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernel's side in the life of a session: pauses, limits, a recorder that is
killed, a container's namespace of pids, one recording after another.
"""
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from kernelside import Kernel, need, need_tool
from tap import check, finish, skip, TANDEM, wait_for

need("system")
need_tool("babeltrace2")


def record(folder, *command, options=()):
    return subprocess.run([TANDEM, "record", *options, "-o", folder, "--", *command],
                          capture_output=True, text=True)


def report(folder):
    said = subprocess.run([TANDEM, "report", "--format", "json", folder], capture_output=True,
                          text=True)
    return json.loads(said.stdout)


# Pauses.
program = subprocess.Popen([TANDEM, "record", "--start-paused", "-o", "paused", "--", "sh", "-c",
                            "while :; do sleep 0.01; done"], stderr=subprocess.PIPE, text=True,
                           start_new_session=True)
wait_for(lambda: os.path.exists("paused/session.json"))
time.sleep(0.5)
check(not os.path.exists("paused/kernel"), "paused from the start: nothing is written")
subprocess.run([TANDEM, "resume", "paused"], check=True, capture_output=True)
time.sleep(0.5)
subprocess.run([TANDEM, "pause", "paused"], check=True, capture_output=True)
time.sleep(0.3)
size = sum(entry.stat().st_size for entry in os.scandir("paused/kernel"))
time.sleep(0.5)
check(size == sum(entry.stat().st_size for entry in os.scandir("paused/kernel")),
      "and nothing after a pause")
subprocess.run([TANDEM, "resume", "paused"], check=True, capture_output=True)
time.sleep(0.4)
os.killpg(program.pid, signal.SIGTERM)
program.communicate()
kernel = Kernel("paused")
begins = [e for e in kernel.named("collecting") if e.anew and e.cpu == kernel.events[0].cpu]
check(not kernel.complaints and len(begins) == 2, "each resumption begins anew",
      (kernel.complaints, begins))
check(len([e for e in kernel.named("task") if e.fields["name"] == "sh"]) >= 2,
      "with the names of threads")
told = report("paused")["session"]
check(0 < told["recorded_ns"] < told["duration_ns"] * 2 / 3, "for how long it was recorded", told)
gap = max(b.ticks - a.ticks for a, b in zip(kernel.events, kernel.events[1:]))
span = kernel.events[-1].ticks - kernel.events[0].ticks
check(gap > span / 4, "what happened in a pause is not there", (gap, span))

# Recording stops, and the program goes on: of the rest nothing is known, and it is no part of the run.
record("stopped", "timeout", "1", "sh", "-c", "while :; do :; done", options=["--duration", "200ms"])
told = report("stopped")
busy = [thread for thread in told["threads"] if thread["name"] == "sh"]
check(len(busy) == 1 and
      busy[0]["running_ns"] + busy[0]["wait_cpu_ns"] < 4e8, "nothing is told of what followed a stop", busy)
length, recorded = (told["session"][key] for key in ("duration_ns", "recorded_ns"))
check(1.9e8 < recorded <= length < 5e8, "the run ends with the stop", (recorded, length))
said = subprocess.run([TANDEM, "report", "stopped"], capture_output=True, text=True).stdout
check("until it was stopped after" in said and "ran 1." in said, "which the first lines say", said[:600])
ends = [e for e in Kernel("stopped").named("collecting") if e.fields["scope"] == "nothing"]
check(ends and not any(e.anew for e in ends), "and the streams say where they end", ends)

# A limit of the session's size holds for the kernel's side, too.
said = record("limited", "sh", "-c", "for i in $(seq 300); do sleep 0.002; done",
              options=["--limit-size", "30K"])
lost = report("limited")["losses"]["by_reason"]["size_limit"]
check("recorded_ns" not in report("limited")["session"], "on all the time: nothing is said")
check(said.returncode == 0 and lost > 0, "a limit is kept, and what is beyond is counted",
      said.stderr)
size = sum(entry.stat().st_size for entry in os.scandir("limited/kernel")
           if entry.name != "metadata")
check(size <= 30 << 10, "the streams are no larger", size)
said = [line for line in Kernel("limited").complaints.splitlines() if "discarded" not in line]
check(not said, "and whole", said)

# Killed: all but the last half second is there, in whole packets.
program = subprocess.Popen([TANDEM, "record", "-o", "killed", "--", "sh", "-c",
                            "for i in $(seq 100); do sleep 0.01; done"],
                           stderr=subprocess.DEVNULL)
time.sleep(0.7)
program.kill()
program.wait()
kernel = Kernel("killed")
check(not kernel.complaints and len(kernel.named("sched_switch")) > 20,
      "a killed recorder leaves whole packets", kernel.complaints)
check(report("killed")["session"]["kernel_events"] == len(kernel.events), "that report reads")
said = record("killed", "true", options=["--force"])
check(said.returncode == 0, "--force replaces such a session", said.stderr)

# In a namespace of pids, the kernel's numbers are not the program's.
said = subprocess.run(["unshare", "-pf", "--mount-proc", "sh", "-c",
                       f"'{TANDEM}' record -o inside -- sh -c 'sleep 0.05; echo $$'"],
                      capture_output=True, text=True)
if said.returncode:
    skip("namespaces", f"unshare: {said.stderr.strip()}")
else:
    pid = int(said.stdout)
    kernel = Kernel("inside")
    shells = [e for e in kernel.named("task") if e.local_tid == pid and e.pid == pid]
    check(shells and shells[-1].tid != pid, "a container's thread has both its numbers", shells)
    ran = {e.next_tid for e in kernel.named("sched_switch")}
    check(shells and shells[-1].tid in ran, "its switches count by the kernel's", shells)

# The kernel takes long to let go of a tracepoint; nobody else waits for that.
times = []
for i in range(4):
    start = time.monotonic()
    record(f"row-{i}", "sleep", "0.05")
    times.append(time.monotonic() - start)
check(min(times[1:]) < 0.25, "the next recording does not wait for the end of the one before", times)


def leftovers():
    return [name for name in os.listdir("/proc") if name.isdigit() and comm(name) == "tandem-close"
            and int(stat(name)[3]) == 1 and stat(name)[2] != "Z"]


def comm(pid):
    try:
        return open(f"/proc/{pid}/comm").read().strip()
    except OSError:
        return ""


def stat(pid):
    try:
        return open(f"/proc/{pid}/stat").read().split()
    except OSError:
        return ["", "", "Z", "0"]


def rings_held():
    held = []
    for name in leftovers():
        try:
            held += [name for line in open(f"/proc/{name}/maps") if "perf_event" in line]
        except OSError:
            pass
    return held


record("rings", "true")
check(wait_for(lambda: leftovers() and not rings_held(), 0.8),
      "whoever closes the tracepoint gives the rings back at once", rings_held())
check(wait_for(lambda: not leftovers(), 20), "and soon no process is left", leftovers())
finish()
