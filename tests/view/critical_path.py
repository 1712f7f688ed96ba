#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The critical path as a row: pieces that follow each other from the run's begin to its end, each
with what it is, whose it is, and a way to its call or command. Served, and as one file; of a real
run, as long as `tandem report --critical-path` says.

tandem-test: timeout=300
"""
import itertools
import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from corpus import CORPUS, STUB
from handmade import Session
from tap import check, finish
from traces import record, synthetic, tandem
from viewing import need_browser, pages

need_browser()

PIECES = """
    const row = app.rows.all.find(r => r.kind === "critical_path");
    if (!row)
        return null;
    const [track] = row.tracks, found = [];
    for (let i = 0; i < track.items; i++) {
        const d = await app.source.detail(0, track.number, i);
        found.push([d.kind, d.name, d.begin_ns, d.end_ns, d.links.map(l => l.is + " " + l.name), d.facts]);
    }
    return found"""


def is_whole(pieces, end):
    return pieces and pieces[0][2] == 0 and pieces[-1][3] == end and all(
        a[3] == b[2] and a[2] < a[3] for a, b in zip(pieces, pieces[1:]))


# The second command waits for the first; the host computes at the end.
made = Session("made")
made.call("clEnqueueNDRangeKernel", 1000, 2000, op=1)
made.call("clEnqueueReadBuffer", 3000, 4000, op=2)
made.call("clFinish", 5000, 90000)
made.call("clGetDeviceInfo", 95000, 96000)
made.operation(88000, op=1, times=(1500, 1700, 10000, 50000))
made.operation(89000, op=2, times=(3500, 3700, 52000, 80000), call="clEnqueueReadBuffer", kind=2)
made.write()
for where, page in pages("made"):
    pieces = page.run(PIECES)
    if not check(pieces, f"{where}: there is the row"):
        continue
    kinds = [piece[0] for piece in pieces]
    check(kinds == ["path_before", "path_launch", "path_execution", "path_behind", "path_execution",
                    "path_return", "path_host", "path_call"], f"{where}: what it is made of", kinds)
    briefs = page.run("return app.labels[0].filter(l => ['path_before', 'path_host', 'path_after'].includes(l.kind))"
                      ".map(l => [l.name, l.brief])")
    check(briefs and all(len(brief) < 10 for _, brief in briefs), f"{where}: a piece without a name has a short one", briefs)
    check(is_whole(pieces, 96000), f"{where}: from the begin to the end, without a hole", pieces)
    running = [piece for piece in pieces if piece[0] == "path_execution"]
    check([piece[2:4] for piece in running] == [[10000, 50000], [52000, 80000]],
          f"{where}: commands are where they are in their queue", running)
    linked = {piece[0]: piece[4] for piece in pieces}
    check(all(piece[4] == ["operation " + piece[1]] for piece in running) and
          linked["path_return"] == ["during clFinish"] and linked["path_call"] == ["during clGetDeviceInfo"],
          f"{where}: each leads to its command or call", linked)
    # A click says what it is, and the way from there leads to the command.
    x, y = page.place("critical_path:critical path", 30000)
    page.browser.click(x, y)
    page.wait("return document.getElementById('details').innerText.includes('command executing')")
    said = page.text("details")
    check("of the run" in said and "executes as" in said and "worker" in said, f"{where}: it says so", said)
    page.run("document.querySelector('#details .links button.link').click()")
    page.wait("return document.getElementById('details').innerText.includes('queued')")
    # What other rows show too is counted and searched once.
    found = page.run("return await app.source.count(0, new Set(app.model.sessions[0].labels.keys()))")
    total = page.run("return [...app.rows.byTrack.values()].filter(t => !t.again && "
                     "['spans', 'state', 'samples'].includes(t.type)).reduce((sum, t) => sum + t.items, 0)")
    check(found == total == 6, f"{where}: no search finds it twice", (found, total))

# No colour of its pieces has another meaning in another row, and each pair is told apart, by those as well who do not
# see red, green or blue.
SIGHTS = {  # Machado, Oliveira and Fernandes 2009, of linear RGB
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def lab(colour, sight):
    """CIE 1976 L*a*b*, of the white D65."""
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    red, green, blue = (min(max(sum(a * b for a, b in zip(row, linear)), 0), 1) for row in SIGHTS[sight])
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505, 0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


for where, page in pages("made"):
    colours = page.run("return Object.fromEntries(Object.entries(KINDS).map(([kind, [, colour]]) => [kind, colour]))")
    own = {colours[kind] for kind in colours if kind.startswith("path_")}
    others = {colours[kind] for kind in colours if colours[kind] and not kind.startswith("path_")}
    near = [(a, b) for a in own for b in others if math.dist(lab(a, "all"), lab(b, "all")) < 10]
    check(len(own) == 8 and not near, f"{where}: its colours are no other row's", near)
    near = [(a, b, sight) for a, b in itertools.combinations(sorted(own), 2) for sight in SIGHTS
            if math.dist(lab(a, sight), lab(b, sight)) < 12]
    check(not near, f"{where}: they are told apart", near)

synthetic("threads", records=20000, processes=1, threads=3)
sessions = ["threads"]
if os.access(CORPUS, os.X_OK) and record("real", [CORPUS, "wait_each"], env=STUB) == 0:
    sessions.append("real")
for session in sessions:
    path = json.loads(tandem("report", "--critical-path", "--format", "json", session).stdout)
    for where, page in pages(session):
        pieces = page.run("""
            const [track] = app.rows.all.find(r => r.kind === "critical_path").tracks;
            const level = Math.ceil(Math.log2(app.model.sessions[0].last_ns));
            const [tile] = (await app.source.tiles(0, level, 0, 0, [track.number])).filter(t => t.count);
            const first = await app.source.detail(0, track.number, 0);
            const last = await app.source.detail(0, track.number, track.items - 1);
            return {items: track.items, begin: first.begin_ns, end: last.end_ns}""")
        length = pieces["end"] - pieces["begin"]
        check(abs(length - path["duration_ns"]) <= 0.01 * path["duration_ns"] and
              abs(length - path["length_ns"]) <= 0.01 * path["length_ns"],
              f"{session}, {where}: it is as long as the run, within 1 %", (pieces, path["length_ns"]))
        check(0.5 < pieces["items"] / sum(row["count"] for row in path["critical_path"]) <= 1.05,
              f"{session}, {where}: it has as many pieces as the report counts",
              (pieces, sum(row["count"] for row in path["critical_path"])))
finish()
