#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every program prints and ends as it does alone, whatever is recorded, and the
trace holds each of its calls once and the end of each of its commands once.

tandem-test: timeout=600
"""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from programs import CASES, same
from recording import has_pocl, STATES
from tap import finish, skip

for name, arguments, drivers in CASES:
    for driver in drivers:
        if driver == "intel":
            continue  # intel.py
        if driver != "stub" and not has_pocl():
            skip(f"{name} on {driver}", "PoCL is not installed")
            continue
        same(name, arguments, driver, STATES if driver == "stub" else
            ["none", "full"] if driver == "basic" else ["basic"])
finish()
