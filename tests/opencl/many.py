#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A thousand threads at once, and a million commands in flight.

tandem-test: alone timeout=300
"""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import compare, DRIVERS, PROGRAMS, run, SANITIZED
from tap import check, finish

THREADS, ROUNDS = (1000, 5) if not SANITIZED else (200, 3)
COMMANDS = 1000000 if not SANITIZED else 50000

command = [PROGRAMS / "threads", str(THREADS), str(ROUNDS)]
alone = run(command, env=DRIVERS["stub"])
calls = run(command, env=DRIVERS["stub"], calls=True).calls
recorded = run(command, "basic", env=DRIVERS["stub"])
compare(f"{THREADS} threads", alone, recorded)
recorded.session.verify(f"{THREADS} threads", calls)
check(recorded.session.report()["session"]["threads"] == THREADS + 1, f"{THREADS} threads and main",
      recorded.session.report()["session"])

for engine, order in (("inline", "fifo"), ("deferred", "fifo"), ("thread", "fifo")):
    env = dict(DRIVERS["stub"], STUB_ENGINE=engine, STUB_ORDER=order,
               STUB_REPORT=os.path.abspath("report"))
    command = [PROGRAMS / "flight", str(COMMANDS)]
    words = f"{COMMANDS} commands in flight, {engine}"
    alone = run(command, env=env)
    recorded = run(command, "basic", env=env)
    compare(words, alone, recorded)
    report = recorded.session.report()
    enqueued = sum(r["calls"] for r in report["api"] if r["name"].startswith("clEnqueue"))
    ended = sum(r["count"] for r in report["device"])
    check(enqueued == COMMANDS and ended + report["losses"]["total"] == COMMANDS,
          f"{words}: each ends once, or is counted as lost",
          f"{enqueued} enqueued, {ended} ended, {report['losses']}")
    check(report["losses"]["total"] == 0 and report["operations"]["unfinished"] == 0,
          f"{words}: none is lost", f"{report['losses']} {report['operations']}")
finish()
