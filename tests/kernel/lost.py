#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A recorder that can't keep up: what the kernel's buffers could not hold is
counted, said in the trace at its place, and leaves states unknown, not guessed.
"""
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from kernelside import Kernel, need, need_tool
from recording import DRIVERS, PROGRAMS
from tap import check, finish, TANDEM, wait_for

need("system")
need_tool("babeltrace2")

# Two threads that wake each other, beside calls that are recorded.
STORM = """
import os, sys, threading
a, b = os.pipe(), os.pipe()
def echo():
    while os.read(a[0], 1) == b"x":
        os.write(b[1], b"x")
thread = threading.Thread(target=echo)
thread.start()
print("begin", flush=True)
sys.stdin.readline()
for _ in range(30000):
    os.write(a[1], b"x")
    os.read(b[0], 1)
print("middle", flush=True)
sys.stdin.readline()
os.write(a[1], b"y")
thread.join()
"""
command = f"{PROGRAMS / 'linked'} >/dev/null; exec {sys.executable} -c '{STORM}'"
recorder = subprocess.Popen([TANDEM, "record", "-o", "lost", "--", "sh", "-c", command],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True,
                            env=dict(os.environ, **DRIVERS["stub"]))
check(recorder.stdout.readline() == "begin\n", "the program begins")
time.sleep(0.3)
recorder.send_signal(signal.SIGSTOP)
recorder.stdin.write("\n")
recorder.stdin.flush()
check(recorder.stdout.readline() == "middle\n", "and goes on when the recorder does not")
recorder.send_signal(signal.SIGCONT)
time.sleep(0.3)
_, said = recorder.communicate("\n")
check(recorder.returncode == 0, "both end", said)
number = re.search(r"; lost ([0-9,]+): per-CPU kernel buffer overflow$", said.strip())
check(number, "the loss is said at the end, its number once where it has one reason", said)

report = json.loads(subprocess.run([TANDEM, "report", "--format", "json", "lost"], check=True,
                                   capture_output=True, text=True).stdout)
lost = report["losses"]["by_reason"]["kernel_buffer"]
check(lost > 10000, "and counted", lost)
check(report["losses"]["total"] == lost, "nothing else is lost", report["losses"])

kernel = Kernel("lost")
records = kernel.named("lost")
check(sum(event.count for event in records) == lost, "the trace says as many", (records, lost))
check(all(event.reason == "kernel_buffer" for event in records), "and why", records)
place = records[0]
later = [e for e in kernel.events if e.cpu == place.cpu and e.ticks >= place.ticks]
check(len(later) > 10, "what came after is there", len(later))
finish()
