#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The children that make a traced process's files are none of the program's processes, however
long they live; children of the program's own are."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish
from traces import BUILD, record, tandem

HELPER = "tandem-files"  # format/helper.h
SECOND = 1_000_000_000

PROGRAM = os.path.join(BUILD, "tests", "programs", "loop")
STUB = {"OCL_ICD_VENDORS": os.path.join(BUILD, "tests", "stubs", "libstubcl.so")}
check(record("run", [PROGRAM, "returned", "1000"], env=STUB) == 0, "a program is recorded")
with open("run/session.json", encoding="utf-8") as file:
    session = json.load(file)
program = session["processes"][0]
children = [process for process in session["processes"] if process["ppid"] == program["pid"]]
check(children and all(child["name"] == HELPER for child in children),
      "all that make its files say so by their name", session["processes"])


# Each time with another number: what was read before is kept.
pids = iter(range(program["pid"] + 1000, program["pid"] + 2000))


def counted(name, lived_ns, twice=False, ppid=program["pid"]):
    """The processes that a reader finds, were there one more child of that name and life; and
    were it listed before by its begin, as older recorders did with --sample."""
    child = {"pid": next(pids), "ppid": ppid, "name": name, "exec": False,
             "lived_ns": lived_ns}
    begun = {key: child[key] for key in ("pid", "ppid", "exec")} | {"name": program["name"]}
    children = [begun, child] if twice else [child]
    with open("run/session.json", "w", encoding="utf-8") as out:
        json.dump(dict(session, processes=session["processes"] + children), out)
    found = tandem("sql", "--format", "json", "run", "SELECT name FROM processes ORDER BY name")
    return [row["name"] for row in json.loads(found.stdout)]


alone = counted(HELPER, 1000)
check(len(alone) == 1 and alone[0] == program["name"], "the process is called as its program", alone)
check(counted(HELPER, SECOND) == alone, "a child that makes files, however slowly, is not counted")
check(counted(HELPER, 0) == alone, "nor one that was not seen to end")
check(counted(HELPER, 1000, ppid=program["ppid"]) == alone, "nor one of a process that has no files, on a full disk")
own = counted("worker", SECOND)
check(own == sorted(alone + ["worker"]), "one of the program's own is", own)
check(counted("worker", SECOND, twice=True) == own, "one that is listed twice is one, of its own name")
check(counted(HELPER, 1000, twice=True) == alone, "and none where it makes files")
finish()
