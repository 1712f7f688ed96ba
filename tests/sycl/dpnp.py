#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program of dpnp, recorded with nothing else set: it prints the same, an independent subscriber
counts the same, every kernel is tied to its task, and kernels have the names of their types.

tandem-test: timeout=300
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from sycl import COUNT, SOURCES, folder, need_dispatcher, python, runtime  # noqa: E402
from tap import TANDEM, check, finish  # noqa: E402
from taskgraph import TaskGraph, record, subscriber_counts  # noqa: E402

need_dispatcher()
RELEASE = "2026.2-dpnp"
if os.environ.get("TANDEM_SANITIZE"):
    print("Intel's Python and runtime are not built with the sanitizer, and can't load what is")
    sys.exit(77)
if not (folder(RELEASE) / "complete").exists():
    print(f"no dpnp: tests/xpti/environment {RELEASE} brings it")
    sys.exit(77)

done, counts = record([python(RELEASE), SOURCES / "dpnp_arrays.py"], "session",
                      dict(runtime(RELEASE), XPTI_SUBSCRIBERS=str(COUNT)))
check(done.stdout == "ok\n" and done.returncode == 0, "the program's results", done.stdout + done.stderr)
graph = TaskGraph("session")
theirs, found = subscriber_counts(counts), graph.counts()
check(theirs == found and theirs["task_begin"] > 20, "an independent subscriber counts the same",
      f"{theirs}\n{found}")
tasks, kernels, lost, wrong = graph.tied()
check(kernels > 8 and not lost and not wrong, f"{kernels} kernels of {tasks} tasks, each tied to its task",
      (tasks, kernels, lost, wrong))
report = json.loads(subprocess.run([TANDEM, "report", "--format", "json", "session"], text=True,
                                   capture_output=True).stdout)
names = [row["name"] for row in report["device"] if row["kind"] == "kernel"]
names += [row["name"] for row in report["tasks"] if row["kind"] == "kernel"]
check(any("dpnp::" in name for name in names) and
      not any(name.startswith(("_Z", "typeinfo name")) for name in names), "kernels are named by their types",
      names)
finish()
