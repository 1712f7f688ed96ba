#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that uses HSA by itself is recorded without an option (the stub of
tests/stubs/hsa): calls, dispatches that are intercepted on their way into a queue, copies,
agents and memory pools; its own signals get what they would have got, and the device's
clock, of 100 MHz and drifting, is fitted by its readings."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from cuda import Trace  # noqa: E402
from tap import TANDEM, check, finish  # noqa: E402

PROGRAM = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "hsa", "hsa-program")


def run(command, **more):
    return subprocess.run(command, text=True, capture_output=True, env=dict(os.environ, **more),
                          check=False)


def record(session, *options, **more):
    return run([TANDEM, "record", "--kernel", "off", "-o", session, *options, PROGRAM], **more)


untraced = run([PROGRAM])
done = record("plain")
check(done.returncode == 0 == untraced.returncode and done.stdout == untraced.stdout,
      "the program does what it does untraced", (done, untraced))
check("nothing lost" in done.stderr and len(done.stderr.splitlines()) == 1,
      "nothing is lost, and there is nothing more to say", done.stderr)
trace = Trace("plain")
for holds, what, shown in trace.expected(done.stdout.splitlines()):
    check(holds, what, shown)
for holds, what, shown in trace.sound():
    check(holds, what, shown)
agents = {(e["args"]["name"], e["args"]["type"]) for e in trace.by_name["device"]}
check(agents == {("Stub Instinct", "gpu"), ("Stub CPU", "cpu")}, "agents are devices", agents)
shapes = {(e["args"]["grid_x"], e["args"]["grid_y"], e["args"]["workgroup_x"],
           e["args"]["group_bytes"]) for e in trace.by_name["dispatch"]}
check(shapes == {(1024, 2, 64, 256)}, "dispatches have their packets' sizes", shapes)
memory = {(e["args"]["kind"], e["args"]["bytes"]) for e in trace.by_name["memory"]}
check(memory == {("host", 8192), ("device", 8192)}, "memory is of its pool's agent", memory)
check([e["args"]["entry"] for e in trace.by_name["runtime"]] == ["tools"], "by HSA_TOOLS_LIB",
      trace.by_name["runtime"])
clocks = json.loads(run([TANDEM, "report", "--clocks", "--format", "json", "plain"]).stdout)
bound = [clock for clock in clocks["clocks"] if clock.get("domain") == "hsa"]
check(len(bound) == 1 and bound[0]["best_ns"] < 10 ** 6,
      "the clock is fitted by readings of it", bound)

done = record("no-interception", STUB_HSA_NO_INTERCEPTION="1")
trace = Trace("no-interception")
check(done.returncode == 0 and "could not be intercepted" in done.stderr and
      not trace.by_name["dispatch"] and trace.count("copy_h2d") == 1,
      "a queue that can't be intercepted is the program's all the same, and that is reported",
      done.stderr)
done = record("no-device", STUB_HSA_NO_DEVICE="1")
check(done.returncode == 3, "HSA that does not start", done)
done = record("off", "--domains", "opencl")
check(done.returncode == 0 and not [e for e in Trace("off").events if e["domain"] == "hsa"],
      "--domains opencl leaves HSA alone", done.stderr)
done = record("api", "--hsa", "api,memory")
trace = Trace("api")
check(done.returncode == 0 and not trace.operations and trace.by_name["hsa_queue_create"],
      "--hsa api,memory: no queue is intercepted", done.stderr)
done = record("all", "--hsa", "all,kernels")
trace = Trace("all")
check(done.returncode == 0 and trace.count("calls:hsa_signal_store_screlease") == 5,
      "--hsa all has each store", trace.count("calls:hsa_signal_store_screlease"))
other = os.path.join(os.environ["TANDEM_BUILD"], "libtandem-hsa.so")
done = record("twice", HSA_TOOLS_LIB="/nowhere/tool.so " + other)
check(done.returncode == 0 and Trace("twice").count("kernels") == 4,
      "next to other tools, and once where it is named already", done.stderr)
for words in (["report"], ["findings"], ["export", "--format", "chrome", "-o", "x.json"]):
    done = run([TANDEM, *words, "plain"])
    check(done.returncode == 0, "tandem %s reads it" % words[0], done.stderr)
finish()
