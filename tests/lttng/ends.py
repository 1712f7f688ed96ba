#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How a recording by LTTng ends: no session stays behind after Ctrl-C, whenever it comes, nor after
a kill that can be answered; after one that can't, tandem says which session is left.

tandem-test: timeout=300 waits
"""
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import lttng
from tap import check, finish, TANDEM
from traces import tandem

if os.environ.get("TANDEM_SANITIZE"):
    print("LTTng's library is not built with a sanitizer")
    sys.exit(77)
lttng.start()


def sessions():
    return [line.split()[1] for line in lttng.run("list").stdout.splitlines() if ") tandem-" in line]


def begin(number, *command):
    return subprocess.Popen([TANDEM, "record", "-o", f"s{number}", "--kernel", "off", "--sink", "lttng",
                             "--", *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, start_new_session=True)


def wait_for(what, seconds=60):
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.02)
    return what()


# Ctrl-C goes to the whole group: while the session is made, and behind that.
left, statuses = [], []
for turn in range(16):
    recording = begin(turn, "sleep", "60")
    time.sleep(0.02 * turn * turn / 4)
    os.killpg(recording.pid, signal.SIGINT)
    recording.communicate(timeout=60)
    statuses.append(recording.returncode)
    left += sessions()
check(not left, "Ctrl-C at any moment leaves no session behind", left)
check(set(statuses) == {-signal.SIGINT}, "and ends the recording as it would have ended the program", statuses)

recording = begin("term", "sleep", "60")
wait_for(sessions)
time.sleep(1)
recording.terminate()
recording.communicate(timeout=60)
check(recording.returncode == -signal.SIGTERM and not sessions(), "nor does a termination",
      (recording.returncode, sessions()))
done = begin("said", "echo", "hello")
said = done.communicate(timeout=60)
check(done.returncode == 0 and said[0] == "hello\n", "what lttng(1) says is not in the program's output", said)
check(not any("LTTng" in line for line in tandem("doctor").stdout.splitlines() if "killed" in line),
      "there is no session to tell of")

recording = begin("killed", "sleep", "2")
wait_for(sessions)
time.sleep(1)
recording.kill()
recording.communicate(timeout=60)
name = f"tandem-{recording.pid}"
check(sessions() == [name], "a kill leaves the session", sessions())
said = tandem("doctor").stdout
check(f"session {name} is still there" in said and f"lttng destroy {name}" in said, "doctor tells of it", said)
done = begin("next", "true")
said = done.communicate(timeout=60)[1]
check(done.returncode == 0 and f"`lttng destroy {name}`" in said, "and so does the next recording", said)
lttng.need(lttng.run("destroy", name))
check("killed" not in tandem("doctor").stdout, "until it is destroyed")
for name in ("-x", "a/b", "n" * 300):
    done = tandem("record", "--sink", "lttng", "--lttng-session", name, "true")
    check(done.returncode == 2 and "--lttng-session" in done.stderr, f"no name: {name:.10}", done.stderr)
finish()
