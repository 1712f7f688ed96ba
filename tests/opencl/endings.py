#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""However a program ends, the trace holds what it did, and it ends as it would
have ended alone."""
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import compare, DRIVERS, has_intel, has_pocl, PROGRAMS, run, SANITIZED
from tap import check, finish, skip

# How, and what is different in what is left: commands that may be unfinished,
# calls that may not have returned (None: any number).
WAYS = [
    ("_exit", 0, 0), ("quick_exit", 0, 0), ("abort", 0, 0), ("segv", 0, 0), ("kill", 0, 0),
    ("term", 0, 0), ("atexit", 0, 0), ("catch", 0, 0), ("outlive", 0, 0), ("exit", 0, 0),
    ("release", 0, 0),
    ("busy", None, 0), ("running", 0, None),
]

for driver in ("stub", "pthread", "intel"):
    if driver == "pthread" and not has_pocl():
        skip(f"endings on {driver}", "PoCL is not installed")
        continue
    if driver == "intel" and (not has_intel() or SANITIZED):
        skip(f"endings on {driver}", "Intel's OpenCL is not installed")
        continue
    env = DRIVERS[driver]
    for way, unfinished, open_calls in WAYS:
        if way == "running" and driver == "intel":
            continue  # once its loader has ended, the thread's calls fail
        command, words = [PROGRAMS / "ending", way], f"{way} on {driver}"
        alone = run(command, env=env)
        if way == "busy" and alone.status < 0:
            # PoCL itself may crash at exit with a busy queue.
            skip(words, f"it dies alone, of {signal.Signals(-alone.status).name}")
            continue
        recorded = run(command, "basic", env=env)
        compare(words, alone, recorded)
        calls = None if way == "running" else run(command, env=env, calls=True).calls
        recorded.session.verify(words, calls, unfinished=unfinished, open_calls=open_calls)
        if way == "busy":
            ended, enqueued = recorded.session.operations(), recorded.session.enqueued()
            check(len({o["op"] for o in ended}) == len(ended), f"{words}: no command ends twice")
            left = recorded.session.report()["operations"]["unfinished"]
            check(len(enqueued) - len(ended) == left, f"{words}: the rest is reported as unfinished",
                  f"{len(enqueued)} enqueued, {len(ended)} ended, {left} unfinished")

# A callback wakes the program and has not returned when that ends: it is the one call without an end.
for driver in ("stub", "pthread") if has_pocl() else ("stub",):
    command, words = [PROGRAMS / "userevent", "leave"], f"a callback that is left on {driver}"
    env = dict(DRIVERS[driver], STUB_ENGINE="thread")
    alone, recorded = run(command, env=env), run(command, "basic", env=env)
    compare(words, alone, recorded)
    recorded.session.verify(words, run(command, env=env, calls=True).calls)
    left = [e["name"] for e in recorded.session.events if e["domain"] == "opencl" and e["duration_ns"] is None]
    check(left == ["event_callback"] and recorded.session.callbacks_left() == 1,
          f"{words}: has no end", left)
finish()
