#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sums of a stretch of time are `tandem report`'s of the same stretch: of the whole
run, and of parts (--from, --to); and those of the page in one file are the same.

tandem-test: timeout=400
"""
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from handmade import OPEN, Session
from tap import check, finish, skip
from traces import BUILD, mandelbrot, report, synthetic, tandem
from viewing import Page, View, need_browser

need_browser()
synthetic("made", records=30000, processes=2, threads=3)
sessions = ["made"]
subprocess.run([os.path.join(BUILD, "bench", "gen_machine"), "-n", "10000", "-p", "2", "-t", "2",
                "machine"], check=True, capture_output=True)
sessions.append("machine")
# A call that never returns, a command that never ends, and one without device times.
hung = Session("hung")
for step in range(5):
    hung.call("clEnqueueNDRangeKernel", 5000 * step + 1000, 5000 * step + 1200, op=step + 1)
    hung.operation(5000 * step + 4500, op=step + 1, times=None if step == 2 else
                   [5000 * step + ns for ns in (1100, 1500, 2000, 4000)])
hung.call("clEnqueueNDRangeKernel", 26000, 26200, op=6)
hung.call("clFinish", 30000, OPEN)
hung.call("clGetDeviceInfo", 42000, 42100, thread=2)
hung.write()
sessions.append("hung")
if mandelbrot("real"):
    sessions.append("real")
else:
    skip("a real run", "the image program can not run here")

CALL = ("calls", "errors", "total_ns", "min_ns", "p50_ns", "p99_ns", "max_ns")
STATES = ("running_ns", "wait_cpu_ns", "wait_blocked_ns")
DEVICE = ("count", "failed", "untimed", "bytes", "total_ns", "min_ns", "p50_ns", "p99_ns", "max_ns")


def same_as_report(words, tables, said):
    # What only goes on in a part has rows, too, with nothing but what lies inside.
    part = "from" in said
    calls = CALL + (("within_ns",) if part else ())
    got = {row["name"]: [row[key] for key in calls] for row in tables.get("API calls", [])
           if row["calls"] or row["within_ns"]}
    wanted = {row["name"]: [row[key] for key in calls] for row in said["api"]}
    check(got == wanted, f"{words}: API calls are the report's", different(got, wanted))
    # Of the whole run the report takes a command's length by the device's own clock.
    device = DEVICE + (("within_ns",) if part else ())
    got = {(row["name"], row["kind"], row["device"]): [row[key] for key in device]
           for row in tables.get("Device operations", []) if row["count"] or row["within_ns"]}
    wanted = {(row["name"], row["kind"], row["device"]): [row[key] for key in device]
              for row in said["device"]}
    check(got == wanted, f"{words}: and device operations", different(got, wanted))
    got = dict.fromkeys(STATES, 0)
    for row in tables.get("Thread states", []):
        if row["state"] + "_ns" in got:
            got[row["state"] + "_ns"] += row["within_ns"]
    wanted = {key: sum(row[key] for row in said["threads"]) for key in STATES}
    # The picture goes on to the latest record, some ns behind a made-up session's end.
    most = 0 if part else 4 * len(said["threads"])
    check(all(abs(got[key] - wanted[key]) <= most for key in STATES), f"{words}: and states of threads",
          (got, wanted))
    return len(said["api"]) + len(said["device"]), sum(wanted.values())


def different(got, wanted):
    return {key: (got.get(key), wanted.get(key)) for key in got.keys() | wanted.keys()
            if got.get(key) != wanted.get(key)}


def part_of(session, begin, end):
    said = tandem("report", "--format", "json", "--from", f"{begin}ns", "--to", f"{end}ns", session)
    check(said.returncode == 0, f"{session}: from {begin} to {end} is reported", said.stderr)
    return dict(json.loads(said.stdout), **{"from": begin})


states = 0
for session in sessions:
    said = report(session)
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
            for number in range(4):
                begin, end = sorted(chance.randrange(first, int(last)) for _ in range(2))
                # A short one cuts what is longer on both sides.
                end = end if number else begin + (end - begin) // 1000 + 1
                page.run("app.selection = {begin: arguments[0], end: arguments[1]};"
                         "await app.panel.showSelection()", begin, end)
                tables = page.run("return Object.fromEntries(app.panel.tables.map(t => [t.name, t.rows]))")
                parts.setdefault((begin, end), []).append(tables)
                rows, waited = same_as_report(f"{session}: {where}: part {number}", tables,
                                              part_of(session, begin, end))
                some += rows
                states += waited
    check(all(a == b for a, b in parts.values()),
          f"{session}: the file says the same as the server, to the last digit",
          [row for a, b in parts.values() for table in a for row in zip(a[table], b[table])
           if row[0] != row[1]])
    check(some, f"{session}: the parts held calls")

check(states, "there were states to compare")
Page.close_browser()
finish()
