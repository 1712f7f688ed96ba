#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What findings cost, against what the report of the same session has: whatever the pace of
the machine, a cost holds all that goes with the cause, and nothing that stays without it.
(bench/run findings compares costs with what repaired twins save.)

tandem-test: timeout=120 alone
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from corpus import CORPUS, STUB
from kernelside import scope
from tap import check, finish
from traces import record, tandem


class Shown:
    def __init__(self, name, again=0, program=CORPUS, device=STUB, **driver):
        self.name = "-".join([name, *driver, str(again)])
        status = record(self.name, [program, name], "--args", "full", env=dict(device, **driver))
        said = tandem("findings", "--all", "--format", "json", self.name)
        report = tandem("report", "--format", "json", self.name)
        check(status == 0 and said.returncode == 0 and report.returncode == 0,
              f"{name} is recorded", said.stderr + report.stderr)
        self.findings, self.report = json.loads(said.stdout), json.loads(report.stdout)
        check(self.findings["replay_error_ns"] <= 0.001 * self.findings["duration_ns"],
              f"{name}: the replay of the unchanged run is what was recorded",
              self.findings["replay_error_ns"])

    def cost(self, name, cause):
        return sum(f["cost_ns"] for f in self.findings["findings"]
                   if (f["name"], f["cause"]) == (name, cause))

    def calls(self, *names):
        return sum(row["total_ns"] for row in self.report["api"] if row["name"] in names)

    def gaps(self):
        """From the end of each command to the start of the next one of its queue, or from when
        that was there."""
        said = tandem("print", "--format", "json", self.name)
        events = [event for event in map(json.loads, said.stdout.splitlines())
                  if event["name"] == "operation"]
        there = {event["op"]: event["time_ns"] for event in events if event["phase"] == "queued"}
        ran = [event for event in events if event["phase"] in ("start", "end")]
        return sum(b["time_ns"] - max(a["time_ns"], there[b["op"]]) for a, b in zip(ran, ran[1:])
                   if b["phase"] == "start" and a["queue"] == b["queue"])

    def device(self, *kinds):
        return sum(row["total_ns"] for row in self.report["device"] if row["kind"] in kinds)


# A blocking transfer takes the whole of its call, launch and way back as well, and what the host
# does until the next one.
for name, call in (("small_writes", "clEnqueueWriteBuffer"), ("small_reads", "clEnqueueReadBuffer")):
    shown = Shown(name)
    cost, calls = shown.cost("transfers", "small"), shown.calls(call)
    recording = shown.findings["recording_ns"]
    check(0.9 * (calls - recording) < cost < 1.1 * calls,
          f"{name}: what the calls took, and what is between them, but for what recording did",
          (cost, calls, recording))

shown = Shown("bounce")
cost = shown.cost("transfers", "back-and-forth")
calls = shown.calls("clEnqueueReadBuffer", "clEnqueueWriteBuffer") - shown.device("kernel")
check(0.85 * calls < cost, "bounce: what the calls took, but for the kernels before them",
      (cost, calls))

# A write that did not wait, and had no need: its call and what passes before it go with the transfer.
SETS = os.path.dirname(os.path.dirname(CORPUS))
shown = Shown("gem_frames", program=os.path.join(SETS, "hearings", "hearings"))
cost, moved = shown.cost("copies", "unchanged"), shown.device("copy_h2d")
check(moved < cost, "gem_frames: more than what the transfers took", (cost, moved))

# Reads that wait and writes that do not: without the reads the host goes on, and commands come in time.
if os.path.exists("/etc/OpenCL/vendors/pocl.icd"):
    for attempt in range(3):
        shown = Shown("cloth_steps", attempt, os.path.join(SETS, "tutorials", "tutorials"),
                      {"POCL_DEVICES": "pthread"})
        cost, moved = shown.cost("copies", "by-host"), shown.device("copy_h2d", "copy_d2h")
        if cost > 1.3 * moved:
            break
    check(cost > 1.3 * moved, "cloth_steps: more than what the transfers took", (cost, moved))

# A copy within one buffer is refused, and its bytes go by way of the host.
if os.path.exists("/etc/OpenCL/vendors/pocl.icd"):
    shown = Shown("shift_history", device={"POCL_DEVICES": "basic"},
                  program=os.path.join(SETS, "fittings", "fittings"))
    cost, calls = shown.cost("errors", "call"), shown.calls("clEnqueueReadBuffer", "clEnqueueWriteBuffer")
    check(0.4 * calls < cost < 0.6 * calls, "shift_history: half of what moves them", (cost, calls))

# Barriers are commands too, and each hands over to the next.
shown = Shown("barriers")
cost = shown.cost("ordering", "barriers")
moved, between = shown.device("copy_h2d"), shown.device("barrier")
check(cost > 0.8 * (moved + between), "barriers: the transfers, and the barriers", (cost, moved, between))

# What a driver does before a kernel object's first command.
shown = Shown("kernel_in_loop", STUB_FIRST_US="200")
cost = shown.cost("objects", "loop")
check(0.7 * 200e3 * 999 < cost <= shown.gaps(), "kernel_in_loop: what its first commands take besides",
      (cost, shown.gaps()))

# What passes between two commands goes where the shorter one comes behind the longer, and stays
# as it is where it was before.
# A busy machine makes some gaps much longer than others: eight times it does not.
for attempt in range(8):
    shown = Shown("event_chain", attempt, STUB_KITEM_US="12", STUB_KBYTE_US="1")
    cost, moved, gaps = shown.cost("ordering", "events"), shown.device("copy_h2d"), shown.gaps()
    if moved + 0.4 * gaps < cost < moved + 0.6 * gaps:
        break
check(moved + 0.4 * gaps < cost < moved + 0.6 * gaps,
      "event_chain: the transfers, and half of what passes between commands", (cost, moved, gaps))

# A pause costs all of its time, not what the device could have done meanwhile.
if scope()[0] == "system":
    for attempt in range(5):
        shown = Shown("nap_each", attempt, STUB_KITEM_US="12")
        cost = shown.cost("idle-device", "host-blocked")
        if cost > 0.9 * 59 * 4e6:
            break
    check(cost > 0.9 * 59 * 4e6, "nap_each: all of the pauses", cost)

# A device of its own takes the next command at once where it is there. With a wait, its return goes
# as well, which a busy machine makes longer.
for attempt in range(5):
    shown = Shown("wait_each", attempt)
    cost, idle = shown.cost("waiting", "after-each-command"), shown.cost("idle-device", "synchronisation")
    if 0.75 * idle < cost < 1.1 * idle:
        break
check(0.75 * idle < cost < 1.1 * idle, "wait_each: most of the device's gaps", (cost, idle))
finish()
