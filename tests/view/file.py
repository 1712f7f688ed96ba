#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The timeline as one file: what it holds is what the server says, event by event; of
a session that is too large it is downsampled and says so.

tandem-test: timeout=400
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish
from traces import mandelbrot, synthetic, tandem
from viewing import Page, View, need_browser

need_browser()

synthetic("made", records=20000, processes=2, threads=2)
sessions = ["made"]
if mandelbrot("real"):
    sessions.append("real")
for session in sessions:
    done = tandem("export", "-f", "html", "-o", f"{session}.html", session)
    check(done.returncode == 0 and f"{session}.html" in done.stderr, f"{session}: written", done.stderr)
    with open(f"{session}.html", encoding="utf-8") as file:
        text = file.read()
    check(not re.search(r'(src|href)="(?!data:)', text) and "default-src 'none'" in text,
          f"{session}: refers to nothing outside itself")
    again = tandem("export", "-f", "html", "-o", "again.html", session)
    with open("again.html", encoding="utf-8") as file:
        check(again.returncode == 0 and file.read() == text, f"{session}: the same again is the same file")

    # What each says of the same questions.
    asked = """
        const answers = {};
        const {source, model} = app, session = model.sessions[0];
        /* What is gathered goes by the name that has the most time; ties may fall either way. */
        const plain = (tiles) => tiles.map(t => [t.track, t.number, t.count, ...["begin", "end", "spans", "item",
            "label", "least", "most", "last"].map(k => t[k] ? Array.from(t[k].subarray(0, t.count),
            (v, i) => k === "label" && t.spans[i] > 1 ? -1 : v) : null)]);
        const tracks = [...app.rows.byTrack.values()];
        const level = Math.floor(Math.log2(session.last_ns / 1000));
        for (const track of tracks) {
            const columns = track.type === "counter" ? [0, 1, 2, 3, 8, 9, 10] : [0, 1, 2, 3, 4, 5, 6, 7];
            for (const [l, first] of [[level, 0], [level - 4, 3], [level - 9, 200], [4, 1000]])
                answers["tile " + track.key + " " + l] = plain(await source.tiles(0, Math.max(0, l), first, first,
                    [track.number])).map(t => columns.map(c => t[c]));
        }
        for (const track of tracks.filter(t => ["spans", "state", "samples"].includes(t.type) && t.items))
            for (const item of [0, Math.floor(track.items / 3), track.items - 1]) {
                const d = await source.detail(0, track.number, item);
                answers["detail " + track.key + " " + item] = d;
            }
        const all = new Set(session.labels.keys()), some = new Set([...all].filter(n => n % 3 === 0));
        for (const labels of [all, some]) {
            answers["count " + labels.size] = await source.count(0, labels);
            answers["marks " + labels.size] = await source.marks(0, labels, 0, session.last_ns, 500);
            for (const back of [false, true]) {
                let place = {begin: session.last_ns / 2, track: 4294967295, item: 0};
                for (let i = 0; i < 5; i++) {
                    const hit = await source.step(0, labels, place, back);
                    answers[`step ${labels.size} ${back} ${i}`] = hit;
                    if (!hit)
                        break;
                    place = {begin: hit.begin_ns, track: hit.track, item: hit.item};
                }
            }
        }
        answers.model = {...session, notes: []};
        answers.findings = (await app.findings.found).map(f => [f.name, f.cost_ns, f.where]);
        return answers;"""
    with View("--no-open", session) as view:
        page = Page(view.address)
        page.findings()
        served = page.run(asked)
    page = Page("file://" + os.path.abspath(f"{session}.html"))
    check(page.whole and not page.browser.complaints(), f"{session}: opens from the disk without a server",
          page.browser.complaints())
    page.findings()
    local = page.run(asked)
    for kind in ("model", "tile", "detail", "count", "step", "marks", "findings"):
        keys = [key for key in served if key.split()[0] == kind]
        wrong = [key for key in keys if served[key] != local.get(key)]
        check(keys and not wrong, f"{session}: {kind}: the same as the server's ({len(keys)} answers)",
              [(key, served[key], local.get(key)) for key in wrong[:1]])

# --- too large for one file
made = synthetic("large", records=150000, threads=3)
done = tandem("export", "-f", "html", "-o", "large.html", "large")
check(done.returncode == 0 and "downsampled" in done.stderr and "tandem view" in done.stderr,
      "a large session: the command says that the file is downsampled", done.stderr)
check(os.path.getsize("large.html") < 16 << 20, "it is of a size that can be sent",
      os.path.getsize("large.html"))
page = Page("file://" + os.path.abspath("large.html"))
check(page.whole and not page.browser.complaints(), "it opens", page.browser.complaints())
check("downsampled" in page.run("document.getElementById('notes').click(); "
                             "return document.getElementById('notes-dialog').innerText"),
      "and says so on the page")
page.run("document.getElementById('notes-dialog').close(); await app.panel.showSelection()")
calls = sum(row["calls"] for row in page.tables()["API calls"])
check(calls == made["calls"], "sums of the whole run are exact", (calls, made["calls"]))
csv = page.run("return app.panel.csv()")
with View("--no-open", "large") as view:
    whole = Page(view.address)
    whole.run("await app.panel.showSelection()")
    whole.tables()
    check(csv.count("\n") > 5 and csv == whole.run("return app.panel.csv()") and "downsampled" not in whole.text("selection"),
          "as CSV it is what the server has, to the last digit", csv[:300])
page = Page("file://" + os.path.abspath("large.html"))
page.run("await app.panel.showSelection()")
check("of every event" in page.text("selection") and page.run("return !document.getElementById('copy-csv').disabled"),
      "and says so", page.text("selection")[-300:])
items = page.run("return app.source.sessions[0].bundle.items")
check(25000 <= items <= 100000, "it holds as much as it may", items)
spans = page.run("""
    let sum = 0;
    for (const track of app.source.sessions[0].tracks)
        if (track.type === "spans" && !track.again)
            for (let i = 0; i < track.count; i++)
                sum += track.spans[i];
    return sum;""")
check(spans == made["calls"] + made["operations"],
      "in which each event is counted where it lies", (spans, made))
page.run("app.select({begin: 1000, end: 200000}, true)")
check("tandem view" in page.wait("const m = document.querySelector('#selection .wrong'); return m && m.innerText"),
      "a sum of a part is refused, with the way to get it, in its sheet")
check(page.run("return document.getElementById('copy-csv').disabled"), "and there is nothing to copy")
page.run("app.select(null); await app.findAll('clEnqueueReadBuffer', 'enqueue')")
check("tandem view" in page.wait("const m = document.querySelector('#instances .wrong'); return m && m.innerText"),
      "so are all events of a name")
check(page.run("return await app.source.stacks(0, app.range.first, app.range.last, null)") == {"samples": 0, "nodes": []},
      "the stacks of the whole run are in it")
page.run("app.search.input.value = 'clEnqueueReadBuffer'; await app.search.find()")
check("matches" in page.text("search-count"), "search counts all", page.text("search-count"))
page.run("app.choose(null); app.range.fitAll()")
page.still()
page.browser.click(*page.place("worker-1 1001", page.run("return app.range.last / 2")))
check(page.wait("return app.selected && !document.getElementById('details').hidden && "
                "document.getElementById('details').innerText.length > 10"), "a click tells what lies there")

# --- several sessions in one file
done = tandem("export", "-f", "html", "-o", "both.html", *sessions, "made")
page = Page("file://" + os.path.abspath("both.html"))
check(page.whole and [row["kind"] for row in page.rows()].count("session") == len(sessions) + 1,
      "several sessions lie in one file", done.stderr)

# --- a file that was cut off
with open("made.html", encoding="utf-8") as file:
    text = file.read()
for words, cut in (("damaged", re.sub(r'(id="data-tracks-0">.{40}).{30}', r"\1" + "A" * 30, text)),
                   ("incomplete", re.sub(r'<script type="text/plain" id="data-bundle-0">[^<]*</script>', "", text))):
    with open("broken.html", "w", encoding="utf-8") as file:
        file.write(cut)
    page = Page("file://" + os.path.abspath("broken.html"), wait=False)
    said = page.browser.wait("const m = document.getElementById('message'); "
                             "return m.classList.contains('wrong') && m.innerText")
    check(said and words in said, f"a {words} file says so", said)

Page.close_browser()
finish()
