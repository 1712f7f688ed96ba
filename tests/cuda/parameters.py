#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Addresses that a kernel is given (record kernel_memory): in each way that a program may hand them over,
with all arguments only, and never of a kernel whose parameters the driver does not tell."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from cuda import Trace  # noqa: E402
from tap import TANDEM, check, finish  # noqa: E402

PROGRAM = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "cuda", "parameters")
FIRST, SECOND, INSIDE = 0x7f0000000000, 0x7f0000100000, 0x7f0000100400
PAIR = 0x200000001  # two int, which may be an address as well

# What each launch is given, one after another.
GIVEN = {
    "runtime": [[FIRST, INSIDE, PAIR]],  # the first once, though it is in a struct as well; no double
    "driver": [[SECOND]],
    "extra": [[FIRST, INSIDE]],
    "refused": [],
    "nothing": [[]],  # that none lies behind a pointer is as good as no value
    "many": [],
    "unloaded": [[FIRST, SECOND], [SECOND]],
}


def record(case, level):
    session = "session-%s-%s" % (case, level)
    done = subprocess.run([TANDEM, "record", "-o", session, "--exit-wait", "100", "--args", level, "--",
                           PROGRAM, case], text=True, capture_output=True, timeout=60)
    check(done.returncode == 0 and not done.stdout, "%s, %s: the program does not notice" % (case, level),
          (done.returncode, done.stderr))
    trace = Trace(session)
    check(not trace.complaints, "%s, %s: the trace is read" % (case, level), trace.complaints)
    return trace


cases = subprocess.run([PROGRAM], text=True, capture_output=True, check=True).stdout.split()
check(sorted(cases) == sorted(GIVEN), "each case is looked at", cases)
for case in cases:
    trace = record(case, "full")
    found = [e["args"] for e in trace.events if e["name"] == "kernel_memory"]
    check([[int(word, 0) for word in e["addresses"]] for e in found] == GIVEN[case], case + ": the addresses that it was given", found)
    ops = {e["args"]["op"] for e in trace.operations}
    check(all(e["op"] in ops for e in found), case + ": of the operation that ran", (found, ops))
    check(not [e for e in record(case, "basic").events if e["name"] == "kernel_memory"],
          case + ": with all arguments only")
finish()
