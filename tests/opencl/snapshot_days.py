#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tandem-test: timeout=300
"""What days do to a flight recorder, by volume: thousands of times what its rings hold, in one process
and in processes that come and go without end. The disk that it takes is bounded, and a snapshot at
any moment is the end of the run, whole and with names, for `tandem` and for babeltrace2."""
import glob
import json
import os
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import DRIVERS, PROGRAMS
from tap import check, finish, skip, wait_for, TANDEM

ENV = dict(os.environ, **DRIVERS["stub"])
ROUNDS = str(PROGRAMS / "rounds")
STEPS = str(PROGRAMS / "steps")
RING = 256 * 1024
ROUND_BYTES = 200  # a round's records have more: five calls, an operation, an object
FOLDER_BYTES = 3 << 20  # of one that lives: a ring, two sub-buffers of 128 KiB, 2 MiB of names, metadata


def tandem(*words):
    return subprocess.run([TANDEM, *words], capture_output=True, text=True, timeout=100, env=ENV)


def used_bytes(session):
    total = 0
    for path in glob.glob(session + "/process-*/*"):
        try:
            total += os.lstat(path).st_blocks * 512
        except FileNotFoundError:
            pass
    return total


def processes(session):
    return {os.path.basename(path) for path in glob.glob(session + "/process-*")}


def count():
    try:
        data = open("count", "rb").read(8)
    except FileNotFoundError:
        return 0
    return struct.unpack("<Q", data)[0] if len(data) == 8 else 0


def lines(session, name):
    said = tandem("print", "--raw", "--format", "json", "--name", name, session)
    return [line for line in map(json.loads, said.stdout.splitlines()) if line["name"] == name]


def check_babeltrace(what, session):
    if not shutil.which("babeltrace2"):
        skip(what + ": babeltrace2 reads it", "there is no babeltrace2")
        return
    for folder in glob.glob(session + "/process-*"):
        raw = subprocess.run(["babeltrace2", folder], capture_output=True, text=True, timeout=100)
        check(raw.returncode == 0 and not raw.stderr and "clEnqueueNDRangeKernel" in raw.stdout,
              f"{what}: babeltrace2 reads {os.path.basename(folder)}", raw.stderr)


# One process: 2,000 rings and more go by.
most = 0
recorder = subprocess.Popen([TANDEM, "record", "-q", "-o", "one", f"--snapshot={RING}", "--kernel", "off", "--",
                             ROUNDS, "count"], env=ENV)
for part in range(1, 5):
    wait_for(lambda: count() > part * 500 * RING // ROUND_BYTES, 60)
    before = count()
    said = tandem("snapshot", "-q", "-o", f"part-{part}", "one")
    check(said.returncode == 0, f"part {part} is saved", said)
    most = max(most, used_bytes("one"))
    launches = [line["args"] for line in lines(f"part-{part}", "clEnqueueNDRangeKernel")]
    seen = [args["global"][0] for args in launches]
    check(len(seen) > 100 and seen == list(range(seen[0], seen[-1] + 1)) and seen[-1] >= before,
          f"part {part}: the last rounds, none is missing", (before, seen[:2], seen[-2:]))
    check({args["kernel_name"] for args in launches} == {"add"}, f"part {part}: with names")
    check_babeltrace(f"part {part}", f"part-{part}")
subprocess.run(["pkill", "-P", str(recorder.pid)], check=True)
recorder.wait(100)
check(0 < most <= FOLDER_BYTES, "one process: its disk is bounded", (most, FOLDER_BYTES))
check("nothing lost" in tandem("report", "one").stdout, "and nothing is lost")

# Processes without end, next to one that is there all the time and to one that is idle.
MOST = 16 * RING
loop = f'"$0" <idle & i=0; while [ ! -e stop ]; do "$1" passing 40 >/dev/null; i=$((i + 1)); echo $i >done; done; "$1" passing 77; wait'
os.mkfifo("idle")
recorder = subprocess.Popen([TANDEM, "record", "-o", "many", f"--snapshot={RING}", "--kernel", "off", "--",
                             "sh", "-c", loop, STEPS, ROUNDS], env=ENV, stderr=subprocess.PIPE, text=True,
                            stdout=subprocess.DEVNULL)
idle = open("idle", "w")
idle.write("launch 3\n")
idle.flush()
seen = set()


def made_enough():
    seen.update(processes("many"))
    return len(seen) > 150


check(wait_for(made_enough, 150), "many processes were made", len(seen))
open("stop", "w").close()
check(wait_for(lambda: used_bytes("many") <= MOST + FOLDER_BYTES, 60), "the disk of those that ended is bounded",
      (used_bytes("many"), MOST))
left = processes("many")
check(3 < len(left) < 60, "those that are too old are gone", len(left))
said = tandem("snapshot", "-q", "-o", "moment", "many")
check(said.returncode == 0 and len(processes("moment")) > 3, "a snapshot of those that are left", said)
check_babeltrace("many", "moment")
idle.close()
said = recorder.communicate(timeout=100)[1]
check(recorder.returncode == 0 and "that had ended are left out, the oldest" in said, "that is said", said)
launches = lines("many", "clEnqueueNDRangeKernel")
by_process = {}
for line in launches:
    by_process.setdefault(line["process"], []).append(line["args"]["global"][0])
check(sorted(map(len, by_process.values()))[-1] == 77 and
      all(rounds == list(range(1, len(rounds) + 1)) for rounds in by_process.values() if len(rounds) > 3),
      "each that is kept is whole, the last among them", {pid: len(rounds) for pid, rounds in by_process.items()})
check(any(len(rounds) == 3 for rounds in by_process.values()), "the idle one, older than all, lives and is kept")
check({line["args"]["kernel_name"] for line in launches} == {"add"}, "with names")
check("nothing lost" in tandem("report", "many").stdout, "nothing is lost")
finish()
