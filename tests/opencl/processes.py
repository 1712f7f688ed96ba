#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fork, vfork, exec, daemons: each process has its own trace, and all of them
together hold each call once."""
import glob
import json
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import compare, DRIVERS, has_pocl, LAYER, layer_counts, OTHER, PROGRAMS, run
from tap import check, finish, skip, wait_for
from traces import tandem

# Way, processes that call OpenCL. exec makes a new trace: a new image of the same
# process.
WAYS = [("fork", 2), ("after", 4), ("exec", 2), ("replace", 2), ("vfork", 2), ("nest", 7),
        ("storm", 31)]
# By an instruction of the C library's, which is seen where the program calls it; by syscall()
# on x86-64.
RAW_WAYS = 4 if os.uname().machine == "x86_64" else 2


def named(word):
    """Whether a program runs that was given this argument."""
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                if word.encode() in file.read():
                    return True
        except OSError:
            pass
    return False


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
    # A child that no fork() made: libtsan ends it by itself.
    if "thread" in os.environ.get("TANDEM_SANITIZE", ""):
        skip(f"raw forks on {driver}", "libtsan knows of no such children")
    else:
        command = [PROGRAMS / "processes", "raw", str(RAW_WAYS)]
        alone, calls = run(command, env=env), run(command, env=env, calls=True).calls
        recorded = run(command, "basic", env=env)
        check(alone.status == 0, f"raw forks on {driver}: they end well", alone.status)
        compare(f"raw forks on {driver}", alone, recorded)
        recorded.session.verify(f"raw forks on {driver}", calls)
        found = len(recorded.session.processes())
        check(found == RAW_WAYS + 1, f"raw forks on {driver}: {RAW_WAYS + 1} traces", found)
    # Threads whose process is replaced under them: they were in the middle of a call.
    alone, recorded = (run([PROGRAMS / "processes", "cut"], state, env=env) for state in (None, "none"))
    compare(f"cut on {driver}", alone, recorded)
    recorded.session.verify(f"cut on {driver}", open_calls=None)
    if OTHER and driver != "stub":
        skip(f"daemon on {driver}", "not every driver works in the child of a fork")
        continue
    done = os.path.abspath(f"done-{driver}")
    counts = os.path.abspath(f"counts-{driver}")
    run([PROGRAMS / "processes", "daemon", done],
        env=dict(env, OPENCL_LAYERS=LAYER, LAYER_COUNTS=counts))
    check(wait_for(lambda: os.path.exists(done)), f"daemon on {driver}: works alone")
    wait_for(lambda: not named(done))  # it has yet to end
    expected = layer_counts(counts)
    os.unlink(done)
    recorded = run([PROGRAMS / "processes", "daemon", done], "basic", env=env)
    check(wait_for(lambda: os.path.exists(done)), f"daemon on {driver}: goes on after its parent")
    wait_for(lambda: not named(done))
    recorded.session.verify(f"daemon on {driver}", expected)

# A process is called as its first thread, whoever makes its first call.
WORKER_FIRST = """
import ctypes, threading
system, opencl = ctypes.CDLL(None), ctypes.CDLL("libOpenCL.so.1")
def work():
    system.prctl(15, b"worker", 0, 0, 0)
    opencl.clGetPlatformIDs(0, None, ctypes.byref(ctypes.c_uint()))
system.prctl(15, b"leader", 0, 0, 0)
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""
recorded = run(["/usr/bin/python3", "-c", WORKER_FIRST], "basic", env=DRIVERS["stub"])
report = json.loads(tandem("report", "--format", "json", recorded.session.folder).stdout)
names = [row["name"] for row in report["processes"]]
check(names == ["leader"], "a process has its first thread's name", names)
finish()
