# SPDX-License-Identifier: MIT
"""Programs and the drivers that each can run on; and the one comparison that is made
of them all: alone, recorded, and what is then in the trace.

    from programs import CASES, same
"""
from recording import compare, DRIVERS, OTHER, PROGRAMS, run
from tap import check, skip

# Name, arguments, drivers. PoCL's basic device runs a command inside the call that
# enqueues it, so what needs commands in flight can't run there; nor can threads
# that share a queue: PoCL 3.1 locks itself out in every second run.
ALL = ("stub", "basic", "pthread", "intel")
CASES = [
    ("linked", [], ALL), ("images", [], ALL), ("svm", [], ALL), ("parts", [], ALL),
    ("native", [], ALL), ("transfers", [], ALL), ("builds", [], ALL), ("callbacks", [], ALL),
    ("platforms", [], ALL), ("profiling", ["references"], ["stub", "basic"]),
    ("profiling", [], ["pthread", "intel"]), ("outoforder", [], ALL),
    ("userevent", [], ["stub"]), ("userevent", ["complete"], ["pthread", "intel"]),
    ("threads", ["2"], ALL), ("threads", ["4", "5", "16384"], ["stub"]), ("threads", ["50", "3"], ["stub", "pthread", "intel"]),
    ("flight", ["3000"], ["stub", "pthread", "intel"]), ("shared", [], ["stub", "pthread", "intel"]), ("tolerant", [], ("stub", "basic", "pthread")), ("tolerant", ["errors"], ["intel"]),
    ("every", ["null"], ALL), ("every", ["valid"], ["stub"]),
    ("dynamic", ["dlsym"], ALL), ("dynamic", ["dlvsym"], ALL), ("dynamic", ["again"], ALL),
    ("dynamic-linked", ["mixed"], ALL),
]


def same(name, arguments, driver, states):
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
