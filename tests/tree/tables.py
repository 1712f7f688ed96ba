#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What bench/tables.py makes of a run's results, and that doc/OVERHEAD.md has its marks."""
import json
import os
import subprocess
import sys

SOURCE = os.environ["TANDEM_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "tests", "lib"))
from tap import check, finish

TABLES = os.path.join(SOURCE, "bench", "tables.py")
ROWS = [
    {"bench": "sync", "title": "Calls", "case": "10 calls", "unit": "ns", "base": 3.456, "loaded": 3,
     "traced": 25.25, "floor": 20.0, "ratio": 7.306, "target": "a | b", "pass": True, "spread": {}},
    {"bench": "sync", "title": "Calls", "case": "100 calls", "unit": "ns", "base": 1234.5,
     "loaded": None, "traced": None, "floor": None, "target": "c", "pass": False, "spread": {}},
    {"bench": "kernel", "title": None, "case": "640x360", "unit": "us", "base": 1, "traced": 2,
     "ratio": None, "wakeups": 7, "spread": {}},
]
MACHINE = {"cpu": "a CPU", "cpus": 2, "kernel": "6.1", "system": "Debian", "compiler": "gcc 12",
           "date": "2026-11-22 20:00", "rounds": 9, "load": 0.1}
for name, data in (("results.json", ROWS), ("machine.json", MACHINE)):
    with open(name, "w", encoding="utf-8") as file:
        json.dump(data, file)


def run(*words):
    return subprocess.run([sys.executable, "-B", TABLES, *words], text=True, capture_output=True,
                          check=False)


lines = run("results.json").stdout.splitlines()
check(lines and lines[0].startswith("2 CPUs of a CPU, Linux 6.1") and "9 rounds" in lines[0],
      "the machine, the day and the rounds", lines[:1])
for line in ("**Calls** (`bench/run sync`)",
             "| case | base | loaded | traced | floor | ratio | target |  |",
             "| 10 calls, ns | 3.46 | 3 | 25.2 | 20 | 7.306 | a \\| b | met |",
             "| 100 calls, ns | 1,234 |  |  |  |  | c | **missed** |",
             "| case | base | traced | wakeups |",
             "| 640x360, us | 1 | 2 | 7 |",
             "1 of 2 targets met; missed: sync: 100 calls."):
    check(line in lines, line, lines)
done = run("nothing/results.json")
check(done.returncode == 1 and "run `make bench` first" in done.stderr, "no results: says what to do",
      done.stderr)
with open(os.path.join(SOURCE, "doc", "OVERHEAD.md"), encoding="utf-8") as file:
    text = file.read()
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(TABLES))
import tables
check(text.count(tables.BEGIN) == 1 and 0 < text.find(tables.BEGIN) < text.find(tables.END),
      "doc/OVERHEAD.md has the marks between which they are put")
finish()
