#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Samples of stacks in the timeline: a mark for each below the thread's calls, columns
from afar, tooltips and details with the stack, the table of functions of a stretch
of time (equal to `tandem report` and to the samples in it), search; served, and
as one file.

tandem-test: timeout=400
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import BUILD, has_pocl
from tap import check, finish, skip, TANDEM
from traces import mandelbrot, report, tandem
from viewing import Page, View, need_browser

need_browser()
HOT, PLUGIN = (str(BUILD / "tests" / "kernel" / name) for name in ("hot", "hot-plugin.so"))

said = subprocess.run([TANDEM, "record", "-o", "hot", "--sample", "999", "--", HOT, PLUGIN], capture_output=True,
                      text=True)
if "no stacks are sampled" in said.stderr:
    print("skipped:", said.stderr.strip())
    sys.exit(77)
check(said.returncode == 0, "a program is recorded that makes no API calls", said.stderr)
told = report("hot")
times = [json.loads(line) for line in tandem("print", "--raw", "--format", "json", "hot").stdout.splitlines()]
times = [event["time_ns"] for event in times if event["name"].startswith("sample") and "sampling" not in event["name"]]


def functions(tables):
    return [(row["name"], row["file"], row["self"], row["total"]) for row in tables.get("CPU samples", [])]


def reported(told):
    return sorted((row["name"], row["file"], row["self_samples"], row["total_samples"]) for row in told["functions"])


done = tandem("export", "-f", "html", "-o", "hot.html", "hot")
check(done.returncode == 0, "it is written as one file", done.stderr)
view = View("--no-open", "hot")
answers = {}
for where, address in (("served", view.address), ("file", "file://" + os.path.abspath("hot.html"))):
    page = Page(address)
    browser = page.browser
    check(page.whole and not browser.complaints(), f"{where}: a picture, and no complaint", browser.complaints())
    threads = [row for row in page.rows() if row["kind"] == "thread"]
    check([row["words"].split()[0] for row in threads] == ["hot", "hot"],
          f"{where}: the program and its child have rows, by their names", page.rows())
    items = page.run("return app.rows.shown.filter(r => r.kind === 'thread').flatMap(r => r.tracks)"
                     ".filter(t => t.type === 'samples').reduce((sum, t) => sum + t.items, 0)")
    check(items == told["session"]["samples"] == len(times),
          f"{where}: with every sample", (threads, told["session"]["samples"], len(times)))
    name = "thread:" + threads[0]["words"]

    # --- from afar: columns, a colour for each function
    colour = page.run("return Object.fromEntries(app.labels[0].filter(l => l.kind === 'sample')"
                      ".map(l => [l.name, l.colour]))")
    seen = page.colours(name)
    check(all(seen.get(colour[function], 0) > 100 for function in ("busy_long", "plugin_work")),
          f"{where}: functions are seen from afar", (seen, colour))
    child = page.run("""
        const track = app.rows.shown.filter(r => r.kind === "thread")[1].tracks.find(t => t.type === "samples"), names = new Set();
        app.tiles.visit(track, app.pane.level, app.range.begin, app.range.end, false, (tile) => {
            for (let i = 0; i < tile.count; i++)
                names.add(app.labels[0][tile.label[i]].name);
        });
        return [...names]""")
    check("busy_child" in child and "busy_long" not in child, f"{where}: and only where they ran", child)

    page.run("await app.findAll('busy_long', 'sample'); app.search.clear()")
    named = page.wait("return app.panel.sheet === 'instances' && document.getElementById('instances').innerText")
    check("CPU time" in named and "duration" not in named.lower() and "0 ns" not in named,
          f"{where}: samples of a function have a count and CPU time, no durations", named[:300])
    page.still()

    # --- close: a mark for each
    begin = page.run("""
        const track = app.rows.shown.find(r => r.kind === "thread").tracks.find(t => t.type === "samples");
        return (await app.source.detail(0, track.number, Math.floor(track.items / 4))).begin_ns""") - 5.5e6  # between two
    end = begin + 40e6
    page.show(begin, end)
    marks = page.run("""
        const row = app.rows.shown.find(r => r.kind === "thread"), {picture, ratio, node} = app.pane;
        const y = Math.round((row.y - node.scrollTop + row.lanes.find(l => l.track.type === "samples").y + 4) * ratio);
        const data = picture.getContext("2d").getImageData(0, y, picture.width, 1).data;
        let marks = 0, inside = false;
        for (let i = 0; i < data.length; i += 4) {
            const [r, g, b] = data.slice(i, i + 3);
            const coloured = Math.max(r, g, b) - Math.min(r, g, b) > 60;
            marks += coloured && !inside;
            inside = coloured;
        }
        return marks""")
    inside = page.run("""
        const track = app.rows.shown.find(r => r.kind === "thread").tracks.find(t => t.type === "samples");
        let count = 0;
        app.tiles.visit(track, app.pane.level, app.range.begin, app.range.end, false, (tile, begin, end) => {
            for (let i = 0; i < tile.count; i++)
                count += tile.begin[i] >= begin && tile.begin[i] < end ? tile.spans[i] : 0;
        });
        return count""")
    check(inside > 3 and abs(marks - inside) <= 1, f"{where}: close to it each has a mark", (marks, inside))

    # --- one of them, not at the very edge, which can be dragged
    hit = page.run("""
        const track = app.rows.shown.find(r => r.kind === "thread").tracks.find(t => t.type === "samples");
        return await app.source.step(0, new Set(app.labels[0].map((l, i) => l.name === "busy_long" ? i : -1)
            .filter(i => i >= 0)), {begin: arguments[0], track: 4294967295, item: 0}, false)""", begin + 2e6)
    page.show(begin, max(end, hit["begin_ns"] + 5e6))
    lane = page.run("return app.rows.shown.find(r => r.kind === 'thread').lanes.findIndex(l => l.track.type === 'samples')")
    browser.move(*page.place(name, hit["begin_ns"], lane))
    tip = page.wait("const t = document.getElementById('tooltip'); return !t.hidden && t.querySelector('.stack') "
                    "&& t.innerText")
    check(tip and tip.startswith("busy_long") and "CPU sample" in tip and tip.index("outer") < tip.index("main"),
          f"{where}: a tooltip has the stack", tip)
    browser.click(*page.place(name, hit["begin_ns"], lane))
    page.wait("return app.detail && app.detail.span === app.selected")
    stack = page.run("return [...document.querySelectorAll('#details .stack li')].map(l => "
                     "[l.querySelector('.what').innerText, l.title])")
    check([function for function, _ in stack][:3] == ["busy_long", "outer", "main"] and stack[0][1] == HOT,
          f"{where}: a click shows the whole stack, innermost first, with files", stack)
    check("1.00 ms" in page.text("details"), f"{where}: and what a sample stands for", page.text("details"))
    at = page.run("return app.selected.item")
    shown = page.shown()
    browser.press(".")
    check(page.wait("return app.selected && app.selected.item === arguments[0]", at + 1) and page.shown() == shown,
          f"{where}: . is the next one, at the same scale", (page.shown(), shown))
    browser.press("f")
    page.still()
    check(page.wait("return app.range.span > 15e6 && app.range.span < 60e6"), f"{where}: F shows its neighbours",
          page.shown())
    browser.press("Escape")

    # --- tables
    page.run("app.range.fitAll(); app.select(null)")
    whole = functions(page.select(-1e6, 1e12))
    check(sorted(whole) == reported(told), f"{where}: functions of the whole run are the report's",
          [one for one in zip(sorted(whole), reported(told)) if one[0] != one[1]][:2])
    first, last = int(begin), int(end + 400e6)
    part = functions(page.select(first, last))
    of_part = json.loads(tandem("report", "--format", "json", "--from", f"{first}ns", "--to", f"{last}ns", "hot").stdout)
    check(sorted(part) == reported(of_part) and 0 < of_part["session"]["samples"] < told["session"]["samples"],
          f"{where}: and of a part those of the report's part",
          [one for one in zip(sorted(part), reported(of_part)) if one[0] != one[1]][:2])
    answers[where] = whole, part
    csv = page.run("return app.panel.csv()").splitlines()
    check("name,self,self_percent,total,total_percent,file" in csv and
          any(line.startswith("busy_long,%d," % dict((f[0], f[2]) for f in part)["busy_long"]) for line in csv),
          f"{where}: they are copied as CSV", csv[:3])
    page.run("[...document.querySelectorAll('#selection table')].find(t => t.caption.innerText === 'CPU samples')"
             ".querySelectorAll('th button')[0].click()")
    names = page.run("return [...[...document.querySelectorAll('#selection table')].find(t => t.caption.innerText "
                     "=== 'CPU samples').querySelectorAll('tbody td:first-child')].map(c => c.innerText.trim())")
    check(names == sorted(names, key=str.casefold) or names == page.run(
        "return [...arguments[0]].sort((a, b) => a.localeCompare(b))", names), f"{where}: and sorted", names)
    page.run("app.select(null)")

    # --- search
    page.run("app.search.input.value = '^busy_short$'; await app.search.find()")
    check(page.text("search-count") == "%d matches" % dict((f[0], f[2]) for f in whole)["busy_short"],
          f"{where}: search counts the samples of a function", page.text("search-count"))
    page.still()
    seen = page.colours(name)
    check(seen.get(colour["busy_short"], 0) > 20, f"{where}: and shows them", seen)
    page.run("app.search.clear()")
    for words, ask in (("tiles", "app.source.tiles(0, 20, 0, 2, tracks)"), ("fine tiles", "app.source.tiles(0, 14, 3, 9, tracks)")):
        answers[where, words] = page.run("""
            const tracks = [...app.rows.byTrack.values()].filter(t => t.type === "samples").map(t => t.number);
            return (await %s).map(t => [t.track, t.number, t.count, ...["begin", "end", "label", "spans", "item",
                "busy"].map(k => Array.from(t[k]))])""" % ask)
view.end()
for words in ("tiles", "fine tiles"):
    served, file = answers["served", words], answers["file", words]
    check(served and served == file, f"{words}: the file has the server's",
          [(a, b) for a, b in zip(served, file) if a != b][:1])
check(answers["served"] == answers["file"], "tables: the file has the server's",
      (answers["served"], answers["file"]))

# --- below the calls of a program that makes some
if has_pocl() and mandelbrot("image", "--sample", "999", size=(640, 480)):
    told = report("image")
    with View("--no-open", "image") as view, Page(view.address) as page:
        rows = page.run("return app.rows.shown.filter(r => r.kind === 'thread').map(r => "
                        "[r.words, r.tracks.map(t => t.type)])")
        main = next(row for row in rows if "samples" in row[1] and "spans" in row[1])
        kinds = main[1]
        check(kinds.index("samples") == len(kinds) - 1 and "state" not in kinds[1:],
              "they stand below the calls, which stand below the state", rows)
        check(sorted(functions(page.select(-1e6, 1e12))) == reported(told), "image: functions are the report's")
        page.run("app.select(null)")
        found = page.run("""
            const track = app.rows.shown.find(r => r.kind === "thread" && r.words === arguments[0]).tracks.find(t => t.type === "samples");
            for (let item = 0; item < track.items; item++) {
                const detail = await app.source.detail(0, track.number, item);
                if (detail.links.some(l => l.is === "during" && l.name.startsWith("cl"))) {
                    await app.goTo(0, {track: track.number, item});
                    return detail;
                }
            }
            return null""", main[0])
        check(found and "within the call" in page.text("details"), "image: a sample tells within which call it was",
              found)
        page.run("app.choose(null); app.range.fitAll()")
        page.findings()
        page.still()
        pictures = BUILD / "tests" / "pictures"
        pictures.mkdir(parents=True, exist_ok=True)
        page.browser.picture(pictures / "samples.png")
else:
    skip("below the calls of a program that makes some", "PoCL is not installed")

Page.close_browser()
finish()
