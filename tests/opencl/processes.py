#!/usr/bin/env python3
"""fork, vfork, exec, daemons: each process has its own trace, and all of them
together hold each call once."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import compare, DRIVERS, has_pocl, PROGRAMS, run
from tap import check, finish, skip, wait_for

# Way, processes that call OpenCL. exec makes a new trace: a new image of the same
# process.
WAYS = [("fork", 2), ("after", 4), ("exec", 2), ("replace", 2), ("vfork", 2), ("nest", 7)]

for driver in ("stub", "pthread"):
    if driver != "stub" and not has_pocl():
        skip(f"processes on {driver}", "PoCL is not installed")
        continue
    env = DRIVERS[driver]
    for way, processes in WAYS:
        command, words = [PROGRAMS / "processes", way], f"{way} on {driver}"
        alone = run(command, env=env)
        calls = run(command, env=env, calls=True).calls
        for state in ("none", "basic"):
            recorded = run(command, state, env=env)
            compare(f"{words}, {state}", alone, recorded)
            recorded.session.verify(f"{words}, {state}", calls)
            found = len(recorded.session.processes())
            check(found == processes, f"{words}: {processes} traces", found)
    done = os.path.abspath(f"done-{driver}")
    calls = run([PROGRAMS / "processes", "daemon", done], env=env, calls=True)
    wait_for(lambda: os.path.exists(done))
    time.sleep(0.2)
    from recording import layer_counts
    expected = layer_counts(os.path.abspath("run-%d.counts" % __import__("recording")._runs))
    os.unlink(done)
    recorded = run([PROGRAMS / "processes", "daemon", done], "basic", env=env)
    check(wait_for(lambda: os.path.exists(done)), f"daemon on {driver}: goes on after its parent")
    time.sleep(0.2)
    recorded.session.verify(f"daemon on {driver}", expected)
finish()
