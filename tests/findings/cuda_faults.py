#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is found in CUDA programs with one fault and without it, on a stub device that keeps its own
time and tells late what it did (tests/stubs/cuda/faulty.c), by the table that bench/run findings
scores them by. Where another program takes the CPU, one of six attempts has to do.

tandem-test: alone
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import TANDEM, check, finish
from traces import BUILD, tandem

FAULTY = os.path.join(BUILD, "tests", "stubs", "cuda", "faulty")
if not os.access(FAULTY, os.X_OK):
    print("the stub CUPTI is not built")
    sys.exit(77)

# The machine's doing, and what recording cost: of a run of milliseconds that is much.
OTHERS = ("preemption", "trace")
ATTEMPTS = 6


def findings(case, repaired=False, memory="ordinary", args="full"):
    words = [FAULTY, case] + ["repaired"] * repaired
    done = subprocess.run([TANDEM, "record", "-q", "--force", "--args", args, "-o", "session", *words],
                          text=True, capture_output=True,
                          env=dict(os.environ, STUB_HOST_MEMORY=memory))
    said = tandem("findings", "--format", "json", "session")
    if not check(done.returncode == 0 and said.returncode == 0, "%s is recorded and read" % case,
                 done.stderr + said.stderr):
        return []
    return [f for f in json.loads(said.stdout)["findings"] if f["name"] not in OTHERS]


def keys(found):
    return ["%s/%s" % (f["name"], f["cause"]) for f in found]


def expect(case, row):
    """Where it is there, what is acceptable is first, with its culprit; and not where it is repaired."""
    def right(found):
        return [key for key in keys(found) if key in row["accept"]]

    def first(found):
        """What costs nothing comes behind what does; a sanitizer makes the host slow, and what it does cost more."""
        return right(found) if row.get("always") or os.environ.get("TANDEM_SANITIZE") else right(found)[:1] == keys(found)[:1] and right(found)

    for _ in range(ATTEMPTS):
        found = findings(case)
        if first(found):
            break
    named = [f for f in found if "%s/%s" % (f["name"], f["cause"]) in row["accept"]]
    check(first(found), "%s: %s" % (case, row["accept"][0]), keys(found))
    check(any(re.search(row["culprit"], f["description"] + f["object"]) for f in named),
          "%s: names %s" % (case, row["culprit"]), named)
    for _ in range(ATTEMPTS):
        found = findings(case, repaired=True)
        if not right(found):
            break
    check(not right(found), "%s, repaired: not %s" % (case, row["accept"][0]), keys(found))


with open(os.path.join(os.environ["TANDEM_SOURCE"], "tests", "stubs", "cuda", "table.json"),
          encoding="utf-8") as file:
    TABLE = json.load(file)
for case, row in TABLE.items():
    if "culprit" in row:
        expect(case, row)


def errors(case):
    return [f for f in findings(case) if f["name"] == "errors"]


for _ in range(ATTEMPTS):
    once = errors("other_kernel_since")
    if once and once[0]["percent"] > 20:
        break
less = errors("clean_less_memory")
check(once and once[0]["percent"] > 20 and "kernel plain" in once[0]["evidence"],
      "memory refused once costs a part of what runs from then on", once)
check(less and less[0]["percent"] < 20, "memory of which less was had costs nothing", less)
for _ in range(ATTEMPTS):
    alone = [f for f in findings("loader_alone") if f["cause"] == "host-busy"]
    if alone and alone[0]["percent"] > 80:
        break
check(alone and alone[0]["percent"] > 80 and "several threads" in alone[0]["evidence"],
      "what several threads can share costs all of its time", alone)
# That it is the same is known of contents only; that it goes to and fro, of addresses.
check("transfers/back-and-forth" in keys(findings("state_restored", args="basic")), "a state that is restored, by its places")
check("copies/unchanged" in keys(findings("state_restored")), "and by what it is")
check("copies/unchanged" not in keys(findings("upload_new")), "another input each time is no fault")
check("copies/unchanged" not in keys(findings("clean_volume_new")), "nor another volume")
check("copies/unchanged" not in keys(findings("clean_download_new")), "nor is what a kernel may have changed")
check(any("overlap/one-queue" in keys(findings("one_stream")) for _ in range(ATTEMPTS)),
      "transfers and kernels by turns, though their times come at the end")
check("transfers/small" not in keys(findings("clean_results_apart")),
      "results of a kernel each are not to be gathered, though another stream has the kernels")
findings("lone_kernel")  # it is read: a kernel that belongs to no call has no place
check("copies/dominate" not in keys(findings("clean_results_beside")),
      "nor do those dominate that a kernel hides which ends after them")
check("overlap/one-queue" not in keys(findings("clean_three_places")), "three places are no array")
check("overlap/one-queue" not in keys(findings("clean_one_buffer")),
      "frames in one buffer cannot overlap")
check("overlap/one-queue" not in keys(findings("clean_graph_launches")),
      "all kernels of a graph's launch are its work")
for _ in range(ATTEMPTS):
    slow = keys(findings("slow_start"))
    if "idle-device/host-busy" not in slow:
        break
check("idle-device/host-busy" not in slow, "a program that begins slowly has no habit", slow)
check("idle-device/unflushed" not in slow, "CUDA has no flush", slow)

# What the device has, and managed memory, is not looked at: nothing is known of it.
for memory in ("", "managed"):
    check("copies/unchanged" not in keys(findings("upload_again", memory=memory)),
          "memory that is not the host's alone is not read (%s)" % (memory or "device"))
    check("copies/unchanged" not in keys(findings("download_again", memory=memory)),
          "nor is what comes there (%s)" % (memory or "device"))
check("copies/unchanged" in keys(findings("upload_again", memory="host")), "pinned memory is")
check("copies/unchanged" not in keys(findings("upload_again", args="basic")),
      "nor is it without --args full")
finish()
