#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Findings take no longer than what they read: with many owners of a device, an event costs
what it costs with few, and none of them is left out.

tandem-test: timeout=300
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import TANDEM, check, finish, skip
from traces import BUILD, record, tandem

if os.environ.get("TANDEM_SANITIZE"):
    print("instructions are counted by valgrind, which runs no program with a sanitizer")
    sys.exit(77)
CORPUS = os.path.join(BUILD, "tests", "findings", "corpus", "corpus")
STUB = {"OCL_ICD_VENDORS": os.path.join(BUILD, "tests", "stubs", "libstubcl.so"),
        "STUB_ENGINE": "units"}
POCL = {"POCL_DEVICES": "pthread"}


def instructions(path):
    """Of the kind alone, without reading's."""
    counted = []
    for kind in ("shared-device", "errors"):
        for old in glob.glob("counted.*"):
            os.remove(old)
        subprocess.run(["valgrind", "--tool=callgrind", "--trace-children=yes",
                        "--callgrind-out-file=counted.%p",
                        TANDEM, "findings", "--kind", kind, path],
                       capture_output=True, check=True)
        # The command is a process of its own where it reads.
        most = 0
        for name in glob.glob("counted.*"):
            with open(name, encoding="utf-8") as file:
                found = re.search(r"^(?:summary|totals): (\d+)", file.read(), re.M)
            most = max(most, int(found[1]) if found else 0)
        counted.append(most)
    return counted


if not os.access(CORPUS, os.X_OK):
    print("the corpus is not built: no OpenCL")
    sys.exit(77)
if not shutil.which("valgrind"):
    skip("an event costs the same with many owners", "valgrind is not installed")
else:
    each = {}
    for owners in (4, 800):
        check(record(f"m{owners}", [CORPUS, "many_contexts", str(owners)], env=STUB) == 0,
              f"{owners} contexts are recorded")
        all_of, reading = instructions(f"m{owners}")
        each[owners] = all_of / reading
        print(f"# {owners} contexts: {all_of} instructions, {reading} with a kind that only reads")
    check(each[800] < 1.5 * each[4], "an event costs the same with many owners", each)

# Each of 100 contexts is in the others' way; before, those beyond the 64th were not seen.
if not os.path.exists("/etc/OpenCL/vendors/pocl.icd"):
    skip("owners beyond the 64th", "PoCL is not installed")
else:
    check(record("late", [CORPUS, "late_contexts"], env=POCL) == 0, "late contexts are recorded")
    said = json.loads(tandem("findings", "--all", "--format", "json", "late").stdout)
    shared = [f for f in said["findings"] if f["name"] == "shared-device"]
    check(len(shared) == 1 and shared[0]["count"] >= 4 and "context" in shared[0]["culprits"],
          "owners beyond the 64th are seen", shared)
finish()
