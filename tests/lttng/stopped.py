#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tandem-test: timeout=240 waits
"""A daemon of LTTng's that is stopped (SIGSTOP, or by a debugger) while a flight recorder's rings are to be
saved: the command ends, names the daemon and the fix, and leaves nothing; continued, the next one is saved."""
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
lttng.start()
ENV = {**os.environ, **DRIVERS["stub"]}
session_daemon = lttng._daemons[0].pid
recorder = subprocess.Popen([TANDEM, "record", "--sink", "lttng", "--snapshot=256K", "-o", "run", "--",
                             PROGRAMS / "steps"], env=ENV, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)
recorder.stdin.write("launch 1\n")
recorder.stdin.flush()
recorder.stdout.readline()


def save():
    begin = time.monotonic()
    done = subprocess.run([TANDEM, "snapshot", "run"], capture_output=True, text=True, env=ENV,
                          timeout=120)
    return done, time.monotonic() - begin


def consumers():
    listed = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(session_daemon)], capture_output=True, text=True)
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if "consumerd" in line]


def saved():
    return [name for name in os.listdir(".") if name.startswith("run-snapshot")]


done, _ = save()
check(done.returncode == 0 and consumers(), "both daemons run: it is saved", done)
for name, pid in (("lttng-sessiond", session_daemon), ("lttng-consumerd", consumers()[0])):
    before = saved()
    os.kill(pid, signal.SIGSTOP)
    done, took = save()
    check(saved() == before, "nothing half saved is there", saved())
    os.kill(pid, signal.SIGCONT)
    check(done.returncode == 1 and f"{name} (process {pid}), which is stopped, did not answer for 10 s" in done.stderr,
          f"{name} is stopped: it is named", done)
    check(f"`kill -CONT {pid}`" in done.stderr and "run-snapshot-" in done.stderr, "with the fix", done.stderr)
    check(10 <= took < 60, "no longer than it takes to see it", took)
    check(wait_for(lambda: save()[0].returncode == 0, 30), "continued, it saves again")
    check(not [name for name in saved() if name.endswith(".part")], "nothing is left over", saved())
recorder.communicate()
check(recorder.returncode == 0, "the program did not notice", recorder.returncode)
finish()
