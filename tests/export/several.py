#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Commands that share their call, as those of a graph's launch do: each is told with it,
for as long as the next is not too far away."""
import os
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from handmade import Session
from tap import check, finish
from traces import report, tandem

RUNTIME = 0xfffffe << 40
OTHERS = 60000
STEP = 5000  # between commands of one launch

made = Session("made")
GRAPH, RARE, OPEN = RUNTIME | 1, RUNTIME | 2, RUNTIME | 3
for i, op in enumerate((GRAPH, RARE, OPEN)):
    made.call("clEnqueueNDRangeKernel", 100 * i, 100 * i + 50, op=op)
made.operation(1000, RARE, (0, 10, 320, 340))
now, expected = 1000, 1
for i in range(OTHERS):
    now += 100
    if i % STEP == 0:
        expected += 1
        made.operation(now - 1, GRAPH, (0, 10, now - 40, now - 30))
    if i == OTHERS // 2:
        made.operation(now - 2, RARE, (0, 10, now - 60, now - 50))
    made.call("clEnqueueNDRangeKernel", now, now + 20, op=RUNTIME | 10 + i)
    made.operation(now + 60, RUNTIME | 10 + i, (now + 1, now + 5, now + 30, now + 50))
made.write()

done = tandem("export", "-q", "-f", "sqlite", "-o", "made.sqlite", "made")
check(done.returncode == 0, "it is exported", done.stderr)
db = sqlite3.connect("made.sqlite")


def calls(op):
    return [row[0] for row in db.execute("SELECT call FROM device_ops WHERE op = ? ORDER BY end_ns",
                                         (op - (1 << 64),))]


(graph,) = db.execute("SELECT id FROM api_calls ORDER BY begin_ns LIMIT 1").fetchone()
check(len(calls(GRAPH)) == OTHERS // STEP and set(calls(GRAPH)) == {graph},
      "each command of a launch is that launch's", calls(GRAPH))
check(len(calls(RARE)) == 2 and calls(RARE)[0] == graph + 1 and calls(RARE)[1] is None,
      f"one that comes after {OTHERS // 2} others is nobody's", calls(RARE))
(alone,) = db.execute("SELECT count(*) FROM device_ops WHERE call IS NULL").fetchone()
check(alone == 1, "all others have their calls", alone)
count = report("made")
check(sum(row["count"] for row in count["device"]) == OTHERS + OTHERS // STEP + 2,
      "each is counted", count["device"])

finish()
