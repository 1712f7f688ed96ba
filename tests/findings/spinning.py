#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Threads that wait without sleeping, where the device is the CPU: one that looks at a flag which a
callback sets, one that makes no calls at all and takes a core of the device, two that look whether it is
their turn.

tandem-test: alone
"""
import json
import os
import shutil
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
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([TANDEM, "record", "-q", "-o", folder, "--args", "full", "--",
                    os.path.join(PROGRAMS, os.path.dirname(name), os.path.dirname(name)),
                    os.path.basename(name), *arguments],
                   env=dict(os.environ, POCL_DEVICES="pthread"), check=True, capture_output=True)
    done = subprocess.run([TANDEM, "findings", "--all", "--format", "json", folder], check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)["findings"]


def kinds(findings):
    return [f"{one['name']}/{one['cause']}" for one in findings]


def planted(name, wanted):
    """Same; again where other programs of the machine left it no CPU to spin on."""
    for _ in range(6):
        findings = found(name)
        if any(wanted(one) for one in findings):
            break
    return findings


FLAG = "waiting/spinning"
spins = kinds(planted("workloads/mandel_flag", lambda one: kinds([one]) == [FLAG]))
waits = kinds(found("workloads/mandel_flag", "repaired"))
check(FLAG in spins, "a loop that looks at a flag", spins)
check(FLAG not in waits, "a wait is none", waits)

# With more, the device has cores enough, and loses little.
if os.cpu_count() == 2:
    def never_slept(one):
        return "never sleeps" in one["description"]

    spins = list(filter(never_slept, planted("trials/progress_spin", never_slept)))
    sleeps = list(filter(never_slept, found("trials/progress_spin", "repaired")))
    check(kinds(spins) == [FLAG], "a thread that never sleeps is found", spins)
    check(spins and "of the program itself" in spins[0]["culprits"], "and named", spins)
    check(spins and 5 < spins[0]["percent"] < 90, "it costs a part of the run", spins)
    check(not sleeps, "one that sleeps is not", sleeps)
    def works(one):
        return kinds([one]) == ["preemption/other-threads"] and "no API calls used" in one["description"]

    packs = list(filter(works, planted("finals/log_packers", works)))
    alone = list(filter(works, found("finals/log_packers", "repaired")))
    check(packs and "of the program itself" in packs[0]["culprits"], "threads that work while the device does not",
          packs)
    check(not alone, "a driver's threads are none", alone)

    def until_another(one):
        return kinds([one]) == [FLAG] and "until another thread" in one["description"]

    spins = list(filter(until_another, planted("exams/ticket_spin", until_another)))
    sleeps = list(filter(until_another, found("exams/ticket_spin", "repaired")))
    check(len(spins) == 1 and spins[0]["count"] > 40 and 5 < spins[0]["percent"] < 90,
          "threads that look whether it is their turn are one finding", spins)
    check(not sleeps, "those that lock a mutex are none", sleeps)
    sleeps = list(filter(until_another, found("drills/clean_exposure")))
    check(not sleeps, "nor is work next to a driver's threads", sleeps)
else:
    skip("a thread that never sleeps", "this machine has not two CPUs")
finish()
