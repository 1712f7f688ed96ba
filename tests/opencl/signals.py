#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A handler of a signal storm calls OpenCL: each call is recorded, or counted as
lost because it interrupted the recorder itself."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import DRIVERS, PROGRAMS, run
from tap import check, finish

counts = os.path.abspath("counts")
for state in ("none", "basic"):
    recorded = run([PROGRAMS / "signals", counts, "2000"], state, env=DRIVERS["stub"])
    check(recorded.status == 0 and recorded.stdout == "done\n", f"{state}: the program is unharmed",
          recorded.stdout + recorded.stderr)
    main, handler = map(int, re.match(r"main (\d+) handler (\d+)", open(counts).read()).groups())
    session = recorded.session
    report = session.report()
    made = main + handler
    found = sum(row["calls"] for row in report["api"] if row["name"] == "clGetPlatformIDs")
    lost = report["losses"]["by_reason"]
    check(found + report["losses"]["total"] == made,
          f"{state}: {made} calls, recorded or counted as lost", f"{found}, {lost}")
    check(report["losses"]["total"] == lost["reentrant"] and lost["reentrant"] <= handler,
          f"{state}: lost only where the recorder was interrupted", lost)
    check(report["operations"]["open_calls"] == 0, f"{state}: every call has its end",
          report["operations"])
    check(report["damage"]["places"] == 0, f"{state}: nothing is damaged", report["damage"])
    count, said = session.babeltrace()
    events = report["session"]["events"] + report["session"].get("kernel_events", 0)
    check(count is None or (count == events and not said),
          f"{state}: babeltrace2 reads as many", f"{count} {events} {said[:2000]}")
finish()
