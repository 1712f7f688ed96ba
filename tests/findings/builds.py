#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which builds are the same: by what the programs were made of, not by how long it is; and
first builds that are much of the run.

The driver is the stub's, whose builds take what they are told to."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish
from traces import BUILD, record, tandem

PROGRAM = os.path.join(BUILD, "tests", "programs", "samebuilds")
STUB = os.path.join(BUILD, "tests", "stubs", "libstubcl.so")
if not os.path.exists(PROGRAM):
    print("no OpenCL: the program is not built")
    sys.exit(77)


def found(path, command, build_ms=20):
    status = record(path, command, "--kernel", "off",
                    env={"OCL_ICD_VENDORS": STUB, "STUB_BUILD_MS": str(build_ms), "LC_ALL": "C"})
    done = tandem("findings", "--all", "--format", "json", path)
    check(status == 0 and done.returncode == 0, f"{path}: recorded", done.stderr)
    return {f["cause"]: f for f in json.loads(done.stdout)["findings"] if f["name"] == "builds"}


same = found("same", [PROGRAM, "same"])
check("repeated" in same and same["repeated"]["count"] == 6 and
      same["repeated"]["cost_ns"] >= 5 * 20 * 1000000, "one source built six times", same)
check("first" not in same,
      "a short first build is not told of", same)
for mode in ("different", "linked"):
    rest = found(mode, [PROGRAM, mode])
    check("repeated" not in rest, f"{mode} programs of one length are not the same", rest)
both = found("processes", ["sh", "-c", f"{PROGRAM} different & {PROGRAM} different; wait"])
check("repeated" not in both, "two processes that build the same once each", both)
jobs = found("jobs", ["sh", "-c", f"for i in 1 2 3 4 5; do {PROGRAM} different; done"])
check("repeated" in jobs and jobs["repeated"]["count"] == 5 and
      "6 programs, always the same, were built in each of 5 processes" in jobs["repeated"]["description"] and
      jobs["repeated"]["cost_ns"] >= 4 * 6 * 20 * 1000000, "a process for each job builds the same again", jobs)
ranks = found("ranks", ["sh", "-c", "for i in 1 2 3 4 5; do " + f"{PROGRAM} different & done; wait"])
check("repeated" not in ranks or ranks["repeated"]["cost_ns"] < 2 * 6 * 20 * 1000000,
      "processes that run together have built together", ranks)

slow = found("slow", [PROGRAM, "different"], build_ms=300)
check("first" in slow and slow["first"]["count"] == 6 and
      slow["first"]["cost_ns"] >= 6 * 300 * 1000000 and "repeated" not in slow,
      "first builds that are most of the run", slow)
check("as in each run" in slow["first"]["description"] and
      slow["first"]["confidence"] == "medium", "of a program that keeps nothing", slow)
kept = found("kept", [PROGRAM, "kept"], build_ms=300)
check("as in each run" not in kept["first"]["description"] and
      "binaries were read" in kept["first"]["description"] and
      kept["first"]["confidence"] == "low", "of one that reads its binaries no run is sure to build",
      kept)
again = found("again", [PROGRAM, "same"], build_ms=300)
check("repeated" in again and "first" not in again, "one first build of six is not most of it", again)
finish()
