#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two threads of a program that are pinned to one CPU while another is idle are found, also where
they wait a few times for long; not so where each has a CPU of its own.

tandem-test: alone
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from corpus import CORPUS, STUB  # noqa: E402
from kernelside import need  # noqa: E402
from tap import TANDEM, check, finish, skip  # noqa: E402
from traces import record, tandem  # noqa: E402

need("system")
CPUS = sorted(os.sched_getaffinity(0))[:2]
if len(CPUS) < 2:
    print("this machine has one CPU")
    sys.exit(77)

# A hash of much data is made without the interpreter's lock: both threads want to run.
PROGRAM = """
import hashlib, os, sys, threading
data = bytes(1 << 22)
def work(cpu):
    os.sched_setaffinity(0, {cpu})
    for _ in range(120):
        hashlib.sha256(data)
threads = [threading.Thread(target=work, args=(int(cpu),)) for cpu in sys.argv[1:]]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""

# In turns of 100 ms, as the kernel has it for this policy, for a part of the run.
IN_TURNS = """
import os, sys, threading, time, hashlib
data = bytes(1 << 22)
def work(cpu):
    os.sched_setaffinity(0, {cpu})
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    end = time.thread_time() + 0.28
    while time.thread_time() < end:
        hashlib.sha256(data)
threads = [threading.Thread(target=work, args=(int(cpu),)) for cpu in sys.argv[1:]]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
time.sleep(1.2)
"""


def idle_part(before, after):
    """How much of the second CPU nobody used meanwhile."""
    spent = [b - a for a, b in zip(before, after)]
    return spent[3] / max(sum(spent), 1)


def cpu_times():
    """user, nice, system, idle, ... of the second CPU: proc(5), /proc/stat."""
    with open("/proc/stat", encoding="utf-8") as file:
        line = next(line for line in file if line.startswith("cpu%d " % CPUS[1]))
    return [int(word) for word in line.split()[1:]]


def placed(folder, *cpus, program=PROGRAM):
    subprocess.run([TANDEM, "record", "-q", "-o", folder, "--", sys.executable, "-c", program,
                    *map(str, cpus)], check=True)
    done = subprocess.run([TANDEM, "findings", "--all", "--format", "json", folder], check=True,
                          capture_output=True, text=True)
    return [found for found in json.loads(done.stdout)["findings"]
            if (found["name"], found["cause"]) == ("preemption", "placement")]


for attempt in range(3):
    before = cpu_times()
    one = placed(f"one-{attempt}", CPUS[0], CPUS[0])
    idle = idle_part(before, cpu_times())
    if idle > 0.5:
        break
else:
    print("other programs of this machine leave no CPU idle")
    sys.exit(77)
two = placed("two", *CPUS)
check(len(one) == 1 and "shared a CPU while another CPU was idle" in one[0]["description"],
      "two threads on one CPU", one)
check(one and one[0]["count"] > 1 and one[0]["percent"] > 2 and one[0]["where"]["thread"] !=
      one[0]["where"]["process"], "it says which thread, how often and for how long", one)
check("taskset" in one[0]["suggestion"] if one else False, "and what to do", one)
check(not two, "each on its own CPU: nothing of it", two)
INTERVIEWS = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "interviews", "interviews")
try:
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    # Two threads that make calls, on one CPU: what they wait in these comes of it.
    record("planners", [INTERVIEWS, "drone_show"], env=STUB)
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    said = json.loads(tandem("findings", "--all", "--format", "json", "planners").stdout)["findings"]
    check(any(found["cause"] == "placement" for found in said) and
          all(found.get("symptom_of") == "preemption: placement" for found in said
              if found["cause"] == "in-calls" and found["percent"] > 5),
          "what they wait in calls comes of it", said)
    turns = placed("turns", CPUS[0], CPUS[0], program=IN_TURNS)
    check(len(turns) == 1 and turns[0]["count"] < 16 and turns[0]["percent"] < 25,
          "two that take turns of 100 ms", turns)
except PermissionError:
    skip("at a real-time priority", "no real-time policy is permitted")
finish()
