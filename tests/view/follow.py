#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tandem view --follow: the timeline of a session that is still recorded."""
import json
import os
import subprocess
import sys
import urllib.request

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import DRIVERS, PROGRAMS
from tap import TANDEM, check, finish, wait_for
from viewing import Page, View, need_browser

need_browser()
program = subprocess.Popen([TANDEM, "record", "-q", "--kernel", "off", "-o", "run", "--", PROGRAMS / "steps"],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                           env={**os.environ, **DRIVERS["stub"]})


def tell(line):
    program.stdin.write(line + "\n")
    program.stdin.flush()
    program.stdout.readline()


tell("calls 10")
with View("--no-open", "--follow", "run") as view, Page(view.address) as page:
    def ask(name):
        with urllib.request.urlopen(view.address + name) as answer:
            return json.load(answer)

    def events():
        return page.wait("return app && app.first && app.model.sessions[0].events")

    first = events()
    check(ask("follow") == {"look": 1, "runs": True} and first > 0, "the first look", (ask("follow"), first))
    tell("calls 1000")
    check(wait_for(lambda: events() >= first + 1000, 20), "the page has what has come since", events())
    page.show(1000, 2000)
    tell("calls 1000")
    check(wait_for(lambda: events() >= first + 2000, 20), "and again", events())
    shown = page.shown()
    check(abs(shown[0] - 1000) < 2 and abs(shown[1] - 2000) < 2, "what is shown stays", shown)

    # With a row folded the page stays as it is, and says so.
    page.run("app.rows.all[0].folded = !app.rows.all[0].folded")
    before = events()
    tell("threads 3")
    tell("calls 1000")
    check(wait_for(lambda: "more has been recorded" in page.text("state"), 20), "what is folded holds it",
          page.text("state"))
    check(events() == before, "with nothing changed", events())
    page.run("app.rows.all[0].folded = !app.rows.all[0].folded")
    check(wait_for(lambda: events() >= first + 3003, 20), "let go, it goes on", events())
    program.stdin.close()
    program.wait(30)
    check(wait_for(lambda: not ask("follow")["runs"], 20), "the end of the recording is seen", ask("follow"))
    check(wait_for(lambda: "still running" not in page.text("run"), 20), "and shown", page.text("run"))
    status, said = view.end()
    check(status == 0, "Ctrl-C ends it", said)

for words in (["--follow", "run", "run"], ["--follow", "--with", "run", "run"]):
    done = subprocess.run([TANDEM, "view", "--no-open", *words], capture_output=True, text=True)
    check(done.returncode == 2 and "--follow" in done.stderr, " ".join(words), done)
finish()
