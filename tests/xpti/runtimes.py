#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Intel's SYCL runtime of two generations, unchanged, with our dispatcher in the place of theirs:
programs give the same results, an independent subscriber counts the same nodes, edges, tasks and
allocations, and collectors of Intel's own print the same.

tandem-test: timeout=300
"""
import difflib
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from sycl import (built, COUNT, differences, dispatcher, folder, need_dispatcher, OURS, PRINTER,
                  python, releases, run, runtime, SOURCES)
from tap import check, finish

need_dispatcher()
if os.environ.get("TANDEM_SANITIZE"):
    print("Intel's Python and runtime are not built with the sanitizer, and can't load what is")
    sys.exit(77)

# How often a wait finds something to wait for differs from run to run.
VARIES = ["wait_begin", "wait_end"]
# In Intel's of 2024.2 an ID is a hash, and an event and a node of one address whose names were
# registered one after the other are one in two thirds of all cases: names and metadata of those
# differ, the trace points do not.
COLLIDE = {"2024.2": ["Event[]", "virtual_node[]", "key ", "metadata items"], "2026.2": []}


def lines_without_numbers(done):
    return [re.sub(r"0x[0-9a-f]+|\d{4,}|(?<=instanceID=)\d+", "N", line) for line in done.out.splitlines()]


def total(counts, what):
    return sum(number for name, number in counts.items() if name.endswith(" " + what))


for release in releases():
    env = runtime(release)
    programs = {"dpctl": [python(release), SOURCES / "dpctl_usm.py", "5"]}
    program = built(release)
    if program:
        programs["C++"] = [program, "4"]
    for name, command in programs.items():
        words = f"{release}, {name}"
        untraced = run(command, enable=None, env=env)
        theirs = run(command, dispatcher(release), [COUNT], env=env)
        ours = run(command, OURS, [COUNT], env=env)
        check(untraced.out == theirs.out == ours.out == "ok\n" and untraced.status == ours.status == 0
              and ours.err == untraced.err, f"{words}: the program's results", ours.shown())
        found = differences(theirs.counts, ours.counts, VARIES + COLLIDE[release])
        check(not found, f"{words}: ours counts what Intel's does", found)
        check(total(ours.counts, "graph_create") == 1 and
              total(ours.counts, "task_begin") == total(ours.counts, "task_end") > 5 and
              total(ours.counts, "node_create") > 5 and total(ours.counts, "mem_alloc_end") >= 3,
              f"{words}: a graph, nodes, tasks and allocations", ours.counts)
        check(ours.counts.get("faults") == 0 and ours.counts.get("without payload") == 0,
              f"{words}: events are found by their IDs, and have payloads", ours.counts)
        check(ours.counts.get("sycl.experimental.mem_alloc bytes", 0) >= 3 * 256 and
              (name == "C++" or ours.counts["sycl.experimental.mem_alloc bytes"] == 3 * 256),
              f"{words}: as many bytes as the program allocates", ours.counts)
        if name == "C++":
            check(total(ours.counts, "edge_create") > 20 and
                  ours.counts["edges of known nodes"] == total(ours.counts, "edge_create"),
                  f"{words}: every edge joins nodes that are there", ours.counts)
        several = run(command, OURS, [PRINTER, COUNT], env=env)
        check(several.out == "ok\n" and not differences(ours.counts, several.counts, VARIES) and
              several.err.count("task_begin") == total(ours.counts, "task_begin"),
              f"{words}: two subscribers", several.shown()[-2000:])

    # What Intel ships beside the runtime, for its sycl-trace: a collector in C++, linked against
    # the dispatcher by name.
    collector = next(path for path in (folder(release) / "lib" / "libsycl_ur_trace_collector.so",
                                       folder(release) / "lib" / "libsycl_pi_trace_collector.so")
                     if path.exists())
    tracing = dict(env, UR_ENABLE_LAYERS="UR_LAYER_TRACING", SYCL_TRACE_PI_ENABLE="1",
                   SYCL_TRACE_UR_ENABLE="1", SYCL_TRACE_API_ENABLE="1",
                   SYCL_TRACE_PRINT_FORMAT="compact")
    theirs = run(programs["dpctl"], dispatcher(release), [collector], env=tracing)
    ours = run(programs["dpctl"], OURS, [collector, COUNT], env=tracing)
    check(ours.status == theirs.status == 0 and len(theirs.out) > 20000 and
          lines_without_numbers(ours) == lines_without_numbers(theirs) and
          ours.counts.get("faults") == 0, f"{release}: Intel's collector prints the same under ours",
          "\n".join(difflib.unified_diff(lines_without_numbers(theirs), lines_without_numbers(ours),
                                         lineterm=""))[:3000] or ours.shown()[-1000:])
finish()
