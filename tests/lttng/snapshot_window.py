#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tandem-test: timeout=240
"""A snapshot of LTTng's rings, of which each is a CPU's and goes back as far as that was busy, begins
where all of them are complete: what one of them has of before is left out, but for calls that had
not returned, and for what the rest refers to."""
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import lttng  # noqa: E402
from recording import DRIVERS, PROGRAMS  # noqa: E402
from tap import TANDEM, check, finish, wait_for  # noqa: E402

if os.environ.get("TANDEM_SANITIZE"):
    print("LTTng's library is not built with a sanitizer")
    sys.exit(77)
CPUS = sorted(os.sched_getaffinity(0))
if len(CPUS) < 2:
    print("there is one CPU only")
    sys.exit(77)
lttng.start()
STEPS = str(PROGRAMS / "steps")
# What is launched does not end.
ENV = {**os.environ, **DRIVERS["stub"], "STUB_ENGINE": "thread", "STUB_DELAY_US": "1000000000"}


def tandem(*words):
    return subprocess.run([TANDEM, *words], capture_output=True, text=True, env=ENV, timeout=150)


def events(session):
    said = tandem("print", "--raw", "--format", "json", session)
    return [json.loads(line) for line in said.stdout.splitlines()]


def answers(name):
    with open(name + ".out", encoding="utf-8") as file:
        return file.read().count("ok")




def start(folder, **env):
    """One process on each CPU, told what to do by a pipe."""
    for name in ("busy", "quiet", "busy.out", "quiet.out", "pid"):
        if os.path.exists(name):
            os.unlink(name)
    os.mkfifo("busy")
    os.mkfifo("quiet")
    script = (f"taskset -c {CPUS[0]} {STEPS} < busy > busy.out & taskset -c {CPUS[1]} {STEPS} < quiet > quiet.out & "
              "echo $! > pid.new; mv pid.new pid; wait")
    return subprocess.Popen([TANDEM, "record", "--sink", "lttng", "--snapshot=256K", "-o", folder, "--", "sh", "-c", script],
                            env={**ENV, **env}, stderr=subprocess.PIPE, text=True)


recorder = start("run")
with open("busy", "w", encoding="utf-8") as busy, open("quiet", "w", encoding="utf-8") as quiet:
    quiet.write("calls 7\n")
    quiet.flush()
    check(wait_for(lambda: os.path.exists("pid") and answers("quiet") == 1, 60), "the quiet one has made its calls")
    with open("pid", encoding="utf-8") as file:
        pid = int(file.read())
    quiet.write("launch 1\n")
    quiet.flush()
    found, hangs, rounds = [], [], 0

    def saved():
        """Until the quiet one is where it hangs, and the busy one has overwritten its ring since."""
        global found, hangs, rounds
        rounds += 1
        busy.write("calls 20000\n")
        busy.flush()
        if not wait_for(lambda: answers("busy") == rounds, 100):
            return False
        done = tandem("snapshot", "-q", "-o", f"saved{rounds}", "run")
        found = events(f"saved{rounds}") if not done.returncode else []
        hangs = [line for line in found if line["name"] == "clFinish"]
        return len(hangs) == 1 and hangs[0]["time_ns"] < 0

    check(wait_for(saved, 100), "a call that had not returned by then is there, with its begin",
          (rounds, hangs, found[:3]))
    session = f"saved{rounds}"
    check(hangs and hangs[0].get("result") is None and hangs[0]["process"] == pid, "and it has not returned", hangs)
    calls = [line for line in found if line["name"] == "clGetPlatformIDs"]
    check(100 < len(calls) < 20000 and all(line["process"] != pid for line in calls),
          "other calls from before are left out, as what was next to them is gone", (len(calls), calls[:1]))
    check(all(line["time_ns"] >= 0 and line.get("result") == calls[0].get("result") for line in calls),
          "all others are in the snapshot, whole", calls[:2])
    check(not [line for line in found if line["process"] == pid and line["name"].startswith("cl") and line not in hangs],
          "of the quiet one that call alone", [line["name"] for line in found if line["process"] == pid])
    report = tandem("report", session)
    check("1 call did not return" in report.stdout and "Stub device A" in report.stdout, "the report says so",
          report.stdout + report.stderr)
    with open(session + "/session.json", encoding="utf-8") as file, open("run/session.json", encoding="utf-8") as other:
        begin, whole = json.load(file)["start_monotonic_ns"], json.load(other)["start_monotonic_ns"]
    check(begin > whole and calls[0]["monotonic_ns"] >= begin, "it begins later than the run", (begin, whole))
    os.kill(pid, signal.SIGKILL)
said = recorder.communicate(timeout=150)[1]
ended = events("run")
check("nothing lost" in said and [line["name"] for line in ended if line["process"] == pid and
      line["name"].startswith("cl")] == ["clFinish"], "and so does the end of the run", (said, ended[:3]))

# A call begins on the quiet CPU and returns on the busy one, where that is overwritten: it does not hang.
recorder = start("moves", STUB_DELAY_US="1500000")
with open("busy", "w", encoding="utf-8") as busy, open("quiet", "w", encoding="utf-8") as quiet:
    quiet.write("launch 1\n")
    quiet.flush()
    wait_for(lambda: os.path.exists("pid"))
    with open("pid", encoding="utf-8") as file:
        pid = int(file.read())
    time.sleep(0.5)
    for task in os.listdir(f"/proc/{pid}/task"):
        os.sched_setaffinity(int(task), {CPUS[0]})
    check(wait_for(lambda: answers("quiet") == 1, 60), "it returns", pid)
    busy.write("calls 20000\n")
    busy.flush()
    check(wait_for(lambda: answers("busy") == 1, 100), "what overwrites that")
    quiet.write("calls 3\n")
    quiet.flush()
    check(wait_for(lambda: answers("quiet") == 2, 60), "and later calls")
    said = tandem("snapshot", "-q", "-o", "moved", "moves")
recorder.communicate(timeout=150)
found = [line for line in events("moved") if line["process"] == pid and line["name"].startswith("cl")]
check([line["name"] for line in found] == ["clGetPlatformIDs"] * 3 and all("result" in line for line in found),
      "a call that returned where it was overwritten does not hang", (said, found))
finish()
