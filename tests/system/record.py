#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tandem system record: processes that wait, one recording after another, of one user and of
several, who can't read each other's."""
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import BUILD, DRIVERS, PROGRAMS
from tap import check, finish, skip, wait_for, TANDEM

UID = os.geteuid()
# Others have to come through; not /dev/shm, where the machine's own may be.
PLACE = tempfile.mkdtemp(dir="/tmp")
BASE = os.path.join(PLACE, "base")
os.chmod(PLACE, 0o755)
os.mkdir(BASE)
os.chmod(BASE, 0o1777)
ENV = {**os.environ, **DRIVERS["stub"], "TANDEM_SYSTEM": BASE,
       "OPENCL_LAYERS": str(BUILD / "libtandem-opencl.so")}
ENV.pop("TANDEM_SESSION", None)


def tandem(*words, **more):
    return subprocess.run([TANDEM, *words], capture_output=True, text=True, env=ENV, **more)


class Steps:
    """A program that waits, and does what it is told."""

    def __init__(self, env=ENV, **more):
        self.process = subprocess.Popen([PROGRAMS / "steps"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=env, cwd="/", **more)
        self.pid = self.process.pid
        self.tell("calls 1")

    def tell(self, words):
        self.process.stdin.write(words + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def end(self):
        self.process.stdin.close()
        return self.process.wait()


def record(name, *words):
    recorder = subprocess.Popen([TANDEM, "system", "record", "--user", "-o", name, *words], env=ENV,
                                stderr=subprocess.PIPE, text=True)
    recorder.stderr.readline()
    return recorder


def stop(recorder):
    recorder.send_signal(signal.SIGINT)
    said = recorder.stderr.read()
    return recorder.wait(), said


def report(name):
    said = subprocess.run([TANDEM, "report", "--format", "json", name], capture_output=True, text=True)
    return json.loads(said.stdout) if said.returncode == 0 else {"said": said.stderr}


def calls(name, function="clGetPlatformIDs"):
    rows = report(name).get("api", [])
    return sum(row["calls"] for row in rows if row["name"] == function)


def status():
    return json.loads(tandem("system", "status", "--user", "--format", "json").stdout)


FOLDER = os.path.join(BASE, f"tandem-{UID}")

# One process, that no recorder has started, in two recordings.
steps = Steps()
check(stat.S_IMODE(os.stat(FOLDER).st_mode) == 0o700, "the folder is the user's alone")
check(status()["waiting"] == 1 and status()["recording"] == "no", "it waits", status())
steps.tell("calls 100")
steps.tell("launch 3")
check(os.listdir(FOLDER) == ["control"], "nothing is recorded", os.listdir(FOLDER))

recorder = record("one")
check(status()["recording"] == "recording" and status()["session"] == os.path.realpath("one"),
      "a recording has begun", status())
check(status()["waiting"] == 1, "the recorder does not wait", status())
steps.tell("calls 7")
steps.tell("launch 2")
steps.tell("threads 3")
late = Steps()
late.tell("calls 4")
alive = json.loads(tandem("status", "--format", "json", "one").stdout)
check(alive["processes_alive"] == 2 and alive["state"] == "recording", "status: who is recorded", alive)
second = tandem("system", "record", "--user", "-o", "again", "--for", "1")
check(second.returncode == 1 and "another" in second.stderr, "a second one at once is refused", second)
check(not os.path.exists("again"), "and leaves nothing")
done, said = stop(recorder)
alive = json.loads(tandem("status", "--format", "json", "one").stdout)
check(alive["processes_alive"] == 0 and alive["state"] == "ended", "status: nobody is, any more", alive)
check(done == 0 and "2 processes" in said and "nothing lost" in said, "it ends by Ctrl-C", said)
check(calls("one") == 7 + 3 + 4 + 1 + 1, "both programs' calls are in it", calls("one"))
session = report("one")["session"]
if "no kernel events are recorded" in said:
    skip("kernel events", said)
else:
    rows = [row for row in report("one")["api"] if row["name"] == "clGetPlatformIDs"]
    check(session["kernel_events"] > 100 and session["scheduling"] == "system" and
          all(row.get("on_cpu_ns", 0) > 0 for row in rows), "kernel events of the whole machine", (session, rows))
    check("kernel event" in said, "of which the summary says how many", said)
steps.tell("calls 1000")
check(calls("one") == 16, "and none from after it", calls("one"))
check(status()["recording"] == "no" and os.listdir(FOLDER) == ["control"], "all is off again", status())

recorder = record("two")
steps.tell("calls 5")
steps.tell("launch 1")
late.tell("threads 2")
done, said = stop(recorder)
check(done == 0 and calls("two") == 7, "the same processes in another recording", (said, calls("two")))
check(calls("one") == 16, "with nothing added to the first", calls("one"))
session = report("two")
check(len(session.get("device", [])) == 1 and session["device"][0]["name"] == "add", "objects of before have their names", session)
for name in ("one", "two"):
    shown = subprocess.run([TANDEM, "print", name], capture_output=True, text=True)
    check(shown.returncode == 0 and not shown.stderr, f"{name}: every event can be read", shown.stderr)

# Steering by the session's directory.
recorder = record("three")
steps.tell("calls 2")
check(tandem("pause", "three").returncode == 0, "pause")
wait_for(lambda: status()["recording"] == "paused")
steps.tell("calls 50")
tandem("resume", "three")
wait_for(lambda: status()["recording"] == "recording")
steps.tell("calls 3")
tandem("stop", "three")
check(recorder.wait(20) == 0 and calls("three") == 5, "pause, resume and stop by DIR", calls("three"))
recorder.stderr.close()

# A recorder that was killed: who comes later sees that it is gone.
recorder = record("killed")
recorder.kill()
recorder.wait()
recorder.stderr.close()
other = Steps()
other.tell("calls 9")
other.end()
check(calls("killed") == 0, "a program that starts after its recorder's end is not recorded")
took = tandem("system", "record", "--user", "-o", "after", "--for", "0.3")
check(took.returncode == 0, "and another can begin", took)

steps.end()
late.end()

# What is not the user's alone is not used.
os.chmod(FOLDER, 0o755)
other = Steps()
refused = tandem("system", "record", "--user", "-o", "open", "--for", "0.1")
check(refused.returncode == 1 and "yours alone" in refused.stderr, "a folder that others can read", refused)
os.chmod(FOLDER, 0o700)
os.rename(os.path.join(FOLDER, "control"), os.path.join(PLACE, "control"))
os.symlink(os.path.join(PLACE, "control"), os.path.join(FOLDER, "control"))
refused = tandem("system", "record", "--user", "-o", "open", "--for", "0.1")
check(refused.returncode == 1, "a page that is a link", refused)
os.unlink(os.path.join(FOLDER, "control"))
other.end()

# Users at once.
if UID:
    skip("several users", "needs root")
elif subprocess.run(["sh", "-c", "test -x " + str(PROGRAMS / "steps")], user=61001, group=61001, extra_groups=[],
                    cwd="/", check=False).returncode:
    skip("several users", "they cannot reach the programs of this build")
else:
    users = [Steps(user=uid, group=uid, extra_groups=[]) for uid in (61001, 61002)]
    os.makedirs(os.path.join(PLACE, "closed"), 0o700)
    closed = tandem("system", "record", "-o", os.path.join(PLACE, "closed", "run"), "--for", "1")
    check(closed.returncode == 1 and "cannot enter" in closed.stderr,
          "a place where others can't come", closed)
    run = os.path.join(PLACE, "all")
    recorder = subprocess.Popen([TANDEM, "system", "record", "-o", run], env=ENV,
                                stderr=subprocess.PIPE, text=True)
    recorder.stderr.readline()
    for user in users:
        user.tell("calls 6")
    late = Steps(user=61003, group=61003, extra_groups=[])
    # The mask of what is recorded comes last, at the page's begin.
    wait_for(lambda: any(open(os.path.join(BASE, "tandem-61003", "control"), "rb").read(8)))
    late.tell("calls 8")
    folders = {os.stat(os.path.join(run, name)).st_uid: os.path.join(run, name)
               for name in os.listdir(run) if name.startswith("process-")}
    check(set(folders) == {61001, 61002, 61003}, "a folder of each user", folders)
    for words, path in (("another's folder", folders[61001]), ("the list of them", run),
                        ("the machine's page", os.path.join(run, "control")),
                        ("the kernel's events", os.path.join(run, "kernel")),
                        ("another's page", os.path.join(BASE, "tandem-61001", "control"))):
        seen = subprocess.run(["ls" if os.path.isdir(path) else "cat", path], user=61002, group=61002,
                              extra_groups=[], capture_output=True, text=True, cwd="/")
        check(seen.returncode != 0 and "ermission" in seen.stderr, f"a user can't read {words}", seen)
    gone = subprocess.run(["rm", "-r", folders[61001]], user=61002, group=61002, extra_groups=[],
                          capture_output=True, text=True, cwd="/")
    check(os.path.isdir(folders[61001]), "nor take it away", gone)
    done, said = stop(recorder)
    # The call that one who comes makes at its start, if its page was seen by then.
    check(done == 0 and calls(run) in (20, 21), "the recording has all of them", (said, report(run)))
    for user in (*users, late):
        user.end()
    # Whom the kernel permits less has his calls all the same.
    mine = os.path.join(PLACE, "mine")
    os.mkdir(mine)
    os.chown(mine, 61004, 61004)
    user = Steps(user=61004, group=61004, extra_groups=[])
    recorder = subprocess.Popen([TANDEM, "system", "record", "-o", os.path.join(mine, "run")], env=ENV, text=True,
                                stderr=subprocess.PIPE, user=61004, group=61004, extra_groups=[], cwd="/")
    recorder.stderr.readline()
    user.tell("calls 6")
    done, said = stop(recorder)
    seen = report(os.path.join(mine, "run"))
    check(done == 0 and calls(os.path.join(mine, "run")) == 6 and
          ("no kernel events are recorded: " in said) == (seen["session"]["kernel_events"] == 0),
          "without the permission: that is said", (said, seen))
    user.end()

shutil.rmtree(PLACE)
finish()
