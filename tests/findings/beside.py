#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Findings that are made in two threads are the same as in one: of a long session, of a damaged
one, and of one whose transfers' contents were recorded.

tandem-test: timeout=300
"""
import glob
import json
import os
import random
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import TANDEM, check, finish, skip
from traces import BUILD, record

GENERATOR = os.path.join(BUILD, "bench", "gen_machine")
SOUNDINGS = os.path.join(BUILD, "tests", "findings", "soundings", "soundings")
STUB = {"OCL_ICD_VENDORS": os.path.join(BUILD, "tests", "stubs", "libstubcl.so"),
        "STUB_ENGINE": "units"}
if len(os.sched_getaffinity(0)) < 2:
    print("one CPU: there is no other thread")
    sys.exit(77)


def findings(path, cpus):
    run = subprocess.run([TANDEM, "findings", "--all", "--format", "json", path],
                         capture_output=True, text=True, check=False,
                         preexec_fn=lambda: os.sched_setaffinity(0, cpus))
    return run.returncode, run.stdout, run.stderr


def alike(path, name):
    cpus = os.sched_getaffinity(0)
    one, two = findings(path, {min(cpus)}), findings(path, cpus)
    check(one == two, name, (one, two))
    return json.loads(two[1]) if two[0] == 0 else None


subprocess.run([GENERATOR, "-n", "300000", "machine"], stdout=subprocess.DEVNULL, check=True)
said = alike("machine", "a long session")
check(said and len(said["findings"]) > 3, "something is found in it", said)
for seed in range(4):
    shutil.rmtree("damaged", ignore_errors=True)
    shutil.copytree("machine", "damaged")
    chosen = random.Random(seed)
    for name in glob.glob("damaged/**/stream-*", recursive=True):
        with open(name, "r+b") as file:
            size = os.path.getsize(name)
            for _ in range(4):
                file.seek(chosen.randrange(size))
                file.write(bytes([chosen.randrange(256)]))
            if chosen.random() < 0.3:
                file.truncate(size * 3 // 4)
    alike("damaged", f"a damaged session ({seed})")
if not os.access(SOUNDINGS, os.X_OK):
    skip("contents of transfers", "the programs are not built: no OpenCL")
else:
    check(record("full", [SOUNDINGS, "seepage"], "--args", "full", env=STUB) == 0,
          "a program with its arguments is recorded")
    size = sum(os.path.getsize(name) for name in glob.glob("full/**/stream-*", recursive=True))
    check(size > 1 << 20, "it is long enough for two threads", size)
    alike("full", "contents of transfers")
finish()
