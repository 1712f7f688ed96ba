#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The timeline of what is not as it should be: traces cut off, empty, without the
kernel's side, without device times, with clocks that cannot be fitted; of two
machines; names that are huge, hold control characters or HTML. Served, and as one
file from the disk.

tandem-test: timeout=400
"""
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from handmade import OPEN, Session
from recording import DRIVERS, run
from tap import check, finish, skip
from traces import synthetic, tandem
from viewing import Page, View, need_browser, pages

need_browser()


def notes(page):
    page.run("const b = document.getElementById('notes'); if (!b.hidden) b.click()")
    return page.text("notes-dialog")


def fine(session, where, page):
    check(page.whole and not page.browser.complaints(), f"{session}: {where}: a picture, and no complaint",
          (page.whole, page.browser.complaints()))


# --- cut off
synthetic("cut", records=20000, threads=2)
for folder, _, files in os.walk("cut"):
    for file in files:
        if file.startswith(("stream-", "window-")):
            path = os.path.join(folder, file)
            os.truncate(path, os.path.getsize(path) * 2 // 3 + 5)
for where, page in pages("cut"):
    fine("cut", where, page)
    check("worker-1 1001" in page.words() and "damaged" in notes(page),
          f"cut: {where}: what is left is shown, and that it is not all", (page.words(), notes(page)))

# --- empty
synthetic("empty", records=50)
shutil.rmtree("empty/process-1000")
for where, page in pages("empty"):
    fine("empty", where, page)
    check("no rows" in page.text("message") and "no events" in notes(page), f"empty: {where}: says so",
          (page.text("message"), notes(page)))

# --- without device times, without the kernel's side, calls that never returned
made = Session("untimed")
made.call("clEnqueueNDRangeKernel", 1000, 2000, op=1)
made.call("clFinish", 3000, 50000)
made.operation(50500, op=1, times=None)
made.call("clEnqueueNDRangeKernel", 60000, 61000, op=2)
made.call("clWaitForEvents", 62000, OPEN)
made.write()
for where, page in pages("untimed"):
    fine("untimed", where, page)
    said = notes(page)
    check("no device times" in said and "not recorded" in said and "did not return" in said and
          "did not complete" in said, f"untimed: {where}: notes say what is missing", said)
    page.run("document.getElementById('notes-dialog').close()")
    check(any(row["kind"] == "queue" and row["items"] for row in page.rows()),
          f"untimed: {where}: the command has a place all the same", page.rows())
    page.run("app.search.input.value = 'clWaitForEvents'; await app.search.find(); await app.search.step(false)")
    check("never" in page.wait("return app.detail && document.getElementById('details').innerText"),
          f"untimed: {where}: a call that never returned says so", page.text("details"))

# --- a clock that cannot be fitted: two commands that contradict each other by seconds
made = Session("clock")
for i in range(20):
    at = 1000000 * i
    made.call("clEnqueueNDRangeKernel", at + 1000, at + 2000, op=i + 1)
    made.call("clFinish", at + 3000, at + 50000)
    made.operation(at + 50500, op=i + 1, times=(at + 1500, at + 1800, at + 5000, at + 9000),
                   offset=(i % 5) * 3 * 10**9)
made.write()
for where, page in pages("clock"):
    fine("clock", where, page)
    said = notes(page)
    check("may be off" in said or "cannot" in said or "clocks disagree" in said,
          f"clock: {where}: that device times cannot be trusted is told", said)

# --- two machines, two runs
synthetic("here", records=3000)
synthetic("there", records=3000)
with open("there/session.json") as file:
    session = json.load(file)
session["host"] = "elsewhere"
session["start_realtime_ns"] += 5 * 10**9
with open("there/session.json", "w") as file:
    json.dump(session, file)
view = View("--no-open", "here", "there")
page = Page(view.address)
starts = "return app.model.sessions.map(session => session.offset_ns)"
check(page.run(starts) == [0, 0] and [row["kind"] for row in page.rows()].count("session") == 2,
      "two machines: both are shown, each from its start", page.run(starts))
tables = {name: page.run("return app.panel.tables.map(t => [t.name, t.rows])") for name in ("all",)}
calls = page.wait("return app.panel.tables.length && app.panel.tables[0].rows.reduce((a, r) => a + r.calls, 0)")
with open("here/session.json") as file:
    pass
check(calls == sum(row["calls"] for session in ("here", "there")
                   for row in json.loads(tandem("report", "--format", "json", session).stdout)["api"]),
      "two machines: sums are of both", calls)
status, said = view.end()
check("--join" in said, "two machines: that they are not joined is told, and how to", said)
view = View("--no-open", "--join", "here", "there")
page = Page(view.address)
check(page.run(starts) == [0, 5 * 10**9], "--join goes by the times of day", page.run(starts))
status, said = view.end()
check("--join" not in said, "--join: nothing more to say", said)
synthetic("later", records=3000)
with open("later/session.json") as file:
    session = json.load(file)
for key in ("start_realtime_ns", "start_monotonic_ns"):
    session[key] += 7 * 10**9
with open("later/session.json", "w") as file:
    json.dump(session, file)
view = View("--no-open", "here", "later")
page = Page(view.address)
check(page.run(starts) == [0, 7 * 10**9], "two runs of one machine lie as far apart as they ran", page.run(starts))
check("--align-starts" in view.end()[1], "where that leaves a line of each, the way to see more is told")
view = View("--no-open", "--align-starts", "here", "later")
page = Page(view.address)
check(page.run(starts) == [0, 0] and {row["words"] for row in page.rows() if row["kind"] == "session"} ==
      {"synthetic (here)", "synthetic (later)"}, "--align-starts: two runs begin together, told apart by their names",
      page.words())
check(view.end()[1].count("\n") <= 1, "--align-starts: as was asked")

# --- names
NAMES = ["<img/src=x/onerror=window.pwned=1>", "</script><script>window.pwned=1</script>",
         "esc\x1b[31mbell\x07tab\tend", "\u202egnp.elif", "x" * 3000, "plain", "clamp"]
if shutil.which("python3") and os.path.exists(DRIVERS["stub"]["OCL_ICD_VENDORS"]):
    names = os.path.join(os.environ["TANDEM_SOURCE"], "tests", "programs", "names.py")
    recorded = run(["/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable, names, *NAMES],
                   "basic", env=DRIVERS["stub"])
    check(recorded.status == 0, "names: recorded", recorded.stderr)
    session = "names"
    os.rename(recorded.session.folder, session)
    for where, page in pages(session):
        fine(session, where, page)
        page.findings()
        known = page.run("return app.labels[0].filter(l => l.kind === 'kernel').map(l => l.shown)")
        check("<img/src=x/onerror=window.pwned=1>" in known, f"names: {where}: HTML is text", known)
        check("esc\\u{1b}[31mbell\\u{7}tab\u21e5end" in known, f"names: {where}: control characters are seen",
              known)
        check("\\u{202e}gnp.elif" in known, f"names: {where}: nothing turns the writing round", known)
        # Where there is little room, a call goes without what all names of its runtime begin with.
        brief = page.run("return Object.fromEntries(app.labels[0].map(l => [l.name, l.brief]))")
        check(brief["clamp"] == "clamp" and brief["clEnqueueNDRangeKernel"] == "NDRangeKernel" and
              brief["clCreateContext"] == "CreateContext", f"names: {where}: short names", brief)
        # Everything that shows names: tooltip, details, tables, search.
        for pattern in ("img", "script", "xxxx", "gnp"):
            page.run("app.search.input.value = arguments[0]; await app.search.find();"
                     "await app.search.step(false)", pattern)
            page.wait("return app.detail && app.detail.span === app.selected")
            page.still()
            x, y = page.run("""
                const box = app.pane.box(app.selected), frame = app.pane.overlay.getBoundingClientRect();
                return [frame.left + (box.left + box.right) / 2, frame.top + (box.top + box.bottom) / 2];""")
            page.browser.move(x, y)
            page.wait("return !document.getElementById('tooltip').hidden")
        tip = page.run("const box = document.getElementById('tooltip').getBoundingClientRect();"
                       "return [box.left, box.top, box.right, box.bottom]")
        check(0 <= tip[0] and 0 <= tip[1] and tip[2] <= 1280 and tip[3] <= 720,
              f"names: {where}: a tooltip stays within the window", tip)
        page.run("await app.panel.showSelection()")
        check(page.run("return window.pwned === undefined && document.images.length === 0 && "
                       "!document.querySelector('img')"), f"names: {where}: nothing of it ran")
        rows = page.run("return app.panel.tables.find(t => t.name === 'Device operations').rows.length")
        check(rows == len(NAMES), f"names: {where}: each has its line", rows)
        wide = page.run("return document.documentElement.scrollWidth <= innerWidth")
        check(wide and not page.clipped(), f"names: {where}: 3,000 letters break nothing", page.clipped())
else:
    skip("names", "the stub driver was not built")

Page.close_browser()
finish()
