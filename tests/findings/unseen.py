#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What findings can't see is said once, and nothing is said that rests on it: sessions without
the scheduler, without device times, cut short, with losses, of several processes.

tandem-test: timeout=300
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from corpus import CORPUS, STUB
from tap import check, finish
from traces import record, tandem


def read(path):
    said = tandem("findings", "--all", "--format", "json", path)
    check(said.returncode == 0, f"{path} is read", said.stderr)
    return json.loads(said.stdout)["findings"] if said.returncode == 0 else []


def findings(path, command, *options, **more):
    record(path, command, *options, env=dict(STUB, **more))
    return read(path)


def pick(found, name, *causes):
    return [f for f in found if f["name"] == name and f["cause"] in causes]


off = findings("off", [CORPUS, "sleep_between"], "--kernel", "off")
check(len(pick(off, "trace", "scheduler")) == 1, "without the scheduler: said once", off)
check(not [f for f in off if f["name"] == "preemption" or f["cause"] == "host-blocked"],
      "and nothing of CPUs", off)
busy = pick(off, "idle-device", "host-busy")
check(busy and all("in no call (computing, or asleep)" in f["description"] and
                   f["confidence"] != "high" and "without the scheduler" in f["evidence"]
                   for f in busy), "nor that a thread computes that may have slept", busy)

untimed = findings("untimed", [CORPUS, "wait_each"], STUB_PROFILING="fail")
check(len(pick(untimed, "trace", "untimed")) == 1, "without device times: said once", untimed)
check(not [f for f in untimed if f["name"] in ("idle-device", "overlap", "transfers", "copies",
                                               "ordering", "shared-device")],
      "and nothing of devices", untimed)
each = pick(untimed, "waiting", "after-each-command")
check(len(each) == 1 and each[0]["count"] >= 300 and each[0]["cost_ns"] == 0 and
      each[0]["confidence"] == "low" and "without device times" in each[0]["evidence"],
      "what the calls show is said, without a cost", each)
timed = findings("timed", [CORPUS, "wait_each"])
check(not pick(timed, "trace", "untimed") and
      all(f["cost_ns"] > 0 for f in pick(timed, "waiting", "after-each-command")),
      "not where there are times", timed)

# It ends by itself after the events that it leaks; killed before, it leaks nothing.
killed = findings("killed", ["timeout", "-s", "KILL", "0.3", CORPUS, "events_unnamed"],
                  STUB_DELAY_US="2000")
check(killed and not [f for f in killed if f["name"] == "leaks"],
      "a program that was killed leaks nothing", killed)

# What released its objects is among what is missing. On a busy machine the kernel's records can be
# missing too: that is another loss, said beside it.
lost = findings("lost", [CORPUS, "small_writes"], "--limit-size", "64K")
limit = [f for f in pick(lost, "trace", "losses") if "--limit-size" in f["description"]]
check(len(limit) == 1, "losses: said once", lost)
check(not [f for f in lost if f["name"] == "leaks"], "and nothing of releases that were lost", lost)
unlimited = findings("unlimited", [CORPUS, "buffers_leaked"], "--limit-size", "1G")
check(len(pick(unlimited, "leaks", "memory")) == 1, "where none were, what is leaked is said", unlimited)

pair = f"{CORPUS} wait_each & {CORPUS} clean_pipeline & wait"
both = findings("both", ["sh", "-c", pair])
each = pick(both, "waiting", "after-each-command")
check(len(each) == 1, "of two processes, the one that waits is named", both)
of_trace = [(f["where"].get("process"), f["cause"], f["description"].partition(": ")[2]
             if f["cause"] == "losses" else "") for f in both if f["name"] == "trace"]
check(len(set(of_trace)) == len(of_trace), "and of the trace each thing is said once", both)
finish()
