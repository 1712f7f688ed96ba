#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Processes and threads of one name that made no API call are one row of the report's text, with
their sums; --top 0 and JSON have each.
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from kernelside import need  # noqa: E402
from tap import TANDEM, check, finish  # noqa: E402

need("program")
THREADS = "import threading, time\nfor i in range(4): threading.Thread(target=time.sleep, args=(0.2,)).start()"
subprocess.run([TANDEM, "record", "-q", "-o", "shell", "sh", "-c",
                f"""for i in 1 2 3 4 5; do env true; done; '{sys.executable}' -c '{THREADS}'; date; date; exit 0"""],
               check=True, stdout=subprocess.DEVNULL)


def said(*words):
    return subprocess.run([TANDEM, "report", *words, "shell"], check=True, capture_output=True, text=True).stdout


made = json.loads(said("--format", "json"))
names = [row["name"] for row in made["processes"]]
check(names.count("true") == 5 and names.count("date") == 2, "JSON has each process", names)
text = said("--table", "processes")
check(f"  {len(names)} processes" in text.splitlines()[0], "the heading counts them all", text)
row = re.search(r"^.* (\d+) +- +true, 5 processes$", text, re.M)
check(row and int(row[1]) == 5, "five of one name are one row with five threads", text)
check(len(re.findall(r" date$", text, re.M)) == 2 and "date," not in text, "two are not", text)
check("processes\n" not in said("--table", "processes", "--top", "0").split("\n", 1)[1], "--top 0 has each")

threads = said("--table", "threads")
check("true, 5 threads" in threads, "also their threads", threads)
pid = next(row["pid"] for row in made["processes"] if row["threads"] == 5)
check(re.search(rf" {pid} +- +\S.*, 4 threads$", threads, re.M), "and those of one process", threads)
running = [row["running_ns"] for row in made["threads"]]
listed = said("--table", "threads", "--top", "0")
check(len(listed.splitlines()) == len(running) + 2 and ", 4 threads" not in listed, "--top 0 has each", listed)
finish()
