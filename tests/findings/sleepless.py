#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A thread that makes no calls and never sleeps takes a core of the CPU's device: it is named; one
that sleeps is not.

tandem-test: alone
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from kernelside import need  # noqa: E402
from tap import TANDEM, check, finish  # noqa: E402

need("system")
TRIALS = os.path.join(os.environ["TANDEM_BUILD"], "tests", "findings", "trials", "trials")
if not os.access(TRIALS, os.X_OK) or not os.path.exists("/etc/OpenCL/vendors/pocl.icd"):
    print("the programs are not built, or PoCL is not installed")
    sys.exit(77)
# With more, the device has cores enough, and loses little.
if os.cpu_count() != 2:
    print("this machine has not two CPUs")
    sys.exit(77)


def sleepless(folder, *arguments):
    subprocess.run([TANDEM, "record", "-q", "-o", folder, "--", TRIALS, "progress_spin", *arguments],
                   env=dict(os.environ, POCL_DEVICES="pthread"), check=True, capture_output=True)
    done = subprocess.run([TANDEM, "findings", "--all", "--format", "json", folder], check=True,
                          capture_output=True, text=True)
    return [found for found in json.loads(done.stdout)["findings"]
            if "never slept" in found["description"]]


spins, sleeps = sleepless("spins"), sleepless("sleeps", "repaired")
check(len(spins) == 1 and (spins[0]["name"], spins[0]["cause"]) == ("preemption", "other-threads"),
      "a thread that never sleeps is found", spins)
check(spins and "of the program itself" in spins[0]["culprits"], "and named", spins)
check(spins and 5 < spins[0]["percent"] < 60, "it costs a part of the run", spins)
check(not sleeps, "one that sleeps is not", sleeps)
finish()
