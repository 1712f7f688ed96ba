#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""In which function the host worked while a device was idle, by sampled stacks, unwound both ways."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from corpus import STUB
from kernelside import need
from tap import TANDEM, check, finish
from traces import BUILD, tandem

need("system")
PROGRAM = os.path.join(BUILD, "examples", "findings", "idle_device")
if not os.access(PROGRAM, os.X_OK):
    print("the examples are not built")
    sys.exit(77)


def busy(*options):
    """The finding of a host that works."""
    done = subprocess.run([TANDEM, "record", "-q", "--force", "-o", "session", *options, PROGRAM],
                          env=dict(os.environ, **STUB), capture_output=True, text=True)
    said = tandem("findings", "--all", "--format", "json", "session")
    check(done.returncode == 0 and said.returncode == 0, f"{' '.join(options) or 'without stacks'}: is read",
          done.stderr + said.stderr)
    found = [f for f in json.loads(said.stdout)["findings"] if f["cause"] == "host-busy"]
    check(len(found) == 1, "the host works while the device is idle", found)
    return found[0]


for how, wanted in (("fp", "function "), ("dwarf", "of idle_device")):
    one = busy("--sample", "997", "--unwind", how)
    check(wanted in one["culprits"] and "sampled stacks" in one["culprits"], f"{how}: names the function", one)
    check("--sample" not in one["suggestion"], f"{how}: and does not ask for stacks", one)
one = busy()
check(not one["culprits"] and "--sample" in one["suggestion"], "without stacks it says how to have them", one)
# Too few stacks name nothing.
one = busy("--sample", "1")
check(not one["culprits"], "a stack or two are no culprit", one)
finish()
