#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Threads that wait without sleeping, where the device is the CPU: one that looks at a flag which a
callback sets, one that asks for several commands in turns, one that makes no calls at all and takes
a core of the device.

tandem-test: alone
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from kernelside import need  # noqa: E402
from tap import TANDEM, check, finish, skip  # noqa: E402

need("system")
PROGRAMS = os.path.join(os.environ["TANDEM_BUILD"], "tests", "findings")
if not os.access(os.path.join(PROGRAMS, "trials", "trials"), os.X_OK) or \
        not os.path.exists("/etc/OpenCL/vendors/pocl.icd"):
    print("the programs are not built, or PoCL is not installed")
    sys.exit(77)


def found(name, *arguments):
    """Its findings, as {name/cause: finding}."""
    folder = "-".join((os.path.basename(name), *arguments))
    subprocess.run([TANDEM, "record", "-q", "-o", folder, "--args", "full", "--",
                    os.path.join(PROGRAMS, os.path.dirname(name), os.path.dirname(name)),
                    os.path.basename(name), *arguments],
                   env=dict(os.environ, POCL_DEVICES="pthread"), check=True, capture_output=True)
    done = subprocess.run([TANDEM, "findings", "--all", "--format", "json", folder], check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)["findings"]


def kinds(findings):
    return [f"{one['name']}/{one['cause']}" for one in findings]


for program, kind in (("workloads/mandel_flag", "waiting/spinning"),
                      ("trials/tile_status", "waiting/polling")):
    planted, repaired = kinds(found(program)), kinds(found(program, "repaired"))
    check(kind in planted, f"{program}: {kind}", planted)
    check(kind not in repaired, f"{program}, repaired: no {kind}", repaired)

# With more, the device has cores enough, and loses little.
if os.cpu_count() == 2:
    spins, sleeps = ([one for one in found("trials/progress_spin", *arguments)
                      if "never slept" in one["description"]] for arguments in ((), ("repaired",)))
    check(kinds(spins) == ["preemption/other-threads"], "a thread that never sleeps is found", spins)
    check(spins and "of the program itself" in spins[0]["culprits"], "and named", spins)
    check(spins and 5 < spins[0]["percent"] < 60, "it costs a part of the run", spins)
    check(not sleeps, "one that sleeps is not", sleeps)
else:
    skip("a thread that never sleeps", "this machine has not two CPUs")
finish()
