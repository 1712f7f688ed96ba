#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a program says by NVTX, in a process that never uses CUDA."""
import glob
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from cuda import Trace  # noqa: E402
from tap import TANDEM, check, finish, skip  # noqa: E402

ANNOTATE = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "annotation", "annotate")


def record(session, *options, env=None, arguments=()):
    done = subprocess.run([TANDEM, "record", "-o", session, *options, ANNOTATE, *arguments],
                          text=True, capture_output=True, env=dict(os.environ, **(env or {})))
    check(done.returncode == 0, session + " is recorded", done.stderr)
    return Trace(session)


def texts(trace):
    return [(e["args"]["kind"], e["args"]["text"]) for e in trace.by_name["range"]]


alone = subprocess.run([ANNOTATE])
check(alone.returncode == 0, "alone it runs")
trace = record("all")
check(texts(trace) == [("nested", "outer"), ("nested", "wanted"), ("marker", "inside"),
                       ("nested", "step"), ("start_end", "frée 😀"), ("marker", "done")],
      "every range and marker, in order", texts(trace))
step = next(e["args"] for e in trace.by_name["range"] if e["args"]["text"] == "step")
scope = trace.by_name["range_scope"][0]["args"]
check(scope["name"] == "solver" and step["scope"] == scope["scope"], "in its domain", step)
check(step["category"] == 7 and step["color"] == "0xff00ff00" and
      step["payload_type"] == "float" and step["payload"] == "0x3fe0000000000000",
      "category, colour, payload", step)
category = trace.by_name["range_category"][0]["args"]
check(category["category"] == 7 and category["name"] == "phase", "the category's name", category)
ends = [(e["args"]["scope"], e["args"]["range"]) for e in trace.by_name["range_end"]]
free = next(e["args"]["range"] for e in trace.by_name["range"] if e["args"]["kind"] == "start_end")
check(ends == [(0, 0), (0, free), (scope["scope"], 0), (0, 0)], "every end", ends)

try:
    read = subprocess.run(["babeltrace2", *glob.glob("all/process-*")], text=True,
                          capture_output=True)
    check(len(read.stdout.splitlines()) == len(trace.events) and not read.stderr,
          "babeltrace2 reads as many events", read.stderr)
except FileNotFoundError:
    skip("babeltrace2 reads as many events", "there is no babeltrace2")

# What runs by without a tool runs by with ours; what follows is recorded as always.
whole = texts(trace)
trace = record("odd", arguments=("odd",))
check(texts(trace)[-len(whole):] == whole, "after odd ones every range and marker", texts(trace))
odd = trace.by_name["range"][:-len(whole)]
check({e["args"]["text"] for e in odd} == {"", "unsized"}, "what has no text has none", odd)
short = [e["args"] for e in odd if e["args"]["category"] == 7 and not e["args"]["text"]]
check(len(short) == 4 and not any(a["payload_type"] != "none" or int(a["color"], 16)
                                  for a in short),
      "of a short struct only what it has is read", short)
for how in ("notable", "nomodule"):
    check(not record(how, arguments=(how,)).by_name["range"], how + ": nothing to fill")

trace = record("wanted", "--capture", "nvtx:wanted")
check(texts(trace) == [("nested", "wanted"), ("marker", "inside")] and
      len(trace.by_name["range_end"]) == 1, "only the range that was asked for", texts(trace))
trace = record("free", "--capture", "nvtx:frée 😀")
check(texts(trace) == [("start_end", "frée 😀")] and len(trace.by_name["range_end"]) == 1,
      "or a free one", texts(trace))
trace = record("without", "--domains", "-annotation")
check(not trace.events, "--domains -annotation leaves them out")
trace = record("alone", "--domains", "annotation")
check(texts(trace) == whole and {e["domain"] for e in trace.by_name["range"]} == {"annotation"},
      "--domains annotation is only that, without CUDA", texts(trace))
trace = record("opencl", "--domains", "opencl")
check(not trace.events, "nor has another domain anything to do with them")
trace = record("fork", arguments=("fork",))
check(sorted(texts(trace)) == sorted(2 * whole) and
      len({e["process"] for e in trace.by_name["range"]}) == 2, "the child of a fork goes on",
      texts(trace))
trace = record("other", env={"NVTX_INJECTION64_PATH": "/other.so"})
check(not trace.events, "another tool's NVTX stays its own")
finish()
