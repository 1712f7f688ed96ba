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
from tap import TANDEM, check, finish, skip  # noqa: E402
from taskgraph import TaskGraph, record, subscriber_counts  # noqa: E402

need_dispatcher()
if os.environ.get("TANDEM_SANITIZE"):
    print("Intel's Python and runtime are not built with the sanitizer, and can't load what is")
    sys.exit(77)

# In the earlier one most kernels are dpctl's.
for release, namespace in ("2024.2-dpnp", "dpctl::"), ("2026.2-dpnp", "dpnp::"):
    if not (folder(release) / "complete").exists():
        skip(f"{release}: a program of dpnp", f"not here; tests/xpti/environment {release} brings it")
        continue
    session = release
    done, counts = record([python(release), SOURCES / "dpnp_arrays.py"], session,
                          dict(runtime(release), XPTI_SUBSCRIBERS=str(COUNT)))
    check(done.stdout == "ok\n" and done.returncode == 0, f"{release}: the program's results", done.stdout + done.stderr)
    graph = TaskGraph(session)
    theirs, found = subscriber_counts(counts), graph.counts()
    check(theirs == found and theirs["task_begin"] > 20, f"{release}: an independent subscriber counts the same",
          f"{theirs}\n{found}")
    tasks, kernels, lost, wrong = graph.tied()
    check(kernels > 8 and not lost and not wrong, f"{release}: {kernels} kernels of {tasks} tasks, each tied to its task",
          (tasks, kernels, lost, wrong))
    report = json.loads(subprocess.run([TANDEM, "report", "--format", "json", session], text=True,
                                       capture_output=True).stdout)
    names = [row["name"] for row in report["device"] if row["kind"] == "kernel"]
    names += [row["name"] for row in report["tasks"] if row["kind"] == "kernel"]
    check(any(namespace in name for name in names) and
          not any(name.startswith(("_Z", "typeinfo name")) for name in names), f"{release}: kernels are named by their types",
          names)
finish()
