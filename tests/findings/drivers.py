#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Findings that a program cannot show by itself: another process on its device, a
driver whose commands fail, whose clock is coarse, or that loses nothing."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish, skip
from traces import BUILD, MANDELBROT, record, tandem

EXAMPLES = os.path.join(BUILD, "examples", "findings")
STUB = {"OCL_ICD_VENDORS": os.path.join(BUILD, "tests", "stubs", "libstubcl.so"),
        "STUB_ENGINE": "thread", "STUB_DELAY_US": "200"}
if not os.path.isdir(EXAMPLES):
    print("the examples are not built: no OpenCL")
    sys.exit(77)


def findings(path, command, env, name, cause):
    status = record(path, command, env=env)
    said = tandem("findings", "--all", "--format", "json", path)
    check(status == 0 and said.returncode == 0, f"{path} is recorded and read", said.stderr)
    return [f for f in json.loads(said.stdout)["findings"]
            if f["name"] == name and f["cause"] == cause]


if os.path.exists("/etc/OpenCL/vendors/pocl.icd"):
    draw = f"{MANDELBROT} -w 1280 -h 720 -n 60"
    pocl = {"POCL_DEVICES": "pthread"}
    shared = findings("both", ["sh", "-c", f"{draw} & {draw} & wait"], pocl, "shared-device",
                      "process")
    check(1 <= len(shared) <= 2 and all(f["cost_ns"] > 1000000 and f["count"] >= 5 and
                                        str(f["where"]["process"]) not in f["culprits"] and
                                        f["culprits"].startswith("mandelbrot (") for f in shared),
          "who waits for another process's commands, and for whose", shared)
    after = findings("after", ["sh", "-c", f"{draw}; {draw}"], pocl, "shared-device", "process")
    check(not after, "not where they run one after the other", after)
else:
    skip("a device that processes share", "PoCL is not installed")

program = [os.path.join(EXAMPLES, "idle_device")]
failed = findings("failed", program, dict(STUB, STUB_STATUS="-9999:5"), "errors", "command")
check(len(failed) == 1 and failed[0]["count"] >= 8 and
      failed[0]["object"] == "clEnqueueNDRangeKernel" and "-9999" in failed[0]["description"],
      "commands that end in an error", failed)
well = findings("well", program, STUB, "errors", "command")
check(not well, "not where they do not", well)

coarse = findings("coarse", program, dict(STUB, STUB_DELAY_US="20",
                                          STUB_CLOCK_RESOLUTION_NS="3000000"), "trace", "clock")
check(len(coarse) == 1 and "alignment is" in coarse[0]["description"] and coarse[0]["where"]["device"],
      "a clock that is too coarse for the commands", coarse)
fine = findings("fine", program, dict(STUB, STUB_DELAY_US="2000"), "trace", "clock")
check(not fine, "not one that is fine", fine)

zero = findings("zero", program, dict(STUB, STUB_PROFILING="fail"), "trace", "untimed")
check(len(zero) == 1 and zero[0]["count"] >= 40, "a driver that gives no times", zero)
finish()
