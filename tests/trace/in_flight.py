#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Operations meet their calls however many are in flight, in whatever order they end, and
while one of them never does."""
import os
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from handmade import Session
from tap import check, finish
from traces import report, tandem

THREAD = 7 << 40
AT_ONCE, ALONE = 3000, 40000

made = Session("made")
now = 1000
made.call("clEnqueueNDRangeKernel", now, now + 20, op=THREAD | 1)  # never ends
ops = [THREAD | 2 + i for i in range(AT_ONCE)]
for op in ops:
    now += 100
    made.call("clEnqueueNDRangeKernel", now, now + 20, op=op)
for op in reversed(ops):
    now += 100
    made.operation(now, op, (0, 10, now - 40, now - 30))
for i in range(ALONE):
    now += 100
    op = THREAD | 2 + AT_ONCE + i
    made.call("clEnqueueNDRangeKernel", now, now + 20, op=op)
    made.operation(now + 60, op, (now + 1, now + 5, now + 30, now + 50))
made.write()

done = tandem("export", "-q", "-f", "sqlite", "-o", "made.sqlite", "made")
check(done.returncode == 0, "it is exported", done.stderr)
db = sqlite3.connect("made.sqlite")
wrong = db.execute("SELECT device_ops.op FROM device_ops JOIN api_calls ON call = api_calls.id "
                   "WHERE device_ops.op != api_calls.op").fetchall()
check(not wrong, "each has the call that enqueued it", wrong[:5])
(alone,) = db.execute("SELECT count(*) FROM device_ops WHERE call IS NULL").fetchone()
check(alone == 0, "none is without", alone)
told = report("made")["operations"]
check(told["total"] == AT_ONCE + ALONE and told["unfinished"] == 1,
      "one did not end, all others did", told)

finish()
