#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tandem-test: timeout=240
"""The flight recorder with LTTng's rings (`record --sink lttng --snapshot`): LTTng's own snapshot
session, saved while the program runs and at its end, and read as any session, with names."""
import json
import mmap
import os
import shutil
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import lttng  # noqa: E402
from recording import DRIVERS, PROGRAMS  # noqa: E402
from tap import TANDEM, check, finish, skip, wait_for  # noqa: E402

if os.environ.get("TANDEM_SANITIZE"):
    print("LTTng's library is not built with a sanitizer")
    sys.exit(77)
lttng.start()
for words, said in ((["--snapshot-when", "error", "--live", "net://localhost"], "--live"),
                    (["--snapshot", "--relay", "net://localhost"], "--relay")):
    done = subprocess.run([TANDEM, "record", "--sink", "lttng", *words, "true"], capture_output=True, text=True)
    check(done.returncode == 2 and said in done.stderr, " ".join(words), done)
ENV = {**os.environ, **DRIVERS["stub"]}
ROUNDS = str(PROGRAMS / "rounds")


def tandem(*words):
    return subprocess.run([TANDEM, *words], capture_output=True, text=True, env=ENV, timeout=150)


def launches(session):
    said = tandem("print", "--raw", "--format", "json", "--name", "clEnqueueNDRangeKernel", session)
    lines = [json.loads(line) for line in said.stdout.splitlines()]
    return sorted((line for line in lines if line["name"] == "clEnqueueNDRangeKernel" and "global" in line["args"]),
                  key=lambda line: line["time_ns"])


def count():
    try:
        with open("count", "rb") as file:
            return int.from_bytes(file.read(8), "little")
    except FileNotFoundError:
        return 0


def check_last(what, session, low, high):
    found = launches(session)
    rounds = [line["args"]["global"][0] for line in found]
    # It may end between a launch and its count.
    check(len(rounds) > 100 and low - 3000 <= rounds[-1] <= high + 1, f"{what}: the last rounds", (rounds[-2:], low, high))
    check(rounds and rounds[0] > 1, f"{what}: the first ones are overwritten", rounds[:2])
    check(found and all(line["args"].get("kernel_name") == "add" for line in found), f"{what}: with the kernel's name", found[:1])
    report = tandem("report", session)
    check(report.returncode == 0 and "Stub device A" in report.stdout, f"{what}: the device has its name",
          report.stdout + report.stderr)


recorder = subprocess.Popen([TANDEM, "record", "--sink", "lttng", "--snapshot=256K", "-o", "run", "--",
                             ROUNDS, "count"], env=ENV, stderr=subprocess.PIPE, text=True)
wait_for(lambda: count() > 30000, 40)
before = count()
said = tandem("snapshot", "run")
check(said.returncode == 0 and "run-snapshot-1" in said.stderr, "it is saved while the program runs", said)
check_last("snapshot", "run-snapshot-1", before, count())
with open("run-snapshot-1/session.json") as file:
    check(json.load(file)["snapshot"]["of"].endswith("run"), "it says of what")
wait_for(lambda: count() > before + 30000, 100)
said = tandem("snapshot", "-q", "-o", "second", "run")
check(said.returncode == 0 and launches("second")[0]["args"]["global"][0] > before, "the next has what came since", said)
program = int(subprocess.run(["pgrep", "-P", str(recorder.pid)], capture_output=True, text=True).stdout.split()[-1])
os.kill(program, signal.SIGTERM)
said = recorder.communicate(timeout=150)[1]
check("nothing lost" in said, "to overwrite is not to lose", said)
check_last("at the end", "run", count(), count())
said = tandem("snapshot", "run")
check(said.returncode == 1, "what has ended is no flight recorder's", said)


# Each snapshot ends a sub-buffer of every ring of LTTng's: these are more than the rings of calls have.
recorder = subprocess.Popen([TANDEM, "record", "--sink", "lttng", "--snapshot=256K", "-q", "-o", "steps", "--",
                             PROGRAMS / "steps"], env=ENV, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def step(words):
    recorder.stdin.write(words + "\n")
    recorder.stdin.flush()
    recorder.stdout.readline()


step("launch 1")
for _ in range(9):
    lttng.need(lttng.run("snapshot", "record", f"--session=tandem-{recorder.pid}", "file://" + os.path.abspath("more")))
    shutil.rmtree("more")
step("launch 2")
said = tandem("snapshot", "-q", "-o", "tenth", "steps")
found = launches("tenth")
check(said.returncode == 0 and len(found) == 2 and all(line["args"].get("kernel_name") == "add" for line in found),
      "after ten snapshots names are there yet", (said, found))
# After many a snapshot asks for descriptions in the session's page, which the sink sees in a second.
with open("steps/control", "r+b") as file, mmap.mmap(file.fileno(), 4096) as page:
    page[16:20] = struct.pack("<I", struct.unpack("<I", page[16:20])[0] + 1)


def described_again():
    step("launch 1")
    time.sleep(0.2)
    shutil.rmtree("more", ignore_errors=True)
    done = tandem("snapshot", "-q", "-o", "more", "steps")
    said = tandem("print", "--raw", "--format", "json", "--name", "kernel", "more")
    return done.returncode == 0 and len([line for line in said.stdout.splitlines() if '"add"' in line]) == 2


check(wait_for(described_again, 60), "what is asked for is described once more")
recorder.communicate()
check("tandem-" not in lttng.run("list").stdout, "no session of LTTng's is left", lttng.run("list").stdout)
finish()
