#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each finding is found in the example that shows it, and not in its twin.

tandem-test: timeout=300 alone
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from kernelside import scope
from tap import check, finish, skip
from traces import BUILD, record, report, tandem

EXAMPLES = os.path.join(BUILD, "examples", "findings")
STUB = os.path.join(BUILD, "tests", "stubs", "libstubcl.so")
# An engine that takes its time, whatever else the machine does.
SLOW = {"OCL_ICD_VENDORS": STUB, "STUB_ENGINE": "thread", "STUB_DELAY_US": "500"}
# Commands are so short that gaps of a few microseconds are a part of the run, on whatever machine.
BRIEF = dict(SLOW, STUB_DELAY_US="50")
UNITS = {"OCL_ICD_VENDORS": STUB, "STUB_ENGINE": "units", "STUB_KITEM_US": "60",
         "STUB_KBYTE_US": "12"}
POCL = {"POCL_DEVICES": "pthread"}
BASIC = {"POCL_DEVICES": "basic"}

# example, driver, kind and cause of the finding, how often it is found at least
CASES = [
    ("idle_device", SLOW, "idle-device", "host-busy", 10),
    ("idle_sleep", SLOW, "idle-device", "host-blocked", 10),
    ("synchronisation", BRIEF, "idle-device", "synchronisation", 100),
    ("synchronisation", BRIEF, "waiting", "after-each-command", 300),
    ("polling", SLOW, "waiting", "polling", 10),
    ("overlap", UNITS, "overlap", "one-queue", 10),
    ("transfers", POCL, "transfers", "small", 4000),
    ("bounce", POCL, "transfers", "back-and-forth", 60),
    ("builds", POCL, "builds", "repeated", 6),
    ("allocations", POCL, "allocations", "loop", 100),
    ("launch", POCL, "launch", "group-size", 20),
    ("launch", POCL, "launch", "few-groups", 20),
    ("errors", POCL, "errors", "call", 5),
    ("errors", POCL, "leaks", "memory", 5),
    ("shared_device", POCL, "shared-device", "context", 4),
]

recorded = {}
good = {}  # by example and cause


def findings(example, driver, *arguments, key="", options=()):
    """Records the example once; what is found in it, small or not."""
    key = example + key, *arguments
    if key not in recorded:
        path = "-".join(key).replace("--", "")
        env = dict(driver, LC_ALL="C")
        status = record(path, [os.path.join(EXAMPLES, example), *arguments], *options,
                        env=env)
        said = tandem("findings", "--all", "--format", "json", path)
        recorded[key] = json.loads(said.stdout) if status == 0 and said.returncode == 0 else None
        if recorded[key] is None:
            print(f"# {example} {arguments}: status {status}\n# {said.stderr}")
    return recorded[key]


def busy(finding):
    """What the example calls its busy process: other tests have one, too."""
    return f"busy-{finding['where']['process']} "


def pick(said, kind, cause):
    return [f for f in said["findings"] if f["name"] == kind and f["cause"] == cause]


if not os.path.isdir(EXAMPLES):
    print("the examples are not built: no OpenCL")
    sys.exit(77)
pocl = os.path.exists("/etc/OpenCL/vendors/pocl.icd")
for example, driver, kind, cause, count in CASES:
    if driver is POCL and not pocl:
        skip(f"{kind}, {cause}", "PoCL is not installed")
        continue
    if cause == "host-blocked" and scope()[0] == "none":
        skip(f"{kind}, {cause}", "nothing of the scheduler can be seen here")
        continue
    # On a busy machine a driver's thread, too, waits for a CPU: longer than what is shown.
    for turn in range(5):
        shown = findings(example, driver, key=f"-{turn}" if turn else "")
        if shown and max((f["count"] for f in pick(shown, kind, cause)), default=0) >= count:
            break
    if shown and pick(shown, kind, cause):
        good[example, cause] = pick(shown, kind, cause)[0]
    twin = findings(example, driver, "--mended")
    if not check(shown and twin, f"{example} and its twin are recorded"):
        continue
    found, rest = pick(shown, kind, cause), pick(twin, kind, cause)
    check(found and max(f["count"] for f in found) >= count, f"{kind}, {cause} in {example}",
          [(f["name"], f["cause"], f["count"]) for f in shown["findings"]])
    # What the setup does once is in both.
    cost = max((f["cost_ns"] for f in found), default=0)
    check(all(f["count"] < count / 4 or (cost and f["cost_ns"] < cost / 10) for f in rest),
          f"and not in its twin", rest)
    for f in found:
        if not check(f["description"] and f["suggestion"] and f["confidence"] in ("high", "medium", "low") and
                     f["evidence"] and 0 <= f["percent"] <= 100.001 and
                     abs(f["percent"] - 100 * f["cost_ns"] / (shown["duration_ns"] - shown["recording_ns"])) < 0.01,
                     "it says what, how sure, what to do and what it cost", f):
            break

# Addresses are recorded at the highest level of arguments.
ODD = {"OCL_ICD_VENDORS": STUB, "STUB_ENGINE": "units", "STUB_KBYTE_US": "5",
       "STUB_ODD_PERCENT": "60"}
for more in ([], ["--mended"]):
    said = findings("misaligned", ODD, *more, options=["--args", "full"])
    odd = pick(said, "transfers", "misaligned")
    if more:
        check(not odd, "and not in its twin", odd)
    else:
        check(len(odd) == 1 and odd[0]["count"] == 20 and odd[0]["cost_ns"] > 5 * 1000000,
              "transfers, misaligned in misaligned", odd)

# How a driver waits is its own doing: the same program, where it sleeps, is the twin.
if scope()[0] == "none":
    skip("waiting, spinning", "nothing of the scheduler can be seen here")
else:
    shown = findings("polling", dict(SLOW, STUB_WAIT="spin"), "--mended", key="spin")
    spin = pick(shown, "waiting", "spinning")
    check(len(spin) == 1 and spin[0]["object"] == "clWaitForEvents" and spin[0]["count"] == 30 and
          "kept a CPU busy" in spin[0]["description"], "waiting, spinning", spin)
    # Its engine's thread may have waited for that very CPU.
    check(spin and spin[0]["cost_ns"] < shown["duration_ns"] / 2,
          "which costs the run no more than others waited for the CPU", spin)
    rest = pick(findings("polling", SLOW, "--mended"), "waiting", "spinning")
    check(not rest, "and not where the driver sleeps", rest)

# What else runs on the machine takes a CPU as well: whom the example meets is what counts.
if not pocl or scope()[0] != "system":
    skip("preemption", "no PoCL, or the scheduler of the whole machine cannot be seen")
else:
    # Where others take more of the CPU than the busy process, it may not be named.
    for turn in range(4):
        shown = findings("preemption", BASIC, key=f"-{turn}")
        found = {cause: pick(shown, "preemption", cause) for cause in ("in-calls", "between-calls")}
        if all(len(f) == 1 and busy(f[0]) in f[0]["culprits"] for f in found.values()):
            break
    for cause, f in found.items():
        check(len(f) == 1 and busy(f[0]) in f[0]["culprits"] and
              f[0]["culprits"].split(" ")[0] in f[0]["suggestion"] and f[0]["cost_ns"] > 20 * 1000000 and
              f[0]["where"]["thread"] and f[0]["where"]["end_ns"] > f[0]["where"]["begin_ns"],
              f"preemption, {cause}: for whom, and where", f)
    # There the busy process works while its parent is blocked in waiting for it. They meet
    # when it is started, before it sleeps, and when it wakes its parent by its end: for
    # microseconds. To compete for the CPU is to lose it for a time slice, which is 3 ms.
    twin = findings("preemption", BASIC, "--mended")
    waits = report("preemption-mended")["waits"]
    lost = sum(row["total_ns"] for row in waits
               if row["state"] == "wait_cpu" and row["by"] == f"busy-{row['pid']}")
    check(twin and waits and lost < 1000000, "and not in its twin", lost)
    print(f"# the twin waited {lost / 1000:.0f} us for its busy process")

idle = good["idle_device", "host-busy"]
check(idle["cost_ns"] > 40 * 1000000 and "ms" in idle["description"],
      "work of the host's that could be done while the device works costs the run", idle)
# The commands of a step take little: the run would take as long with the host's work elsewhere.
brief = pick(findings("idle_device", dict(SLOW, STUB_DELAY_US="20"), key="-brief"), "idle-device",
             "host-busy")
check(all(f["cost_ns"] < 30 * 1000000 for f in brief),
      "what the device's idleness does not cost the run is not said to be saved", brief)
# One cause, one finding: the device's idleness comes of the waits.
each = findings("synchronisation", BRIEF)
idleness = pick(each, "idle-device", "synchronisation")
check(idleness and all(f.get("symptom_of") == "waiting: after-each-command" for f in idleness),
      "the device's idleness is a symptom of the waits", idleness)
check(idle["where"]["end_ns"] - idle["where"]["begin_ns"] >= 1000000 and
      idle["where"]["device"], "and says where", idle["where"])
if pocl:
    shared = pick(findings("shared_device", POCL), "shared-device", "context")
    check(all("context" in f["culprits"] for f in shared), "a shared device names who ran meanwhile",
          shared)
finish()
