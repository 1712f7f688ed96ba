#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Host times: on a driver whose clock is CLOCK_MONOTONIC, what the device says
lies where our own stamps say that the call was. And where a driver can read its
clock, those readings are in the trace."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import DRIVERS, PROGRAMS, run
from tap import check, finish

# Our stamps come from the counter, converted by pairs; the driver's from the
# kernel. Both may be off by what a reading costs, and more when a reading is
# interrupted just there.
NEAR_NS = 1000

for clock in ("auto", "monotonic"):
    session = run([PROGRAMS / "outoforder"], "basic", env=DRIVERS["stub"],
                  options=["--clock", clock]).session
    calls = {e["args"]["op"]: e for e in session.events if "op" in e["args"] and e["domain"] == "opencl"}
    off, order, within = [], 0, 0
    for event in session.events:
        if event["name"] != "operation":
            continue
        op, call = event["args"], calls[event["args"]["op"]]
        begin, end = call["monotonic_ns"], call["monotonic_ns"] + call["duration_ns"]
        off.append(max(begin - op["queued"], op["queued"] - end, 0))
        order += op["queued"] <= op["submitted"] <= op["start"] <= op["end"]
        within += op["end"] <= event["monotonic_ns"] + NEAR_NS
    off.sort()
    check(len(off) == 100 and off[len(off) * 9 // 10] <= NEAR_NS,
          f"{clock}: queued during the call", off[-10:])
    check(order == within == len(off), f"{clock}: the times are in order, and before they were seen",
          f"{order} {within} of {len(off)}")
    times = [e["monotonic_ns"] for e in session.events]
    check(times == sorted(times), f"{clock}: print is in the order of time")

# A clock that is 5 s off.
OFFSET_NS = 5000000000
for driver, env in (("a driver with a timer", {"STUB_TIMER": "1"}),
                    ("one without", {"STUB_TIMER": "0"}),
                    ("one whose timer is another clock", {"STUB_TIMER": "2"})):
    env = dict(DRIVERS["stub"], STUB_CLOCK_OFFSET_NS=OFFSET_NS, STUB_DELAY_US="500",
               STUB_ENGINE="thread", **env)
    session = run([PROGRAMS / "outoforder"], "basic", env=env).session
    pairs = [e for e in session.events if e["name"] == "clock_pair"]
    check(bool(pairs) == (env["STUB_TIMER"] != "0"), f"{driver}: its readings are there", pairs)
    rows = [row for row in session.report()["clocks"] if row["domain"] == "opencl"]
    check(len(rows) == 1 and rows[0]["segments"] == 1 and
          abs(rows[0]["offset_ns"] + OFFSET_NS) <= rows[0]["bound_ns"],
          f"{driver}: the clock is known within its bound", rows)
    if env["STUB_TIMER"] == "1":
        check(rows[0]["best_ns"] < 1000, f"{driver}: sharply", rows)
finish()
