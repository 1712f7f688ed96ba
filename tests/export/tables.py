#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The database, read back by SQLite; the CSV files, by a CSV reader; `tandem sql`."""
import csv
import json
import os
import shutil
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish, skip
from traces import cached, events, mandelbrot, report, synthetic, tandem

csv.field_size_limit(1 << 24)
made = synthetic("made", records=20000, processes=2, threads=2)
done = tandem("export", "--format", "sqlite", "-o", "made.sqlite", "made")
if "built without SQLite" in done.stderr:
    print("this tandem was built without SQLite")
    sys.exit(77)
check(done.returncode == 0, "a made session is exported", done.stderr)


def query(db, sql):
    return db.execute(sql).fetchall()


def compare(path, db, words):
    """The database says what the report says."""
    said = report(path)
    calls = {(n, c, e or 0, t) for n, c, e, t in
             query(db, "SELECT name, calls, errors, total_ns FROM api_summary")}
    wanted = {(a["name"], a["calls"], a["errors"], a["total_ns"]) for a in said["api"]}
    check(calls == wanted, f"{words}: calls as in the report", calls ^ wanted)
    ops = set(query(db, "SELECT device, kind, name, count, total_ns, bytes FROM op_summary"))
    wanted = {(d["device"], d["kind"], d["name"], d["count"], d["total_ns"], d["bytes"])
              for d in said["device"]}
    check(ops == wanted, f"{words}: commands as in the report", ops ^ wanted)
    waits = set(query(db, "SELECT queue, host_queue_ns, device_queue_ns, executing_ns, count "
                          "FROM queue_waits"))
    wanted = {(z["queue"], z["host_queue_ns"], z["device_queue_ns"], z["executing_ns"], z["count"])
              for z in said["zones"]}
    check(waits == wanted, f"{words}: waits as in the report", waits ^ wanted)


db = sqlite3.connect("made.sqlite")
check(query(db, "PRAGMA integrity_check") == [("ok",)], "the database is sound")
compare("made", db, "a made session")
check(query(db, "SELECT count(*) FROM api_calls") == [(made["calls"],)], "a row for each call")
check(query(db, "SELECT count(*) FROM device_ops") == [(made["operations"],)],
      "a row for each command")
check(query(db, "SELECT count(*) FROM device_ops WHERE call NOT IN (SELECT id FROM api_calls)") ==
      [(0,)], "each command knows its call")
check(query(db, "SELECT count(*) FROM device_ops o JOIN api_calls c ON c.id = o.call "
                "WHERE o.queued_ns < c.begin_ns OR o.end_ns > o.seen_ns") == [(0,)],
      "none is queued before its call or ends after it was seen")
said = json.loads(tandem("findings", "--all", "--format", "json", "made").stdout)["findings"]
check(query(db, "SELECT name, cause, cost_ns, count, description, confidence FROM findings") ==
      [(f["name"], f["cause"], f["cost_ns"], f["count"], f["description"], f["confidence"]) for f in said] and
      said, "findings as `tandem findings` has them", said[:2])
check(query(db, "SELECT count(*) FROM thread_states") == [(0,)],
      "no states of threads where the kernel was not recorded")
check(query(db, "SELECT count(*) FROM threads") == [(4,)], "a row for each thread")
check(query(db, "SELECT DISTINCT pid FROM calls ORDER BY 1") == [(1000,), (2000,)],
      "the view of calls knows processes")
first = next(e for e in events("made") if "duration_ns" in e)
row = query(db, "SELECT name, begin_ns, args FROM api_calls WHERE id = 1")[0]
check(row[0] == first["name"] and row[1] == first["time_ns"] and
      json.loads(row[2]) == first["args"], "times and arguments as `tandem print` has them",
      (row, first))
check(query(db, "SELECT count(*) FROM device_ops WHERE kind = 'kernel' AND global_x IS NULL") ==
      [(0,)], "launches have their sizes")

done = tandem("export", "--format", "csv", "-o", "tables", "made")
check(done.returncode == 0, "CSV files are written", done.stderr)
for (table,) in query(db, "SELECT name FROM sqlite_schema WHERE type = 'table'"):
    with open(f"tables/{table}.csv", newline="") as file:
        rows = list(csv.reader(file))
    same = query(db, f"SELECT * FROM {table} ORDER BY rowid")
    # Text that begins like a formula has an apostrophe in front (util/encode/csv.h).
    texts = [["" if v is None else "%.17g" % v if isinstance(v, float) else
              "'" + v if isinstance(v, str) and v[:1] in tuple("=+-@") else str(v) for v in r] for r in same]
    head = [c[1] for c in query(db, f"PRAGMA table_info({table})")]
    check(rows[0] == head and rows[1:] == texts, f"{table}.csv has the database's rows",
          next((p for p in zip(rows[1:], texts) if p[0] != p[1]), (len(rows), len(same))))
db.close()

# tandem sql
done = tandem("sql", "--format", "json", "made", "SELECT name, calls FROM api_summary")
check({r["name"]: r["calls"] for r in json.loads(done.stdout)} ==
      {a["name"]: a["calls"] for a in report("made")["api"]}, "sql: answers in JSON", done.stderr)
cache = cached("made", "session.sqlite")
check(cache and not os.path.exists("made/cache"), "sql: keeps the database, not in the session")
stamp = os.stat(cache)
done = tandem("sql", "--format", "csv", "made", "SELECT 'a,b' AS x, NULL AS y, '\"' AS z")
check(done.stdout == 'x,y,z\n"a,b",,""""\n', "sql: answers in CSV", done.stdout)
check(os.stat(cache).st_ino == stamp.st_ino, "sql: takes it again")
done = tandem("sql", "made", "SELECT 7 AS n, 'x' || char(27) AS t UNION SELECT 1234, 'yy'")
check(done.stdout == "   n  t\n   7  x\\x1b\n1234  yy\n", "sql: answers in columns, safe for a "
      "terminal", done.stdout)
done = tandem("sql", "made")
check("CREATE TABLE api_calls" in done.stdout and "-- " in done.stdout,
      "sql: explains its tables without a query")
synthetic("other", records=1000)
shutil.rmtree("made/process-1000")
done = tandem("sql", "made", "SELECT count(*) FROM processes")
check(done.stdout.split() == ["count(*)", "1"], "sql: a trace that changed is read anew",
      done.stdout)
with open(cache, "wb") as file:
    file.write(b"no database" * 1000)
done = tandem("sql", "made", "SELECT count(*) FROM processes")
check(done.stdout.split() == ["count(*)", "1"], "sql: a damaged cache is made anew", done.stderr)
for sql, words in (("DELETE FROM api_calls", "read"), ("SELECT 1; SELECT 2", "one query"),
                   ("SELECT nope FROM api_calls", "no such column: nope"),
                   ("SELEC", "syntax"), ("", "no query")):
    done = tandem("sql", "made", sql)
    check(done.returncode == 1 and words in done.stderr and not done.stdout,
          f"sql: refuses {sql!r}", (done.returncode, done.stderr, done.stdout))
done = tandem("sql", "other", "SELECT count(*) FROM processes", env=dict(
    os.environ, XDG_CACHE_HOME="/nowhere/at/all", TMPDIR=os.getcwd()))
check(done.stdout.split() == ["count(*)", "1"], "sql: without a place for the cache", done.stderr)
check(not [f for f in os.listdir(".") if f.startswith("tandem-sql")], "sql: tidies up")

if mandelbrot("run"):
    tandem("export", "-f", "sqlite", "-o", "run.sqlite", "run")
    db = sqlite3.connect("run.sqlite")
    compare("run", db, "a real run")
    check(query(db, "SELECT count(*) FROM device_ops WHERE causal = 0") == [(0,)],
          "a real run: its clock fits")
    check(query(db, "SELECT status, step FROM builds")[0] == (0, "build"),
          "a real run: the build of its program")
    check(query(db, "SELECT sum(CASE event WHEN 'allocate' THEN bytes ELSE -bytes END) "
                    "FROM memory") == [(0,)], "a real run: what it allocated it freed")
    # Earlier versions kept the database and the timeline's index in the session.
    os.makedirs("made/cache")
    for name in ("cache/session.sqlite", "timeline.index"):
        open(os.path.join("made", name), "w").close()
    done = tandem("record", "--force", "-o", "made", "true")
    check(done.returncode == 0 and not os.path.exists("made/cache"),
          "a session with what earlier readers kept in it can be replaced", done.stderr)
else:
    skip("a real run", "the image program does not run here")
finish()
