#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pause, resume, stop and status on running sessions."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish, skip, wait_for, TANDEM

CALLER = os.path.join(os.environ["TANDEM_BUILD"], "tests", "cli", "caller")


def tandem(*words):
    return subprocess.run([TANDEM, *words], capture_output=True, text=True)


def status(target):
    said = tandem("status", "--format", "json", str(target))
    return json.loads(said.stdout) if said.returncode == 0 else {}


def says(result, code, words):
    return result.returncode == code and words in result.stderr


# Without any call: the states.
recorder = subprocess.Popen([TANDEM, "record", "-o", "still", "sleep", "60"],
                            stderr=subprocess.DEVNULL)
wait_for(lambda: status("still").get("processes_alive"))
child = int(subprocess.run(["ps", "-o", "pid=", "--ppid", str(recorder.pid)],
                           capture_output=True, text=True).stdout.split()[0])
here = os.path.realpath("still")
for target, words in (("still", "directory"), (here, "absolute directory"), (f"{here}/", "slash"),
                      (recorder.pid, "the recorder's number"), (child, "the program's number")):
    check(status(target).get("session") == here, f"status by {words}", tandem("status", str(target)))
said = status("still")
check(said["state"] == "recording" and said["events"] == 0 and said["losses"]["total"] == 0,
      "nothing yet", said)
check(said["recorder_pid"] == recorder.pid and said["processes_alive"] == 1, "who is there", said)
check(tandem("pause", "still").returncode == 0 and status("still")["state"] == "paused", "pause")
check(says(tandem("pause", "still"), 0, "paused already"), "pause again says so")
check(tandem("resume", str(child)).returncode == 0 and status("still")["state"] == "recording",
      "resume by the program's number")
check(says(tandem("resume", "still"), 0, "being recorded already"), "resume again says so")
check(tandem("stop", str(recorder.pid)).returncode == 0 and status("still")["state"] == "stopped",
      "stop by the recorder's number")
check(says(tandem("stop", "still"), 0, "stopped already"), "stop again says so")
check(says(tandem("resume", "still"), 1, "stopped for good"), "resume after stop is refused")
check(says(tandem("pause", "still"), 1, "stopped for good"), "so is pause")
check("stopped" in tandem("status", "still").stdout, "status in words")
recorder.terminate()
recorder.wait()
check(status("still")["state"] == "ended", "and at the end")
check(says(tandem("pause", "still"), 1, "nothing records into"), "nobody is left to pause")
said = tandem("status", "still").stdout
check("state      ended\n" in said and "nothing lost" in said, "in words, too", said)
# As of a recorder that was killed.
with open("still/session.json", encoding="utf-8") as file:
    session = json.load(file)
del session["end"], session["exit"]
with open("still/session.json", "w", encoding="utf-8") as file:
    json.dump(session, file)
said = tandem("status", "still").stdout
check("state      ended, end not recorded\n" in said and "no losses recorded" in said,
      "without its end, status says of it what the report does",
      said + tandem("report", "still").stdout)

check(says(tandem("pause", "no-such-dir"), 1, "no such directory"), "a directory that is not there")
os.mkdir("other")
check(says(tandem("status", "other"), 1, "not a session"), "a directory of another kind")
open("other/control", "wb").write(b"x" * 4096)
check(says(tandem("status", "other"), 1, "not a session"), "a page of another kind")
open("other/control", "wb").write(b"x" * 10)
check(says(tandem("status", "other"), 1, "not a session"), "a page that is too short")
page = bytearray(open("still/control", "rb").read())
page[40:44] = (99).to_bytes(4, "little")
open("other/control", "wb").write(page)
check(says(tandem("status", "other"), 1, "another version"), "a page of another version")
check(says(tandem("status", str(os.getpid())), 1, "not being recorded"), "a process of another kind")
gone = subprocess.Popen(["true"])
gone.wait()
check(says(tandem("status", str(gone.pid)), 1, "no process"), "a process that is gone")
for verb in ("pause", "resume", "stop", "status"):
    check(tandem(verb, "one", "two").returncode == 2, f"{verb} of two sessions is wrong usage")
    check(tandem(verb, "a", "b").returncode == 2, f"{verb} with two as well")
check(tandem("status", "--format", "xml", "still").returncode == 2, "status in another format")

if not os.path.exists(CALLER):
    skip("what is recorded", "built without OpenCL")
    finish()


class Caller:
    """A recorded program that makes calls when told."""

    def __init__(self, *options):
        # The kernel's own buffers may be full on a busy machine: what is counted here are calls.
        self.process = subprocess.Popen([TANDEM, "record", "--kernel", "off", *options, CALLER], text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.pid = int(self.process.stdout.readline().split()[1])

    def call(self, count):
        self.process.stdin.write(f"call {count}\n")
        return self.process.stdout.readline() == f"made {count}\n"

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        return self.process.stderr.read()


def calls(folder):
    """Calls in the trace, as another reader sees them."""
    text = subprocess.run(["babeltrace2", folder], capture_output=True, text=True)
    check(text.stderr == "", f"babeltrace2 reads {folder} without a warning", text.stderr)
    return sum("clGetPlatformIDs" in line for line in text.stdout.splitlines())


caller = Caller("-o", "life")
caller.call(100)
check(status("life")["events"] >= 100, "calls are seen at once", status("life"))
tandem("pause", "life")
caller.call(1000)
tandem("resume", str(caller.pid))
caller.call(20)
tandem("stop", "life")
caller.call(1000)
last = caller.end()
check(re.search(r"recorded 120 events( and [\d,]+ kernel events)? of 1 process, 1 thread with events", last)
      and last.rstrip().endswith("nothing lost"), "the last line", last)
check(calls("life") == 120, "exactly the calls between", calls("life"))

caller = Caller("-o", "late", "--start-paused")
check(status("late")["state"] == "paused", "--start-paused")
caller.call(1000)
check(status("late")["events"] == 0, "records nothing")
tandem("resume", "late")
caller.call(7)
caller.end()
check(calls("late") == 7, "until it is resumed")

caller = Caller("-o", "never", "--start-paused")
caller.call(10)
last = caller.end()
check("no GPU API events recorded" in last and "never resumed" in last, "or never", last)

# A child that outlives the program goes on recording.
caller = Caller("-o", "daemon")
caller.call(5)
caller.process.stdin.write("fork\n")
caller.process.wait()
last = ""
while "lives on" not in last and (line := caller.process.stderr.readline()):
    last += line
check("1 of its processes lives on" in last, "a process that lives on is told", last)
check(status("daemon")["state"] == "recording" and status("daemon")["recorder_pid"] == 0,
      "its session is still being recorded", status("daemon"))
caller.call(6)
check(calls("daemon") == 11, "what it records arrives")
check(tandem("pause", "daemon").returncode == 0, "it can still be paused")
caller.process.stdin.close()
check(wait_for(lambda: status("daemon")["state"] == "ended"), "until it ends too")

# Nested: the inner session has the calls, once.
inner = subprocess.run([TANDEM, "record", "--kernel", "off", "-o", "outer",
                        TANDEM, "record", "--kernel", "off", "-o", "inner", CALLER],
                       input="call 9\nexit 3\n", capture_output=True, text=True)
check(inner.returncode == 3 and re.search("no GPU API (calls|events)", inner.stderr), "a recorded recorder", inner)
check(calls("inner") == 9, "records into the inner session")

# A program that runs with another user's rights is left alone.
if os.environ.get("TANDEM_SANITIZE"):
    skip("a set-user-ID program", "a sanitizer's runtime cannot be preloaded into it")
elif os.geteuid() == 0 and not os.statvfs(".").f_flag & os.ST_NOSUID:
    shutil.copy(CALLER, "setuid")
    os.chown("setuid", 65534, 65534)
    os.chmod("setuid", 0o4755)
    strange = subprocess.run([TANDEM, "record", "-o", "strange", "./setuid"], text=True,
                             input="call 5\nexit 6\n", capture_output=True)
    check(strange.returncode == 6 and "made 5" in strange.stdout, "a set-user-ID program", strange)
    check("no GPU API events recorded" in strange.stderr and "ld.so" not in strange.stderr,
          "is not recorded, without a word of the loader", strange.stderr)
    check("set-user-ID" in strange.stderr, "and the last line says why", strange.stderr)
else:
    skip("a set-user-ID program", "it takes root to make one")

# Two file systems number their files alike: who records into one session is alive in no other.
mounted = []
for name in ("here", "there"):
    os.mkdir(name)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", name], capture_output=True).returncode == 0:
        mounted.append(name)
try:
    if len(mounted) < 2:
        skip("files of one number", "mount is not permitted")
    else:
        one = Caller("-o", "here/one")
        one.call(1)
        number = os.stat("here/one/control").st_ino
        shutil.copytree("here/one", "copy")
        os.mkdir("there/other")
        for i in range(10000):
            open(f"there/{i}", "w").close()
            if os.stat(f"there/{i}").st_ino >= number:
                break
        shutil.copy("copy/control", f"there/{i}")
        os.rename(f"there/{i}", "there/other/control")
        if os.stat("there/other/control").st_ino != number:
            skip("files of one number", "these file systems have none")
        else:
            check(status("here/one")["processes_alive"] == 1 and status("there/other")["processes_alive"] == 0,
                  "files of one number", (status("here/one"), status("there/other")))
        one.end()
finally:
    for name in mounted:
        subprocess.run(["umount", "-l", name])

killed = Caller("-o", "killed")
killed.call(50)
os.kill(killed.pid, signal.SIGKILL)
last = killed.end()
check(killed.process.returncode == -signal.SIGKILL, "kill -9 of the program")
check(calls("killed") == 50, "every call is in the trace")
finish()
