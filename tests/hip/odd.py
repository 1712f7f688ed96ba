#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What HIP's runtime may report or answer that is absent, twice, in the wrong order, of an id
nobody knows or no text: the program never notices, what was as it should be is in the trace,
and whatever is made of it is well-formed."""
import csv
import io
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from cuda import Trace  # noqa: E402
import rocm  # noqa: E402
from tap import TANDEM, check, finish  # noqa: E402

LIMIT = 1024  # of what a text that was recorded has


def odd(version):
    return os.path.join(rocm.STUBS, "hip-odd-" + version[0])


def record(name, version, case, *options, **more):
    session = "%s-%s" % (name, version)
    done = rocm.record(session, version, "--exit-wait", "100", *options,
                       command=[odd(version), case], **more)
    check(done.returncode == 0 and not done.stdout,
          "%s %s: the program does not notice" % (version, name), (done.returncode, done.stderr))
    return session, Trace(session)


def normal(trace):
    """The launches that were as they should be, each with its operation."""
    begun = {e["args"]["op"] for e in trace.operations if e["args"].get("op")}
    return [e for e in trace.by_name["hipLaunchKernel"]
            if e["args"].get("kernel_name") == "normal" and e["args"]["op"] in begun]


def said(*command):
    done = subprocess.run([TANDEM, *command], capture_output=True)
    check(done.returncode == 0, " ".join(command[:3]), done.stderr)
    return done.stdout


def check_case(name, version, case, *options, **more):
    session, trace = record(name, version, case, *options, **more)
    check(len(normal(trace)) >= 2, "%s %s: what was as it should be is there" % (version, name),
          [e["args"] for e in trace.events][:20])
    check(not trace.complaints, "%s %s: the trace is read without a complaint" % (version, name),
          trace.complaints)
    for words in (["report"], ["report", "--metrics"], ["findings"]):
        json.loads(said(*words, "--format", "json", session))
    return session, trace


cases = subprocess.run([odd("5.7")], env=rocm.environment("5.7"), text=True, capture_output=True,
                       check=True).stdout.split()
traces = {}
for version in ("5.2", "5.7", "6.3"):
    for case in cases:
        if version == "6.3" or case != "tables":
            traces[version, case] = check_case(case, version, case)
    for case in ("null_arguments", "odd_names"):
        check_case(case + "-full", version, case, "--args", "full", "--hip", "all,api,kernels,memory")
    for answer in ("api_names", "device_name", "numbers", "refused"):
        traces[version, answer] = check_case(answer, version, "answers", STUB_HIP_ODD=answer)

for version in ("5.2", "5.7"):
    _, trace = traces[version, "ends_twice"]
    ended = [(e["name"], e["duration_ns"] is not None) for e in trace.events
             if e["name"] in ("hipMalloc", "hipStreamSynchronize")]
    check(sorted(ended) == [("hipMalloc", True), ("hipStreamSynchronize", True)],
          version + ": a second end ends no other call", ended)
    _, trace = traces[version, "ends_crossed"]
    check(trace.count("calls:hipMalloc") == 1 == trace.count("calls:hipFree"),
          version + ": calls that end crosswise are there", trace.kinds())
    _, trace = traces[version, "never_ends"]
    check(trace.count("calls:hipStreamSynchronize") == 3000, version + ": calls without an end",
          trace.count("calls:hipStreamSynchronize"))
    _, trace = traces[version, "unknown_ids"]
    check(len([e for e in trace.events if e["domain"] == "hip" and e["name"].startswith("hip")]) ==
          4, version + ": unknown ids make no calls", trace.kinds())
    _, trace = traces[version, "in_a_handler"]
    check(trace.count("calls:hipStreamSynchronize") == 100000, version + ": beside a handler's calls",
          trace.count("calls:hipStreamSynchronize"))

for version in ("5.2", "5.7", "6.3"):
    for answer in ("device_name", "refused"):
        _, trace = traces[version, answer]
        names = [e["args"]["name"] for e in trace.by_name["device"]]
        check(all(len(name) <= 256 for name in names) and len(names) == 2,
              "%s %s: devices" % (version, answer), names)
    session, trace = traces[version, "odd_names"]
    text = said("print", session) + said("report", session)
    check(b"\033" not in text and b"\r" not in text,
          version + ": no control character of a name reaches the terminal", text[:1])
    text.decode()
    rows = list(csv.reader(io.StringIO(said("report", "--format", "csv", session).decode())))
    check(not [cell for row in rows for cell in row if cell.startswith(("=", "\033"))],
          version + ": nor is a name a formula", rows[:1])
    for form in ("chrome", "perfetto", "folded", "otf2"):
        subprocess.run([TANDEM, "export", "--format", form, "-o", form + version, session],
                       capture_output=True, check=False)
    json.load(open("chrome" + version, encoding="utf-8"))
finish()
