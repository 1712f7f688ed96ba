#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report --metrics of programs of HIP (each generation's stub) and HSA, whose every operation is known:
HPCToolkit's tables of times, memory, fills, copies and waits, and what kernels are like."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from cuda import Trace  # noqa: E402
import rocm  # noqa: E402
from tap import TANDEM, check, finish  # noqa: E402

HSA_PROGRAM = os.path.join(rocm.BUILD, "tests", "stubs", "hsa", "hsa-program")
HIP = {"GMEM:DEV (B)": 8192, "GMEM:PIN (B)": 8192, "GMEM:COUNT": 4, "GMSET:DEV (B)": 4096,
       "GMSET:COUNT": 1, "GXCOPY:H2D (B)": 4112, "GXCOPY:D2H (B)": 2048, "GXCOPY:COUNT": 3,
       "GSYNC:COUNT": 3, "GKER:COUNT": 12}
HIP7 = {**HIP, "GMSET:DEV (B)": 4224, "GMSET:COUNT": 2, "GKER:COUNT": 13}
HSA = {"GMEM:DEV (B)": 16384, "GMEM:PIN (B)": 16384, "GMEM:COUNT": 4, "GMSET:COUNT": 0,
       "GXCOPY:H2D (B)": 8192, "GXCOPY:D2H (B)": 4096, "GXCOPY:COUNT": 2, "GSYNC:COUNT": 3,
       "GKER:COUNT": 4}


def metrics(title, session, expected):
    run = subprocess.run([TANDEM, "report", "--metrics", "--format", "json", session], text=True,
                         capture_output=True, check=True)
    said = json.loads(run.stdout)
    value = {row["name"]: row["value"] for row in said["metrics"]}
    differ = {name: (count, value.get(name)) for name, count in expected.items()
              if value.get(name) != count}
    check(not differ, "%s: what was moved, and how often" % title, differ)
    parts = ("GKER", "GMEM", "GMSET", "GXCOPY", "GSYNC")
    check(abs(sum(value[part + " (sec)"] for part in parts) - value["GPUOP (sec)"]) < 1e-6 and
          value["GKER (sec)"] > 0 and value["GXCOPY (sec)"] > 0 and value["GSYNC (sec)"] > 0,
          "%s: GPUOP is the sum of its parts" % title, value)
    return {row["name"]: row for row in said["kernels"]}


for version in ("5.2", "5.7", "6.3", "7.2"):
    session = "hip" + version
    rocm.record(session, version)
    kernels = metrics(version, session, HIP7 if version == "7.2" else HIP)
    # Those of graphs have no shape: their nodes have not been seen.
    axpy, scale = kernels["axpy(float*, float*, float)"], kernels["scale"]
    check((axpy["count"], axpy["blk_thr"], axpy["blk"], axpy["thr_reg"], axpy["stmem_bytes"],
           axpy["lmem_bytes"]) == (5, 64, 8, 72, 2048, 16), "%s: what a kernel is like" % version, axpy)
    check((scale["count"], scale["blk_thr"], scale["blk"]) == ((2, 32.5, 2.5) if version == "7.2" else (1, 1, 1)),
          "%s: and another" % version, scale)
    # gfx90a: 512 registers of a SIMD hold 72 of a wave 7 times, of 8 waves that it could hold.
    check((axpy["fgp_act"], axpy["fgp_max"], axpy["occ_thr_percent"], axpy["limiter"]) == (28, 32, 87.5, "registers"),
          "%s: its occupancy" % version, axpy)
    trace = Trace(session)
    sets = trace.by_name["instruction_set"]
    check(len(sets) == 2 and {e["args"]["gfx"] for e in sets} == {"0x90a"}, "%s: gfx90a" % version, sets)
    check(len(trace.by_name["launch_config"]) == (3 if version == "7.2" else 2), "%s: a shape is written once" % version,
          trace.by_name["launch_config"])
    units = trace.by_name["compute_unit"]
    check({(e["args"]["count"], e["args"]["wave_items"], e["args"]["items"], e["args"]["local_bytes"])
           for e in units} == {(110, 64, 2048, 65536)} and len(units) == 2,
          "%s: compute units of both devices" % version, units)

subprocess.run([TANDEM, "record", "-q", "-o", "hsa", HSA_PROGRAM], check=True, capture_output=True)
kernels = metrics("HSA", "hsa", HSA)
add = kernels["vector_add(float*, _)"] if "vector_add(float*, _)" in kernels else \
    next(row for name, row in kernels.items() if "vector_add" in name)
check((add["count"], add["blk_thr"], add["blk"], add["dymem_bytes"]) == (3, 64, 32, 256),
      "HSA: what a kernel is like", add)
# 72 registers by the kernel's descriptor, as HIP's; reduce has 8, and its waves fill the compute unit.
reduce_ = kernels["reduce"]
check((add["thr_reg"], add["fgp_act"], add["fgp_max"], add["occ_thr_percent"], add["limiter"]) ==
      (72, 28, 32, 87.5, "registers") and (reduce_["thr_reg"], reduce_["occ_thr_percent"]) == (8, 100),
      "HSA: its occupancy", (add, reduce_))
finish()
