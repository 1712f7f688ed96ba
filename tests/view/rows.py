#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows of the timeline and what leads around in them: devices first, a queue as one row that opens,
marks of threads, the key that zooms to where devices work, the ruler, marks of findings, tooltips
at the edges, links of a wait for many commands. Served, and as one file.

tandem-test: timeout=400
"""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from handmade import Session
from tap import check, finish
from traces import synthetic, tandem
from viewing import Page, View, need_browser, pages

need_browser()

# Devices work for a hundredth of the run. The main thread makes calls, another one enqueues.
made = Session("short")
made.first_tid = 999
made.call("clGetDeviceInfo", 1000, 9000000, thread=1)
made.call("clGetDeviceInfo", 2000, 3000, thread=2)
made.call("clEnqueueNDRangeKernel", 5000000, 5001000, op=1, thread=3)
made.call("clEnqueueReadBuffer", 5002000, 5003000, op=2, thread=3)
made.call("clFinish", 5004000, 5100000, thread=3)
made.operation(5099000, op=1, times=(5000500, 5001500, 5010000, 5060000), thread=3)
made.operation(5099500, op=2, times=(5002500, 5003500, 5061000, 5090000), thread=3, call="clEnqueueReadBuffer",
               kind=2)
made.write()
for where, page in pages("short"):
    browser = page.browser
    if where == "served":
        asked = page.run("const first = performance.getEntriesByName('first-picture')[0].startTime;"
                         "return performance.getEntriesByType('resource').filter(e => e.startTime < first)"
                         ".map(e => e.name.replace(/.*\\//, '').replace(/\\?.*/, '')).sort()")
        check(asked == ["model", "page.js", "style.css", "tiles"], "what the first picture needs is asked for once", asked)
    tops = page.run("""
        const found = [];
        for (const track of app.rows.byTrack.values()) {
            if (track.type !== "counter")
                continue;
            const [tile] = await app.source.tiles(0, 20, 0, 0, [track.number]);
            found.push([track.top, Math.max(...tile.most)]);
        }
        return found""")
    check(tops and all(top == most for top, most in tops), f"{where}: a counter's scale goes up to its most", tops)
    kinds = [row["kind"] for row in page.rows()]
    check(kinds[0] == "device" and kinds.index("kernels") < kinds.index("process"),
          f"{where}: the device is on top", kinds)
    threads = [row["words"] for row in page.rows() if row["kind"] == "thread"]
    check(threads == ["worker 1000", "worker 1002", "worker 1001"],
          f"{where}: the main thread comes first, then who enqueues", threads)
    chips = page.run("return Object.fromEntries([...document.querySelectorAll('#rows .name')].map(n => "
                     "[n.querySelector('.text').innerText + n.querySelector('.number').innerText, "
                     "[...n.querySelectorAll('.chip')].map(c => c.innerText).join()]))")
    check(chips["worker1000"] == "main" and chips["worker1002"] == "launches" and chips["worker1001"] == "",
          f"{where}: they are marked", chips)

    # A queue
    kinds = page.run("return app.rows.shown.find(r => r.kind === 'queue').lanes.map(l => l.track.row.kind)")
    check(kinds == ["kernels", "transfers"] and "queue:kernels" not in page.words(),
          f"{where}: a queue's kernels and transfers are in one row", kinds)
    page.show(5e6, 5.1e6)
    hit = page.run("const r = app.rows.shown.find(r => r.kind === 'queue'); app.pane.scrollTo(r); const hits = [0, 1].map(i => "
                   "app.pane.hit(app.pane.x([5040000, 5075000][i]), r.y - app.pane.node.scrollTop + r.lanes[i].y + 4)); "
                   "return hits.map(h => h && h.label.kind)")
    check(hit == ["kernel", "copy_d2h"], f"{where}: each is found there", hit)
    count = len(page.words())
    page.run("app.focus(app.rows.shown.find(r => r.kind === 'queue'))")
    browser.press("ArrowRight")
    page.still()
    opened = page.run("return app.rows.shown.filter(r => r.parent && r.parent.kind === 'queue').map(r => [r.kind, r.lanes.length])")
    check(opened == [["kernels", 1], ["transfers", 1]] and len(page.words()) == count + 2,
          f"{where}: which opens", opened)
    check(page.run("return app.rows.shown.find(r => r.kind === 'queue').lanes.length") == 0,
          f"{where}: and then has nothing of its own")
    browser.press("ArrowLeft")

    # Going to a command leaves the queue folded, as it is seen there.
    page.run("app.search.input.value = 'read'; await app.search.find(); await app.search.step(false)")
    page.wait("return app.selected && app.detail")
    check(page.run("return app.rows.all.find(r => r.kind === 'queue').folded"),
          f"{where}: a search finds a command in the folded row")
    page.run("app.search.clear(); app.choose(null); app.range.fitAll()")
    page.still()

    # --- where devices work
    page.run("document.activeElement.blur()")
    browser.press("g")
    page.still()
    begin, end = page.shown()
    check(4.9e6 < begin < 5010000 and 5090000 < end < 5.2e6, f"{where}: G zooms to where the device works",
          (begin, end))
    browser.press("g")
    page.still()
    check(page.run("return app.range.span >= (app.range.last - app.range.first) * 0.999"),
          f"{where}: and again to the full trace")
    page.run("document.getElementById('fit-devices').click()")
    page.still()
    check(page.shown() == [begin, end], f"{where}: as does its button", page.shown())

    # --- the ruler: bases and what is after them give the moment of each tick, at any zoom
    wrong = page.run("""
        const number = (words) => {
            const [, plus, value, unit] = /^(\\+?)([-0-9.,\\u2009]+) (ns|us|ms|s)$/.exec(words);
            return [plus, Number(value.replace(/[,\\u2009]/g, "")) * {ns: 1, "us": 1e3, ms: 1e6, s: 1e9}[unit]];
        };
        const {range} = app, kept = [range.begin, range.end], wrong = [];
        let asked = 0, plain = 0;
        for (const width of [340, 1024, 1700])
            for (let digits = 1.4; digits < 11.5; digits += 0.13)
                for (const begin of [0, 999.5, 123456789, 999999000, 17345678912, 61000000000, 3600000000000]) {
                    range.begin = begin;
                    range.end = begin + Math.pow(10, digits);
                    const step = app.ruler.step(width), words = app.ruler.words(width);
                    let base = 0;
                    for (const one of words) {
                        asked++;
                        const [plus, ns] = number(one.words);
                        if (one.base)
                            base = ns;
                        plain += plus ? 1 : 0;
                        const said = ns + (plus ? base : 0);
                        /* A base is a multiple of its unit, and what is after it is less than that. */
                        const unit = app.ruler.baseUnit(step);
                        if (Math.abs(said - one.at) > step * 0.01 || (plus && ns >= unit) ||
                            (one.base && Math.abs(ns / unit - Math.round(ns / unit)) > 1e-6))
                            wrong.push([width, range.begin, range.end, one.words, base, one.at]);
                    }
                }
        [range.begin, range.end] = kept;
        return [asked, plain, wrong.length, wrong.slice(0, 3)]""")
    check(wrong[0] > 3000 and wrong[1] > 500 and wrong[2] == 0, f"{where}: the ruler is right at any zoom", wrong)

    # --- marks of findings
    page.findings()
    order = page.run(
        "app.findings.found = []; app.findings.take([[3, 7], [5]].map(costs => ({state: 'done', findings: costs.map(cost => "
        "({name: 'made', cause: 'up', cost_ns: cost, percent: 1, confidence: 'low', description: 'made up', "
        "suggestion: 'nothing', where: {}}))}))); return app.findings.found.map(finding => finding.cost_ns)")
    check(order == [5, 3, 7], f"{where}: findings are in the command's order, which is not that of their costs", order)
    page.run("app.range.set(app.range.first, app.range.last); app.findings.found = []; app.findings.take([{state: 'done', "
             "findings: [{name: 'made', cause: 'up', cost_ns: 1000000, percent: 11, description: 'a made-up finding', "
             "confidence: 'high', suggestion: 'nothing', count: 1234, "
             "where: {process: 1000, thread: 1001, begin_ns: 4e6, end_ns: 6e6}}]}])")
    page.still()
    x, y = page.place("worker 1001", 5e6)
    bottom = page.run("const r = app.rows.shown.find(r => r.words === 'worker 1001'); return "
                      "app.pane.node.getBoundingClientRect().top + r.y - app.pane.node.scrollTop + r.height - 2")
    browser.move(x, bottom)
    tip = page.wait("const t = document.getElementById('tooltip'); return !t.hidden && t.innerText")
    check(tip and "made, up" in tip and "a made-up finding" in tip and "11 %" in tip,
          f"{where}: a finding's mark says what it is", tip)
    check("one of 1,234 occurrences, 2.00\u00a0ms" in tip and "one of 1,234 occurrences" in page.text("findings"),
          f"{where}: and that it is one occurrence of many", tip)
    check(page.run("return getComputedStyle(app.pane.overlay).cursor") == "pointer", f"{where}: and shows that it can be clicked")
    page.run("app.panel.open('selection')")
    browser.click(x, bottom)
    check(page.wait("return !document.getElementById('findings').hidden && "
                    "document.querySelector('#findings .chosen') !== null"), f"{where}: a click shows it in the list")
    page.run("app.findings.goTo(app.findings.found[0])")
    page.still()
    begin, end = page.shown()
    check(end - begin > 3 * 2e6 or [begin, end] == page.run("return [app.range.first, app.range.last]"),
          f"{where}: its name leads there, with what is around it", (begin, end))
    page.run("app.range.set(app.range.first, app.range.last)")
    page.run("app.panel.open('selection'); app.findings.chosen = null; app.findings.show()")
    box = page.run("const b = document.getElementById('overview').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]")
    at = box[0] + page.run("return app.overview.x(5e6)")
    browser.move(at, box[1] + box[3] - 4)
    tip = page.wait("const t = document.getElementById('tooltip'); return !t.hidden && t.innerText")
    check(tip and "made, up" in tip, f"{where}: so does its mark in the overview", tip)
    browser.click(at, box[1] + box[3] - 4)
    check(page.wait("return !document.getElementById('findings').hidden && app.findings.chosen"), f"{where}: and is clicked")
    browser.move(at, box[1] + 8)
    check(page.wait("return document.getElementById('tooltip').hidden"), f"{where}: beside it there is no tooltip")

    # --- tooltips stay in the window
    page.run("app.range.set(app.range.first, app.range.last)")
    page.still()
    label = "x" * 900
    for at_x, at_y in ((2, 2), (0.5, 0.5), (0.999, 0.999), (0.999, 0.01), (0.01, 0.999), (0.6, 0.7)):
        box = page.run("""
            const [x, y] = [arguments[0] * innerWidth, arguments[1] * innerHeight];
            app.tooltip.showOther({}, x, y, element("div", {class: "what"}, arguments[2]));
            /* Details come later. */
            const frames = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
            await frames();
            app.tooltip.node.append(facts(Array.from({length: 12}, (_, i) => ["fact " + i, arguments[2].slice(0, 80)])));
            await frames();
            const box = app.tooltip.node.getBoundingClientRect();
            return [box.left, box.top, innerWidth - box.right, innerHeight - box.bottom]""", at_x % 1, at_y % 1, label)
        check(min(box) >= 0, f"{where}: a tooltip at {at_x}, {at_y} is in the window", box)
    page.run("app.tooltip.hide()")

# --- a wait for more commands than links are given of
made = Session("many")
for i in range(200):
    made.call("clEnqueueNDRangeKernel", 1000 + 100 * i, 1050 + 100 * i, op=i + 1)
made.call("clFinish", 30000, 90000)
for i in range(200):
    made.operation(89000 + i, op=i + 1, times=(1010 + 100 * i, 1040 + 100 * i, 31000 + 200 * i, 31150 + 200 * i))
made.write()
for where, page in pages("many"):
    detail = page.run("""
        const track = app.rows.all.find(r => r.kind === "thread").tracks.find(t => t.type === "spans");
        await app.goTo(0, {track: track.number, item: 200});
        return {name: app.detail.name, links: app.detail.links, more_links: app.detail.more_links}""")
    ended = [link for link in detail["links"] if link["is"] == "ended"]
    last = page.run("return (await app.source.detail(0, arguments[0], arguments[1]))",
                    ended[-1]["track"], ended[-1]["item"])
    check(detail["name"] == "clFinish" and len(ended) == 64 and detail["more_links"] == {"ended": 136},
          f"many: {where}: of 200 commands 64 have links, and 136 are counted", (len(ended), detail["more_links"]))
    check(next(fact["text"] for fact in last["facts"] if fact["is"] == "operation") == "0:200",
          f"many: {where}: the last one is among them", last)
    check("136 more" in page.text("details"), f"many: {where}: and the page says so", page.text("details"))

# --- a blocking call has a wait's colour
synthetic("blocking", records=400, threads=1)
for where, page in pages("blocking"):
    colours = page.run("""
        const found = {wait: new Set([new Label("clFinish", "wait", 0, 0, 0).colour])};
        for (const label of app.labels[0])
            if (isCallKind(label.kind) && !label.flags)
                (found[label.kind] = found[label.kind] || new Set()).add(label.colour);
        return Object.fromEntries(Object.entries(found).map(([kind, set]) => [kind, [...set]]))""")
    check("blocking" in colours and colours["blocking"] == colours["wait"] != colours["enqueue"],
          f"blocking: {where}: a blocking call has a wait's colour", colours)

# --- two calls without time between them are seen to be two, wherever on a pixel one ends
made = Session("adjacent")
made.call("clCreateBuffer", 0, 1000000)
made.call("clCreateBuffer", 1000000, 2000000)
made.write()
for where, page in pages("adjacent"):
    widths = []
    for by in range(16):
        page.show(0, 2000000 + by * 373)
        widths.append(page.run("""
            const row = app.rows.shown.find(r => r.kind === "thread"), lane = row.lanes.find(l => l.track.type === "spans");
            const {picture, ratio, node} = app.pane, at = app.pane.x(1e6) * ratio;
            const y = Math.round((row.y - node.scrollTop + lane.y + 2) * ratio), from = Math.round(at) - 4;
            const data = picture.getContext("2d").getImageData(from, y, 8, 1).data, found = [];
            for (let i = 0; i < 8; i++)
                found.push([0, 1, 2].every(c => data[4 * i + c] === data[c]) ? "span" : "gap");
            return found.filter(one => one === "gap").length"""))
    check(set(widths) == {1}, f"adjacent: {where}: a gap of one pixel is between two calls", widths)

Page.close_browser()
finish()
