#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls of NVRTC (the stub of tests/stubs/nvrtc) by programs that are linked to it, load a library that is, or look
its functions up: each is recorded once, with its arguments and its status; programs are described, and each build has its
options, its time and, if it failed, the compiler's log. The program sees what it sees untraced: results,
errno, errors, also of what it does wrong. Programs that are the same are found, others are not."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from cuda import Trace  # noqa: E402
from tap import TANDEM, check, finish  # noqa: E402

STUBS = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "nvrtc")
LINKED = [os.path.join(STUBS, "nvrtc-program")]
LATE = [os.path.join(STUBS, "nvrtc-program-late"), os.path.join(STUBS, "libnvrtc-work.so")]
OPTIONS = "--gpu-architecture=compute_90 -DNUMBER=1"


def run(command, **more):
    env = dict(os.environ, NVRTC_STUB="1", LC_ALL="C", **more)
    return subprocess.run(command, text=True, capture_output=True, env=env, check=False)


def record(session, command, *options, **more):
    """Records it, and compares what it printed with what it prints untraced."""
    untraced = run(command, **more)
    done = run([TANDEM, "record", "--kernel", "off", *options, "-o", session, *command], **more)
    check(untraced.returncode == 0 and untraced.stdout, "%s: the program runs" % session, untraced)
    check(done.returncode == 0 and done.stdout == untraced.stdout and "nothing lost" in done.stderr,
          "%s: it does what it does untraced" % session, (done, untraced))
    return Trace(session), called(untraced.stdout)


def called(stdout):
    """(name, status) of each call that the program printed. Where it is an answer, it is not recorded."""
    return [(call.split("(")[0], 0 if "GetPCHCreateStatus" in call else int(status)) for status, _, call in
            (line.split(" ", 2) for line in stdout.splitlines() if "(" in line and line[0].isdigit())]


def calls(trace):
    return [(e["name"], e.get("result", 0)) for e in trace.events if e["domain"] == "nvrtc"]


def findings(session):
    done = run([TANDEM, "findings", "--all", "--format", "json", session])
    return json.loads(done.stdout)["findings"]


def pick(found, name, cause):
    return [f for f in found if f["name"] == name and f["cause"] == cause]


LOOKUP = [os.path.join(STUBS, "nvrtc-program-lookup")]
os.environ["LOOKUP_LIBRARY"] = os.path.join(STUBS, "libnvrtc.so.13")
OTHER = [LATE[0], os.path.join(STUBS, "libother-work.so")]  # linked to a library of another name

for title, command in (("linked", LINKED), ("late", LATE), ("other", OTHER), ("lookup", LOOKUP)):
    trace, wanted = record(title, command)
    check(len(wanted) > 100 and calls(trace) == wanted,
          "%s: each call, in its order, and what it returned" % title, calls(trace))
for level in ("none", "full"):
    trace, wanted = record(level, LINKED, "--args", level)
    check(calls(trace) == wanted, "%s: each call" % level, calls(trace))
    repeated = pick(findings(level), "builds", "repeated")
    check(len(repeated) == 1, "%s: programs are told apart all the same" % level, repeated)

trace, _ = record("same", LINKED, NVRTC_WORK="same")
made, builds = trace.by_name["nvrtcCreateProgram"], trace.by_name["build"]
numbers = [e["args"]["returned"] for e in made]
check(len(set(numbers)) == 20 and 0 not in numbers, "each program has a number", numbers)
check([e["args"]["program"] for e in trace.by_name["nvrtcDestroyProgram"]] == numbers and
      [e["args"]["program"] for e in trace.by_name["nvrtcCompileProgram"]] == numbers,
      "which the calls have that name it")
check(made[0]["args"]["name"] == "twice.cu" and made[0]["args"]["numHeaders"] == 0, "with its arguments", made[0])
check([e["args"]["program"] for e in trace.by_name["program"]] == numbers and
      {(e["args"]["source"], e["args"]["bytes"]) for e in trace.by_name["program"]} == {("source", 68)},
      "and is described", trace.by_name["program"])
check(len({e["args"]["hash"] for e in trace.by_name["program_hash"]}) == 1, "the same source has the same hash")
check(len(builds) == 20 and {e["args"]["options"] for e in builds} == {OPTIONS} and
      all(e["args"]["end"] > e["args"]["begin"] and not e["args"]["log"] for e in builds),
      "each build: its options, its time, and no log", builds[:1])
found = findings("same")
repeated = pick(found, "builds", "repeated")
check(len(repeated) == 1 and repeated[0]["count"] == 20 and repeated[0]["cost_ns"] >= 19 * 2000000 and
      "nvrtcGetCUBIN" in repeated[0]["suggestion"], "twenty builds of one program are found", found)
check(not [f for f in found if f["name"] in ("objects", "leaks", "errors")], "and nothing else is wrong", found)
report = json.loads(run([TANDEM, "report", "--format", "json", "same"]).stdout)
check(len(report["builds"]) == 20 and report["builds"][0]["options"] == OPTIONS, "the report lists them",
      report["builds"][:1])

trace, _ = record("different", LINKED, NVRTC_WORK="different")
found = findings("different")
check(not pick(found, "builds", "repeated"), "another source, option, header, or name of one makes another program",
      found)
check(len(trace.by_name["program_hash"]) == len(trace.by_name["program"]) + 2,
      "and so does a name that is asked for", trace.by_name["program_hash"])

trace, _ = record("failing", LINKED, NVRTC_WORK="failing")
builds = [e["args"] for e in trace.by_name["build"]]
check([b["status"] for b in builds] == [6, 5, 6] and
      builds[0]["log"] == "default_program(1): error: #error directive: of the source\n" and
      builds[1]["log"] == "nvrtc: error: unrecognized option found\n" and
      builds[1]["options"] == "--gpu-architecture=compute_90 no option", "failed builds have their log", builds[:2])
check(len(builds[2]["log"]) == 16384 and builds[2]["log"].startswith(builds[0]["log"] * 2),
      "a long one in part", len(builds[2]["log"]))
check([e["name"] for e in trace.events].count("nvrtcGetProgramLog") == 3, "to ask for it is no call of the program's")
errors = pick(findings("failing"), "errors", "call")
check(len(errors) == 2 and "default_program(1): error: #error directive" in json.dumps(errors), "and a finding says it",
      errors)

trace, _ = record("rejected", LINKED, NVRTC_WORK="rejected")
check([e["args"]["returned"] for e in trace.by_name["nvrtcCreateProgram"]][:4] == [0] * 4 and
      len(trace.by_name["program"]) == 1, "a program that was not made has no number", trace.by_name["program"])

record("leaked", LINKED, NVRTC_WORK="leaked")
leaks = pick(findings("leaked"), "leaks", "program")
check(len(leaks) == 1 and leaks[0]["count"] == 6, "six programs that nobody destroyed", leaks)
record("left", LINKED, NVRTC_WORK="left")
check(not pick(findings("left"), "leaks", "program"), "one that is left to the end of the process is no leak",
      findings("left"))

trace, _ = record("others", LINKED, NVRTC_WORK="others")
check(not [f for f in findings("others") if f["name"] == "errors"], "an answer is no error", trace.events)
trace, wanted = record("reopen", [os.path.join(STUBS, "nvrtc-program-reopen"), LATE[1]], NVRTC_WORK="leaked")
check(calls(trace) == wanted and len(wanted) == 24, "a library that is closed, and opened elsewhere", calls(trace))

two = [os.path.join(STUBS, "nvrtc-program-two"), os.environ["LOOKUP_LIBRARY"],
       os.path.join(STUBS, "libother-compiler.so")]
untraced, done = run(two), run([TANDEM, "record", "-q", "-o", "two", *two])
check(untraced.returncode == 0 and done.stdout == untraced.stdout and len(calls(Trace("two"))) == 2,
      "of two libraries whose functions a program looks up, the first is recorded", (done, untraced))

trace, _ = record("options", LINKED, NVRTC_WORK="options")
texts = [e["args"]["options"] for e in trace.by_name["build"]]
check(len(texts) == 2 and len(texts[0]) == 4096 and texts[0].startswith("--gpu-architecture=compute_90 -DXxx") and
      texts[1] == " -DNUMBER=1 ", "long options are cut, and none is read that is not there", texts)

untraced = run(LINKED, NVRTC_WORK="early")
done = run([TANDEM, "record", "--start-paused", "--kernel", "off", "-o", "early", *LINKED], NVRTC_WORK="early",
           NVRTC_BEFORE="'%s' resume early >/dev/null" % TANDEM)
trace = Trace("early")
check(done.returncode == 0 and done.stdout == untraced.stdout and len(trace.by_name["build"]) == 2,
      "programs that were made before the recording was on", (done, untraced))
check([e["args"]["source"] for e in trace.by_name["program"]] == ["unknown"] * 2 and
      not trace.by_name["program_hash"] and not pick(findings("early"), "builds", "repeated"),
      "are described, and like no other", trace.events)

done = run([TANDEM, "record", "-o", "lacking", os.path.join(STUBS, "nvrtc-program-lacking")], NVRTC_WORK="others")
check(done.returncode == 0 and ("nvrtcGetNVVMSize", 11) in called(done.stdout) and
      ("nvrtcGetNVVMSize", 11) in calls(Trace("lacking")), "what this version lacks is an internal error", done)

done = run([TANDEM, "record", "-o", "without", "--domains", "opencl", *LINKED])
check(done.returncode == 0 and not [e for e in Trace("without").events if e["domain"] == "nvrtc"],
      "none where the domain is not recorded", done)
finish()
