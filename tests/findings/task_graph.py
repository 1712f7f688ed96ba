#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Findings of task graphs, of a program that makes the events of a SYCL runtime."""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import DRIVERS  # noqa: E402
from tap import TANDEM, check, finish  # noqa: E402
from taskgraph import TaskGraph, record  # noqa: E402

PROGRAM = pathlib.Path(os.environ["TANDEM_BUILD"]).resolve() / "tests" / "sycl" / "sycl-runtime"
if not PROGRAM.exists():
    print("the program was not built: it needs OpenCL and a C++ compiler")
    sys.exit(77)
STUB = {name: str(value) for name, value in DRIVERS["stub"].items()}


def found(session, *words):
    done, _ = record([PROGRAM, *words], session, STUB)
    check(done.returncode == 0, f"{session}: it runs", done.stderr)
    said = subprocess.run([TANDEM, "findings", "--format", "json", "--min", "0", "--kind", "task-graph",
                           session], text=True, capture_output=True)
    return {finding["cause"]: finding for finding in json.loads(said.stdout)["findings"]}


findings = found("graph", "graph", "8")
false = findings.get("false-dependency", {})
check(false.get("count") == 8 and false["object"] == "writer" and "reader (runtime.c:" in
      false.get("description", ""), "a dependency that a read-only accessor "
      "would not make", findings)
bounces = findings.get("bouncing-buffer", {})
check(bounces.get("count") == 8 and bounces["object"] == "buffer 1" and bounces["cost_ns"] > 0,
      "a buffer that goes back and forth", findings)
check("small-tasks" not in findings, "16 small kernels are no habit", findings)
check({e["args"]["access"] for e in TaskGraph("graph").by_name["edge_create"]} == {"read", "read_write"},
      "the edges are by accesses")

# Inline, a kernel runs within its submission.
findings = found("small", "later", "150")
check(findings.get("small-tasks", {}).get("count") == 150, "many small tasks", findings)
check("false-dependency" not in findings and "bouncing-buffer" not in findings,
      "events are no accesses", findings)

# Copies of 5 ms on which nothing depends: the chain is of kernels, which take next to nothing.
STUB.update(STUB_ENGINE="thread", STUB_KBYTE_US="20000")
findings = found("serial", "later", "20")
check(findings.get("serial", {}).get("count") == 40, "tasks that do not depend on each other", findings)
finish()
