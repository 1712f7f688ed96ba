#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Daemons of LTTng's that stand still, are of another version, have a full disk, or go away and come
back: `record` ends with the program's status all the same, says what there is of the trace, and
claims nothing of the rest.

tandem-test: timeout=500 waits
"""
import glob
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import lttng
from tap import check, finish, skip, wait_for, TANDEM
from traces import MANDELBROT, tandem

if os.environ.get("TANDEM_SANITIZE"):
    print("LTTng's library is not built with a sanitizer")
    sys.exit(77)
if not os.access(MANDELBROT, os.X_OK):
    print("the example is not built: no OpenCL")
    sys.exit(77)
lttng.start()
sessiond = lttng._daemons[0]
ENVIRONMENT = dict(os.environ, POCL_DEVICES="basic")
DRAW = f"{MANDELBROT} -w 64 -h 64 -n"
FOLDER = "/run/lttng" if not os.geteuid() else os.path.join(os.environ["LTTNG_HOME"], ".lttng")


def begin(path, command, *options):
    return subprocess.Popen([TANDEM, "record", "-o", path, "--kernel", "off", "--sink", "lttng", *options, "--",
                             "sh", "-c", command], env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(recording):
    """What it said; a recording that goes on is a failure, and ended."""
    try:
        return recording.communicate(timeout=150)[1]
    except subprocess.TimeoutExpired:
        recording.kill()
        return recording.communicate()[1] + "(it did not end)"


def calls(path):
    done = tandem("report", "--format", "json", path)
    return sum(row["calls"] for row in json.loads(done.stdout)["api"]) if done.returncode == 0 else done.stderr


# The session daemon stands still while the program runs.
recording = begin("still", f"{DRAW} 200; touch drawn; while [ ! -e go ]; do sleep 0.1; done; exit 5")
check(wait_for(lambda: os.path.exists("drawn"), 60), "a program records")
os.kill(sessiond.pid, signal.SIGSTOP)
open("go", "w").close()
said = ended(recording)
check(recording.returncode == 5, "a daemon that stands still: the program's status", (recording.returncode, said))
name = f"tandem-{recording.pid}"
check("did not answer for 30 s" in said and f"`lttng destroy {name}`" in said, "it is said, with the fix", said)
check("nothing lost" not in said and ("may be missing" in said or "cannot be read" in said),
      "nobody says that nothing is lost", said)
text = tandem("report", "still").stdout
check("may be missing" in text and "did not answer" in text and "nothing lost" not in text, "nor does the report", text)

# Before it: nothing is recorded.
first = [begin("before", "true"), begin("quiet", "true", "-q")]
doctor = subprocess.run([TANDEM, "doctor"], capture_output=True, text=True, timeout=150).stdout
check("did not answer" in doctor, "doctor says it", doctor)
for number, recording in enumerate(first):
    said = ended(recording)
    check(recording.returncode == 1 and "did not answer for 30 s" in said and "lttng-sessiond" in said,
          f"record ends, {number}", (recording.returncode, said))
check(not os.path.exists("before") and not os.path.exists("quiet"), "and leaves nothing behind")
os.kill(sessiond.pid, signal.SIGCONT)
check(wait_for(lambda: f"tandem-{first[1].pid}" in lttng.run("list").stdout, 30) and
      f"`lttng destroy tandem-{first[1].pid}`" in said, "what it was asked for it does later, as was said", said)
lttng.run("destroy", "--all")
check(calls("still/lttng") > 2000, "by then the trace is complete", calls("still/lttng"))

# A disk that is full.
os.mkdir("small")
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tandem-test", "small"], check=False,
                  capture_output=True).returncode == 0:
    recording = begin("small/full", f"{DRAW} 40000; exit 6")
    said = ended(recording)
    check(recording.returncode == 6, "a full disk: the program's status", (recording.returncode, said))
    check("full" in said and "nothing lost" not in said and "room" in said, "it is said", said)
    check("tandem-" not in lttng.run("list").stdout, "no session is left", lttng.run("list").stdout)
    subprocess.run(["umount", "-l", "small"], check=False)
else:
    skip("a full disk", "mount is not permitted here")

# A relay that goes away and comes back.
relay = lttng.daemon("lttng-relayd", "--output=" + os.path.abspath("relayed"))
there = lambda: not subprocess.run([TANDEM, "record", "-q", "--force", "-o", "probe", "--sink", "lttng", "--kernel",
                                    "off", "--relay", "net://localhost", "true"], capture_output=True,
                                   timeout=150).returncode
if wait_for(there, 40):
    recording = begin("gone", f"{DRAW} 200; touch relayed-1; while [ ! -e back ]; do sleep 0.1; done; {DRAW} 200; exit 7",
                      "--relay", "net://localhost", "--lttng-session", "gone")
    check(wait_for(lambda: os.path.exists("relayed-1"), 60), "a program records to a relay")
    relay.kill()
    relay.wait()
    relay = lttng.daemon("lttng-relayd", "--output=" + os.path.abspath("relayed"))
    check(wait_for(there, 60), "new recordings have the relay that came back")
    open("back", "w").close()
    said = ended(recording)
    check(recording.returncode == 7, "a relay that was away: the program's status", (recording.returncode, said))
    check("nothing lost" not in said and "relay" in said and "may be missing" in said, "it is said", said)
    recording = begin("again", f"{DRAW} 20", "--relay", "net://localhost", "--lttng-session", "again")
    said = ended(recording)
    check(recording.returncode == 0 and "session again went to its relay at net://localhost; nothing lost" in said,
          "with the next one all is as before", said)
    found = glob.glob("relayed/*/again*")
    check(found and calls(found[0]) > 200, "which is whole", found)
    text = tandem("report", "again").stdout
    check("relay at net://localhost" in text and "lttng-relayd" in text and "made none" not in text,
          "the session says where its events are", text)
else:
    skip("a relay that goes away", "lttng-relayd can't be had here")

# Programs that look for a daemon of another version.
own = glob.glob(FOLDER + "/lttng-ust-sock-*")
other = re.sub(r"\d+$", "7", own[0])
os.rename(own[0], other)
recording = begin("version", "touch ran")
said = ended(recording)
check(recording.returncode == 1 and other in said and "versions" in said and "restart lttng-sessiond" in said,
      "a daemon that programs do not find", said)
check(not os.path.exists("ran") and not os.path.exists("version"), "nothing runs, nothing is left")
check("tandem-" not in lttng.run("list").stdout, "no session is left", lttng.run("list").stdout)
os.rename(other, own[0])

# One whose answers lttng(1) does not understand.
sessiond.terminate()
sessiond.wait(60)
place = os.path.join(FOLDER, "client-lttng-sessiond")
if os.path.exists(place):
    os.unlink(place)
listening = socket.socket(socket.AF_UNIX)
listening.bind(place)
listening.listen(8)
ANSWERS = {"nothing": b"", "another length": b"\x0a\0\0\0", "other bytes": b"\x07" * 400}
answer = b""


def serve():
    while True:
        peer = listening.accept()[0]
        try:
            peer.recv(1 << 16)
            peer.send(answer)
        except OSError:
            pass
        peer.close()


threading.Thread(target=serve, daemon=True).start()
for words, answer in ANSWERS.items():
    recording = begin("stub", "true")
    said = ended(recording)
    check(recording.returncode == 1 and "lttng create: " in said and "another version" in said and
          not os.path.exists("stub"), f"an answer of {words}", said)
finish()
