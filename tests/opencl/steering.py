#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pause and resume in the middle: what is recorded is what was called while
recording was on; queues that were made while it was off; no helper threads."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import DRIVERS, has_intel, has_pocl, PROGRAMS, SANITIZED, Session
from tap import check, finish, skip, TANDEM


class Steps:
    """The program that does what it is told, recorded or alone."""

    def __init__(self, folder, driver, *options):
        self.folder = folder
        command = [str(PROGRAMS / "steps")]
        if folder:
            command = [TANDEM, "record", "-q", "--kernel", "off", "-o", folder, *options, "--",
                       *command]
        self.process = subprocess.Popen(command, env=dict(os.environ, **DRIVERS[driver]), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def do(self, *lines):
        """What it says before each "ok"."""
        said = []
        for line in lines:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            while (answer := self.process.stdout.readline().strip()) != "ok":
                if not answer:
                    raise SystemExit("steps has died")
                said.append(answer)
        return said

    def end(self):
        self.process.stdin.close()
        return self.process.wait()


def tandem(*words):
    return subprocess.run([TANDEM, *words], capture_output=True, text=True).returncode == 0


for driver in ("stub", "pthread", "intel"):
    if driver == "pthread" and not has_pocl():
        skip(f"steering on {driver}", "PoCL is not installed")
        continue
    if driver == "intel" and (not has_intel() or SANITIZED):
        skip(f"steering on {driver}", "Intel's OpenCL is not installed")
        continue
    for level in ("none", "basic", "full") if driver != "intel" else ("basic",):
        words, folder = f"{driver}, {level}", f"{driver}-{level}"
        steps = Steps(folder, driver, "--args", level)
        steps.do("calls 100", "launch 5")
        tandem("pause", folder)
        steps.do("calls 1000", "launch 50", "queue", "read 3")
        tandem("resume", folder)
        steps.do("calls 20", "launch 7", "read 2")
        tandem("pause", folder)
        steps.do("calls 1000", "threads 3")
        tandem("resume", folder)
        steps.do("queue", "launch 2", "threads 4")
        tandem("stop", folder)
        steps.do("calls 1000", "launch 9")
        check(steps.end() == 0, f"{words}: the program is unharmed")
        session = Session(folder)
        calls = session.calls()
        # The first of all is world_create()'s.
        check(calls["clGetPlatformIDs"] == 1 + 100 + 20 + 4, f"{words}: calls while recording", calls)
        check(calls["clEnqueueNDRangeKernel"] == 5 + 7 + 2 and calls["clEnqueueReadBuffer"] == 2,
              f"{words}: commands while recording", calls)
        session.verify(words)
        # Those on the queue made while paused have no times, and no operation.
        launches = [o for o in session.operations() if o["kind"] == "kernel"]
        timed = [o for o in launches if o["timed"]]
        check(len(timed) >= 5 + 2, f"{words}: times on queues made while recording", launches)
        names = {o.get("kernel_name") for o in launches}
        check(names == {"add"}, f"{words}: kernels made before have their names", names)

    steps = Steps(f"{driver}-paused", driver, "--start-paused")
    steps.do("calls 10", "launch 2")
    tandem("resume", f"{driver}-paused")
    steps.do("calls 5", "queue", "launch 3")
    steps.end()
    session = Session(f"{driver}-paused")
    check(session.calls()["clGetPlatformIDs"] == 5
          and session.calls()["clEnqueueNDRangeKernel"] == 3, f"{driver}: started paused",
          session.calls())
    session.verify(f"{driver}: started paused")
    described = {e["name"] for e in session.events if e["domain"] == "core"}
    check({"device", "context", "queue", "kernel"} <= described,
          f"{driver}: started paused: what was there before is described", described)

    alone, recorded = Steps(None, driver), Steps(f"{driver}-tasks", driver)
    script = ("launch 20", "read 5", "queue", "launch 5", "tasks")
    tasks = alone.do(*script), recorded.do(*script)
    alone.end(), recorded.end()
    check(tasks[0] == tasks[1], f"{driver}: no helper thread", tasks)
finish()
