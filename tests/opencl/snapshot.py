#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tandem-test: timeout=240
"""The flight recorder: rings of bounded size, whatever goes through them; what a snapshot holds is
the last of it, without a gap, and has its names; the same after kill -9."""
import glob
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import DRIVERS, PROGRAMS
from tap import check, finish, skip, wait_for, TANDEM

ENV = dict(os.environ, **DRIVERS["stub"])
ROUNDS = str(PROGRAMS / "rounds")


def tandem(*words, **more):
    return subprocess.run([TANDEM, *words], capture_output=True, text=True, timeout=60, env=ENV, **more)


def count():
    try:
        data = open("count", "rb").read(8)
    except FileNotFoundError:
        return 0
    return struct.unpack("<Q", data)[0] if len(data) == 8 else 0


def used_bytes(folder):
    return sum(os.lstat(path).st_blocks * 512
               for path in glob.glob(folder + "/**", recursive=True) if os.path.isfile(path))


def events(session, name):
    """What `print` has of these calls; one line each."""
    said = tandem("print", session, "--format", "json")
    lines = [json.loads(line) for line in said.stdout.splitlines() if f'"name": "{name}"' in line]
    return [line for line in lines if line.get("phase", "begin") == "begin"]


def check_rounds(what, session, least, low, high):
    """The rounds are all there from some to the last, which was between two counts."""
    launches = events(session, "clEnqueueNDRangeKernel")
    rounds = [line["args"]["global"][0] for line in launches]
    check(len(rounds) > least and rounds == list(range(rounds[0], rounds[-1] + 1)),
          f"{what}: no round is missing", (len(rounds), rounds[:3], rounds[-3:]))
    check(rounds and low <= rounds[-1] <= high, f"{what}: they are the last ones",
          (rounds[-1:], low, high))
    check(all(line["args"].get("kernel_name") == "add" for line in launches),
          f"{what}: the kernel has its name", launches[:1])
    check(all(line["time_ns"] >= 0 for line in launches), f"{what}: none is before the begin")
    report = tandem("report", session)
    check(report.returncode == 0 and "Stub device A" in report.stdout and "damage" not in report.stdout,
          f"{what}: the device has its name", report.stdout + report.stderr)
    # On a busy machine the kernel's own buffers may be full: that is another matter.
    lost = json.loads(tandem("report", "--format", "json", session).stdout)["losses"]["by_reason"]
    check(not any(count for reason, count in lost.items() if reason != "kernel_buffer"),
          f"{what}: to overwrite is not to lose", lost)
    return rounds


def start(folder, *options, program=(ROUNDS, "count")):
    if os.path.exists("count"):
        os.unlink("count")
    return subprocess.Popen([TANDEM, "record", "-o", folder, *options, "--", *program], env=ENV,
                            stderr=subprocess.PIPE, text=True)


def child_of(pid):
    said = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return int(said.stdout.split()[0]) if said.stdout.split() else 0


# While it runs.
recorder = start("live", "--snapshot=1M")
wait_for(lambda: count() > 200000, 60)
before = count()
said = tandem("snapshot", "live")
after = count()
check(said.returncode == 0 and "saved" in said.stderr and "live-snapshot-1" in said.stderr,
      "snapshot: says what it saved", said)
first = check_rounds("while it runs", "live-snapshot-1", 1000, before, after + 1)
check(count() > after, "the program runs on")
small = used_bytes("live")
wait_for(lambda: count() > before + 600000, 60)
check(used_bytes("live") < small + 3_000_000 < 12_000_000, "the disk that it takes is bounded",
      (small, used_bytes("live")))
said = tandem("snapshot", "-q", "-o", "second", str(recorder.pid))
check(said.returncode == 0 and not said.stderr, "snapshot -q -o, by a process", said)
second = check_rounds("the second", "second", 1000, before + 600000, count() + 1)
check(second and first and second[0] > first[-1], "the first is overwritten by then")
said = tandem("snapshot", "-o", "second", "live")
check(said.returncode == 1 and "already exists" in said.stderr, "one that is there is refused", said)
said = tandem("report", "live")
check(said.returncode == 1 and "tandem snapshot live" in said.stderr,
      "report: says how to read what is being overwritten", said)

# Both are killed: nobody has tidied up.
victim = child_of(recorder.pid)
os.kill(victim, signal.SIGSTOP)
wait_for(lambda: open(f"/proc/{victim}/stat").read().rsplit(")")[-1].split()[0] == "T")
last = count()
recorder.kill()
os.kill(victim, signal.SIGKILL)
recorder.wait()
recorder.stderr.close()
said = tandem("snapshot", "-o", "killed", "live")
check(said.returncode == 0, "killed: can be saved", said)
check_rounds("killed", "killed", 1000, last, last + 1)
time.sleep(2)
said = tandem("snapshot", "-o", "later", "live")
spans = [json.loads(tandem("report", "--format", "json", name).stdout)["session"] for name in ("killed", "later")]
check(said.returncode == 0 and spans[0] == spans[1] | {"directory": spans[0].get("directory")},
      "killed: its end is the last event, whenever it is saved", spans)
check("overwrites" not in tandem("report", "live").stderr, "killed: nobody says that it is being overwritten")

# To its end: the session is what every command reads.
recorder = start("ended", "--snapshot=256K", program=(ROUNDS, "count", "30000"))
said = recorder.communicate(timeout=100)[1]
check(recorder.returncode == 0 and "recorded" in said, "ended: the summary", said)
check_rounds("ended", "ended", 100, 30000, 30000)
check(not os.path.exists("ended.part"), "ended: nothing is left over", os.listdir("."))

# A copy of it, or of a snapshot, without one of its streams.
for whole in "ended", "second":
    streams = glob.glob(whole + "/process-*/stream-*") + glob.glob(whole + "/kernel/stream-*")
    check(streams and "missing" not in tandem("report", whole).stderr, f"{whole}: has all its streams", streams)
    for stream in streams:
        shutil.copytree(whole, "copy")
        os.unlink(stream.replace(whole, "copy", 1))
        said = tandem("report", "copy")
        check(f"1 of {len(streams)} streams are missing or empty" in said.stdout + said.stderr and
              "nothing lost" not in said.stdout, f"{stream} is gone: it is said", said.stdout[:300] + said.stderr)
        shutil.rmtree("copy")
said = tandem("snapshot", "ended")
check(said.returncode == 1 and "not a flight recorder's" in said.stderr,
      "a plain session: says why it can't be saved", said)
raw = subprocess.run(["babeltrace2", glob.glob("ended/process-*")[0]], capture_output=True, text=True) \
    if shutil.which("babeltrace2") else None
if raw:
    check(raw.returncode == 0 and raw.stdout.count("clFinish") > 1, "babeltrace2 reads it", raw.stderr)
else:
    skip("babeltrace2 reads it", "there is no babeltrace2")

# Threads come and go: as many files as there were at one time.
recorder = start("threads", "--snapshot=256K", "--kernel", "off", program=(str(PROGRAMS / "threads"), "100", "50"))
recorder.communicate(timeout=100)
check(recorder.returncode == 0, "threads: the program is unharmed", recorder.returncode)
said = tandem("report", "threads")
check("nothing lost" in said.stdout and said.returncode == 0, "threads: nothing is lost", said)

# Children.
recorder = start("forks", "--snapshot=256K", "--kernel", "off", program=(str(PROGRAMS / "processes"),))
recorder.communicate(timeout=100)
said = tandem("report", "forks")
check(said.returncode == 0 and "nothing lost" in said.stdout, "fork: nothing is lost", said)

# A full disk: the ring becomes as large as there is room.
os.mkdir("small")
mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "none", "small"], capture_output=True, text=True)
if mounted.returncode:
    skip("a full disk", f"mount is not permitted: {mounted.stderr.strip()}")
else:
    try:
        recorder = start("small/full", "--snapshot=4M", "--kernel", "off")
        wait_for(lambda: count() > 100000, 60)
        before = count()
        said = tandem("snapshot", "-o", "full", "small/full")
        check(said.returncode == 0, "full disk: can be saved elsewhere", said)
        check_rounds("full disk", "full", 1000, before, count() + 1)
        os.kill(child_of(recorder.pid), signal.SIGKILL)
        recorder.communicate(timeout=60)
    finally:
        subprocess.run(["umount", "-l", "small"])

for value in "1K", "foo", "", "5G":
    said = tandem("record", f"--snapshot={value}", "true")
    check(said.returncode == 2 and f"--snapshot: invalid value '{value}' (accepted: 256K to 4G)" in said.stderr,
          f"--snapshot={value}: is refused", said)
finish()
