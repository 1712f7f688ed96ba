#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two processes that share a device (the CLUST paper, section 4.7.2): what the
commands of each waited is put down to the commands of the other.

tandem-test: alone
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import BUILD, has_pocl
from tap import check, finish, TANDEM

if not has_pocl():
    print("skipped: PoCL is not installed")
    sys.exit(77)

MANDELBROT = str(BUILD / "examples" / "opencl" / "mandelbrot" / "mandelbrot")
DRAW = f"{MANDELBROT} -w 1280 -h 720 -n 60"


def record(folder, shell):
    subprocess.run([TANDEM, "record", "-q", "-o", folder, "--", "sh", "-c", shell], check=True,
                   stdout=subprocess.DEVNULL, env=dict(os.environ, POCL_DEVICES="pthread"))
    said = subprocess.run([TANDEM, "report", "--format", "json", folder], check=True,
                          capture_output=True, text=True)
    return json.loads(said.stdout)


subprocess.run(DRAW.split(), stdout=subprocess.DEVNULL)  # compiles the kernel

report = record("both", f"{DRAW} & {DRAW} & wait")
pids = sorted({row["process"] for row in report["zones"]})
check(len(pids) == 2, "two processes used the device", pids)
rows = {(row["pid"], row["by_pid"]): row for row in report["sharing"]}
check(len(report["devices"]) == 1, "which is one to us", report["devices"])
for one, other in (pids, pids[::-1]):
    waits = sum(zone["host_queue_ns"] + zone["device_queue_ns"] for zone in report["zones"]
                if zone["process"] == one)
    mine = sum(row["waited_ns"] for key, row in rows.items() if key[0] == one)
    check(abs(mine - waits) <= waits / 100, f"all that its commands waited is put down",
          (mine, waits))
    row = rows.get((one, other))
    check(row and row["by_kind"] == "process" and row["waited_ns"] > waits / 10,
          "a part of it to the other's commands", report["sharing"])
    check(row and row["by"] == "mandelbrot", "by name")
    check(row and row["beside_ns"] > 0, "and both were executing at once", row)
    check(rows.get((one, one), {}).get("by_kind") == "itself", "another part to its own",
          report["sharing"])
check(rows[tuple(pids)]["beside_ns"] == rows[tuple(pids[::-1])]["beside_ns"],
      "each is beside the other for the same time", report["sharing"])

alone = record("alone", DRAW)
check(not alone["sharing"], "a process that has the device for itself shares it with nobody",
      alone["sharing"])
after = record("after", f"{DRAW}; {DRAW}")
others = sum(row["waited_ns"] for row in after["sharing"] if row["by_kind"] == "process")
check(others == 0, "nor does one that comes after the other", after["sharing"])
finish()
