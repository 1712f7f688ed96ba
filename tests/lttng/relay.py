#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""LTTng's relay daemon in a network of its own, as on another host: a pair of virtual interfaces joins two
network namespaces. A trace goes there whole, one is read there while it is recorded, and where the
relay goes away and comes back, that is said, and the next recording has it again.

tandem-test: timeout=400
"""
import glob
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import lttng
from tap import check, finish, wait_for, TANDEM
from traces import MANDELBROT, tandem

if os.environ.get("TANDEM_SANITIZE"):
    print("LTTng's library is not built with a sanitizer")
    sys.exit(77)
if not os.access(MANDELBROT, os.X_OK):
    print("the example is not built: no OpenCL")
    sys.exit(77)
if os.geteuid() or not shutil.which("ip") or not shutil.which("nsenter") or not shutil.which("lttng-relayd"):
    print("needs root, ip, nsenter and lttng-relayd")
    sys.exit(77)
lttng.start()
HERE, THERE = "10.99.0.1", "10.99.0.2"
other = subprocess.Popen(["unshare", "-n", "sh", "-c", "echo; exec sleep 1000"], stdout=subprocess.PIPE)
lttng._daemons.append(other)
other.stdout.readline()
THERE_TOO = ["nsenter", f"--net=/proc/{other.pid}/ns/net"]
for words in (["ip", "link", "add", "here", "type", "veth", "peer", "name", "there", "netns", str(other.pid)],
              ["ip", "address", "add", HERE + "/24", "dev", "here"], ["ip", "link", "set", "here", "up"],
              [*THERE_TOO, "ip", "address", "add", THERE + "/24", "dev", "there"],
              [*THERE_TOO, "ip", "link", "set", "there", "up"], [*THERE_TOO, "ip", "link", "set", "lo", "up"]):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"two networks can't be joined here: {done.stderr.strip()}")
        sys.exit(77)
check(os.readlink(f"/proc/{other.pid}/ns/net") != os.readlink("/proc/self/ns/net"), "two networks")


def relay_start():
    # Viewers are served on its own host only, unless it is told otherwise.
    return lttng.daemon(*THERE_TOO, "lttng-relayd", "--output=" + os.path.abspath("relayed"),
                        "--live-port=tcp://0.0.0.0:5344")


def record(name, command, url=f"net://{THERE}", option="--relay"):
    return subprocess.Popen([TANDEM, "record", "-o", name, "--kernel", "off", "--sink", "lttng", option, url,
                             "--lttng-session", name, "--", "sh", "-c", command],
                            env=dict(os.environ, POCL_DEVICES="basic"), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(recording):
    try:
        return recording.communicate(timeout=150)[1]
    except subprocess.TimeoutExpired:
        recording.kill()
        return recording.communicate()[1] + "(it did not end)"


def answers():
    """Whether a session can be made with it."""
    probe = record("probe", "true")
    ended(probe)
    shutil.rmtree("probe", ignore_errors=True)
    return probe.returncode == 0


def functions(path):
    done = tandem("report", "--format", "json", path, timeout=120)
    return {row["name"]: row["calls"] for row in json.loads(done.stdout)["api"]} if done.returncode == 0 \
        else done.stderr


DRAW = f"{MANDELBROT} -w 64 -h 64 -n"
check(not answers(), "nobody answers there before it runs")
relay = relay_start()
check(wait_for(answers, 40), "it runs in the other network")
recording = record("local", f"{DRAW} 30", f"net://{HERE}")
said = ended(recording)
check(recording.returncode == 1 and not os.path.exists("local"), "and not in this one", said)

# The same program into a folder and to the relay.
done = subprocess.run([TANDEM, "record", "-q", "-o", "files", "--kernel", "off", "--", *DRAW.split(), "30"],
                      env=dict(os.environ, POCL_DEVICES="basic"), capture_output=True, text=True)
recording = record("whole", f"{DRAW} 30")
said = ended(recording)
check(recording.returncode == 0 and f"net://{THERE}; nothing lost" in said, "recorded to the relay", said)
found = glob.glob("relayed/*/whole*")
ours, theirs = functions("files"), functions(found[0]) if found else found
for calls in (ours, theirs):
    calls.pop("clGetEventInfo", None)  # as often as the device is slow
check(ours == theirs and sum(ours.values()) > 300, "the relay has every call", (ours, theirs))

# Read over the network, while it is recorded.
recording = record("follow", f"while [ ! -e enough ]; do {DRAW} 30; done", option="--live")
address = f"net://{THERE}/host/{os.uname().nodename}/follow"
check(wait_for(lambda: any(map(os.path.getsize, glob.glob("relayed/**/follow*/**/*_[0-9]", recursive=True))), 60),
      "its streams come to the relay", glob.glob("relayed/*/follow*"))
with open("live.out", "w", encoding="utf-8") as out, open("live.err", "w", encoding="utf-8") as err:
    reader = subprocess.Popen([TANDEM, "print", "--live", "--name", "clFinish", "--format", "json", address],
                              stdout=out, stderr=err)
check(wait_for(lambda: os.path.getsize("live.out") > 0 or reader.poll() is not None, 60) and reader.poll() is None,
      "it is read there meanwhile", open("live.err", encoding="utf-8").read())
open("enough", "w", encoding="utf-8").close()
said = ended(recording)
check(recording.returncode == 0, "the recording ends", said)
try:
    reader.wait(120)
except subprocess.TimeoutExpired:
    reader.kill()
with open("live.out", encoding="utf-8") as file:
    lines = [json.loads(line) for line in file]
check(reader.returncode == 0 and lines and all(line["name"] == "clFinish" for line in lines),
      "and the reader with it", (reader.returncode, len(lines), open("live.err", encoding="utf-8").read()))

# It goes away while a program records, and comes back.
recording = record("gone", f"{DRAW} 30; touch drawn; while [ ! -e back ]; do sleep 0.1; done; {DRAW} 30; exit 7")
check(wait_for(lambda: os.path.exists("drawn"), 60), "a program records to it")
relay.kill()
relay.wait()
relay = relay_start()
check(wait_for(answers, 60), "new recordings have the relay that came back")
open("back", "w", encoding="utf-8").close()
said = ended(recording)
check(recording.returncode == 7, "the relay was away: the program's status", (recording.returncode, said))
check("nothing lost" not in said and "relay" in said and "may be missing" in said, "it is said", said)
recording = record("again", f"{DRAW} 30")
said = ended(recording)
found = glob.glob("relayed/*/again*")
theirs = functions(found[0]) if found else {}
if isinstance(theirs, dict):
    theirs.pop("clGetEventInfo", None)
check(recording.returncode == 0 and "nothing lost" in said and theirs == ours, "the next one is whole", (said, theirs))
finish()
