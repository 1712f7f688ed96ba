#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Intel's SYCL runtime of two generations, recorded with nothing else set: programs print the
same, an independent subscriber in the same run counts the same, every kernel command is tied to
its task, and tasks have their place in the source. Under our dispatcher, and under Intel's.

tandem-test: timeout=300
"""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from sycl import (COUNT, SOURCES, built, dispatcher, need_dispatcher, python,  # noqa: E402
                  releases, runtime)
from tap import TANDEM, check, finish  # noqa: E402
from taskgraph import TaskGraph, subscriber_counts  # noqa: E402

need_dispatcher()
if os.environ.get("TANDEM_SANITIZE"):
    print("Intel's Python and runtime are not built with the sanitizer, and can't load what is")
    sys.exit(77)


def record(command, session, env):
    counts = pathlib.Path(session + ".counts")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("XPTI_")}
    environment.update(env, COUNT_FILE=str(counts.resolve()))
    done = subprocess.run([TANDEM, "record", "-q", "--kernel", "off", "-o", session, *map(str, command)],
                          env=environment, text=True, capture_output=True, timeout=100)
    lines = counts.read_text(errors="replace").splitlines() if counts.exists() else []
    split = (line.rpartition(" ") for line in lines)
    return done, {name.rstrip(":"): int(number) for name, _, number in split}


def ordered(session):
    printed = subprocess.run([TANDEM, "print", "--format", "json", session], text=True, capture_output=True)
    return [json.loads(line) for line in printed.stdout.splitlines()]


for release in releases():
    programs = {"dpctl": [python(release), SOURCES / "dpctl_usm.py", "5"]}
    program = built(release)
    if program:
        programs["C++"] = [program, "4"]
    for name, command in programs.items():
        for whose, env in (("ours", {}), ("Intel's", {"XPTI_FRAMEWORK_DISPATCHER": str(dispatcher(release))})):
            words = f"{release}, {name}, {whose} dispatcher"
            session = f"{release}-{name}-{whose[0]}"
            done, _ = record(command, session + "-alone", dict(runtime(release), **env))
            check(done.stdout == "ok\n" and done.returncode == 0 and not done.stderr,
                  f"{words}: the program's results", done.stdout + done.stderr)
            done, counts = record(command, session, dict(runtime(release), XPTI_SUBSCRIBERS=str(COUNT),
                                                         **env))
            graph = TaskGraph(session)
            theirs, found = subscriber_counts(counts), graph.counts()
            check(done.stdout == "ok\n" and theirs == found and theirs["task_begin"] > 5 and
                  theirs["bytes"] >= 768, f"{words}: an independent subscriber counts the same",
                  f"{theirs}\n{found}")
            tasks, kernels, lost, wrong = graph.tied()
            check(kernels == (5 if name == "dpctl" else 4) and not lost and not wrong,
                  f"{words}: every kernel is tied to its task", (tasks, kernels, lost, wrong))
            at_task = {e["op"]: e.get("task") for e in ordered(session) if e["name"] == "operation"}
            check(at_task and all(task and task["node"] for task in at_task.values()),
                  f"{words}: every operation has its node", at_task)
            table = json.loads(subprocess.run([TANDEM, "report", "--format", "json", session], text=True,
                                              capture_output=True).stdout)["tasks"]
            check(sum(row["count"] for row in table) == tasks and
                  sum(row["operations"] for row in table) == len(at_task) and
                  [row["operations"] for row in table if row["kind"] == "kernel"] == [kernels],
                  f"{words}: the report's tasks", table)
            drawn = subprocess.run([TANDEM, "export", "-q", "-f", "dot", "-o", "-", session], text=True,
                                   capture_output=True).stdout
            check(drawn.count(" -> ") == theirs["edge_create"] and
                  drawn.count("fillcolor") == sum(
                      graph.constructs[process, node["construct"]]["kind"] != "external"
                      for (process, _), node in graph.nodes.items()),
                  f"{words}: the graph drawn has its nodes and edges", drawn)
            edges = [e["args"] for e in graph.by_name["edge_create"]]
            known = {args["node"] for args in graph.nodes.values()}
            check((edges or (release, name) == ("2026.2", "dpctl")) and all(e["from"] in known and e["to"] in known for e in edges),
                  f"{words}: edges join nodes that are there", edges)
            if name == "C++":
                places = {(graph.construct(t)["name"], graph.construct(t)["line"]) for t in graph.tasks}
                lines = open(SOURCES / "sycl_graph.cpp", encoding="utf-8").read().splitlines()
                at = [i + 1 for i, line in enumerate(lines) if "queue.submit" in line][0]
                kinds = {e["args"]["name"]: e["args"]["kind"] for e in graph.by_name["construct"]}
                check({("__sycl_kernel_add", at), ("host task", at + 22)} <= places and
                      kinds["__sycl_kernel_add"] == "kernel" and kinds["host task"] == "host_task",
                      f"{words}: tasks have their lines", (places, kinds))
finish()
