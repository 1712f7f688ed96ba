#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tandem-test: timeout=300
"""Putting events into their true order takes memory by the commands in flight, and none
by the length of the trace: `tandem print` and `tandem export --format ctf`.
"""
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish, TANDEM
from traces import synthetic, tandem

if os.environ.get("TANDEM_SANITIZE"):
    print("skipped: with a sanitizer, memory is its own")
    sys.exit(77)

VERBS = {"print": ["print"], "export": ["export", "-q", "-f", "ctf", "-o", "out"]}


def peak_kib(verb, folder):
    shutil.rmtree("out", ignore_errors=True)
    child = subprocess.Popen([TANDEM, *VERBS[verb], folder], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    check(status == 0, f"{verb} {folder}: is done", status)
    return usage.ru_maxrss


peaks = {}
# What is below some 15 MiB does not show: the child begins as a copy of this interpreter.
for launches, records in ((1, 100000), (1, 400000), (20000, 100000), (20000, 400000),
                          (40000, 400000), (80000, 400000)):
    name = f"s{launches}-{records}"
    made = synthetic(name, records=records, threads=1, launches=launches)
    check(made["operations"] > records / 3 or launches == 1, f"{name}: is made of commands", made)
    for verb in VERBS:
        peaks[verb, launches, records] = peak_kib(verb, name)
times = [json.loads(line)["time_ns"] for line in
         tandem("print", "--format", "json", "s20000-100000").stdout.splitlines()]
check(len(times) > 100000 and times == sorted(times), "all in the order of time", len(times))
for verb in VERBS:
    for launches in 1, 20000:
        short, long = peaks[verb, launches, 100000], peaks[verb, launches, 400000]
        check(long < 1.1 * short + 1024, f"{verb}, {launches} in flight: four times the trace, the same "
              "memory", f"{short} KiB, {long} KiB")
    few, some, many = (peaks[verb, launches, 400000] for launches in (20000, 40000, 80000))
    check(10000 < many - some < 2 * 40000, f"{verb}: at most 2 KiB for a command in flight",
          f"{some} KiB with 40,000, {many} KiB with 80,000")
    check(1.5 < (many - some) / (some - few) < 2.7, f"{verb}: it grows with their number",
          f"{few} KiB, {some} KiB, {many} KiB")
print("#", {" ".join(map(str, key)): value for key, value in peaks.items()})
finish()
