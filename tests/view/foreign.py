#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The timeline, and its export, with a kernel trace of another tool beside a session
(--with): states and CPUs are as the session's own kernel side has them.

tandem-test: timeout=240 alone
"""
import json
import os
import platform
import shutil
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from foreigntrace import write_dat
from kernelside import scope
from recording import BUILD, DRIVERS, has_pocl
from tap import check, finish
from traces import cached, record, tandem
from viewing import Page, View, need_browser

need_browser()
have, why = scope()
if have != "system":
    print("skipped:", why)
    sys.exit(77)
os.environ["TMPDIR"] = os.environ["TANDEM_TMP"]

if has_pocl():
    program, driver = [str(BUILD / "examples" / "opencl" / "mandelbrot" / "mandelbrot"), "-w", "320", "-h", "240",
                       "-n", "40"], "pthread"
else:
    program, driver = [str(BUILD / "tests" / "programs" / "linked")], "stub"
check(record("session", program, env=DRIVERS[driver]) == 0, "a program is recorded")
events = [json.loads(line) for line in tandem("print", "--format", "json", "session").stdout.splitlines()]
write_dat("trace.dat", events, platform.node(), platform.release())
# The same without a kernel side of its own.
shutil.copytree("session", "bare")
shutil.rmtree("bare/kernel")


def states(page):
    """ns of each state of the thread that calls, of each session; of the others trace-cmd
    does not say whose they are."""
    return page.run("""
        const sums = {};
        for (const row of app.rows.all.filter(row => row.kind === "thread" && row.tracks.some(t => t.type === "spans")))
            for (const {state, within_ns} of (await app.source.select(row.session, -1e6, 1e12, [row.number])).states)
                sums[state] = (sums[state] || 0) + within_ns;
        return sums;""")


def kinds(page):
    return {row["kind"] for row in page.rows()}


with View("--no-open", "bare") as view:
    page = Page(view.address)
    check("cpu" not in kinds(page) and not states(page), "without the kernel's side there are no states", kinds(page))
own = os.stat(cached("bare", "timeline.index")).st_mtime_ns
with View("--no-open", "session") as view:
    ours = states(Page(view.address))
check(ours.get("running"), "with its own there are", ours)
done = tandem("export", "-f", "html", "-o", "with.html", "--with", "trace.dat", "bare")
check(done.returncode == 0, "html is written with another tool's", done.stderr)
view = View("--no-open", "--with", "trace.dat", "bare")
for where, address in (("served", view.address), ("file", "file://" + os.path.abspath("with.html"))):
    page = Page(address)
    check(page.whole and not page.browser.complaints() and "cpu" in kinds(page), f"{where}: there are CPUs",
          (kinds(page), page.browser.complaints()))
    theirs = states(page)
    # Only we record no wake-ups within the first milliseconds, and know that: what we leave open
    # may be anything to the other. Where that one leaves something open it is a thread that sleeps.
    # Of a thread that waits for its first time slice, the other has nothing before it gets it.
    open_ns, unseen_ns = ours.get("unknown", 0), max(0, sum(ours.values()) - sum(theirs.values()))
    theirs["wait_blocked"] = theirs.get("wait_blocked", 0) + theirs.get("unknown", 0)
    off = {kind: (ours, theirs) for kind in ("running", "wait_cpu", "wait_blocked")
           if not -unseen_ns - 20e6 - 0.05 * ours.get(kind, 0) <= theirs.get(kind, 0) - ours.get(kind, 0)
           <= open_ns + 20e6 + 0.05 * ours.get(kind, 0)}
    check(2 * sum(theirs.values()) > sum(ours.values()), f"{where}: most of the run has states", (ours, theirs))
    check(not off, f"{where}: threads run and wait as long as our own records say", off)
    check(page.findings() is not None, f"{where}: findings are made with it, too")
temporary = [name for name in os.listdir(".") if name.startswith("tandem-") and "browser" not in name]
check(temporary, "its records lie in temporary files", temporary)
check(view.end()[0] == 0, "it ends")
left = [name for name in os.listdir(".") if name.startswith("tandem-") and "browser" not in name]
check(not left, "they go with it", left)
check(os.stat(cached("bare", "timeline.index")).st_mtime_ns == own, "the index of the trace alone stays as it was")
with View("--no-open", "bare") as view:
    check("cpu" not in kinds(Page(view.address)), "and serves the trace alone again")

# Two sessions of one time and machine.
shutil.copytree("bare", "twin")
with View("--no-open", "--with", "trace.dat", "bare", "twin") as view:
    page = Page(view.address)
    both = states(page)
    check(abs(both.get("running", 0) - 2 * theirs["running"]) < 0.01 * both.get("running", 1),
          "of several sessions each gets it", (both, theirs))

# --- the other exports
done = tandem("export", "-f", "sqlite", "-o", "with.db", "--with", "trace.dat", "bare")
check(done.returncode == 0, "so do the other exports", done.stderr)
if done.returncode == 0:
    count, = sqlite3.connect("with.db").execute("SELECT count(*) FROM thread_states").fetchone()
    check(count > 10, "the database has the states", count)

# --- refused
write_dat("kernel.dat", events, platform.node(), "5.0.0")
def refused(*words):
    """What it says of it. That the session lacks the kernel's streams is another thing."""
    done = tandem(*words, "bare")
    return done.returncode == 1 and [line for line in done.stderr.splitlines()
                                     if "streams are missing" not in line]


for words in (("view", "--no-open"), ("export", "-f", "html", "-o", "no.html")):
    said = refused(*words, "--with", "kernel.dat")
    check(said and len(said) == 1 and "another boot" in said[0],
          f"{words[0]}: a trace of another machine is refused with words", said)
    said = refused(*words, "--with", "/nowhere")
    check(said and len(said) == 1 and "/nowhere" in said[0], f"{words[0]}: and one that is not there", said)
check(not os.path.exists("no.html"), "and nothing is written")

Page.close_browser()
finish()
