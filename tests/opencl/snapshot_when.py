#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tandem-test: timeout=240 alone
"""`record --snapshot-when`: each condition is seen as often as it was true, the first time it is
saves a snapshot which says why and holds the event, and what is true all the time fills no disk."""
import glob
import json
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from conditions import description, lines, snapshots, times_true
from recording import DRIVERS, PROGRAMS
from tap import check, finish, skip, wait_for, TANDEM

ROUNDS = str(PROGRAMS / "rounds")
STEPS = str(PROGRAMS / "steps")
ANNOTATE = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "annotation", "annotate")


# Where what is looked at is copied to.
os.mkdir("looks")
os.environ["TMPDIR"] = os.path.abspath("looks")


def environment(**more):
    return dict(os.environ, **DRIVERS["stub"], **more)


def options(conditions):
    return [word for condition in conditions for word in ("--snapshot-when", condition)]


def record(folder, conditions, program, *more, **env):
    done = subprocess.run([TANDEM, "record", "-o", folder, *more, *options(conditions), "--", *program],
                          env=environment(**env), capture_output=True, text=True, timeout=200)
    check(done.returncode == 0, f"{folder}: the program is unharmed", done)
    return done.stderr


# Nothing is overwritten in so large a ring, so that the session has all that was looked at.
said = record("all", ["call clFinish > 1ns", "call clCreate* > 1ns", "kernel a?d > 1ns", "error",
                      "error clReleaseMemObject", "call clWaitForEvents > 1ns", "loss"],
              [ROUNDS, "count", "30000"], "--snapshot=64M", STUB_FAIL="clSetKernelArg:0:9")
true = times_true(said)
finishes = sum(line["duration_ns"] > 1 for line in lines("all", "clFinish"))
check(true.get("call clFinish > 1ns", (0,))[0] == finishes > 400, "each call counts once", (said, finishes))
check(true.get("call clCreate* > 1ns", (0,))[0] == len(lines("all", "clCreate*")) > 30000,
      "a pattern is for all that it matches", said)
check(true.get("kernel a?d > 1ns", (0,))[0] > 29000, "kernels, by their own name", said)
check([true[name][0] for name in ("error clReleaseMemObject", "call clWaitForEvents > 1ns", "loss")]
      == [0, 0, 0], "what was not is not true", said)
check("overwritten" not in said, "nothing was overwritten", said)
saved = snapshots("all")
check(1 <= len(saved) <= 2 and true["call clFinish > 1ns"][1] <= 1,
      "what is true all the time is saved once in a while", said)
why = description(saved[0])["snapshot"]
check(why["of"] == "all" and re.search(r"clCreate\* > 1ns: clCreate\w+ (?:took|had taken) .* thread \d+ of process \d+",
                                       why["reason"]), "the snapshot says why", why)
report = subprocess.run([TANDEM, "report", saved[0]], capture_output=True, text=True)
check("snapshot of all: " in report.stdout and re.search(" took | had taken ", report.stdout),
      "and so does the report", report.stdout[:800])
report = json.loads(subprocess.run([TANDEM, "report", "--format", "json", saved[0]], capture_output=True,
                                   text=True).stdout)
session = report["session"]
check(session["snapshot"]["of"] == "all" and 0 <= session["snapshot"]["at_ns"] <= session["duration_ns"],
      "with the time, which is in it", session.get("snapshot"))

# The one call that takes long, the one that fails.
said = record("one", ["error clCreateBuffer", "call clBuildProgram > 100ms"],
              [ROUNDS, "count", "3000", "100"], STUB_BUILD_MS="150")
true = times_true(said)
check(true["call clBuildProgram > 100ms"] == (1, 1) and true["error clCreateBuffer"] == (0, 0),
      "one long call", said)
(saved,) = snapshots("one")
builds = lines(saved, "clBuildProgram")
check(len(builds) == 1, "it is in the snapshot", builds)
reason = description(saved)["snapshot"]["reason"]
check(re.match(r"call clBuildProgram > 100ms: clBuildProgram (took \d+ ms|had taken \d+ ms and was not over), ",
               reason), "and its reason", reason)

said = subprocess.run([TANDEM, "record", "-o", "fails", "--snapshot-when", "error", "--", ROUNDS, "count", "100"],
                      env=environment(STUB_FAIL="clReleaseMemObject:-38:50"), capture_output=True, text=True).stderr
(saved,) = snapshots("fails")
reason = description(saved)["snapshot"]["reason"]
check(times_true(said).get("error") == (1, 1) and
      reason.startswith("error: clReleaseMemObject ended with -38 (CL_INVALID_MEM_OBJECT), thread "),
      "a call that fails", (said, reason))
said = record("commands", ["error"], [ROUNDS, "count", "100"], STUB_STATUS="-5:40")
check(times_true(said)["error"][0] >= 2, "commands that fail", said)

# It hangs: that is said before it returns, and once.
program = subprocess.Popen([TANDEM, "record", "-o", "hangs", "--snapshot-when", "call clFinish > 50ms", STEPS],
                           env=environment(STUB_ENGINE="thread", STUB_DELAY_US="3000000"), text=True,
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
program.stdin.write("launch 1\n")
program.stdin.flush()
wait_for(lambda: snapshots("hangs"), 60)
said = program.communicate("", timeout=60)[1]
(saved,) = snapshots("hangs")
check("had taken" in description(saved)["snapshot"]["reason"] and
      times_true(said)["call clFinish > 50ms"] == (1, 1), "a call that hangs", said)
(call,) = lines(saved, "clFinish")
check(call.get("result") is None, "which had not returned in the snapshot", call)

# Ranges, of which some last longer than usual.
said = record("laps", ["range lap > 5 × median", "range inner > 10s", "range l* > 100ms"], [ANNOTATE, "laps"])
true = times_true(said)
check(true["range l* > 100ms"][0] >= 4 and true["range lap > 5 × median"][0] >= 4 and
      true["range inner > 10s"] == (0, 0), "ranges", said)
reasons = [description(saved)["snapshot"]["reason"] for saved in snapshots("laps")]
check(any(re.search(r"range lap > 5 × median: lap (took|had taken) [\d.]+ ms.* \(median [\d.]+ m?s\), thread", reason)
          for reason in reasons), "the median is said", reasons)

# Faster than anybody can look at it: that is said.
said = record("fast", ["call clFinish > 100s"], [ROUNDS, "count", "3000000"], "--snapshot=256K", "--kernel", "off")
check(times_true(said)["call clFinish > 100s"] == (0, 0) and
      re.search(r"in [\d,]+ of [\d,]+ looks, events had been overwritten", said), "what was missed is said", said)

# The recorder is killed: the conditions hold on, until nobody records any more.
recorder = subprocess.Popen([TANDEM, "record", "-q", "-o", "killed", "--snapshot-when", "call clFinish > 200ms", STEPS],
                            env=environment(STUB_ENGINE="thread", STUB_DELAY_US="400000"), text=True,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
recorder.stdin.write("calls 1\n")
recorder.stdin.flush()
recorder.stdout.readline()
children = [int(pid) for pid in subprocess.run(["ps", "-o", "pid=", "--ppid", str(recorder.pid)],
                                               capture_output=True, text=True).stdout.split()]
recorder.send_signal(signal.SIGKILL)
recorder.wait()
recorder.stdin.write("launch 1\n")
recorder.stdin.flush()
check(wait_for(lambda: snapshots("killed"), 60), "kill -9 of the recorder: a snapshot is saved all the same")
recorder.stdin.close()
check(wait_for(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in children), 60),
      "and with the program what looks ends", children)
recorder.stdout.close()
recorder.stderr.close()

# Nothing is left of what was looked at.
check(wait_for(lambda: not os.listdir("looks")), "no folder is left over", os.listdir("looks"))

# A full disk: what could not be saved is said, and the program does not notice.
os.mkdir("small")
mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", "small"], capture_output=True, text=True)
if mounted.returncode:
    skip("a full disk", f"mount is not permitted: {mounted.stderr.strip()}")
else:
    try:
        said = record("small/full", ["loss", "call clFinish > 1ns"], [str(PROGRAMS / "threads"), "40", "5000"],
                      "--snapshot=4M", "--kernel", "off")
        true = times_true(said)
        check(true["loss"][0] > 0 or true["call clFinish > 1ns"][0] > 0, "full disk: it is looked at", said)
        check("No space left" in said, "full disk: what could not be saved is said", said)
        check(not glob.glob("small/*.part"), "full disk: nothing half saved is left", os.listdir("small"))
    finally:
        subprocess.run(["umount", "-l", "small"])

for text, where in (("call clFinsh > 5ms", "at character 6: no runtime that is recorded has a call `clFinsh`"),
                    ("range step > 1.2 × mean", "at character 20: expected `median`")):
    done = subprocess.run([TANDEM, "record", "--snapshot-when", text, "true"], capture_output=True, text=True)
    check(done.returncode == 2 and f"--snapshot-when: '{text}': {where}" in done.stderr, f"{text}: is refused", done)
finish()
