#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is shown is in the page's address: a reload keeps it, and another browser that opens the address
shows the same; an address that makes no sense harms nothing. Served, and as one file."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish
from traces import synthetic
from viewing import Page, need_browser, pages

need_browser()
synthetic("made", records=5000, threads=2)

STATE = """
    const words = (wanted) => app.rows.all.filter(wanted).map(row => row.words);
    return {range: [Math.round(app.range.target.begin), Math.round(app.range.target.end)],
        selection: app.selection && [app.selection.begin, app.selection.end],
        event: app.selected && [app.selected.track.key, app.selected.item],
        pinned: words(row => row.pinned), chosen: words(row => row.chosen), folded: words(row => row.folded),
        search: document.getElementById("search").value, only: app.search.only,
        matches: document.getElementById("search-count").innerText,
        filter: document.getElementById("filter").value, theme: document.documentElement.dataset.theme,
        sheet: app.panel.sheet}"""

for where, page in pages("made"):
    start = page.run("return location.href")
    check("#" not in start, f"{where}: at the start the address is plain", start)
    check("full trace" in page.text("state") and page.shown() == page.run("return [app.range.first, app.range.last]"),
          f"{where}: and the full trace is shown, with room at its sides", (page.text("state"), page.shown()))
    before = page.run(STATE)
    page.run("""
        app.range.set(20000, 60000);
        app.select({begin: 30000, end: 40000}, true);
        const row = (words) => app.rows.all.find(row => row.words === words);
        app.pin(row("worker-1 1001"), true);
        app.chooseRow(app.rows.all.find(row => row.kind === "queue"), true);
        app.fold(app.rows.all.find(row => row.kind === "device"), true);
        app.search.input.value = "clEnq";
        app.search.only = "call";
        await app.search.find();
        app.filter(document.getElementById("filter").value = "worker|queue");
        app.theme.toggle();
        const track = app.rows.all.find(row => row.kind === "thread").tracks.find(track => track.type === "spans");
        await app.choose(spanOfDetail(track, 40, await app.details({track, item: 40})));
        document.getElementById("tab-selection").click();""")
    page.wait("return location.hash.includes('w=selection') && location.hash.includes('e=')")
    shown = page.run(STATE)
    check(shown != before and shown["pinned"] and shown["chosen"] and shown["theme"] == "dark", f"{where}: something is shown", shown)
    address = page.run("return location.href")
    page.run("location.reload()")
    page.wait("return !!app && !!app.first && app.selected && app.panel.sheet === 'selection' && app.panel.tables.length")
    page.still()
    again = page.run(STATE)
    check(again == shown, f"{where}: a reload keeps it", {key: (shown[key], again[key]) for key in shown if again[key] != shown[key]})
    other = Page("about:blank", wait=False)
    other = Page(address, 1280, 720)
    other.wait("return app.selected && app.panel.sheet === 'selection' && app.panel.tables.length")
    other.still()
    again = other.run(STATE)
    check(again == shown, f"{where}: whoever gets the address sees the same",
          {key: (shown[key], again[key]) for key in shown if again[key] != shown[key]})
    other.run("location.hash = ''")
    other.wait("return app.selected === null && app.selection === null")
    again = other.run(STATE)
    check({**again, "sheet": 0, "theme": 0} == {**before, "sheet": 0, "theme": 0}, f"{where}: an empty one shows what is shown at the start",
          {key: (before[key], again[key]) for key in before if again[key] != before[key]})
    for nonsense in ("r=1", "r=9~3&s=x~y&e=9.9.9&p=..&o=0.99999~~&k=zz&w=nothing&t=blue", "%", "e=0.0", "e=0.1.99999999"):
        other = Page("about:blank", wait=False)
        other = Page(start + "#" + nonsense)
        check(other.whole and other.browser.complaints() == [] and other.run("return document.getElementById('message').hidden"),
              f"{where}: #{nonsense} harms nothing", other.browser.complaints())

Page.close_browser()
finish()
