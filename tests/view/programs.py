#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The timeline of programs without GPU calls: a shell's pipeline, whose processes have the names of what they
became; a program with idle threads, which are below one row that opens."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from kernelside import scope
from tap import TANDEM, check, finish
from viewing import Page, need_browser, pages

need_browser()
if scope()[0] not in ("system", "program"):
    print("skipped: scheduling cannot be recorded here")
    sys.exit(77)

IDLE = """
import threading, time
threads = [threading.Thread(target=time.sleep, args=(1.5,)) for _ in range(7)]
for thread in threads:
    thread.start()
end = time.monotonic() + 0.5
while time.monotonic() < end:
    pass
for thread in threads:
    thread.join()
"""

subprocess.run([TANDEM, "record", "-q", "-o", "pipeline", "sh", "-c", "seq 1 200000 | sort -r | tail -1; exit 0"],
               check=True, capture_output=True)
for where, page in pages("pipeline"):
    rows = page.run("return app.rows.all.map(r => [r.kind, r.name, r.tracks.filter(t => t.type === 'state').length])")
    processes = [name for kind, name, _ in rows if kind == "process"]
    check({"sh", "seq", "sort", "tail"} <= set(processes), f"{where}: each process of a pipeline has a row, by its own name", rows)
    threads = {name: states for kind, name, states in rows if kind == "thread"}
    check({"sh", "seq", "sort", "tail"} <= set(threads) and set(threads.values()) == {1},
          f"{where}: and its thread, with one track of states", rows)
    states = page.run("return app.rows.all.filter(r => r.kind === 'thread').length && "
                      "app.overview.tracksOf(app.rows.sessions[0]).map(t => [t.type, t.items])")
    check(len(states) == 2 and all(kind == "state" and items for kind, items in states),
          f"{where}: the full trace is the states of two threads, as there are no calls", states)
    drawn = page.run("const c = document.getElementById('overview'), d = c.getContext('2d').getImageData(0, 4, c.width, 8).data;"
                     "let n = 0; for (let i = 0; i < d.length; i += 4) n += Math.max(d[i], d[i + 1], d[i + 2]) - Math.min(d[i], d[i + 1], d[i + 2]) > 60;"
                     "return n")
    check(drawn > 100, f"{where}: which are drawn", drawn)
    lanes = page.run("const row = app.rows.all.find(r => r.kind === 'process' && r.name === 'sort'); app.fold(row, true);"
                     "const folded = row.lanes.map(l => l.track.type + ':' + l.track.row.kind); app.fold(row, false);"
                     "return [folded, row.lanes.some(l => l.track.row !== row)]")
    check(lanes == [["state:thread"], False], f"{where}: a folded process shows its thread", lanes)
    check("no GPU API calls" in page.text("run"), f"{where}: there were no GPU API calls", page.text("run"))
    check(not page.browser.complaints() and page.run("return document.getElementById('fit-devices').hidden"),
          f"{where}: and no devices to zoom to", page.browser.complaints())

subprocess.run([TANDEM, "record", "-q", "-o", "idle", sys.executable, "-c", IDLE], check=True, capture_output=True)
for where, page in pages("idle"):
    # What else it started (a Python may be a script) is not asked for.
    row = page.run("const r = app.rows.shown.find(r => r.kind === 'idle'); return r && {name: r.name, folded: r.folded, "
                   "children: r.children.length, shown: r.children.filter(c => c.y !== null).length}")
    check(row == {"name": "7 idle threads", "folded": True, "children": 7, "shown": 0}, f"{where}: idle threads are below one row", row)
    before = [r["words"] for r in page.rows() if r["kind"] == "thread"]
    page.run("document.activeElement.blur(); app.focus(app.rows.shown.find(r => r.kind === 'idle'))")
    page.browser.press("ArrowRight")
    page.still()
    after = [r["words"] for r in page.rows() if r["kind"] == "thread"]
    check(len(after) == len(before) + 7, f"{where}: which opens", (before, after))
    sums = page.run("const r = app.rows.all.find(r => r.kind === 'idle'); return (await app.source.select(0, -1e6, 1e12, [r.number]))"
                    ".states.filter(s => s.state === 'wait_blocked').reduce((sum, s) => sum + s.within_ns, 0)")
    check(sums > 7 * 1e9, f"{where}: it can be aggregated as one row", sums)

Page.close_browser()
finish()
