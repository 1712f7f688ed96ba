#!/usr/bin/env python3
"""Sums of a stretch of time are right: those of the whole run are `tandem report`'s,
those of a part what SQL says of it, and those of the page in one file the same."""
import os
import random
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish, skip
from traces import mandelbrot, report, synthetic, tandem
from viewing import Page, View, need_browser

need_browser()
synthetic("made", records=30000, processes=2, threads=3)
sessions = ["made"]
if mandelbrot("real", "--kernel", "off"):
    sessions.append("real")

CALL = ("calls", "errors", "total_ns", "min_ns", "p50_ns", "p99_ns", "max_ns")
DEVICE = ("count", "failed", "untimed", "bytes", "total_ns", "min_ns", "p50_ns", "p99_ns", "max_ns")


def same_as_report(words, tables, said):
    got = {row["name"]: [row[key] for key in CALL] for row in tables["API calls"]}
    wanted = {row["name"]: [row.get(key, 0) for key in CALL] for row in said["api"]}
    check(got == wanted, f"{words}: API calls are the report's", (got, wanted))
    # A device's time is stretched onto the host's clock here, so a command may
    # differ from its own by the clock's rate.
    got = {(row["name"], row["kind"]): [row[key] for key in DEVICE] for row in tables["Device operations"]}
    wanted = {(row["name"], row["kind"]): [row.get(key, 0) for key in DEVICE] for row in said["device"]}
    close = got.keys() == wanted.keys() and all(
        a[:4] == b[:4] and all(abs(x - y) <= max(2 * a[0], y / 1000) for x, y in zip(a[4:], b[4:]))
        for a, b in ((got[key], wanted[key]) for key in wanted))
    check(close, f"{words}: and device operations", (got, wanted))


def in_sql(database, begin, end):
    """What begins in [begin, end)."""
    calls = database.execute(
        "SELECT name, count(*), sum(failed), sum(duration_ns), min(duration_ns), max(duration_ns)"
        " FROM api_calls WHERE begin_ns >= ? AND begin_ns < ? GROUP BY name", (begin, end))
    inside = database.execute(
        "SELECT name, sum(min(end_ns, ?2) - max(begin_ns, ?1)) FROM api_calls"
        " WHERE end_ns > ?1 AND begin_ns < ?2 GROUP BY name", (begin, end))
    return {row[0]: row[1:] for row in calls}, dict(inside)


def ops_in_sql(database, begin, end):
    return {(name, kind): (count, size) for name, kind, count, size in database.execute(
        "SELECT name, kind, count(*), sum(bytes) FROM device_ops"
        " WHERE start_ns >= ? AND start_ns < ? GROUP BY name, kind", (begin, end))}


for session in sessions:
    said = report(session)
    done = tandem("export", "-f", "sqlite", "-o", f"{session}.sqlite", session)
    database = sqlite3.connect(f"{session}.sqlite") if done.returncode == 0 else None
    done = tandem("export", "-f", "html", "-o", f"{session}.html", session)
    check(done.returncode == 0, f"{session}: as one file", done.stderr)
    parts, some = {}, 0
    with View("--no-open", session) as view:
        for where, address in (("served", view.address), ("file", "file://" + os.path.abspath(f"{session}.html"))):
            page = Page(address)
            check(page.whole, f"{session}: {where}: there is a picture")
            page.run("await app.panel.showSelection()")
            same_as_report(f"{session}: {where}", page.tables(), said)
            first, last = page.run("return [0, app.model.sessions[0].last_ns]")
            chance = random.Random(1)
            for number in range(3):
                begin, end = sorted(chance.randrange(first, int(last)) for _ in range(2))
                page.run("app.selection = {begin: arguments[0], end: arguments[1]};"
                         "await app.panel.showSelection()", begin, end)
                tables = page.run("return Object.fromEntries(app.panel.tables.map(t => [t.name, t.rows]))")
                parts.setdefault((begin, end), []).append(tables)
                if database is None:
                    skip(f"{session}: a part, by SQL", "this build has no SQLite")
                    continue
                calls, inside = in_sql(database, begin, end)
                got = {row["name"]: (row["calls"], row["errors"], row["total_ns"], row["min_ns"], row["max_ns"])
                       for row in tables.get("API calls", []) if row["calls"]}
                check(got == calls, f"{session}: {where}: calls of part {number} are what SQL says",
                      (got, calls))
                some += len(calls)
                got = {row["name"]: row["within_ns"] for row in tables.get("API calls", []) if row["within_ns"]}
                check(got == {k: v for k, v in inside.items() if v},
                      f"{session}: {where}: and what of them lies inside", (got, inside))
                got = {(row["name"], row["kind"]): (row["count"], row["bytes"])
                       for row in tables.get("Device operations", []) if row["count"]}
                wanted = ops_in_sql(database, begin, end)
                # A command at the very edge may be a nanosecond on its other side.
                near = got.keys() == wanted.keys() and all(abs(got[k][0] - wanted[k][0]) <= 1 for k in wanted)
                check(near, f"{session}: {where}: and device operations", (got, wanted))
    check(all(a == b for a, b in parts.values()),
          f"{session}: the file says the same as the server, to the last digit",
          [(a, b) for a, b in parts.values() if a != b][:1])
    check(some or database is None, f"{session}: the parts held calls")
    if database:
        database.close()

Page.close_browser()
finish()
