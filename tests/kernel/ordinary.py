#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An ordinary user gets when the program's own threads run, and a line that says
what is missing and how to get it. Tried as the user nobody.
"""
import json
import os
import pwd
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish, TANDEM

if os.geteuid():
    print("skipped: it takes root to become another user")
    sys.exit(77)
nobody = pwd.getpwnam("nobody")
os.mkdir("theirs")
os.chown("theirs", nobody.pw_uid, nobody.pw_gid)
os.chmod(".", 0o755)

PROGRAM = """
import os, threading, time
def work():
    end = time.monotonic() + 0.05
    while time.monotonic() < end:
        pass
    time.sleep(0.05)
threads = [threading.Thread(target=work) for _ in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]
print(os.getpid())
"""


def as_nobody(*command):
    return subprocess.run(command, cwd="theirs", capture_output=True, text=True,
                          user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[])


try:
    unreached = as_nobody(TANDEM, "--version").returncode
except PermissionError:
    unreached = True
if unreached:
    print("skipped: nobody may not reach the command here")
    sys.exit(77)
said = as_nobody(TANDEM, "record", "-o", "session", "--", "/usr/bin/python3", "-c", PROGRAM)
check(said.returncode == 0, "the program runs", said.stderr)
lines = [line for line in said.stderr.splitlines() if "scheduler" in line or "scheduling" in line]
check(len(lines) == 1, "one line says what is missing", said.stderr)
check("root" in lines[0] and ("sysctl" in lines[0] or "mount" in lines[0]), "and how to get it",
      lines)
if "no scheduling" in lines[0]:
    # perf_event_paranoid above 2: distributions have more levels than the kernel.
    check(not os.path.exists("theirs/session/kernel"), "then nothing is recorded of it")
    finish()

pid = int(said.stdout)
# The thread sanitizer has one of its own in each process.
EXTRA = "thread" in os.environ.get("TANDEM_SANITIZE", "")
events = [json.loads(line) for line in
          as_nobody(TANDEM, "print", "--format", "json", "session").stdout.splitlines()]
check(events[0]["name"] == "collecting" and events[0]["args"]["scope"] == "program",
      "the trace says that it is the program's threads only", events[:1])
tids = {e["args"]["tid"] for e in events if e["name"] in ("sched_in", "sched_out")}
check(len(tids) == 4 + EXTRA, "its four threads are switched", tids)
tasks = [e["args"] for e in events if e["name"] == "task"]
check({t["pid"] for t in tasks} == {pid}, "they are of its process", tasks)
check(any(e["name"] == "sched_out" and not e["args"]["preempted"] for e in events),
      "they give the CPU up")
check(sum(e["name"] == "task_exit" for e in events) == 4 + EXTRA, "they end")
report = json.loads(as_nobody(TANDEM, "report", "--format", "json", "session").stdout)
check(report["session"]["scheduling"] == "program", "so does the report", report["session"])

said = as_nobody(TANDEM, "record", "--kernel", "off", "-o", "off", "--", "true")
check("scheduler" not in said.stderr and not os.path.exists("theirs/off/kernel"),
      "--kernel off neither records nor complains", said.stderr)
finish()
