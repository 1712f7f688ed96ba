#!/usr/bin/env python3
"""Every program prints and ends as it does alone, whatever is recorded, and the
trace holds each of its calls once and the end of each of its commands once.

tandem-test: timeout=600
"""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import compare, DRIVERS, has_pocl, OTHER, PROGRAMS, run, STATES
from tap import check, finish, skip

# Name, arguments, drivers. PoCL's basic device runs a command inside the call that
# enqueues it, so what needs commands in flight can't run there; nor can threads
# that share a queue: PoCL 3.1 locks itself out in every second run.
ALL = ("stub", "basic", "pthread")
CASES = [
    ("linked", [], ALL), ("images", [], ALL), ("svm", [], ALL), ("parts", [], ALL),
    ("native", [], ALL), ("transfers", [], ALL), ("builds", [], ALL), ("callbacks", [], ALL),
    ("platforms", [], ALL), ("profiling", ["references"], ["stub", "basic"]),
    ("profiling", [], ["pthread"]), ("outoforder", [], ALL),
    ("userevent", [], ["stub"]), ("userevent", ["complete"], ["pthread"]),
    ("threads", ["2"], ALL), ("threads", ["4", "5", "16384"], ["stub"]), ("threads", ["50", "3"], ["stub", "pthread"]),
    ("flight", ["3000"], ["stub", "pthread"]), ("shared", [], ["stub", "pthread"]), ("tolerant", [], ALL),
    ("every", ["null"], ALL), ("every", ["valid"], ["stub"]),
    ("dynamic", ["dlsym"], ALL), ("dynamic", ["dlvsym"], ALL), ("dynamic", ["again"], ALL),
    ("dynamic-linked", ["mixed"], ALL),
]


def one(name, arguments, driver, states):
    words = " ".join([name, *arguments, "on", driver])
    command, env = [PROGRAMS / name, *arguments], DRIVERS[driver]
    # First of all, since PoCL compiles a kernel once and keeps it.
    calls = run(command, env=env, calls=True).calls
    alone = run(command, env=env)
    if alone.status == 77:
        skip(words, alone.stdout.strip())
        return
    if alone.status and OTHER and driver != "stub":
        skip(words, f"{name} does not work on that driver: {alone.stderr.strip()[-100:]}")
        return
    check(alone.status == 0, f"{words}: works alone", alone.stdout + alone.stderr)
    for state in states:
        recorded = run(command, state, env=env)
        compare(f"{words}, {state}", alone, recorded)
        if state == "paused":
            check(not recorded.session.events, f"{words}, paused: nothing is recorded")
        else:
            recorded.session.verify(f"{words}, {state}", calls)


for name, arguments, drivers in CASES:
    for driver in drivers:
        if driver != "stub" and not has_pocl():
            skip(f"{name} on {driver}", "PoCL is not installed")
            continue
        one(name, arguments, driver, STATES if driver == "stub" else
            ["none", "full"] if driver == "basic" else ["basic"])
finish()
