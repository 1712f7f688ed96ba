#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--kernel syscalls: the system calls of the program's threads, and of nobody
else; and what they do to the time of its threads.
"""
import collections
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from kernelside import need
from tap import check, finish, TANDEM

need("system")
PROGRAM = """
import os
child = os.fork()
for _ in range(500 if child else 300):
    os.getppid()
if child:
    os.waitpid(child, 0)
    print(os.getpid(), child)
"""
# Somebody else, who makes system calls all the time.
other = subprocess.Popen([sys.executable, "-c", "import os\nwhile True: os.getuid()"])
try:
    said = subprocess.run([TANDEM, "record", "--kernel", "syscalls", "-o", "calls", "--",
                           sys.executable, "-c", PROGRAM], capture_output=True, text=True)
finally:
    other.kill()
    other.wait()
pid, child = map(int, said.stdout.split())
events = [json.loads(line) for line in
          subprocess.run([TANDEM, "print", "--format", "json", "calls"], capture_output=True,
                         text=True).stdout.splitlines()]
names = {e["args"]["number"]: e["args"]["name"] for e in events if e["name"] == "syscall_name"}
entries = [e["args"] for e in events if e["name"] == "syscall_entry"]
exits = [e["args"] for e in events if e["name"] == "syscall_exit"]
counts = collections.Counter((e["tid"], names[e["number"]]) for e in entries)
# The thread sanitizer has threads of its own.
mine = {e["tid"] for e in entries}
others = mine - {pid, child} if "thread" not in os.environ.get("TANDEM_SANITIZE", "") else None
check(mine >= {pid, child} and not others, "its processes' calls and no others", mine)
check(counts[pid, "getppid"] == 500 and counts[child, "getppid"] == 300, "each of them",
      (counts[pid, "getppid"], counts[child, "getppid"]))
returned = collections.Counter(names[e["number"]] for e in exits if e["ret"] == pid)
check(returned["getppid"] == 300, "with what it gave back", returned)
wait = [e for e in entries if names[e["number"]] == "wait4"]
check(len(wait) == 1 and int(str(wait[0]["args"][0]), 0) == child, "and its arguments", wait)
check(len(entries[0]["args"]) == 6, "all six", entries[0])
said = subprocess.run([TANDEM, "record", "--kernel", "syscalls", "--args", "none", "-o", "none",
                       "--", "true"], capture_output=True, text=True)
events = [json.loads(line) for line in
          subprocess.run([TANDEM, "print", "--format", "json", "none"], capture_output=True,
                         text=True).stdout.splitlines()]
entries = [e["args"] for e in events if e["name"] == "syscall_entry"]
check(entries and not any(e["args"] for e in entries), "--args none leaves arguments out",
      entries[:3])
finish()
