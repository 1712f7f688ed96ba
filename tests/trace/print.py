#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""print --raw shows every event as it was recorded, in the order of time, and what a filter leaves
of them. What print shows else: order.py."""
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish, skip, TANDEM

GENERATOR = os.path.join(os.environ["TANDEM_BUILD"], "bench", "gen_trace")


def generate(folder, *words):
    made = subprocess.run([GENERATOR, *words, folder], capture_output=True, text=True, check=True)
    return json.loads(made.stdout)


def shown(folder, *words):
    return subprocess.run([TANDEM, "print", "--raw", *words, folder], capture_output=True,
                          text=True)


def events(folder, *words):
    return [json.loads(line) for line in shown(folder, "--format", "json", *words).stdout.splitlines()]


known = generate("some", "-n", "2e4", "-p", "2", "-t", "3", "-w", "16384")
everything = events("some")
text = shown("some").stdout.splitlines()
check(len(everything) == known["records"], "json has every record", len(everything))
check(len(text) == known["records"] + 1, "text has every record and a header", len(text))
times = [event["time_ns"] for event in everything]
check(times == sorted(times), "in the order of time")
check(all(abs(float(line.split()[0]) * 1e9 - time) < 1 for line, time in zip(text[1:], times)),
      "text and json have the same times")

launches = [event for event in everything if event["name"] == "clEnqueueNDRangeKernel"]
check(all(event["args"]["global"] == [1920, 1080] and event["args"]["local"] == [16, 16]
          and event["args"]["kernel_name"] == "mandelbrot" and event["result_name"] == "CL_SUCCESS"
          for event in launches), "a launch has its sizes and its kernel", launches[:1])
issued = {(event["process"], event["args"]["op"]) for event in everything if event["args"].get("op")
          and event["domain"] == "opencl"}
done = {(event["process"], event["args"]["op"]) for event in everything
        if event["name"] == "operation"}
check(issued == done and len(done) == known["operations"], "each operation finds its call")
check(any('clEnqueueNDRangeKernel(queue ' in line and 'kernel "mandelbrot", [1920x1080] / [16x16])'
          ' = CL_SUCCESS  op ' in line for line in text), "text names the kernel and its shape")

# A process that became another program: the same numbers mean other things there.
generate("twice", "-n", "200", "-p", "1", "-t", "1")
shutil.copytree("twice/process-1000", "twice/process-1000.1")
for words in [], ["--raw"]:
    found = [json.loads(line) for line in
             subprocess.run([TANDEM, "print", *words, "--format", "json", "twice"],
                            capture_output=True, text=True).stdout.splitlines()]
    marked = [event for event in found if "instance" in event]
    check(len(marked) * 2 == len(found) and all(event["instance"] == 1 for event in marked),
          f"a process's second program is told from its first {words}", (len(marked), len(found)))

check(all(event["process"] == 2000 for event in events("some", "--pid", "2000")), "--pid")
mine = events("some", "--tid", "1002", "--tid", "2001")
check({event["thread"] for event in mine} == {1002, 2001}, "--tid, twice")
named = events("some", "--name", "clEnqueue*", "--name", "clFlush")
check({event["name"] for event in named} >= {"clEnqueueNDRangeKernel", "clEnqueueReadBuffer", "clFlush"}
      and all(event["name"].startswith("clEnqueue") or event["name"] in ("clFlush", "operation")
              for event in named), "--name, a pattern and a word")
kernels = events("some", "--name", "mandelbrot")
check(kernels and all(event["name"] == "operation" for event in kernels),
      "--name finds operations by kernel")
part = events("some", "--from", "100us", "--to", "0.0003")
check(part == [event for event in everything if 100000 <= event["time_ns"] < 300000],
      "--from and --to")
late = times[-1] * 3 // 4
check(len(events("some", "--from", f"{late}ns")) == len([time for time in times if time >= late]),
      "--from passes over packets, not over events")
check(len(events("some", "--limit", "7")) == 7, "--limit")

for words, status, words_said in ((["--from", "soon", "some"], 2, "accepted: 1.5s"),
                                  (["--pid", "x", "some"], 2, "process ids"),
                                  (["--format", "csv", "some"], 2, "accepted: text, json"),
                                  (["none"], 1, "No such file")):
    said = subprocess.run([TANDEM, "print", *words], capture_output=True, text=True)
    check(said.returncode == status and words_said in said.stderr, f"print {' '.join(words)}", said)

# What another reader makes of the same bytes.
if shutil.which("babeltrace2"):
    for level in "none", "basic", "full":
        made = generate(level, "-n", "3e3", "-a", level, "-w", "8192")
        other = subprocess.run(["babeltrace2", level], capture_output=True, text=True)
        ours = events(level)
        check(other.returncode == 0 and not other.stderr, f"babeltrace2 has no complaint: {level}",
              other.stderr)
        lines = other.stdout.splitlines()
        check(len(lines) == len(ours) == made["records"], f"and as many events: {level}",
              (len(lines), len(ours)))
        names = sorted(re.search(r"\) \S+ (\w+): ", line).group(1) for line in lines)
        check(names == sorted(event["name"] for event in ours), f"of the same names: {level}")
else:
    skip("babeltrace2 reads the same", "babeltrace2 is not installed")

# Warnings go to stderr, with file and offset; the rest is shown.
shutil.copytree("some", "broken")
path = "broken/process-1000/stream-2"
with open(path, "r+b") as file:
    file.seek(208)  # id and size of the third record
    file.write(b"\xff" * 8)
damaged = shown("broken", "--format", "json")
check(damaged.returncode == 0 and re.search(r"warning: broken/process-1000/stream-2: byte \d+: ",
                                            damaged.stderr), "a damage is told by place", damaged.stderr)
left = [json.loads(line) for line in damaged.stdout.splitlines()]
check(0 < len(left) < len(everything)
      and [event for event in left if event["process"] == 2000]
      == [event for event in everything if event["process"] == 2000], "the rest is whole")
os.remove("broken/session.json")
said = shown("broken", "--limit", "1")
check(said.returncode == 0 and "session.json" in said.stderr, "without session.json", said.stderr)
with open("some/session.json", encoding="utf-8") as file:
    run = file.read()
with open("some/session.json", "w", encoding="utf-8") as file:
    file.write(re.sub(r'"schema": "\w+"', '"schema": "0123"', run))
said = shown("some")
check(said.returncode == 0 and not said.stderr and said.stdout.splitlines() == text,
      "a session of another build's schema is read", said.stderr)
finish()
