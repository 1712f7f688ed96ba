#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""From a name to what has it: the list of a search, all events of one name with their histogram, a
selection of chosen rows, the flame graph of a selection. Served, and as one file.

tandem-test: timeout=400
"""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from handmade import Session
from tap import check, finish
from viewing import Page, need_browser, pages

need_browser()

# 300 launches of 50 to 349 ns, in an order of their own; two threads with calls of one name.
made = Session("names")
lengths = [50 + (i * 101) % 300 for i in range(300)]
for i, length in enumerate(lengths):
    made.call("clEnqueueNDRangeKernel", 1000 + 1000 * i, 1000 + 1000 * i + length, op=i + 1)
for i in range(5):
    made.call("clGetDeviceInfo", 1500 + 1000 * i, 1600 + 1000 * i, thread=2)
made.call("clFinish", 400000, 402000)
made.call("clFlush", 400000, 401000, thread=2)
for i in range(300):
    made.operation(400000 + i, op=i + 1, times=(1010 + 1000 * i, 1020 + 1000 * i, 1400 + 1000 * i, 1900 + 1000 * i))
made.write()

LISTED = "return [...document.querySelectorAll('#search-list [role=option]')].map(n => [n.querySelector('.what').innerText, " \
         "n.querySelector('.count').innerText])"

for where, page in pages("names"):
    browser = page.browser

    # --- the list of a search; states of threads, were there any, are not searched
    page.run("""
        /* As if states of threads and tasks had been recorded, with names that match. */
        const labels = app.labels[0], {counts} = app.source;
        for (const [name, kind] of [["CLtask (7)", "task"], ["blocked in cl", "wait_blocked"], ["clWork", "kernel"],
            ["clWork", "sample"], ["copy cl", "copy_h2d"]])
            labels.push(new Label(name, kind, 0, labels.length, 0));
        GROUPS.set("task", "task");
        const own = labels.length - 5;
        app.source.counts = async (session, set) => [...await counts.call(app.source, session,
            new Set([...set].filter(n => n < own))), ...[...set].filter(n => n >= own).map(n => [n, 1000])];
        app.source.marks = async () => [];""")
    page.run("document.activeElement.blur()")
    browser.press("/")
    browser.type("cl")
    page.wait("return app.search.names.length > 0")
    listed = page.run(LISTED)
    names = [name for name, _ in listed]
    check(names.index("clEnqueueNDRangeKernel") < names.index("copy cl") and names.index("clWork") < names.index("copy cl") and
          names[-2:] == ["clWork", "CLtask (7)"], f"{where}: calls and kernels come first, samples and tasks last", names)
    check("blocked in cl" not in names and ["clEnqueueNDRangeKernel", "300"] in listed,
          f"{where}: states of threads are left out", listed)
    check(page.run("return document.getElementById('search').getAttribute('aria-expanded')") == "true", f"{where}: the list is open")
    page.run("[...document.querySelectorAll('#search-list .kind')].find(n => n.innerText.startsWith('kernels')).click()")
    check(page.wait("return document.querySelectorAll('#search-list [role=option]').length === 1"),
          f"{where}: it is filtered by kind", page.run(LISTED))
    check(page.text("search-count") == "1,000 matches", f"{where}: and so is what is marked", page.text("search-count"))
    page.run("app.search.clear()")
    page.run("document.getElementById('search').blur()")

    # --- all events of a name
    browser.press("/")
    browser.type("clenq")
    page.wait("return app.search.names.length === 1")
    browser.press("ArrowDown")
    browser.press("Enter")
    check(page.wait("return !document.getElementById('instances').hidden && "
                    "document.querySelectorAll('#instances tbody tr').length === 100"),
          f"{where}: a name of the list leads to all its events", page.text("instances"))
    said = page.text("instances")
    check("300" in said and "349 ns" in said and "1 to 100 of 300" in said, f"{where}: how many and how long", said)
    rows = "return [...document.querySelectorAll('#instances tbody tr')].map(r => r.querySelector('.pick').innerText)"
    slowest = sorted(lengths, reverse=True)
    check(page.run(rows) == [f"{ns} ns" for ns in slowest[:100]], f"{where}: the slowest first", page.run(rows)[:5])
    bars = page.run("return [...document.querySelectorAll('.histogram button')].map(b => b.title)")
    counts = [int(bar.rsplit(": ", 1)[1].split()[0]) for bar in bars]
    check(sum(counts) == 300 and len(bars) > 20, f"{where}: each is in a bar of the histogram", bars)
    page.run("document.getElementById('instances-next').click()")
    check(page.wait("return document.querySelector('#instances tbody td').innerText === '101'") and
          page.run(rows) == [f"{ns} ns" for ns in slowest[100:200]], f"{where}: the next hundred", page.run(rows)[:3])
    bar = max(range(len(bars)), key=lambda i: counts[i])
    page.run("document.querySelectorAll('.histogram button')[arguments[0]].click()", bar)
    check(page.wait("return document.querySelectorAll('#instances tbody tr').length === arguments[0]", min(100, counts[bar])) and
          page.run("return document.getElementById('instances-all') !== null"), f"{where}: a bar limits the list to its durations",
          page.text("instances"))
    page.run("document.getElementById('instances-all').click()")
    page.wait("return document.querySelectorAll('#instances tbody tr').length === 100")
    page.run("[...document.querySelectorAll('#instances button')].find(b => b.innerText === 'Chronologically').click()")
    check(page.wait("return document.querySelector('#instances .pick').innerText === '50 ns'") and
          page.run(rows) == [f"{ns} ns" for ns in lengths[:100]], f"{where}: or chronologically", page.run(rows)[:5])
    page.run("document.querySelectorAll('#instances .pick')[7].click()")
    check(page.wait("return app.selected && app.selected.begin === 8000"), f"{where}: each leads to its place")
    page.run("app.choose(null); app.select({begin: 900, end: 20500}, true)")
    page.wait("return app.panel.tables.length")
    page.run("app.panel.open('instances')")
    check(page.wait("return document.getElementById('instances').innerText.includes('of 20')"),
          f"{where}: of a selection only those in it", page.text("instances"))

    # --- from a table and from details
    page.run("[...document.querySelectorAll('#selection .pick')].find(n => n.innerText === 'clGetDeviceInfo').click()")
    check(page.wait("return app.instances.name.name === 'clGetDeviceInfo' && "
                    "document.getElementById('instances').innerText.includes('of 5')"), f"{where}: a table's names lead there")
    check(page.text("search-count") == "5 matches", f"{where}: and stand out in the picture", page.text("search-count"))
    page.run("app.select(null); app.search.clear()")

    # --- a selection of chosen rows
    page.run("app.rows.all.forEach(row => { if (row.kind === 'thread') app.rows.reveal(row.tracks[0]); }); app.redraw()")
    page.still()
    page.run("""
        for (const words of ["worker 1002", "queue 1"]) {
            const row = app.rows.shown.find(row => row.words === words);
            app.pane.scrollTo(row);
            await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
            document.getElementById("row-0-" + row.number).dispatchEvent(new MouseEvent("click", {bubbles: true, ctrlKey: true}));
        }""")
    tables = page.select(-1e6, 1e6)
    check(sorted(row["name"] for row in tables["API calls"]) == ["clFlush", "clGetDeviceInfo"] and
          [row["count"] for row in tables["Device operations"]] == [300],
          f"{where}: rows chosen with Ctrl are what is aggregated", tables)
    check("2 chosen rows" in page.text("selection"), f"{where}: which the panel says")
    page.run("document.activeElement.blur(); app.focus(app.rows.shown.find(row => row.words === 'queue 1'))")
    browser.press("x")
    page.wait("return app.rows.all.filter(row => row.chosen).length === 1")
    tables = page.select(-1e6, 1e6)
    check("Device operations" not in tables, f"{where}: X takes one out again", tables)
    browser.press("Escape")
    browser.press("Escape")
    page.wait("return !app.rows.all.some(row => row.chosen)")
    check({"clFinish", "clFlush"} <= {row["name"] for row in page.select(-1e6, 1e6)["API calls"]}, f"{where}: Escape clears them")

    # --- a flame graph of what the source answers (of real samples: samples.py)
    check(page.run("return document.getElementById('tab-flame').hidden"), f"{where}: without samples there is no flame graph")
    page.run("""
        app.source.stacks = async (session, from, to, rows) => ({samples: 10, nodes: [[-1, "main", "/bin/p", 1, 9],
            [0, "left", "/bin/p", 2, 2], [0, "right", "/lib/r.so", 4, 6], [2, "leaf", "", 2, 2]]});
        document.getElementById("tab-flame").hidden = false;
        app.panel.open("flame");""")
    page.wait("return app.flame.boxes.length === 5")
    boxes = page.run("return app.flame.boxes.map(b => [b.node.name, b.depth, b.width])")
    width = boxes[0][2]
    shares = {name: (depth, round(w / width, 3)) for name, depth, w in boxes}
    check(shares == {"all samples": (0, 1), "main": (1, 0.9), "right": (2, 0.6), "left": (2, 0.2), "leaf": (3, 0.2)},
          f"{where}: functions are as wide as their share", shares)
    box = page.run("const b = app.flame.canvas.getBoundingClientRect(); return [b.left, b.top]")
    browser.move(box[0] + width * 0.3, box[1] + 2 * 19 + 9)
    tip = page.wait("const t = document.getElementById('tooltip'); return !t.hidden && t.innerText")
    check(tip and "right" in tip and "6 (60 %)" in tip and "4 (40 %)" in tip, f"{where}: a tooltip says how much", tip)
    browser.click(box[0] + width * 0.3, box[1] + 2 * 19 + 9)
    check(page.wait("return app.flame.top.name === 'right'") and
          page.run("return app.flame.boxes.map(b => b.node.name)") == ["all samples", "main", "right", "leaf"],
          f"{where}: a click shows one function, its callers and what it calls")
    page.run("document.getElementById('flame-all').click()")
    check(page.run("return app.flame.boxes.length") == 5, f"{where}: and back")
    check(page.browser.complaints() == [], f"{where}: the browser complains of nothing")

# --- names that are cut
cut = page.run("""
    const context = document.createElement("canvas").getContext("2d");
    context.font = TEXT_FONT;
    const name = "particle_interaction_forces_reduce";
    const fit = (room) => app.painter.fitName(context, name, room);
    return [fit(1000), fit(120), fit(40), fit(3)]""")
head, _, tail = cut[1].partition("\u2026")
check(cut[0] == "particle_interaction_forces_reduce" and len(head) >= len(tail) > 2 and cut[0].startswith(head) and
      cut[0].endswith(tail), "a name is cut in the middle", cut)
check(cut[2].endswith("\u2026") and len(cut[2]) > 2 and cut[3] == "", "of a few letters the first ones are left", cut)

Page.close_browser()
finish()
