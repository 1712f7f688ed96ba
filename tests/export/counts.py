#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A session has one number of calls, operations, ranges, threads, processes and losses: every
command and every export has the same, of each kind of program; and no table of the report is
wider than a terminal of 80 columns.

tandem-test: timeout=400
"""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import annotated  # noqa: E402
import rocm  # noqa: E402
from onterminal import on_terminal  # noqa: E402
from outputs import outputs, run  # noqa: E402
from recording import DRIVERS, PROGRAMS  # noqa: E402
from tap import TANDEM, check, finish, skip  # noqa: E402

STUB = {name: str(value) for name, value in DRIVERS["stub"].items()}
SYCL = pathlib.Path(os.environ["TANDEM_BUILD"]).resolve() / "tests" / "sycl" / "sycl-runtime"


def record(session, *command, **more):
    done = subprocess.run([TANDEM, "record", "-o", session, *map(str, command)], text=True,
                          capture_output=True, env=dict(os.environ, **more))
    check(done.returncode == 0, f"{session} is recorded", done.stderr)


record("cpu-only", sys.executable, "-c", "sum(range(10**6))")
record("pipeline", "sh", "-c", "ls / | wc -l")
record("four-queues", PROGRAMS / "threads", "4", "5", "16384", **STUB)
annotated.record("annotated", "overlap", {
    1: ["push epoch"], 2: ["push step", "mark here"], 6: ["pop"], 7: ["start free"],
    8: ["push step"], 9: ["pop", "end"], 20: ["pop"]})
record("short-calls", PROGRAMS / "loop", "counter", "100000", **STUB)
record("empty", "true")
sessions = ["cpu-only", "pipeline", "four-queues", "annotated", "short-calls", "empty"]
if SYCL.exists():
    record("sycl", SYCL, "later", "6", **STUB)
    sessions.append("sycl")
else:
    skip("a session of SYCL", "its program was not built")
if rocm.record("hip", "6.3").returncode == 0:
    sessions.append("hip")
else:
    skip("a session of HIP", "the stub does not run here")

LEAST = {"four-queues": {"calls": 40, "operations": 20, "threads": 4}, "short-calls": {"calls": 100000},
         "annotated": {"calls": 80, "operations": 40, "ranges": 4, "markers": 1},
         "hip": {"calls": 10, "operations": 5}, "sycl": {"calls": 20, "operations": 6}}
for session in sessions:
    found = outputs(session)
    wanted = found["report"]
    for what, least in LEAST.get(session, {"calls": 0}).items():
        check(wanted[what] >= least, f"{session}: it has {what}", wanted)
    for what in sorted({key for counts in found.values() for key in counts}):
        different = {form: counts[what] for form, counts in found.items() if what in counts}
        check(len(set(different.values())) == 1, f"{session}: everybody has the same {what}", different)
    said = json.loads(run("report", "--format", "json", session))
    check(sum(row["calls"] + row["open"] for row in said["api"]) == said["session"]["calls"],
          f"{session}: functions come to all calls", said["session"])
    check(len(said["threads"]) == said["session"]["threads"],
          f"{session}: as many rows of threads", (len(said["threads"]), said["session"]))
    lines = on_terminal(80, TANDEM, "report", session)
    wide = [line for line in lines if len(line) > 80]
    check(any(lines) and not wide, f"{session}: the report fits 80 columns", wide[:3])
finish()
