#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report --metrics of a run whose every operation is known."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import TANDEM, check, finish  # noqa: E402

REPLAY = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "cuda", "replay")
OVERLAP = os.path.join(os.environ["TANDEM_SOURCE"], "tests", "data", "cuda", "overlap.replay")
MIB4 = 4 << 20

subprocess.run([TANDEM, "record", "-q", "-o", "session", REPLAY, OVERLAP], check=True)
run = subprocess.run([TANDEM, "report", "--metrics", "--format", "json", "session"], text=True,
                     capture_output=True, check=True)
said = json.loads(run.stdout)
value = {row["name"]: row["value"] for row in said["metrics"]}
for name, expected in {
        "GMEM:DEV (B)": 4 * MIB4, "GMEM:PIN (B)": 2 * MIB4, "GMEM:ARY (B)": 2 * 262144,
        "GMEM:MAN (B)": 0, "GMEM:COUNT": 8, "GMSET:DEV (B)": 5 * MIB4, "GMSET:COUNT": 5,
        "GXCOPY:H2D (B)": 6 * MIB4, "GXCOPY:D2H (B)": 6 * MIB4, "GXCOPY:D2D (B)": 5 * MIB4,
        "GXCOPY:H2A (B)": 262144, "GXCOPY:COUNT": 18, "GSYNC:COUNT": 11, "GKER:COUNT": 25}.items():
    check(value[name] == expected, name, value[name])
check(len(value) == 43 and all(v >= 0 for v in value.values()), "all of them are there", len(value))
total = sum(value[n + " (sec)"] for n in ("GKER", "GMEM", "GMSET", "GXCOPY", "GSYNC"))
check(abs(total - value["GPUOP (sec)"]) < 1e-6, "GPUOP is their sum", total)
waits = sum(value["GSYNC:%s (sec)" % n] for n in ("UNK", "EVT", "STRE", "STR", "CTX"))
check(abs(waits - value["GSYNC (sec)"]) < 1e-6 and value["GSYNC:STR (sec)"] > 0,
      "waits by what was waited for", waits)
kernels = {row["name"]: row for row in said["kernels"]}
add = kernels["add(float*, int, float)"]
check((add["count"], add["dymem_bytes"], add["blk_thr"], add["blk"], add["thr_reg"],
       add["occ_thr_percent"], add["limiter"]) == (5, 1024, 256, 4096, 16, 100, "threads"),
      "what a kernel is like", add)
csv = subprocess.run([TANDEM, "report", "--metrics", "--format", "csv", "session"], text=True,
                     capture_output=True, check=True).stdout
check("metrics,GKER:COUNT,,kernel launches,25" in csv, "the same as CSV", csv[:300])
text = subprocess.run([TANDEM, "report", "--metrics", "session"], text=True,
                      capture_output=True, check=True).stdout
check("GXCOPY:H2D (B)" in text and "limited by" in text, "and as text", text[:300])
finish()
