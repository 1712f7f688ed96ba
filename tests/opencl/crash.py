#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tandem-test: timeout=400 for 200 TANDEM_CRASHES
"""Killed at a random moment, from its start on: whatever call had returned is in the session,
for our readers and for babeltrace2, whether or not anybody is left to repair it.

TANDEM_CRASHES=5000 in the environment makes so many (200)."""
import concurrent.futures
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import DRIVERS, PROGRAMS, SANITIZED, Session
from tap import check, finish, skip, wait_for, TANDEM

CRASHES = int(os.environ.get("TANDEM_CRASHES", "20" if SANITIZED else "200"))
ENVIRONMENT = dict(os.environ, **DRIVERS["stub"])
SEED = int(os.environ.get("TANDEM_SEED", random.randrange(1 << 32)))


def counts(path):
    """Calls that were begun, and that had returned."""
    try:
        with open(path, "rb") as file:
            data = file.read(16)
    except FileNotFoundError:
        data = b""
    return struct.unpack("<QQ", data) if len(data) == 16 else (0, 0)


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def kill(*pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def is_gone(pid):
    """Or a zombie, which holds no memory any more."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def crash(folder, count, way, wait):
    """Records, kills, and returns with nobody left who writes."""
    program = [str(PROGRAMS / "crash"), count]
    record = [TANDEM, "record", "-q", "--kernel", "off", "--args", "none", "-o", folder, "--"]
    if way == "zombie":
        # Its parent never asks how it ended.
        record += ["sh", "-c", '"$@" & sleep 600', "sh"]
    if way == "namespace":
        record = ["unshare", "-pf", "--kill-child", "--mount-proc", *record]
    recorder = subprocess.Popen([*record, *program], env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, start_new_session=True)
    wait_for(lambda: counts(count)[0] or recorder.poll() is not None)
    time.sleep(wait)
    below = children(recorder.pid)
    below += [pid for child in below for pid in children(child)]
    programs = [pid for pid in below if os.path.basename(program_of(pid)) == "crash"]
    if way in ("alone", "zombie"):
        kill(*programs)
    elif way == "recorder":
        kill(recorder.pid, *programs)
    else:
        kill(recorder.pid)
    if way != "zombie":
        recorder.wait()
    wait_for(lambda: all(is_gone(pid) for pid in programs))
    return recorder


def program_of(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""


def look(folder, count):
    """What is wrong with the session, or ""."""
    begun, returned = counts(count)
    session = Session(folder)
    report = session.report()
    if "api" not in report:
        return f"cannot be read: {report}"
    found = sum(row["calls"] for row in report["api"] if row["name"] == "clGetPlatformIDs")
    if not returned <= found <= begun:
        return f"{found} calls, {returned} returned, {begun} begun"
    if report["losses"]["total"] or report["damage"]["places"]:
        return f"{report['losses']} {report['damage']}"
    events, said = session.babeltrace()
    if events is not None and (events != report["session"]["events"] or said):
        return f"babeltrace2: {events} events, {report['session']['events']} by us; {said[:500]}"
    return ""


def removed(folder):
    """A file that was being made for the program may still come into it after its end."""
    shutil.rmtree(folder, ignore_errors=True)
    return not os.path.exists(folder)


def one(number, way, wait):
    folder, count = f"crash-{number}", f"count-{number}"
    recorder = crash(folder, count, way, wait)
    try:
        wrong = look(folder, count)
    finally:
        if way == "zombie":
            os.killpg(recorder.pid, signal.SIGKILL)
            recorder.wait()
    if not wrong:
        wait_for(lambda: removed(folder))
        os.unlink(count)
    return f"{folder}, {way}, after {wait * 1000:.1f} ms: {wrong}" if wrong else ""


ways = ["alone", "recorder", "namespace", "zombie"]
tried = subprocess.run(["unshare", "-pf", "--kill-child", "--mount-proc", "true"], capture_output=True,
                       text=True, check=False)
if tried.returncode:
    skip("namespace", "unshare is not permitted: " + re.sub(r"\s+", " ", tried.stderr))
    ways.remove("namespace")
chance = random.Random(SEED)
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for way in ways:
        waits = [chance.random() ** 3 * 0.15 for _ in range(CRASHES // len(ways))]
        first = ways.index(way) * CRASHES
        wrong = [words for words in pool.map(one, range(first, first + len(waits)),
                                             [way] * len(waits), waits) if words]
        check(not wrong, f"{way}: {len(waits)} kills, nothing is missing (seed {SEED})",
              "\n".join(wrong[:10]))
finish()
