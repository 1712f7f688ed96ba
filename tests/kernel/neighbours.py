#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""On a busy machine the report has the waits on the program's own processes apart from those on
its neighbours, also where both have one name, and shows the largest of each. Findings say of which
process they are.
"""
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from kernelside import need, need_tool
from tap import check, finish, TANDEM

need("system")
need_tool("taskset")

CPU = str(min(os.sched_getaffinity(0)))
shutil.copy(shutil.which("bash"), "busybody")
# Two of its own processes and a neighbour share a CPU, each with work for some turns.
SPIN = "for ((i = 0; i < 300000; i++)); do :; done"


def record():
    """The neighbour's process."""
    shutil.rmtree("shared", ignore_errors=True)
    busy = subprocess.Popen(["taskset", "-c", CPU, "./busybody", "-c", "while :; do :; done"])
    try:
        subprocess.run([TANDEM, "record", "-q", "-o", "shared", "taskset", "-c", CPU, "bash", "-c",
                        f"./busybody -c '{SPIN}' & ./busybody -c '{SPIN}' & wait"], check=True)
    finally:
        busy.kill()
        busy.wait()
    return busy.pid


def said(*words):
    return subprocess.run([TANDEM, "report", *words, "shared"], check=True, capture_output=True, text=True).stdout


def waited_for():
    """Of each of its own processes, whom it waited for."""
    by = {row["pid"]: set() for row in json.loads(said("--format", "json"))["waits"] if row["name"] == "busybody"}
    for row in json.loads(said("--format", "json"))["waits"]:
        if row["name"] == "busybody" and row["by"] == "busybody" and row["wait"] == "runnable":
            by[row["pid"]].add(row["by_pid"])
    return by


# With others on that CPU the turns may fall so that one is never right behind its twin.
for attempt in range(4):
    neighbour = record()
    waited = waited_for()
    own = set(waited)
    if len(own) == 2 and all(waited[pid] >= own - {pid} | {neighbour} for pid in own):
        break
check(len(own) == 2, "two processes of its own", own)
for pid in own:
    check(waited[pid] >= own - {pid} | {neighbour},
          f"{pid} waited for the other one and, in a row of its own, for the neighbour", (waited, neighbour))

for top in ("1", "0"):
    text = said("--table", "waits", "--top", top)
    parts = re.split(r"^Thread waits on other processes, all threads  .*$", text, flags=re.M)
    check(len(parts) == 2 and parts[0].startswith("Thread waits (waiting on, woken by)"), f"top {top}: two tables", text)
    rows = [[line for line in part.splitlines() if re.search(r"\d .*(runnable|blocked) ", line)] for part in parts]
    check(all(rows) and (top == "0" or [len(part) for part in rows] == [1, 1]), "each with its largest", text)
    if top == "0":
        check(any(str(neighbour) in row and "busybody" in row for row in rows[1]) and
              not any(f" {neighbour} " in row for row in rows[0]), "the neighbour is among the others", text)
        # It may be waited for while it is taskset still.
        check(sum(f" {neighbour} " in row and "runnable" in row and "busybody" in row for row in rows[1]) == 1,
              "one row for all who waited for it", text)
        check(any(re.search(rf" {pid} +busybody", row) for row in rows[0] for pid in own),
              "the program's own are not", text)

findings = json.loads(subprocess.run([TANDEM, "findings", "--all", "--format", "json", "shared"], check=True,
                                     capture_output=True, text=True).stdout)["findings"]
names = {finding["where"]["process"]: finding["where"]["process_name"] for finding in findings
         if finding["name"] == "preemption"}
check(own <= names.keys() and {names[pid] for pid in own} == {"busybody"}, "a finding of each, with its name", names)
text = said()
check(any(f"preemption, busybody {pid}: " in text for pid in own), "the report has it in the line", text)
text = subprocess.run([TANDEM, "findings", "--all", "shared"], check=True, capture_output=True, text=True).stdout
check(all(f"Location    busybody, process {pid}, thread {pid}" in text for pid in own), "findings in the place", text)
check(not re.search(r" $", text, re.M), "no line ends in blanks", text)
finish()
