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
neighbour = subprocess.Popen(["taskset", "-c", CPU, "./busybody", "-c", "while :; do :; done"])
try:
    subprocess.run([TANDEM, "record", "-q", "-o", "shared", "taskset", "-c", CPU, "bash", "-c",
                    f"./busybody -c '{SPIN}' & ./busybody -c '{SPIN}' & wait"], check=True)
finally:
    neighbour.kill()
    neighbour.wait()


def said(*words):
    return subprocess.run([TANDEM, "report", *words, "shared"], check=True, capture_output=True, text=True).stdout


waits = json.loads(said("--format", "json"))["waits"]
own = {row["pid"] for row in waits if row["name"] == "busybody"}
runnable = [row for row in waits if row["name"] == "busybody" and row["by"] == "busybody" and row["wait"] == "runnable"]
check(len(own) == 2, "two processes of its own", own)
for pid in own:
    by = {row["by_pid"]: row["total_ns"] for row in runnable if row["pid"] == pid}
    check(by.get(neighbour.pid) and by.get((own - {pid}).pop()),
          f"{pid} waited for the other one and, in a row of its own, for the neighbour", (by, own, neighbour.pid))

for top in ("1", "0"):
    text = said("--table", "waits", "--top", top)
    parts = re.split(r"^Thread waits on other processes, all threads  .*$", text, flags=re.M)
    check(len(parts) == 2 and parts[0].startswith("Thread waits (waiting on, woken by)"), f"top {top}: two tables", text)
    rows = [[line for line in part.splitlines() if re.search(r"\d .*(runnable|blocked) ", line)] for part in parts]
    check(all(rows) and (top == "0" or [len(part) for part in rows] == [1, 1]), "each with its largest", text)
    if top == "0":
        check(any(str(neighbour.pid) in row and "busybody" in row for row in rows[1]) and
              not any(f" {neighbour.pid} " in row for row in rows[0]), "the neighbour is among the others", text)
        check(sum(f" {neighbour.pid} " in row and "runnable" in row for row in rows[1]) == 1,
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
