#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kill -9 in the middle: every call that had returned is in the trace."""
import os
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import DRIVERS, PROGRAMS, Session
from tap import check, finish, wait_for, TANDEM


def returned():
    with open("count", "rb") as file:
        data = file.read(8)
    return struct.unpack("<Q", data)[0] if len(data) == 8 else 0


def child_of(pid):
    said = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return int(said.stdout.split()[0]) if said.stdout.split() else 0


for number, wait in enumerate((1, 5000, 200000, 1000003, 30000)):
    if os.path.exists("count"):
        os.unlink("count")
    folder = f"killed-{number}"
    recorder = subprocess.Popen([TANDEM, "record", "--kernel", "off", "--args", "none", "-o", folder, "--",
                                 str(PROGRAMS / "loop"), "count"],
                                env=dict(os.environ, **DRIVERS["stub"]),
                                stderr=subprocess.PIPE, text=True)
    wait_for(lambda: os.path.exists("count") and returned() >= wait)
    time.sleep(0.001 * number)
    # The last of them kills the recorder too, so that nobody tidies up.
    victims = [child_of(recorder.pid)] + ([recorder.pid] if number == 4 else [])
    for victim in victims:
        os.kill(victim, signal.SIGKILL)
    said = recorder.stderr.read()
    recorder.wait()
    words = f"killed after {wait}" + (" with the recorder" if number == 4 else "")
    check(recorder.returncode == -signal.SIGKILL, f"{words}: the recorder dies of the same",
          recorder.returncode)
    if number == 4:
        wait_for(lambda: not os.path.exists(f"/proc/{victims[0]}"))
    made = returned()
    session = Session(folder)
    report = session.report()
    found = sum(row["calls"] for row in report["api"] if row["name"] == "clGetPlatformIDs")
    open_calls = report["operations"]["open_calls"]
    # One call may have been under way, and one may have ended uncounted.
    check(made <= found <= made + 1 and open_calls <= 1,
          f"{words}: {made} calls", f"{found}, {open_calls} without an end")
    check(report["losses"]["total"] == 0, f"{words}: nothing is lost", report["losses"])
    check(report["damage"]["places"] == 0, f"{words}: nothing is damaged", report["damage"])
    count, said = session.babeltrace()
    check(count is None or (count == report["session"]["events"] and not said),
          f"{words}: babeltrace2 reads as many",
          f"{count} {report['session']['events']} {said[:2000]}")
finish()
