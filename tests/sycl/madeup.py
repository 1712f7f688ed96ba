#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What Intel's SYCL runtimes report, made by a program on our proxy and the stub driver, so that
it is tested where no such runtime is: both generations; what no runtime should do; a fork in the
middle of a task; who has switched XPTI off; no domain, a pause."""
import json
import os
import pathlib
import sys
import urllib.request

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import perfetto  # noqa: E402
from recording import DRIVERS  # noqa: E402
from sycl import COUNT  # noqa: E402
from tap import check, finish  # noqa: E402
from taskgraph import TaskGraph, check_session, record  # noqa: E402
from traces import tandem  # noqa: E402
from viewing import View  # noqa: E402

PROGRAM = pathlib.Path(os.environ["TANDEM_BUILD"]).resolve() / "tests" / "sycl" / "sycl-runtime"
if not PROGRAM.exists():
    print("the program was not built: it needs OpenCL and a C++ compiler")
    sys.exit(77)
STUB = {name: str(value) for name, value in DRIVERS["stub"].items()}
SUBSCRIBED = dict(STUB, XPTI_SUBSCRIBERS=str(COUNT))


def made(session, *words, env=STUB, options=()):
    done, counts = record([PROGRAM, *words], session, env, options)
    check(done.returncode == 0 and done.stdout.endswith("ok\n"), f"{session}: it runs", done.stderr)
    return counts


for which in ("earlier", "later"):
    graph = check_session(which, which, made(which, which, "6", env=SUBSCRIBED), 6)
    edges = [e["args"] for e in graph.by_name["edge_create"]]
    kernels = [t["args"]["node"] for t in graph.tasks if graph.construct(t)["kind"] == "kernel"]
    by_event = [(e["from"], e["to"]) for e in edges if e["access"] == "none"]
    check(by_event == list(zip(kernels, kernels[1:])), f"{which}: each kernel depends on the one before",
          (by_event, kernels))
    check(all(e["access"] == "read" and e["buffer"] == 1 and e["from"] in kernels for e in edges
              if e["access"] != "none") and len(edges) == 5 + 3, f"{which}: host tasks read a buffer", edges)
    check([e["args"].get("text") or e["args"].get("message") for e in graph.by_name["diagnostic"]] ==
          ["the device is slow"] and len(graph.by_name["sycl_barrier"]) == 1 and not graph.by_name["sycl_layer"],
          f"{which}: a message, a barrier, and no calls of the layer below unasked",
          (graph.by_name["diagnostic"], graph.by_name["sycl_barrier"]))
    images = [e["args"] for e in graph.by_name["buffer_create"] if e["args"]["kind"] == "image"]
    check([(i["x"], i["y"], i["dimensions"], i["element"], i["element_bytes"]) for i in images] ==
          [(16, 8, 2, "image format 11", 0)] and
          [e["args"]["access"] for e in graph.by_name["accessor"]][-1] == "read", f"{which}: an image", images)
    check({c["name"]: c["kind"] for c in graph.constructs.values()} ==
          {"_ZTS4Kern": "kernel", "memcpy": "transfer", "host task": "host_task",
           "virtual_node": "external", "barrier": "other", "malloc_host": "allocation", "usm::free": "release"},
          f"{which}: constructs", graph.constructs)
    waits = [e["args"] for e in graph.by_name["sycl_wait"]]
    check([w["node"] for w in waits] == kernels and {w["what"] for w in waits} == {"event"},
          f"{which}: each wait is for its kernel", waits)
    copies = [e["args"] for e in graph.by_name["node_create"] if e["args"]["bytes"]]
    check(len(copies) == 6 and {e["bytes"] for e in copies} == {256}, f"{which}: copies", copies)
    with View("--no-open", which) as view:
        model = urllib.request.urlopen(view.address + "model?session=0").read().decode()
    lines = {graph.constructs[key]["name"]: graph.constructs[key]["line"] for key in graph.constructs}
    check(all(f'"{name} (runtime.c:{lines[of]})"' in model for name, of in (
        ("Kern", "_ZTS4Kern"), ("add", "_ZTS4Kern"), ("host task", "host task"), ("ReadBuffer", "memcpy"))),
          f"{which}: the timeline's tasks and operations have their lines", model)
    chrome = json.loads(tandem("export", "-q", "-f", "chrome", "-o", "-", which).stdout)["traceEvents"]
    commands = [e["args"] for e in chrome if e.get("args", {}).get("op") and "kind" in e["args"]]
    check(len(commands) == 12 and all(c["node"] and c["place"].startswith("runtime.c:") for c in commands) and
          {c["task"] for c in commands} == {"Kern", "memcpy"}, f"{which}: Chrome has each command's task", commands)
    rows = json.loads(tandem("sql", "--format", "json", which, "SELECT kind, name, nodes, ops FROM "
                             "task_summary WHERE ops > 0 ORDER BY name").stdout)
    check([list(row.values()) for row in rows] == [["kernel", "Kern", 6, 6], ["transfer", "memcpy", 6, 6]],
          f"{which}: SQL has nodes and their operations", rows)
    edges_in_sql = json.loads(tandem("sql", "--format", "json", which,
                                     "SELECT count(*) AS n FROM task_edges").stdout)
    check(edges_in_sql[0]["n"] == len(edges), f"{which}: and edges", edges_in_sql)
    # Arrows along the edges whose ends both did something on a device.
    wanted = sorted((row["begun"], row["ended"]) for row in json.loads(tandem(
        "sql", "--format", "json", which, "SELECT f.end_ns ended, t.start_ns begun FROM task_edges e "
        "JOIN device_ops f ON f.node = e.source AND f.process = e.process "
        "JOIN device_ops t ON t.node = e.target AND t.process = e.process").stdout))
    begin = json.loads(tandem("sql", "--format", "json", which, "SELECT begin_ns FROM sessions").stdout)[0]["begin_ns"]
    arrows = {}
    for event in chrome:
        if event.get("cat") == "dependency":
            arrows.setdefault(event["id"], {})[event["ph"]] = begin + round(event["ts"] * 1000)
    check(wanted and sorted((a["f"], a["s"]) for a in arrows.values()) == wanted,
          f"{which}: Chrome has the graph's edges", (arrows, wanted))
    tandem("export", "-q", "-f", "perfetto", "-o", which + ".pftrace", which)
    trace = perfetto.read(which + ".pftrace")
    ends = {}
    for piece in trace.slices:
        for flow in piece.flows + piece.last_flows:
            if flow >> 63:
                ends.setdefault(flow, {})["f" if flow in piece.last_flows else "s"] = piece
    start = trace.clocks[3] - begin
    check(sorted((e["f"].ns - start, e["s"].end - start) for e in ends.values()) == wanted,
          f"{which}: and so has Perfetto", (ends, wanted))
    check(all(piece.end is not None for piece in trace.slices), f"{which}: every slice ends")
    malloc = graph.by_name["sycl_malloc"][0]["args"]
    check((malloc["bytes"], malloc["address"], malloc["kind"]) == (4096, "0x10000", "malloc_host"),
          f"{which}: an allocation", malloc)

made("bad", "bad")
graph = TaskGraph("bad")
check(len(graph.tasks) == 101 and [graph.construct(t)["name"] for t in graph.tasks][-1] == "after" and
      sum(t["duration_ns"] is not None for t in graph.tasks) == 1, "bad: what follows is recorded as always",
      graph.tasks[-2:])
check(not graph.complaints, "bad: the session is sound", graph.complaints)

made("forked", "forked")
graph = TaskGraph("forked")
check(len({t["process"] for t in graph.tasks}) == 2 and all(t["duration_ns"] is not None for t in graph.tasks) and
      {graph.construct(t)["line"] for t in graph.tasks} == {1}, "forked: parent and child", graph.tasks)

made("off", "later", env=dict(STUB, XPTI_TRACE_ENABLE="0"))
check(not TaskGraph("off").tasks, "XPTI that is switched off stays off")
made("not-chosen", "later", options=["--domains", "opencl"])
check(not TaskGraph("not-chosen").tasks, "nothing without the domain")
made("part", "later", options=["--sycl", "memory"])
graph = TaskGraph("part")
check(not graph.tasks and len(graph.by_name["sycl_malloc"]) == 1, "--sycl memory", graph.counts())
for which, function in ("earlier", "piEventsWait"), ("later", "urEnqueueEventsWait"):
    made("calls-" + which, which, options=["--sycl", "calls"])
    graph = TaskGraph("calls-" + which)
    check([(e["args"]["name"], e["duration_ns"] is not None) for e in graph.by_name["sycl_layer"]] ==
          [(function, True)] and not graph.tasks, f"--sycl calls, {which}", graph.by_name["sycl_layer"])
made("paused", "later", options=["--start-paused"])
check(not TaskGraph("paused").tasks, "nothing while paused", TaskGraph("paused").events)
made("full", "later", options=["--args", "full"])
check(len(TaskGraph("full").tasks) == 7, "with all arguments")
finish()
