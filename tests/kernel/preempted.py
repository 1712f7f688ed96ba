#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that is pushed off its CPU (the CLUST paper, section 4.7.1): it and a
busy process share one. Its long clEnqueueReadBuffer waits for the CPU, and the
report says for whom.

tandem-test: alone
"""
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from kernelside import need, need_tool
from recording import BUILD, has_pocl
from tap import check, finish, TANDEM

need("system")
need_tool("taskset")
if not has_pocl():
    print("skipped: PoCL is not installed")
    sys.exit(77)

MANDELBROT = str(BUILD / "examples" / "opencl" / "mandelbrot" / "mandelbrot")
CPU = str(min(os.sched_getaffinity(0)))
# PoCL's basic device draws in the thread that calls, which is pinned.
DRAW = ["taskset", "-c", CPU, MANDELBROT, "-w", "1280", "-h", "720", "-n"]
FRAMES = "600"  # long enough for many turns of the two
environment = dict(os.environ, POCL_DEVICES="basic")


def record(folder):
    subprocess.run([TANDEM, "record", "-q", "-o", folder, "--", *DRAW, FRAMES], env=environment,
                   check=True, stdout=subprocess.DEVNULL)
    said = subprocess.run([TANDEM, "report", "--format", "json", folder], check=True,
                          capture_output=True, text=True)
    return json.loads(said.stdout)


def read_buffer(report):
    return next(row for row in report["api"] if row["name"] == "clEnqueueReadBuffer")


subprocess.run([*DRAW, "1"], env=environment, stdout=subprocess.DEVNULL)  # compiles the kernel

# A program of a name of its own, so that the report can name it.
shutil.copy(shutil.which("bash"), "busybody")
busy = subprocess.Popen(["taskset", "-c", CPU, "./busybody", "-c", "while :; do :; done"])
try:
    beside = record("beside")
finally:
    busy.kill()
    busy.wait()

call = read_buffer(beside)
total = call["total_ns"]
parts = {key: call[key] for key in ("on_cpu_ns", "wait_cpu_ns", "wait_blocked_ns", "unknown_ns")}
check(abs(sum(parts.values()) - total) <= total / 1000 + call["calls"],
      "a call's time is divided without a rest", (total, parts))
check(parts["unknown_ns"] < total / 20, "next to nothing of it is unknown", (total, parts))
check(parts["wait_cpu_ns"] > total / 6, "beside a busy process it waits for the CPU", (total, parts))
check(parts["on_cpu_ns"] > total / 10, "and runs", (total, parts))

waits = [row for row in beside["waits"]
         if row["function"] == "clEnqueueReadBuffer" and row["state"] == "wait_cpu"]
named = sum(row["total_ns"] for row in waits if row["by_pid"] == busy.pid)
# On a machine that does nothing else it is nearly all; other work takes its share.
busiest = sorted(waits, key=lambda row: -row["total_ns"])[:3]
check(named > parts["wait_cpu_ns"] / 4 or any(row["by_pid"] == busy.pid for row in busiest),
      "it is the busy process that it waits for",
      (busy.pid, parts, waits[:10]))
check({row["by"] for row in waits if row["by_pid"] == busy.pid} == {"busybody"},
      "which has its name", waits[:10])
check(sum(row["total_ns"] for row in waits) == parts["wait_cpu_ns"],
      "all that it waited is put down to somebody", (parts, waits))

thread = next(row for row in beside["threads"] if row["calls"])
life = sum(thread[key] for key in ("running_ns", "wait_cpu_ns", "wait_blocked_ns", "unknown_ns"))
check(life <= beside["session"]["duration_ns"], "a thread has no more time than there is",
      (life, beside["session"]["duration_ns"]))
check(thread["running_ns"] > life / 10 and thread["wait_cpu_ns"] > life / 4,
      "the thread runs and waits", thread)
check(thread["switches"] > 10, "and is switched", thread)

alone = record("alone")
call = read_buffer(alone)
check(call["wait_cpu_ns"] / call["total_ns"] < parts["wait_cpu_ns"] / total,
      "without the other it waits less", (call, parts))
text = subprocess.run([TANDEM, "report", "beside"], capture_output=True, text=True).stdout
check("busybody" in text, "the report for people names it, too", text)
finish()
