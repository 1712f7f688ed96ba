#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The timeline's page in a real browser: rows, tooltips, details and arrows, search,
selection, measuring, keys, folding, pinning, filtering, looks.

tandem-test: timeout=400
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from handmade import Session
from tap import check, finish
from viewing import Page, View, need_browser

need_browser()

# Two commands of one queue: the second waits for the first. clFinish sees both end.
made = Session("hand")
made.call("clEnqueueNDRangeKernel", 10000, 14000, op=1)
made.call("clEnqueueNDRangeKernel", 15000, 18000, op=2)
made.call("clFlush", 18500, 18520)
made.call("clFinish", 20000, 120000)
made.call("clGetDeviceInfo", 60000, 60001, thread=2)
made.call("clCreateBuffer", 125000, 130000, thread=2, result=-61)
made.operation(119000, op=1, times=(12000, 16000, 30000, 60000))
made.operation(119500, op=2, times=(17000, 19000, 61000, 110000))
made.write()

with View("--no-open", "hand") as view, Page(view.address) as page:
    browser = page.browser
    check(page.whole, "there is a picture")
    check(browser.complaints() == [], "the browser complains of nothing", browser.complaints())
    check(re.fullmatch(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", view.address),
          "the address has a random word", view.address)

    # --- rows
    words = page.words()
    for wanted in ("worker 1001", "worker 1002", "queue 1", "kernels", "host queue depth", "device queue depth",
                   "utilisation"):
        check(wanted in words, f"there is a row {wanted!r}", words)
    queue = "queue 1"
    kinds = [row["kind"] for row in page.rows()]
    check(kinds.index("device") < kinds.index("utilisation") < kinds.index("kernels") <
          kinds.index("host_queue") < kinds.index("device_queue") < kinds.index("process") <
          kinds.index("thread") < kinds.index("queue"), "devices come first", kinds)
    check(page.rows()[words.index("worker 1001")]["items"] == 4, "a thread's calls are all there",
          page.rows())

    # --- a narrow event leaves a mark: 1 ns of 120 us, and an instant at its place
    call = "#8794a8"
    check(page.colours("worker 1002").get(call, 0) >= 10,
          "a call of a nanosecond is seen in a picture of the whole run", page.colours("worker 1002"))

    # --- tooltip
    browser.move(*page.place("worker 1001", 60000))
    tip = page.wait("const t = document.getElementById('tooltip'); "
                    "return !t.hidden && t.innerText.includes('returned') && t.innerText")
    check(tip and "clFinish" in tip and "100 us (100,000 ns)" in tip, "a tooltip tells of a call", tip)
    browser.move(*page.place(queue, 80000))
    tip = page.wait("const t = document.getElementById('tooltip'); "
                    "return !t.hidden && t.innerText.includes('executing') && t.innerText")
    check(tip and "kernel" in tip and "49.0 us (49,000 ns)" in tip, "and of a command", tip)
    device_queue = page.place("device queue depth", 25000)
    browser.move(*device_queue)
    tip = page.wait("const t = document.getElementById('tooltip'); "
                    "return !t.hidden && t.innerText.includes('value') && t.innerText")
    check(tip and re.search(r"value\s+2\b", tip), "and of a counter: two commands wait for the device", tip)

    # --- details
    browser.click(*page.place(queue, 80000))
    page.wait("return app.detail && app.detail.span === app.selected")
    second = page.run("return app.selected.begin")
    details = page.text("details")
    for wanted in ("0:2", "queued", "submitted", "queued→submit", "submit→start", "execut"):
        check(wanted in details, f"details of a command have {wanted!r}", details)
    check("enqueued by" in details and "completion seen by" in details and "clFinish" in details,
          "and the calls that it belongs to", details)
    arrows = """
        const marks = {};
        const {overlay} = app.pane, data = overlay.getContext("2d")
            .getImageData(0, 0, overlay.width, overlay.height).data;
        for (let i = 0; i < data.length; i += 4) {
            const key = [data[i], data[i + 1], data[i + 2]].join();
            if (data[i + 3] === 255)
                marks[key] = (marks[key] || 0) + 1;
        }
        return [marks["29,95,191"] || 0, marks["163,38,122"] || 0]"""
    page.still()
    there, back = page.run(arrows)
    check(there > 20 and back > 20, "arrows lead from the call to it, and on to the wait that saw it end",
          (there, back))
    browser.press("[")
    page.wait("return app.selected && app.selected.begin === 15000")
    check("clEnqueueNDRangeKernel" in page.text("details"), "[ follows the arrow back to the call",
          page.text("details"))
    browser.press("]")
    check(page.wait("return app.selected && app.selected.begin === arguments[0]", second), "] on to the command")
    browser.press("]")
    check(page.wait("return app.selected && app.selected.begin === 20000"), "and to what waited for it")
    browser.press(",")
    check(page.wait("return app.selected && app.selected.begin === 18500"), ", is the event before")
    browser.press(".")
    check(page.wait("return app.selected && app.selected.begin === 20000"), ". the one behind")
    browser.press("Escape")
    check(page.wait("return app.selected === null"), "Escape lets go")
    page.show(124000, 131000)
    browser.click(*page.place("worker 1002", 127000))
    page.wait("return app.detail")
    check("CL_INVALID_BUFFER_SIZE" in page.text("details") and "failed" in page.text("details"),
          "a failed call says so, and with which code", page.text("details"))
    browser.press("Escape")
    browser.press("f")
    page.still()

    # --- keys
    first = page.run("return [app.range.first, app.range.last]")
    page.wait("return app.range.span > (app.range.last - app.range.first) * 0.999")
    check(page.shown() == first, "F shows the whole run", (page.shown(), first))
    browser.move(*page.place("worker 1001", 60000))
    browser.press("w")
    page.still()
    begin, end = page.shown()
    check(end - begin < (first[1] - first[0]) * 0.75, "W zooms in", (begin, end))
    x, _ = page.place("worker 1001", 60000)
    check(abs(x - page.place("worker 1001", 60000)[0]) < 1 and begin < 60000 < end,
          "around the pointer", (begin, end))
    browser.press("d")
    page.still()
    check(page.shown()[0] > begin, "D goes on", page.shown())
    browser.press("a")
    page.still()
    check(abs(page.shown()[0] - begin) < 10, "A goes back", page.shown())
    browser.press("s")
    page.still()
    check(page.shown()[1] - page.shown()[0] > (end - begin) * 1.2, "S zooms out", page.shown())
    browser.wheel(*page.place("worker 1001", 60000), -240, hold="Control")
    page.still()
    narrow = page.shown()
    check(narrow[1] - narrow[0] < end - begin, "Ctrl and the wheel zoom", narrow)
    browser.wheel(*page.place("worker 1001", sum(narrow) / 2), 100, hold="Shift")
    page.still()
    check(page.shown()[0] > narrow[0], "Shift and the wheel move", page.shown())
    browser.press("f")
    page.wait("return app.range.span > (app.range.last - app.range.first) * 0.999")
    browser.press("?")
    check(page.run("return document.getElementById('help-dialog').open") and
          "zoom in" in page.text("help-dialog"), "? shows the keys")
    browser.press("Escape")
    browser.press("t")
    check(page.run("return document.documentElement.dataset.theme") == "dark", "T makes it dark")
    browser.press("t")

    # --- by keyboard alone
    page.run("document.activeElement.blur(); app.focus(app.rows.shown[0])")
    for _ in range(40):
        if page.run("return app.focused.words") == "worker 1001":
            break
        browser.press("ArrowDown")
    browser.press("Enter")
    check(page.wait("return app.selected && app.detail && app.selected.begin === 20000"),
          "arrows and Enter choose the event in the middle")
    browser.press("Escape")
    names = page.run("return [...document.querySelectorAll('[role=treeitem]')].map(n => "
                     "[n.getAttribute('aria-level'), n.getAttribute('aria-expanded')])")
    check(names and all(level for level, _ in names) and any(e == "true" for _, e in names),
          "rows are a tree to a screen reader", names)
    reached = set()
    for _ in range(24):
        browser.press("Tab")
        reached.add(page.run("return document.activeElement.id || document.activeElement.className"))
    check({"search", "search-next", "fit", "measure", "help", "filter", "names"} <= reached,
          "Tab reaches every control", reached)
    page.run("document.activeElement.blur()")

    # --- search
    browser.press("/")
    browser.type("clfin|device")
    browser.press("Enter")
    check(page.wait("return app.selected && app.selected.begin === 20000"), "a match is gone to",
          page.text("search-count"))
    check(page.text("search-count") == "2 matches", "matches are counted", page.text("search-count"))
    browser.press("Enter")
    check(page.wait("return app.selected && app.selected.begin === 60000"), "the next one")
    browser.press("Enter")
    check(page.wait("return app.selected && app.selected.begin === 20000"), "then the first again")
    browser.press("Shift", "Enter")
    check(page.wait("return app.selected && app.selected.begin === 60000"), "and the one before")
    check(page.run("return app.overview.bins.length") > 50, "the overview has marks",
          page.run("return app.overview.bins.length"))
    page.run("const i = document.getElementById('search'); i.value = '('; "
             "i.dispatchEvent(new Event('input'))")
    check(page.wait("return document.getElementById('search-count').innerText.startsWith('not a ')"),
          "what is no regular expression is told",
          page.text("search-count"))
    browser.press("Escape")
    page.run("document.activeElement.blur(); app.choose(null); app.range.fitAll()")
    page.still()

    # --- measuring
    browser.press("m")
    browser.click(*page.place("worker 1001", 20000))
    browser.click(*page.place("worker 1001", 120000))
    check(page.run("return app.measure.span && app.measure.span.to - app.measure.span.from") == 100000,
          "measuring snaps to events", page.run("return app.measure.span"))
    check(page.wait("return document.getElementById('state').innerText.includes('measured 100 us (100,000 ns)')"), "and says the length", page.text("state"))
    browser.press("Escape")

    # --- selecting with the pointer, sorting, CSV
    x0, y = page.place("worker 1001", 5000)
    x1, _ = page.place("worker 1001", 19000)
    browser.drag(x0, y, x1, y)
    tables = page.tables()
    calls = {row["name"]: row for row in tables["API calls"]}
    check(calls["clEnqueueNDRangeKernel"]["calls"] == 2 and
          calls["clEnqueueNDRangeKernel"]["total_ns"] == 7000 and "clFinish" not in calls,
          "a drag sums up a stretch of time", calls)
    order = "return [...document.querySelectorAll('#selection table')[0].querySelectorAll(" \
            "'tbody tr')].map(r => r.innerText.split('\\t')[0].trim())"
    by_time = page.run(order)
    page.run("document.querySelectorAll('#selection th button')[0].click()")
    check(by_time == ["clEnqueueNDRangeKernel", "clFlush"] and page.run(order) == sorted(by_time),
          "a table is sorted by the column that is clicked", (by_time, page.run(order)))
    csv = page.run("return app.panel.csv()")
    check(csv.splitlines()[0].startswith("name,calls,total_ns") and
          "clEnqueueNDRangeKernel,2,7000," in csv, "it is copied as CSV", csv)
    page.run("navigator.clipboard && Object.defineProperty(navigator, 'clipboard', {value: "
             "{writeText: text => { window.copied = text; return Promise.resolve(); }}})")
    page.run("document.getElementById('copy-csv').click()")
    check(page.wait("return window.copied") == csv, "by its button")
    browser.press("Escape")

    # --- folding, pinning, moving, filtering
    page.run("app.focus(app.rows.shown.find(row => row.kind === 'process'))")
    count = len(page.words())
    browser.press("ArrowLeft")
    folded = page.words()
    check(len(folded) < count and "worker 1001" not in folded, "Left folds", folded)
    browser.press("ArrowRight")
    check(len(page.words()) == count, "Right unfolds")
    page.run("app.focus(app.rows.shown.find(row => row.words === 'worker 1002'))")
    browser.press("p")
    page.still()
    check(page.run("return !document.getElementById('pinned').hidden && app.rows.pinned[0].words") ==
          "worker 1002", "P keeps a row on top")
    browser.press("p")
    browser.press("Alt", "ArrowUp")
    words = page.words()
    check(words.index("worker 1002") < words.index("worker 1001"), "Alt and Up move it", words)
    browser.press("Alt", "ArrowDown")
    browser.press("r")
    browser.type("queue.1")
    page.still()
    check(queue in page.words() and "worker 1001" not in page.words(), "rows are filtered", page.words())
    browser.press("Escape")
    check(len(page.words()) == count, "Escape ends that", page.words())

    # --- looks
    for width, height, scale in ((1280, 720, 1), (3840, 2160, 1), (1920, 1080, 2), (640, 360, 2)):
        for scheme in ("light", "dark"):
            look = Page(view.address, width, height, scale, scheme)
            clipped = look.clipped()
            check(look.whole and not clipped, f"{width}x{height} at {scale * 100} %, {scheme}: all is there",
                  clipped)
            tall = look.run("return document.getElementById('rows').clientHeight")
            check(tall > height * 0.25, f"{width}x{height}: rows have room", tall)
            contrast = look.run("""
                const light = (c) => {
                    const [r, g, b] = c.match(/\\d+/g).map(Number).map(v => v / 255)
                        .map(v => v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4));
                    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
                };
                const style = getComputedStyle(document.querySelector(".tabs .state"));
                const back = getComputedStyle(document.getElementById("panel")).backgroundColor;
                const [a, b] = [light(style.color), light(back)].sort((x, y) => y - x);
                return (a + 0.05) / (b + 0.05);""")
            check(contrast >= 4.5, f"{scheme}: dim words can be read (WCAG AA)", contrast)

    # --- when the server has gone
    page = Page(view.address)
    view.end()
    page.run("app.select({begin: 1000, end: 2000}, true)")
    said = page.wait("const m = document.getElementById('message'); return !m.hidden && m.innerText")
    check(said and "has ended" in said, "the page says that the server has gone", said)

Page.close_browser()
finish()
