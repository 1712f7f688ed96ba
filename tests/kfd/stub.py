#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls of libhsakmt (the stub of tests/stubs/kfd) by programs that are linked to it, load a library that
is, or look its functions up: each is recorded once, with its arguments and its status, also those that libhsakmt makes of
itself; the program sees what it sees untraced. A tool gets the same by ROCTracer's interface."""
import collections
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from cuda import Trace  # noqa: E402
from tap import TANDEM, check, finish, preload  # noqa: E402

BUILD = os.environ["TANDEM_BUILD"]
STUBS = os.path.join(BUILD, "tests", "stubs", "kfd")
CLIENT = os.path.join(BUILD, "tests", "tracer", "tracer-kfd-client.so")
LIBRARY = os.path.join(BUILD, "libtandem.so.0")
LINKED = [os.path.join(STUBS, "kfd-program")]
LATE = [os.path.join(STUBS, "kfd-program-late"), os.path.join(STUBS, "libkfd-work.so")]
LOOKUP = [os.path.join(STUBS, "kfd-program-lookup")]
os.environ["LOOKUP_LIBRARY"] = os.path.join(STUBS, "libhsakmt.so.1")


def run(command, **more):
    return subprocess.run(command, text=True, capture_output=True, env=dict(os.environ, **more),
                          check=False)


def called(stdout):
    """(name, status) of each call that the program printed, and of libhsakmt's own."""
    for line in stdout.splitlines():
        status, _, call = line.partition(" ")
        if call.startswith("hsaKmt"):
            name = call.split("(")[0]
            yield name, int(status)
            if name == "hsaKmtRegisterMemory":
                yield "hsaKmtRegisterMemoryToNodes", int(status)


for title, command in (("linked", LINKED), ("late", LATE), ("lookup", LOOKUP)):
    untraced = run(command)
    wanted = list(called(untraced.stdout))
    check(untraced.returncode == 0 and len(wanted) == 20, "%s: the program runs" % title, untraced)
    done = run([TANDEM, "record", "--kernel", "off", "-o", title, *command])
    check(done.returncode == 0 and done.stdout == untraced.stdout and "nothing lost" in done.stderr,
          "%s: the program does what it does untraced" % title, (done, untraced))
    trace = Trace(title)
    seen = [(e["name"], e["result"]) for e in trace.events if e["domain"] == "kfd" and "result" in e]
    check(seen == wanted, "%s: each call, in its order, and what it returned" % title, (seen, wanted))
    made = trace.by_name["hsaKmtAllocMemory"]
    check([e["args"]["bytes"] for e in made] == [8192, 1 << 40], "%s: with its arguments" % title, made)
    report = run([TANDEM, "report", "--format", "csv", title]).stdout
    rows = [line.split(",") for line in report.splitlines() if line.startswith("api,kfd,hsaKmtWaitOnEvent,")]
    check(len(rows) == 1 and rows[0][5] == "10", "%s: and in the report" % title, report)

done = run([TANDEM, "record", "-o", "without", "--domains", "opencl", *LINKED])
check(done.returncode == 0 and not [e for e in Trace("without").events if e["domain"] == "kfd"],
      "none where the domain is not recorded", done)

wanted = collections.Counter(name for name, _ in called(run(LINKED).stdout))
if not os.environ.get("TANDEM_SANITIZE"):
    for title, command in (("alone", LINKED), ("late", LATE),
                           ("next to a recording", [TANDEM, "record", "-o", "both", *LINKED])):
        done = run(command, LD_PRELOAD=preload(LIBRARY, CLIENT))
        got = {words[1]: int(words[2]) for words in map(str.split, done.stderr.splitlines())
               if words[:1] == ["got"]}
        check(done.returncode == 0 and got == dict(wanted, failed=1, wrong=0),
              "a client of ROCTracer's, %s: each call at entry and exit, and a record of it" % title,
              (got, done))
    check(len([e for e in Trace("both").events if e["domain"] == "kfd"]) == sum(wanted.values()),
          "and the recording has them too")
finish()
