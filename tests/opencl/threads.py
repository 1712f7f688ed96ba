#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Threads that come and go use few streams, one after another, and are told apart all the same."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import compare, DRIVERS, PROGRAMS, run
from tap import check, finish

THREADS = 300
STEPS = "calls 10\nthreads 1\n" + "threads 1\n" * (THREADS - 1) + "calls 10\n"

env = DRIVERS["stub"]
alone = run([PROGRAMS / "steps"], env=env, input=STEPS)
recorded = run([PROGRAMS / "steps"], "basic", env=env, input=STEPS)
session = recorded.session
compare("threads", alone, recorded)
session.verify("threads", run([PROGRAMS / "steps"], env=env, input=STEPS, calls=True).calls)
report = session.report()
check(report["session"]["threads"] == THREADS + 1, "each thread is one", report["session"])
rows = [row for row in report["threads"] if row["calls"]]
check(len(rows) == THREADS + 1 and sorted(row["calls"] for row in rows)[:THREADS] == [1] * THREADS,
      "each with its calls", [row["calls"] for row in rows][:20])
check(len({row["tid"] for row in rows}) == THREADS + 1, "and its number")
files = [path for process in session.processes() for path in process.iterdir()]
check(len(files) < 10, "in few files", [path.name for path in files])
check(all(path.stat().st_size < 1 << 20 for path in files), "which are cut behind their records",
      [(path.name, path.stat().st_size) for path in files])
finish()
