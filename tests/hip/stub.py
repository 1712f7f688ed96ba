#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that uses HIP is recorded without an option, by each of the ways in that its
runtime has had (the stub of tests/stubs/hip): exact counts of calls and operations, their
errors, device times on the host's clock; it runs as it does untraced."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from cuda import Trace  # noqa: E402
import rocm  # noqa: E402
from tap import TANDEM, check, finish  # noqa: E402

GENERATIONS = {"5.2": "activity", "5.7": "tracer", "6.3": "table", "7.2": "table"}


def check_trace(version, session, said):
    trace = Trace(session)
    # HIP 5.2 does not say what a graph's kernels are.
    lost = {"kernel:axpy": "5"} if version == "5.2" else {}
    lines = []
    for line in said.splitlines():
        words = line.split()
        lines.append("expect %s %s" % (words[1], lost.get(words[1], words[2])))
    for holds, what, shown in trace.expected(lines):
        check(holds, "%s: %s" % (version, what), shown)
    for holds, what, shown in trace.sound():
        # Failed calls had an operation to come.
        check(holds, "%s: %s" % (version, what), shown)
    return trace


for version, generation in GENERATIONS.items():
    untraced = rocm.run([rocm.program(version)], version)
    session = "s" + version
    done = rocm.record(session, version)
    check(done.returncode == 0 == untraced.returncode and done.stdout == untraced.stdout,
          "%s: the program does what it does untraced" % version, (done, untraced))
    check("nothing lost" in done.stderr and len(done.stderr.splitlines()) == 1,
          "%s: nothing is lost, and there is nothing more to say" % version, done.stderr)
    trace = check_trace(version, session, done.stdout)
    runtime = trace.by_name["runtime"]
    check([(e["args"]["generation"], e["args"]["version"]) for e in runtime] ==
          [(generation, int(version[0]) * 100 + int(version[2:]))],
          "%s: recorded by %s" % (version, generation), runtime)
    failed = {(e["name"], e["result"]) for e in trace.events if e.get("result")}
    more = {"hipLaunchKernelExC"} if version == "7.2" else set()
    check({name for name, _ in failed} == {"hipSetDevice", "hipMemcpy", "hipLaunchKernel"} | more,
          "%s: what failed" % version, failed)
    names = {e["args"].get("kernel_name") for e in trace.by_name["hipLaunchKernel"]}
    check(names - {None} == {"axpy(float*, float*, float)", "scale"},
          "%s: launches have their kernels' names" % version, names)
    graph = [e for e in trace.operations
             if trace.launches.get((e["process"], e["args"]["op"]), {}).get("name") == "hipGraphLaunch"]
    check(len(graph) == 6, "%s: a graph's launch has each of its kernels" % version, len(graph))
    created = next(e for e in trace.by_name["queue"] if e["args"]["handle"] not in (0, "0x0"))
    check({e["args"]["queue"] for e in graph} == {created["args"]["queue"]},
          "%s: on the stream of the launch" % version, graph[:1])
    late = [e for e in trace.operations if e["args"]["kind"] == "kernel" and
            not 90000 < e["args"]["end"] - e["args"]["start"] < 10 ** 9]
    check(not late, "%s: kernels take what they took on the device" % version, late[:2])

# HIP 7's extensible launch has its stream and its grid in a struct.
trace = Trace("s7.2")
launch = trace.by_name["hipLaunchKernelExC"][0]
made = [e for e in trace.operations if e["args"]["op"] == launch["args"]["op"]]
beside = next(e for e in trace.operations if e["args"]["kind"] == "fill")
check([e["args"]["queue"] for e in made] == [beside["args"]["queue"]],
      "hipLaunchKernelExC: on the stream of its configuration", (made, beside))
check(launch["args"].get("kernel_name") == "scale", "with its kernel", launch)
configs = {e["args"]["launch_config"]: e["args"] for e in trace.by_name["launch_config"]}
config = configs.get(made[0]["args"]["launch_config"], {}) if made else {}
check([config.get(key) for key in ("groups_x", "groups_y", "items_x", "items_y", "dynamic_local_bytes")] ==
      [2, 2, 32, 2, 128], "and its grid", (config, configs))
check(trace.by_name["runtime"][0]["args"]["unknown_functions"] == 18,
      "what the table has more is counted", trace.by_name["runtime"])

for version in GENERATIONS:
    session = "n" + version
    more = {"STUB_HIP_NO_DEVICE": "1"}
    untraced = rocm.run([rocm.program(version), "no-device"], version, **more)
    done = rocm.record(session, version, words=["no-device"], **more)
    check(done.returncode == 0 == untraced.returncode,
          "%s without a device: the program sees the same errors" % version, (done, untraced))
    trace = Trace(session)
    for holds, what, shown in trace.expected(done.stdout.splitlines()):
        check(holds, "%s without a device: %s" % (version, what), shown)

# Of a newer version only the tables are used: its callback's layout is not known.
for options, words in (([], ""), (["--domains", "hip"], "recorded alone")):
    session = "newer" + "".join(options[1:])
    done = rocm.record(session, "8.0", *options)
    trace = Trace(session)
    check(done.returncode == 0 and trace.count("calls:hipLaunchKernel") == 10 and
          not trace.operations and not trace.launches and words in done.stderr,
          "8.0 %s: calls, and no operation is awaited" % " ".join(options), done.stderr)

# Whatever reads a session reads this one.
for words in (["report"], ["report", "--metrics"], ["findings"], ["print"], ["status"],
              ["export", "--format", "chrome", "-o", "x.json"]):
    done = subprocess.run([TANDEM, *words, "s5.7"], text=True, capture_output=True)
    check(done.returncode == 0, "tandem %s reads it" % words[0], done.stderr)
done = subprocess.run([TANDEM, "report", "s5.7"], text=True, capture_output=True)
check("axpy(float*" in done.stdout and "hipLaunchKernel" in done.stdout,
      "the report has kernels and calls by their names", done.stdout[:2000])

for choice, gone in (("api,memory", "operation"), ("kernels,memory", "hipLaunchKernel"),
                     ("api,kernels", "memory")):
    session = choice.replace(",", "-")
    done = rocm.record(session, "5.7", "--hip", choice)
    trace = Trace(session)
    check(done.returncode == 0 and not trace.by_name[gone] and trace.events,
          "--hip %s: no %s" % (choice, gone), done.stderr)
done = rocm.record("all", "6.3", "--hip", "all,kernels")
trace = Trace("all")
check(len(trace.by_name["hipGetLastError"]) == 2, "--hip all has calls that only ask",
      len(trace.by_name["hipGetLastError"]))
done = rocm.record("none", "5.7", "--domains", "opencl")
check(done.returncode == 0 and not [e for e in Trace("none").events if e["domain"] == "hip"],
      "--domains opencl leaves HIP alone", done.stderr)
finish()
