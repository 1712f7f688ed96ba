#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""LTTng's trace of the kernel beside that of user space, in one folder as `lttng create` makes it:
one session, in which threads have their states and waits. The kernel tracer's modules can't be
loaded everywhere, so its trace is written of what our own kernel side recorded meanwhile, and the
report has to say of the one what it says of the other.

tandem-test: timeout=300
"""
import json
import os
import platform
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import lttng
from foreigntrace import write_lttng
from kernelside import scope
from tap import check, finish, skip, TANDEM
from traces import BUILD, tandem

if os.environ.get("TANDEM_SANITIZE"):
    print("LTTng's library is not built with a sanitizer")
    sys.exit(77)
have, why = scope()
if have != "system":
    print(f"the kernel's side can't be recorded here: {why}")
    sys.exit(77)
lttng.start()
PROGRAM = [os.path.join(BUILD, "examples", "opencl", "mandelbrot", "mandelbrot"), "-w", "320", "-h", "240",
           "-n", "40"]


def report(path, words):
    done = tandem("report", "--format", "json", path)
    check(done.returncode == 0 and not done.stderr, words, done.stderr)
    return json.loads(done.stdout) if done.returncode == 0 else None


done = subprocess.run([TANDEM, "record", "-q", "-o", "both", "--sink", "lttng", "--", *PROGRAM], text=True,
                      capture_output=True, env=dict(os.environ, POCL_DEVICES="basic"))
check(done.returncode == 0, "recorded by LTTng's sink, with our kernel side", done.stderr)
events = [json.loads(line) for line in tandem("print", "--format", "json", "both").stdout.splitlines()]
boot = open("/proc/sys/kernel/random/boot_id", encoding="utf-8").read().strip()
ours = report("both", "our kernel side is read")
check(ours["session"]["scheduling"] == "system", "it tells the scheduling", ours["session"])


def lay_out(folder, boot_id):
    """FOLDER/ust and FOLDER/kernel."""
    shutil.copytree("both/lttng", folder)
    write_lttng(os.path.join(folder, "kernel"), events, boot_id, platform.node())


lay_out("trace", boot)
theirs = report("trace", "LTTng's two traces are one session")
check(theirs["session"]["scheduling"] == "system", "which tells the scheduling", theirs["session"])
mine, their = ({row["tid"]: row for row in said["threads"] if row["calls"]}
               for said in (ours, theirs))
check(mine and mine.keys() == their.keys(), "of the same threads", (mine.keys(), their.keys()))
check(all(row["running_ns"] > 0 and row["switches"] > 0 for row in their.values()), "that ran and waited", their)
# By calls, which are the same in both. What our own kernel side had to leave open (lost events, the
# first moments) is not known to be open there.
PARTS = ("on_cpu_ns", "wait_cpu_ns", "wait_blocked_ns", "unknown_ns")
calls = {row["name"]: row for row in ours["api"]}
for row in theirs["api"]:
    mine = calls[row["name"]]
    check(row["calls"] == mine["calls"] and row["total_ns"] == mine["total_ns"] and
          abs(sum(row[part] for part in PARTS) - row["total_ns"]) <= row["calls"] + 1,
          f"{row['name']} is divided", row)
    unsure = 2e6 + mine["unknown_ns"] + row["unknown_ns"]
    check(all(abs(row[part] - mine[part]) <= 0.03 * mine[part] + unsure for part in PARTS[:3]),
          f"{row['name']} ran and waited as long", (mine, row))
again = report("trace", "and again, from the cache")
check(again == theirs, "it says the same")
switches = [[e["monotonic_ns"] for e in (json.loads(line) for line in
                                         tandem("print", "--format", "json", path).stdout.splitlines())
             if e["name"] == "sched_switch"] for path in ("both", "trace")]
check(switches[1] and switches[0][:len(switches[1])] == switches[1], "every switch is there",
      [len(some) for some in switches])
# A rotation's chunks are one trace: each CPU's events come in their order all the same.
folder = "chunks/kernel/archives"
middle = len(events) // 2
shutil.copytree("both/lttng", "chunks")
write_lttng(os.path.join(folder, "20260101T000000+0000-20260101T000001+0000-1"), events[:middle], boot,
            platform.node(), ident=b"c" * 16)
# The names are known from before: the second chunk begins with all of them.
write_lttng(os.path.join(folder, "20260101T000001+0000-20260101T000002+0000-2"), events, boot,
            platform.node(), ident=b"c" * 16, skip=middle)
chunks = report("chunks", "a kernel trace in chunks is read")
check({row["tid"]: row["running_ns"] for row in chunks["threads"] if row["calls"]} ==
      {key: row["running_ns"] for key, row in their.items()}, "and says the same",
      (chunks["threads"], theirs["threads"]))

# A kernel's trace that can't be read, or can't be joined: the rest is.
lay_out("cut", boot)
for name in os.listdir("cut/kernel"):
    if name.startswith("channel"):
        with open(os.path.join("cut/kernel", name), "r+b") as file:
            file.write(b"x" * 64)
lay_out("clock", boot)
with open("clock/kernel/metadata", encoding="utf-8") as file:
    text = file.read()
with open("clock/kernel/metadata", "w", encoding="utf-8") as file:
    file.write(text.replace("monotonic", "local"))
for folder, words in (("cut", "magic"), ("clock", "`local`")):
    for turn in ("first", "again"):
        done = tandem("report", "--format", "json", folder)
        check(done.returncode == 0 and "kernel's side is left out" in done.stderr and words in done.stderr and
              len(done.stderr.splitlines()) == 1, f"{folder}: said, {turn}", done.stderr)
        said = json.loads(done.stdout)
        check(said["session"]["scheduling"] != "system" and
              {row["name"]: row["calls"] for row in said["api"]} ==
              {name: row["calls"] for name, row in calls.items()}, f"{folder}: the calls are there", said["api"])
finish()
