#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The timeline of programs without GPU calls: a shell's pipeline, whose processes have the names of what they
became; a program with idle threads, which are below one row that opens."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from kernelside import scope
from recording import DRIVERS, PROGRAMS
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
    # Of a machine that is busy with others the file may be too large to have each event.
    if page.run("return app.model.sessions[0].notes.some(note => note.text.includes('downsampled'))") and where == "file":
        continue
    # On a busy machine some kernels leave switches out (doc/KERNEL.md): then it is unknown whether they slept.
    sums = page.run("""
        const row = app.rows.all.find(r => r.kind === "idle");
        const lengths = async rows => (await app.source.select(0, -1e6, 1e12, rows)).states
            .filter(s => s.state !== "running").reduce((sum, s) => sum + s.within_ns, 0);
        let each = 0;
        for (const child of row.children)
            each += await lengths([child.number]);
        return [await lengths([row.number]), each]""")
    check(sums[0] == sums[1] > 7 * 1e9, f"{where}: it can be aggregated as one row", sums)

# Of a shell that starts a program with calls that program is what one looks for.
done = subprocess.run([TANDEM, "record", "-q", "-o", "mixed", "sh", "-c", '"$1" 4 5 16384 && sleep 0.02', "sh",
                       PROGRAMS / "threads"], capture_output=True, env=dict(os.environ, **DRIVERS["stub"]))
check(done.returncode == 0, "a shell with a program that makes calls", done.stderr)
for where, page in pages("mixed"):
    folded = page.run("return Object.fromEntries(app.rows.all.filter(r => r.kind === 'process').map(r => [r.name, "
                      "[r.folded, r.lanes.some(l => l.track.type === 'state')]]))")
    check(folded.get("threads") == [False, False] and folded.get("sh") == folded.get("sleep") == [True, True],
          f"{where}: processes without calls are folded where others make some, and show their state", folded)
    page.findings()
    said = page.run("""
        const found = name => app.rows.all.find(r => r.kind === "process" && r.name === name);
        const made = where => app.findings.entry({name: "made", description: "", suggestion: "", confidence: "low", cost_ns: 0,
            session: 0, where, rows: app.findings.rowsOf(0, where)}).innerText;
        const device = app.rows.all.find(r => r.kind === "device"), process = found("threads");
        return [device.name, process.words, made({process: process.id, device: device.name}), made({process: process.id})]""")
    check(said[1] + ", " + said[0] in said[2].replace("\n", " ") and said[3].count(said[1]) == 1,
          f"{where}: a finding of a device says which process it is about, once", said)

Page.close_browser()
finish()
