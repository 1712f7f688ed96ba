#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs recorded on an H200, told again by a stub CUPTI: counts, correlation, shapes,
names, at each level of arguments; and babeltrace2 reads as many events."""
import glob
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from cuda import Trace  # noqa: E402
from tap import TANDEM, check, finish, skip  # noqa: E402

REPLAY = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "cuda", "replay")
DATA = os.path.join(os.environ["TANDEM_SOURCE"], "tests", "data", "cuda")

# As the programs said on the machine; what the failed kernel took along is gone.
EXPECTED = {
    "overlap": """kernels 25,copy_h2d 7,copy_d2h 6,copy_d2d 5,fill 5,bytes:copy_d2d 20971520,
        bytes:fill 20971520,allocated 4,freed 4,calls:cudaStreamWaitEvent 5,
        calls:cudaStreamSynchronize 5,queues 3,devices 1""",
    "graph": """kernels 9,copy_d2h 3,fill 3,graph_operations 15,calls:cudaGraphLaunch 6,
        calls:cudaLaunchKernel 2""",
    "managed": "kernels 3,some:migrate 1,some:fault 1,allocated 1,freed 1",
    "ranges": "kernels 4,calls:cudaProfilerStart 1,calls:cudaProfilerStop 1",
    "failing": "failed:cudaLaunchKernel 4,failed:cudaDeviceSynchronize 1",
}


def record(name, *options):
    session = "%s%s" % (name, "".join(options).replace("/", ""))
    done = subprocess.run([TANDEM, "record", "--kernel", "off", "-o", session, *options, REPLAY,
                           os.path.join(DATA, name + ".replay")], text=True, capture_output=True)
    check(done.returncode == 0 and "nothing lost" in done.stderr,
          "%s %s is recorded" % (name, " ".join(options)), done.stderr)
    return session


def babeltrace_count(session):
    try:
        run = subprocess.run(["babeltrace2", *glob.glob(session + "/process-*")], text=True,
                             capture_output=True)
    except FileNotFoundError:
        return None
    return len(run.stdout.splitlines()) if not run.stderr else run.stderr


for name, words in EXPECTED.items():
    trace = Trace(record(name))
    for holds, what, shown in trace.expected("expect " + w.strip() for w in words.split(",")):
        check(holds, "%s: %s" % (name, what), shown)
    for holds, what, shown in trace.sound():
        check(holds, "%s: %s" % (name, what), shown)

trace = Trace("overlap")
kernels = {e["args"]["kernel_name"] for e in trace.by_name["cudaLaunchKernel"]}
check(kernels == {"spin(long long)", "add(float*, int, float)"}, "kernels have readable names",
      kernels)
shape = next(trace.config(e)["args"] for e in trace.operations
             if e["args"].get("kernel_name") == "add(float*, int, float)")
check((shape["groups_x"], shape["items_x"], shape["dynamic_local_bytes"]) == (4096, 256, 1024),
      "a launch's shape", shape)
routes = {(trace.config(e)["args"]["source"], trace.config(e)["args"]["destination"],
           trace.config(e)["args"]["asynchronous"]) for e in trace.operations
          if e["args"]["kind"] == "copy_h2d"}
check(routes == {("pinned", "device", 1), ("pageable", "device", 0), ("pinned", "array", 0)},
      "where copies come from and go to", routes)
memory = {(e["args"]["kind"], e["args"]["bytes"]) for e in trace.by_name["memory"]}
check(memory == {("device", 4194304), ("host", 4194304), ("array", 262144)},
      "allocations by kind", memory)
device = trace.by_name["device"][0]["args"]
check(device["name"] == "NVIDIA_H200" and device["compute_units"] == 132, "the device", device)
graph = Trace("graph")
captured = [e["args"].get("op") for e in graph.by_name["cudaLaunchKernel"]]
check(captured == [None, None], "a captured launch makes no operation", captured)
said = subprocess.run([TANDEM, "sql", "--format", "json", "graph",
                       "SELECT c.name call, d.name command, count(*) count FROM device_ops d LEFT JOIN "
                       "api_calls c ON c.id = d.call GROUP BY 1, 2 ORDER BY 2"], text=True,
                      capture_output=True, check=True).stdout
check([tuple(row.values()) for row in json.loads(said)] ==
      [("cudaGraphLaunch", "add(float*, int, float)", 6), ("cudaGraphLaunch", "cudaGraphLaunch", 6),
       ("cudaGraphLaunch", "nothing()", 3)], "each of a graph's commands is its launch's", said)

for level in ("none", "full"):
    trace = Trace(record("overlap", "--args", level))
    check(trace.kinds()["kernel"] == 25 and all(h for h, *_ in trace.sound()),
          "the same at --args " + level)
    counted = babeltrace_count("overlap--args" + level)
    if counted is None:
        skip("babeltrace2 reads --args " + level, "there is no babeltrace2")
    else:
        check(counted == len(trace.events), "babeltrace2 reads --args " + level, counted)
launch = trace.by_name["cudaLaunchKernel"][0]["args"]
check(launch["gridDim_x"] == 4 and launch["blockDim_x"] == 64, "full: grid and block", launch)

trace = Trace(record("overlap", "--cuda", "kernels"))
check(trace.kinds()["kernel"] == 25 and not trace.launches and not trace.by_name["memory"],
      "--cuda kernels is only that")
trace = Trace(record("overlap", "--cuda", "api"))
check(not trace.operations and not trace.launches and trace.by_name["cudaLaunchKernel"],
      "--cuda api is only that")
trace = Trace(record("external", "--cuda", "api,kernels,external"))
numbers = [(e["args"]["kind"], e["args"]["id"]) for e in trace.by_name["external"]]
check(numbers == [("custom0", step * 100) for step in range(1, 6) for _ in range(2)] +
      [("custom0", 600)],
      "the program's own numbers", numbers)
check({e["args"]["op"] for e in trace.by_name["external"]} <= {op for _, op in trace.launches},
      "each of a launch", numbers)
trace = Trace(record("external"))
check(not trace.by_name["external"], "when they are asked for")
said = subprocess.run([TANDEM, "report", "--format", "json", "external"], text=True,
                      capture_output=True, check=True).stdout
clock = [row for row in json.loads(said)["clocks"] if row["domain"] == "cuda"]
check(len(clock) == 1 and clock[0]["offset_ns"] == 0 and 0 < clock[0]["bound_ns"] < 10 ** 9 and
      clock[0]["constraints"] > 2 and not clock[0]["outliers"],
      "how far off the device's times can be", clock)
trace = Trace(record("ranges", "--capture", "profiler-api"))
check(trace.count("calls:cudaLaunchKernel") == 1, "between the profiler's marks",
      trace.count("calls:cudaLaunchKernel"))
check(trace.by_name["cudaProfilerStop"][0]["duration_ns"] is not None,
      "the call that ends the recording has an end")
finish()
