#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Device memory is counted by what the program retains and releases: commands in flight,
which hold references of their own, neither hide a free nor raise the peak."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import DRIVERS, PROGRAMS, run
from tap import check, finish, skip

COUNT, BYTES = 400, 1 << 20

for driver in ("stub", "basic", "pthread", "intel"):
    env = DRIVERS.get(driver)
    alone = run([PROGRAMS / "buffers", str(COUNT)], env=env) if env is not None else None
    if alone is None or alone.status:
        skip("buffers on " + driver, alone.stdout.strip() if alone else "no such driver")
        continue
    for again in (1, 2):
        recorded = run([PROGRAMS / "buffers", str(COUNT)], "basic", env=env)
        check(recorded.stdout == alone.stdout and recorded.status == 0, f"{driver}: it runs",
              recorded.stderr)
        memory = recorded.session.report()["memory"]
        check(sum(row["allocations"] for row in memory) == COUNT and
              sum(row["frees"] for row in memory) == COUNT and
              sum(row["freed_bytes"] for row in memory) == COUNT * BYTES,
              f"{driver}, {again}: each buffer is freed", memory)
        check(max(row["peak_bytes"] for row in memory) == BYTES,
              f"{driver}, {again}: one is alive at a time", memory)
finish()
