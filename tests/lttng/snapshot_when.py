#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tandem-test: timeout=240 waits
"""`record --sink lttng --snapshot-when`: each condition is seen as often as it was true, the first
time saves what LTTng's rings hold, which says why and has the event with its names, and to look
takes nothing out of LTTng's rings."""
import glob
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import lttng  # noqa: E402
from conditions import description, lines, snapshots, times_true  # noqa: E402
from recording import DRIVERS, PROGRAMS  # noqa: E402
from tap import TANDEM, check, finish, wait_for  # noqa: E402

if os.environ.get("TANDEM_SANITIZE"):
    print("LTTng's library is not built with a sanitizer")
    sys.exit(77)
lttng.start()
os.makedirs("looks", exist_ok=True)
os.environ["TMPDIR"] = os.path.abspath("looks")
ROUNDS = str(PROGRAMS / "rounds")
STEPS = str(PROGRAMS / "steps")
ANNOTATE = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "annotation", "annotate")


def environment(**more):
    return {**os.environ, **DRIVERS["stub"], **more}


def words(folder, conditions, program, *more):
    given = [word for condition in conditions for word in ("--snapshot-when", condition)]
    return [TANDEM, "record", "--sink", "lttng", "-o", folder, *more, *given, "--", *program]


def record(folder, conditions, program, *more, **env):
    done = subprocess.run(words(folder, conditions, program, *more), env=environment(**env),
                          capture_output=True, text=True, timeout=200)
    check(done.returncode == 0, f"{folder}: the program is unharmed", done)
    return done.stderr


begin = time.monotonic()
# Nothing is overwritten in so large a ring, so that the session has all that was looked at.
said = record("all", ["call clFinish > 1ns", "call clCreate* > 1ns", "kernel a?d > 1ns", "error", "loss",
                      "call clWaitForEvents > 1ns"], [ROUNDS, "count", "3000"], "--snapshot=16M")
true = times_true(said)
finishes, created, kernels = lines("all", "clFinish"), lines("all", "clCreate*"), lines("all", "clEnqueueNDRangeKernel")
check(true.get("call clFinish > 1ns", (0,))[0] == len(finishes) > 40, "each call counts once", (said, len(finishes)))
check(true.get("call clCreate* > 1ns", (0,))[0] == len(created) > 3000, "a pattern is for all that it matches",
      (said, len(created)))
check(true.get("kernel a?d > 1ns", (0,))[0] == len(kernels) == 3000, "kernels, by their own name", (said, len(kernels)))
check([true[name][0] for name in ("error", "call clWaitForEvents > 1ns", "loss")] == [0, 0, 0],
      "what was not is not true", said)
check("overwritten" not in said and "nothing lost" in said, "nothing was overwritten", said)
saved = snapshots("all")
# A condition rests for 10 s, but that one snapshot is saved of a call under way, which a busy machine makes
# long enough to be seen, and the next one for another condition names all that is true.
most = 1 + int((time.monotonic() - begin) // 10) + ("was not over" in said)
check(1 <= len(saved) <= 3 * most and all(count[1] <= most for count in true.values()),
      "what is true all the time is saved once in a while", (said, saved))
check(not glob.glob("all/process-*.*") and len(glob.glob("all/process-*")) == 1 and os.path.isdir("all/lttng"),
      "at the end LTTng's events alone are there", os.listdir("all"))
why = description(saved[0])["snapshot"]
check(why["of"] == "all" and re.search(r" (took|had taken) .* thread \d+ of process \d+", why["reason"]), "the snapshot says why", why)
report = subprocess.run([TANDEM, "report", saved[0]], capture_output=True, text=True)
check("snapshot of all: " in report.stdout and re.search(" (took|had taken) ", report.stdout), "and so does the report", report.stdout[:800])
check(os.path.isdir(saved[0] + "/lttng") and not glob.glob("*.part"), "it is LTTng's", os.listdir(saved[0]))

# What hangs is seen before it returns, once; what was called long before, in as many looks as LTTng's
# rings have sub-buffers, several times over, is there yet.
program = subprocess.Popen(words("hangs", ["call clFinish > 300ms", "error"], [STEPS], "--snapshot=256K"),
                           env=environment(STUB_ENGINE="thread", STUB_DELAY_US="3000000"), text=True,
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
program.stdin.write("calls 7\nlaunch 1\n")
program.stdin.flush()
check(wait_for(lambda: snapshots("hangs"), 60), "a snapshot of what hangs", os.listdir("."))
for _ in range(2):
    program.stdout.readline()
said = subprocess.run([TANDEM, "snapshot", "-o", "asked", "hangs"], capture_output=True, text=True)
check(said.returncode == 0 and os.path.isdir("asked/lttng"), "another one may be asked for", said)
said = program.communicate(timeout=100)[1]
check(times_true(said).get("call clFinish > 300ms") == (1, 1) and times_true(said).get("error") == (0, 0),
      "a call that hangs, seen once", said)
(saved,) = snapshots("hangs")
reason = description(saved)["snapshot"]["reason"]
check("clFinish had taken" in reason, "that it was not over", reason)
check("begins after" not in said, "it is not overwritten", said)
check(len(lines(saved, "clFinish")) == 1, "the call is in the snapshot", lines(saved, "clFinish"))
(launch,) = lines(saved, "clEnqueueNDRangeKernel")
check(launch["args"].get("kernel_name") == "add", "with what it refers to", launch)
check(len(lines(saved, "clGetPlatformIDs")) == 8, "and what was before", lines(saved, "clGetPlatformIDs"))
check((len(lines("hangs", "clGetPlatformIDs")), len(lines("hangs", "clFinish"))) == (8, 1),
      "all is there at the end", lines("hangs", "cl*"))

# A call that fails.
done = subprocess.run(words("fails", ["error"], [ROUNDS, "count", "100"]), capture_output=True, text=True,
                      env=environment(STUB_FAIL="clReleaseMemObject:-38:50"), timeout=200)
said = done.stderr
check(done.returncode == 1 and "-38 instead of 0" in said, "a program that fails does so", done)
(saved,) = snapshots("fails")
reason = description(saved)["snapshot"]["reason"]
check(times_true(said).get("error") == (1, 1) and
      reason.startswith("error: clReleaseMemObject ended with -38 (CL_INVALID_MEM_OBJECT), thread "),
      "a call that fails", (said, reason))
failed = [line for line in lines(saved, "clReleaseMemObject") if line.get("result") == -38 or
          "INVALID_MEM" in str(line.get("result"))]
check(len(failed) == 1, "it is in the snapshot", lines(saved, "clReleaseMemObject")[-3:])

# Ranges, of which some last longer than usual.
said = record("laps", ["range lap > 5 × median", "range inner > 10s"], [ANNOTATE, "laps"])
true = times_true(said)
check(true["range lap > 5 × median"][0] >= 4 and true["range inner > 10s"] == (0, 0), "ranges", said)

# Faster than anybody can look at it: that is said.
said = record("fast", ["call clFinish > 100s"], [ROUNDS, "count", "300000"], "--snapshot=256K")
check(times_true(said)["call clFinish > 100s"] == (0, 0) and
      re.search(r"in [\d,]+ of [\d,]+ looks, events had been overwritten", said), "what was missed is said", said)
check(sum(os.path.getsize(name) for name in glob.glob("fast/lttng/**/tandem_*", recursive=True)) <= 256 * 1024 *
      os.cpu_count(), "what is kept is bounded", glob.glob("fast/lttng/**", recursive=True))

# The recorder is killed: the conditions hold on, until nobody records any more.
recorder = subprocess.Popen(words("killed", ["call clFinish > 200ms"], [STEPS], "-q"),
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
check(lttng.run("destroy", f"tandem-{recorder.pid}").returncode == 0, "LTTng's session is left to its user")

# No daemon any more: what could not be saved is said, and the program does not notice.
program = subprocess.Popen(words("orphan", ["call clFinish > 50ms"], [STEPS]), text=True,
                           env=environment(STUB_ENGINE="thread", STUB_DELAY_US="100000"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
program.stdin.write("queue\n")
program.stdin.flush()
program.stdout.readline()
lttng.stop()
out, said = program.communicate("launch 1\n", timeout=100)
check(program.returncode == 0 and out.count("ok") == 1, "without a daemon: the program is unharmed", (program, out, said))
check(times_true(said).get("call clFinish > 50ms") == (1, 0) and "lttng snapshot" in said, "what could not be saved is said", said)
check(not glob.glob("orphan-snapshot*"), "and nothing half saved is left", os.listdir("."))

check(wait_for(lambda: not os.listdir("looks")), "no folder is left over", os.listdir("looks"))
finish()
