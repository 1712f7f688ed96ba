# SPDX-License-Identifier: MIT
"""What `tandem print --raw` shows of a task graph, for the tests of SYCL.

    graph = TaskGraph("session")
    graph.tied()       (tasks, kernels, kernels within no task, signals of another operation)
    graph.counts()     as an independent subscriber counts (tests/xpti/programs/count.c)

    done, counts = record([PROGRAM], "session", {"XPTI_SUBSCRIBERS": COUNT})
    graph = check_session("words", "session", counts, kernels=5)
"""
import collections
import json
import os
import pathlib
import subprocess

from cuda import Trace
from tap import TANDEM, check

GRAPH = ("sycl", "sycl.debug")
RECORDS = {"graph_create": "graph_create", "node_create": "node_create",
           "edge_create": "edge_create", "signal": "signal", "queue_create": "queue_create",
           "queue_destroy": "queue_destroy", "diagnostics": "diagnostic"}
SPANS = {"task": "sycl_task", "wait": "sycl_wait", "barrier": "sycl_barrier"}
OBJECTS = {"offload_alloc_memory_object_construct": "buffer_create",
           "offload_alloc_memory_object_destruct": "buffer_destroy",
           "offload_alloc_memory_object_associate": "buffer_associate",
           "offload_alloc_memory_object_release": "buffer_release",
           "offload_alloc_accessor": "accessor"}


class TaskGraph(Trace):
    def __init__(self, session):
        super().__init__(session)
        self.nodes = {(e["process"], e["args"]["node"]): e["args"]
                      for e in self.by_name["node_create"]}
        self.constructs = {(e["process"], e["args"]["construct"]): e["args"]
                           for e in self.by_name["construct"]}
        self.tasks = self.by_name["sycl_task"]

    def construct(self, task):
        node = self.nodes[task["process"], task["args"]["node"]]
        return self.constructs[task["process"], node["construct"]]

    def within(self):
        """(task or None, enqueue): by what the threads have open."""
        found, open_tasks = [], {}
        for event in self.events:
            thread = event["process"], event["thread"]
            if event["name"] == "sycl_task":
                open_tasks[thread] = event
            elif event.get("args", {}).get("op") and event["name"].startswith("clEnqueue"):
                task = open_tasks.get(thread)
                inside = task and event["time_ns"] <= task["time_ns"] + task["duration_ns"]
                found.append((task if inside else None, event))
        return found

    def tied(self):
        pairs = self.within()
        task_of = {(call["process"], call["args"]["op"]): task for task, call in pairs if task}
        kernels = [(task, call) for task, call in pairs if "Kernel" in call["name"]]
        wrong = [e for e in self.by_name["signal"] if e["args"]["op"] not in ("none", "unknown", 0, None)
                 and (not task_of.get((e["process"], e["args"]["op"])) or
                      task_of[e["process"], e["args"]["op"]]["args"]["node"] != e["args"]["node"])]
        return len(self.tasks), len(kernels), [call for task, call in kernels if not task], wrong

    def counts(self):
        """By the subscriber's names, without the stream's."""
        found = collections.Counter()
        for theirs, ours in {**RECORDS, **OBJECTS}.items():
            found[theirs] = len(self.by_name[ours])
        for theirs, ours in SPANS.items():
            found[theirs + "_begin"] = len(self.by_name[ours])
            found[theirs + "_end"] = sum(e.get("duration_ns") is not None for e in self.by_name[ours])
        allocations = self.by_name["sycl_malloc"] + self.by_name["sycl_buffer_alloc"]
        frees = self.by_name["sycl_free"] + self.by_name["sycl_buffer_free"]
        for name, events in ("mem_alloc", allocations), ("mem_release", frees):
            found[name + "_begin"] = len(events)
            found[name + "_end"] = sum(e.get("duration_ns") is not None for e in events)
        found["bytes"] = sum(e["args"]["bytes"] for e in allocations)
        return +found


def subscriber_counts(counts):
    """The same of what count.c wrote: nodes and the like of the graph's streams only."""
    found = collections.Counter()
    for name, number in counts.items():
        stream, _, what = name.partition(" ")
        if stream in GRAPH and (what in RECORDS or what.rpartition("_")[0] in SPANS):
            found[what] += number
        elif stream == "sycl.experimental.mem_alloc" and (what.startswith("mem_") or what == "bytes"):
            found[what] += number
        elif stream in ("sycl.experimental.buffer", "sycl.experimental.image") and what in OBJECTS:
            found[what] += number
    return +found


def record(command, session, env, options=()):
    counts = pathlib.Path(session + ".counts")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("XPTI_")}
    environment.update(env, COUNT_FILE=str(counts.resolve()))
    done = subprocess.run([TANDEM, "record", "-q", "--kernel", "off", *options, "-o", session,
                           *map(str, command)],
                          env=environment, text=True, capture_output=True, timeout=100)
    lines = counts.read_text(errors="replace").splitlines() if counts.exists() else []
    split = (line.rpartition(" ") for line in lines)
    return done, {name.rstrip(":"): int(number) for name, _, number in split}


def ordered(session):
    printed = subprocess.run([TANDEM, "print", "--format", "json", session], text=True, capture_output=True)
    return [json.loads(line) for line in printed.stdout.splitlines()]


def check_session(words, session, counts, kernels, has_edges=True):
    """Counted as the subscriber did in the same run, and every command tied to its task."""
    graph = TaskGraph(session)
    theirs, found = subscriber_counts(counts), graph.counts()
    check(theirs == found and theirs["task_begin"] > 5, f"{words}: an independent subscriber counts "
          "the same", f"{theirs}\n{found}")
    tasks, seen, lost, wrong = graph.tied()
    check(seen == kernels and not lost and not wrong, f"{words}: every kernel is tied to its task",
          (tasks, seen, lost, wrong))
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
    check((edges or not has_edges) and all(e["from"] in known and e["to"] in known for e in edges),
          f"{words}: edges join nodes that are there", edges)
    return graph
