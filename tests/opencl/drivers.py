#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Drivers that misbehave: the program sees the very same, the trace says what it
knows, and no event is left over or released once too often."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import compare, DRIVERS, PROGRAMS, run
from tap import check, finish

BUSY = ["shared", "outoforder", "userevent", "callbacks", "flight", "profiling", "transfers"]
ARGUMENTS = {"flight": ["2000"], "profiling": ["references"]}


def reports(path):
    """The last report of each process: {name: report}."""
    found = {}
    if os.path.exists(path):
        with open(path) as file:
            for line in file:
                report = json.loads(line)
                found[report["pid"], report["name"]] = report
        os.unlink(path)
    return list(found.values())


def leaks(words, path):
    """The stub's own account."""
    for report in reports(path):
        left = {kind: count for kind, count in report["live"].items() if count}
        check(not left, f"{words}: no object is left over", left)
        check(report["misused"] == 0, f"{words}: no dead object is used", report["misused"])


def try_all(words, variables, programs, unfinished=0, timed=None, states=("basic",)):
    """Each program, alone and recorded, under a driver with these habits."""
    env = {**DRIVERS["stub"], "STUB_REUSE": "0", "STUB_REPORT": os.path.abspath("report"),
           **variables}
    for name in programs:
        command = [PROGRAMS / name, *ARGUMENTS.get(name, [])]
        alone = run(command, env=env)
        reports(env["STUB_REPORT"])
        calls = run(command, env=env, calls=True).calls
        reports(env["STUB_REPORT"])
        for state in states:
            recorded = run(command, state, env=env)
            compare(f"{words}: {name}", alone, recorded)
            leaks(f"{words}: {name}", env["STUB_REPORT"])
            if state == "paused":
                check(not recorded.session.events, f"{words}: {name}: nothing is recorded")
                continue
            recorded.session.verify(f"{words}: {name}", calls, unfinished=unfinished)
            if timed is not None:
                seen = {bool(o["timed"]) for o in recorded.session.operations() if o["status"] == 0}
                check(seen == {timed}, f"{words}: {name}: times {'known' if timed else 'unknown'}",
                      seen)


try_all("as it should", {}, BUSY, states=("paused", "none", "full"))
try_all("completes late", {"STUB_ENGINE": "deferred"}, ["outoforder", "flight", "transfers"])
try_all("completes on its own thread", {"STUB_ENGINE": "thread"}, BUSY)
try_all("completes out of order", {"STUB_ENGINE": "thread", "STUB_ORDER": "reverse"}, BUSY)
try_all("calls back on another thread, the last first",
        {"STUB_ENGINE": "thread", "STUB_ORDER": "reverse", "STUB_CALLBACKS": "foreign"}, BUSY)
try_all("is slow", {"STUB_ENGINE": "thread", "STUB_DELAY_US": "2000"}, ["outoforder", "transfers"])
try_all("reuses handles at once", {"STUB_REUSE": "1"}, BUSY)
try_all("profiling queries fail", {"STUB_PROFILING": "fail"}, ["linked", "transfers", "flight"],
        timed=False)
# Queues that can't be had with profiling: the program gets its queue, and the
# report says that its commands have no times.
env = dict(DRIVERS["stub"], STUB_PROFILING="refuse")
for name in ("linked", "transfers", "outoforder"):
    alone, recorded = run([PROGRAMS / name], env=env), run([PROGRAMS / name], "basic", env=env)
    compare(f"no queue with profiling: {name}", alone, recorded)
    recorded.session.verify(f"no queue with profiling: {name}",
                            run([PROGRAMS / name], env=env, calls=True).calls)
    untimed = recorded.session.report()["operations"]["untimed_queues"]
    check(untimed == 1, f"no queue with profiling: {name}: is said", untimed)
    report = recorded.session.report()
    # Without the two calls that never make a command with an event.
    made = sum(event["name"].startswith("clEnqueue") and event["result"] == 0 and
               event["name"] not in ("clEnqueueBarrier", "clEnqueueWaitForEvents")
               for event in recorded.session.events)
    rows = report["untimed_queues"]
    check(report["operations"]["untimed_commands"] == made > 0 and
          sum(row["commands"] for row in rows) == made,
          f"no queue with profiling: {name}: its commands are counted", (made, rows))
try_all("no times of being queued", {"STUB_PROFILING": "unqueued"}, ["linked", "flight"], timed=True)
recorded = run([PROGRAMS / "linked"], "basic", env=dict(DRIVERS["stub"], STUB_PROFILING="unqueued"))
check(all(o["submitted"] == o["queued"] > 0 for o in recorded.session.operations()) and
      recorded.session.report()["operations"]["odd_times"] == 0,
      "no times of being queued: nothing seems to have waited for years",
      recorded.session.operations())
try_all("queries set errno", {"STUB_ERRNO": "1"}, ["tolerant", "transfers"],
        states=("paused", "none", "full"))
try_all("a marker without an event", {"STUB_MARKER": "1"}, ["outoforder"])
try_all("times of 0", {"STUB_PROFILING": "zero"}, ["linked", "flight"])
for clock in ({"STUB_CLOCK": "raw"}, {"STUB_CLOCK": "realtime"},
              {"STUB_CLOCK_OFFSET_NS": "-1000000000000"}, {"STUB_CLOCK_DRIFT_PPM": "500"},
              {"STUB_CLOCK_RESOLUTION_NS": "1000"}):
    try_all("clock: " + " ".join(f"{k[11:].lower() or 'source'} {v}" for k, v in clock.items()),
            clock, ["linked"], timed=True)
finish()
