#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs of the corpus that share a CPU with a busy process: what that takes is no fault
of theirs, and more queues would not give it back. Those that share it with each other are not
to be stopped.

tandem-test: timeout=120 alone
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from corpus import CORPUS, STUB
from kernelside import need
from tap import check, finish
from traces import record, tandem

need("system")
cpu = max(os.sched_getaffinity(0))
busy = subprocess.Popen([sys.executable, "-c", f"import os\nos.sched_setaffinity(0, {{{cpu}}})\n"
                                               "print(flush=True)\nwhile True: pass"],
                        stdout=subprocess.PIPE)
busy.stdout.readline()  # it is there
try:
    for turn in range(3):
        path = f"clean_map-{turn}"
        status = record(path, ["taskset", "-c", str(cpu), CORPUS, "clean_map"], env=STUB)
        said = tandem("findings", "--all", "--format", "json", path)
        if not check(status == 0 and said.returncode == 0, f"{path} is recorded", said.stderr):
            continue
        found = [f"{f['name']}/{f['cause']}" for f in json.loads(said.stdout)["findings"]]
        check("overlap/one-queue" not in found, f"{path}: no overlap/one-queue", found)
        check("preemption/other-threads" in found or "preemption/in-calls" in found,
              f"{path}: it waited for a CPU", found)
finally:
    busy.kill()
    busy.wait()

pair = f"{CORPUS} clean_host & {CORPUS} clean_host & wait"
for turn in range(4):
    path = f"pair-{turn}"
    status = record(path, ["taskset", "-c", str(cpu), "sh", "-c", pair], env=STUB)
    said = tandem("findings", "--all", "--format", "json", path)
    lost = [f for f in json.loads(said.stdout)["findings"] if f["name"] == "preemption"]
    # Other tests have a corpus as well, by whose number it is known.
    met = [f for f in lost if f["culprits"].startswith("corpus (recorded too)")]
    if met:
        break
own = "|".join(str(f["where"]["process"]) for f in lost)
wrong = [f for f in lost if re.search(rf"process ({own})\b", f["culprits"])]
check(met and not wrong, "a process of the same recording is called that", wrong or lost)
check(met and all("stop" not in f["suggestion"] and "run fewer such processes at a time" in
                  f["suggestion"] for f in met), "and is not to be stopped", met)
finish()
