#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What CUPTI may hand over that is absent, shorter or longer than others, or of an id
nobody knows: the program never notices, what was as it should be is in the trace, and
nothing is made up in place of what was not said."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from cuda import Trace  # noqa: E402
from tap import TANDEM, check, finish  # noqa: E402

STUBS = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "cuda")
ODD = os.path.join(STUBS, "odd")
OVERLAP = os.path.join(os.environ["TANDEM_SOURCE"], "tests", "data", "cuda", "overlap.replay")
ALL = "api,kernels,memory,um,modules,overhead,external,all"


def record(name, program, *options, env=None):
    session = "session-" + name
    done = subprocess.run([TANDEM, "record", "-o", session, "--exit-wait", "100", *options,
                           *program], text=True, capture_output=True, timeout=60,
                          env=dict(os.environ, **(env or {})))
    check(done.returncode == 0 and not done.stdout, name + ": the program does not notice",
          (done.returncode, done.stderr))
    return session, Trace(session), done.stderr


def normal(trace):
    """The launches that were as they should be, each with its operation."""
    begun = {e["args"]["op"] for e in trace.operations
             if e["args"].get("kernel_name") == "normal"}
    return [e for e in trace.by_name["cudaLaunchKernel"]
            if e["args"].get("kernel_name") == "normal" and e["args"]["op"] in begun]


def said(*command):
    done = subprocess.run([TANDEM, *command], text=True, capture_output=True)
    check(done.returncode == 0, " ".join(command[:3]), done.stderr)
    return done.stdout


traces = {}
for case in subprocess.run([ODD], text=True, capture_output=True, check=True).stdout.split():
    for level in ("basic", "full"):
        session, trace, stderr = record(case + "-" + level, [ODD, case], "--cuda", ALL,
                                        "--args", level)
        check(len(normal(trace)) == 2, case + ": what was as it should be is there",
              [e["args"] for e in trace.events][:20])
        check(not trace.complaints, case + ": the trace is read without a complaint",
              trace.complaints)
    said("report", session)
    said("findings", session)
    traces[case] = session, trace, stderr

# Functions that return no status have none, wherever calls are shown.
session, trace, _ = traces["no_status"]
for name in ("cudaGetErrorString", "__cudaInitModule"):
    calls = trace.by_name[name]
    check(len(calls) == 1 and calls[0]["duration_ns"] is not None and "result" not in calls[0],
          name + " ended, and has no result", calls)
lines = [line for line in said("print", session).splitlines() if "cudaGetErrorString" in line]
check(len(lines) == 1 and "cudaSuccess" not in lines[0], "print shows none", lines)
rows = json.loads(said("sql", "--format", "json", session,
                       "SELECT name, result, result_name, failed FROM api_calls WHERE name IN "
                       "('cudaGetErrorString', 'cudaLaunchKernel') ORDER BY name"))
check([tuple(row.values()) for row in rows] ==
      [("cudaGetErrorString", None, None, 0), ("cudaLaunchKernel", 0, "cudaSuccess", 0),
       ("cudaLaunchKernel", 0, "cudaSuccess", 0)], "nor does SQL", rows)
for form in ("chrome", "perfetto"):
    said("export", "--format", form, "-o", form, session)
events = json.load(open("chrome", encoding="utf-8"))
events = [e for e in (events if isinstance(events, list) else events["traceEvents"])
          if e.get("name") == "cudaGetErrorString" and "dur" in e]
check(len(events) == 1 and "result" not in events[0].get("args", {}), "nor a Chrome trace", events)

# A status that was not seen is neither a success nor an error.
session, trace, _ = traces["null_status"]
call = trace.by_name["cudaDeviceSynchronize"][0]
check(call["duration_ns"] is not None and "result" not in call, "a status not seen is not shown",
      call)
errors = json.loads(said("report", "--format", "json", session)).get("errors", [])
check(not errors, "and is no error", errors)
check(not trace.by_name["memory"], "nor is memory taken for allocated", trace.by_name["memory"])

_, trace, _ = traces["short_arguments"]
check(trace.count("allocated") == 1 and trace.count("freed") == 1,
      "short arguments are all that is read", trace.by_name["memory"])
for case in ("null_arguments", "null_behind", "null_size"):
    check(not traces[case][1].by_name["memory"], case + ": no memory", traces[case][1].by_name)
_, trace, _ = traces["null_between"]
check(not trace.by_name["cudaDeviceSynchronize"], "without a place between the call is left out")
_, trace, _ = traces["unknown_ids"]
check(len(trace.launches) == 2, "unknown ids make no calls", trace.launches)
_, trace, _ = traces["modules"]
check(sorted(e["args"]["bytes"] for e in trace.by_name["module"]) == [0, 3],
      "modules without code are left out", trace.by_name["module"])
_, trace, _ = traces["lone_ends"]
check(not trace.by_name["cudaDeviceSynchronize"], "an end without a beginning is no call")
_, trace, _ = traces["lone_beginnings"]
check(0 < len(trace.by_name["cudaDeviceSynchronize"]) <= 40 and
      all(e["args"]["op"] for e in normal(trace)), "calls inside of each other")
_, trace, _ = traces["capture_end"]
captured = [e["args"].get("op") for e in trace.by_name["cudaLaunchKernel"]
            if e["args"].get("kernel_name") == "captured"]
check(captured == [None], "after a capture's end that came alone a capture counts", captured)
_, trace, _ = traces["odd_kernels"]
kernels = [e for e in trace.operations if e["args"].get("kernel_name") == "normal"]
check(len(trace.operations) == 8 and len(kernels) == 7, "kernels with odd values are kept",
      trace.operations)
_, trace, _ = traces["odd_values"]
external = {e["args"]["kind"] for e in trace.by_name["external"]}
check(external <= {"unknown"}, "an unknown kind of number is called so", external)
_, trace, _ = traces["unknown_kinds"]
check(len(trace.operations) == 2, "unknown kinds make no operations", trace.kinds())
_, trace, _ = traces["long_records"]
check(len(trace.operations) == 3, "a longer record is read as far as it is known")

# What CUPTI's own functions answer.
whole = record("whole", [os.path.join(STUBS, "replay"), OVERLAP])[1]
for way in ("invalid", "again", "null"):
    _, trace, stderr = record("record-" + way, [os.path.join(STUBS, "replay"), OVERLAP],
                              env={"STUB_CUPTI": "small=2000,record=" + way})
    check(0 < len(trace.operations) < len(whole.operations) and
          "device operations whose times could not be followed" in stderr,
          "a record that can't be read (%s) ends its buffer, and that is counted" % way, stderr)
for way in ("null", "left"):
    _, trace, stderr = record("words-" + way, [os.path.join(STUBS, "replay"), OVERLAP],
                              env={"STUB_CUPTI": "fail=cuptiActivityEnable,words=" + way})
    check(trace.by_name["refused"] and not trace.by_name["refused"][0]["args"]["words"],
          "a refusal without words (%s)" % way, trace.by_name["refused"])
finish()
