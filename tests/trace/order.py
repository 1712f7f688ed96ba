#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""print and export --format ctf: every event at its own place, in the order of the
CLUST paper's section 3.3.2."""
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from handmade import DEVICE_OFFSET_NS, OPEN, Session
from tap import check, finish, skip
from traces import mandelbrot, report, synthetic, tandem


def ordered(path, *words):
    printed = tandem("print", "--format", "json", *words, path)
    return [json.loads(line) for line in printed.stdout.splitlines()]


def steps(events):
    return [f"{event['name']} {event.get('phase', '')}".strip() for event in events]


def ctf(path):
    """Times in ns of the day, and names, as babeltrace2 reads the export."""
    shutil.rmtree("ctf", ignore_errors=True)
    done = tandem("export", "-q", "-f", "ctf", "-o", "ctf", path)
    read = subprocess.run(["babeltrace2", "--clock-seconds", "ctf"], capture_output=True, text=True)
    check(done.returncode == 0 and read.returncode == 0 and not read.stderr,
          f"babeltrace2 accepts the export of {path}", (done.stderr, read.stderr[:500]))
    return [(int(time.replace(".", "")), name) for time, name in
            re.findall(r"^\[(\d+\.\d+)\] \S+ (\w+):", read.stdout, re.M)]


HAS_BABELTRACE = shutil.which("babeltrace2")

# The paper's example: what is learnt in the order of the left column happened in
# that of the right one. The fit gets enough to know the clock to the ns.
PAPER = ["clEnqueueNDRangeKernel begin", "operation queued", "operation submitted",
         "clEnqueueNDRangeKernel end", "clFinish begin", "operation start", "operation end",
         "clFinish end"]
paper = Session("paper")
paper.call("clEnqueueNDRangeKernel", 1000, 4000, op=1 << 40 | 1)
paper.call("clFinish", 8000, 12000)
paper.operation(12001, op=1 << 40 | 1, times=(1001, 3000, 9000, 12000))
paper.write()
check([event["name"] for event in ordered("paper", "--raw")] ==
      ["clEnqueueNDRangeKernel", "clFinish", "operation"], "the order in which it was learnt")
found = ordered("paper")
check(steps(found) == PAPER, "json: the order of section 3.3.2", steps(found))
times = [event["time_ns"] for event in found]
check(times == sorted(times), "json: times rise", times)
phases = {event["phase"]: event for event in found if event["name"] == "operation"}
check(all(event["op"] == "1:1" and event["causal"] and event["bound_ns"] is not None
          for event in phases.values()), "json: each time has its bound", phases)
truth = {"queued": 1001, "submitted": 3000, "start": 9000, "end": 12000}
check(all(abs(phases[phase]["time_ns"] - truth[phase]) <= phases[phase]["bound_ns"]
          for phase in truth), "the true times lie within the bound", phases)
text = [re.sub(r"^.{60}", "", line) for line in tandem("print", "paper").stdout.splitlines()[1:]]
WORDS = [r"clEnqueueNDRangeKernel\(\) \.\.\.  op 1:1", r"queued .*op 1:1", r"submitted .*op 1:1",
         r"\.\.\. clEnqueueNDRangeKernel = CL_SUCCESS  op 1:1", r"clFinish\(\) \.\.\.",
         r"start .*op 1:1", r"end .*, completion seen via finish, .*op 1:1", r"\.\.\. clFinish = CL_SUCCESS"]
check(len(text) == len(WORDS) and all(re.fullmatch(pattern, line) for pattern, line in
                                      zip(WORDS, text)), "text: the same", text)
if HAS_BABELTRACE:
    names = [name.replace("_", " ") for _, name in ctf("paper")]
    check(names == PAPER, "ctf: the same", names)
else:
    skip("ctf: the order of section 3.3.2", "babeltrace2 is not installed")

# Calls that nothing interrupts keep their one line; filters work on single events.
plain = Session("plain")
for i in range(3):
    plain.call("clFlush", 100 * i, 100 * i + 50)
plain.call("clFinish", 500, OPEN)
plain.write()
text = tandem("print", "plain").stdout.splitlines()[1:]
check(len(text) == 4 and all("clFlush() = CL_SUCCESS" in line for line in text[:3])
      and "clFinish()  did not return" in text[3], "a call alone is one line", text)
check(steps(ordered("plain", "--from", "50ns", "--to", "200ns")) ==
      ["clFlush end", "clFlush begin", "clFlush end"], "--from and --to cut through a call")
check(len(tandem("print", "--limit", "2", "plain").stdout.splitlines()) == 3, "--limit")
check(steps(ordered("paper", "--name", "clFinish")) == ["clFinish begin", "clFinish end"],
      "--name")

# Out of order: the second command runs first, and is heard of first. A third never
# ends, a fourth has no times, a fifth's call was lost, a sixth's failed.
mixed = Session("mixed")
NDRANGE = "clEnqueueNDRangeKernel"
mixed.call(NDRANGE, 1000, 1500, op=1)
mixed.call(NDRANGE, 2000, 2500, op=2)
mixed.call(NDRANGE, 3000, 3500, op=3)
mixed.call(NDRANGE, 4000, 4500, op=4)
mixed.call(NDRANGE, 4600, 4700, op=6, result=-5)
mixed.call("clFinish", 5000, 30000)
mixed.operation(30001, op=2, times=(2001, 2100, 6000, 9000))
mixed.operation(30002, op=1, times=(1001, 1100, 10000, 29999))
mixed.operation(30003, op=4, times=None)
mixed.operation(30004, op=5, times=(5001, 5100, 11000, 12000))
mixed.call("clFlush", 31000, 31010)
mixed.write()
found = ordered("mixed")
times = [event["time_ns"] for event in found]
check(times == sorted(times) or all(event["name"] == "operation" for event, time, before in
                                    zip(found[1:], times[1:], times) if time < before),
      "out of order and with gaps: times rise", times)
commands = [(event["op"], event["phase"]) for event in found if "phase" in event and "op" in event]
for op in ("0:1", "0:2", "0:5"):
    check([phase for name, phase in commands if name == op] ==
          ["queued", "submitted", "start", "end"], f"command {op} has its four places", commands)
check([name for name, phase in commands if phase == "end"] == ["0:2", "0:5", "0:1"],
      "ends in the order of time", commands)
check(steps(found).count("operation") == 1 and not [c for c in commands if c[0] in ("0:3", "0:6")],
      "one without times stands where its end was seen; of what never ended nothing is said")
late = [event for event in found if event.get("op") == "0:5"]
check(late[0]["time_ns"] >= 5000, "one whose call was lost stands where it can", late[0])
if HAS_BABELTRACE:
    stamps = [time for time, _ in ctf("mixed")]
    check(stamps == sorted(stamps) and len(stamps) == len(found), "ctf: monotonic", stamps)

# A device clock that contradicts the call it belongs to is not hidden.
odd = Session("odd")
for i in range(200):
    begin = 100000 + i * 1000000
    odd.call(NDRANGE, begin, begin + 500, op=i + 1)
    shift = 5000000 if i == 100 else 0
    odd.operation(begin + 9001, op=i + 1, times=(begin + 10, begin + 20, begin + 30, begin + 9000),
                  offset=DEVICE_OFFSET_NS + shift)
odd.write()
found = ordered("odd")
liars = {event["op"] for event in found if event.get("causal") is False}
check(liars == {"0:101"}, "one command's times contradict its call: it is said", liars)
check("timestamp precedes its call" in tandem("print", "odd").stdout, "also in text")
device = [clock for clock in report("odd")["clocks"] if clock["domain"] == "opencl"]
check(len(device) == 1 and device[0]["segments"] == 1 and device[0]["outliers"] > 0,
      "the fit leaves it out", device)

# Many threads and processes, all of it in order.
made = synthetic("many", records=20000, processes=2, threads=3)
found = ordered("many")
raw = [json.loads(line) for line in
       tandem("print", "--raw", "--format", "json", "many").stdout.splitlines()]
times = [event["time_ns"] for event in found]
check(times == sorted(times), "many: times rise")
check(len(found) == len(raw) + made["calls"] + 3 * made["operations"],
      "many: two events for a call, four for a command", (len(found), len(raw)))
if HAS_BABELTRACE:
    stamps = ctf("many")
    check([time for time, _ in stamps] == sorted(time for time, _ in stamps)
          and len(stamps) == len(found), "many: ctf has as many, in order", len(stamps))
    read = subprocess.run(["babeltrace2", "--clock-seconds", "--no-delta", "ctf"],
                          capture_output=True, text=True).stdout.splitlines()
    args = re.search(r"clEnqueueNDRangeKernel_begin: .*", "\n".join(read))[0]
    check("global = [ [0] = 1920, [1] = 1080 ]" in args, "ctf: arguments are there", args)

# Over an earlier export of more sessions, nothing of which may stay.
done = tandem("export", "-q", "-f", "ctf", "-o", "over", "many", "paper")
check(sorted(os.listdir("over")) == ["metadata", "stream-1", "stream-2"], "ctf: two sessions",
      os.listdir("over"))
done = tandem("export", "-q", "-f", "ctf", "-o", "over", "paper")
check(done.returncode == 0 and sorted(os.listdir("over")) == ["metadata", "stream-1"],
      "ctf: written over an earlier one", os.listdir("over"))

if mandelbrot("m"):
    found = ordered("m")
    times = [event["monotonic_ns"] for event in found]
    check(times == sorted(times), "a recorded program: times rise")
    opened = {event["call"]: event["monotonic_ns"] for event in found
              if event.get("phase") == "begin"}
    early = []
    begun = {}
    for event in found:
        if event.get("phase") == "begin" and event["args"].get("op"):
            begun[event["args"]["op"]] = event["monotonic_ns"]
        elif event.get("phase") == "queued" and event["process"]:
            early += [event] if begun.get(event["op"], times[-1]) > event["monotonic_ns"] else []
    check(begun and not early, "a recorded program: no command before its call", early[:2])
    if HAS_BABELTRACE:
        stamps = [time for time, _ in ctf("m")]
        check(stamps == sorted(stamps) and len(stamps) == len(found), "a recorded program: ctf")
else:
    skip("a recorded program", "the example was not built or cannot run")
finish()
