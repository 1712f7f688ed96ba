#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pictures of one session of each kind of program, at the widths of lib/looking.py, in light and in dark,
which lie in BUILD/tests/pictures/looks afterwards: everything is there, and in the window.

tandem-test: timeout=600
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import annotated
from looking import BEYOND, SCHEMES, SEEN, SIZES
from recording import BUILD, DRIVERS, PROGRAMS
from tap import TANDEM, check, finish
from traces import tandem
from viewing import Page, View, need_browser

need_browser()
PICTURES = BUILD / "tests" / "pictures" / "looks"
PICTURES.mkdir(parents=True, exist_ok=True)


def record(name, *command, **more):
    said = subprocess.run([TANDEM, "record", "-q", "-o", name, *map(str, command)], text=True, capture_output=True,
                          env=dict(os.environ, **more))
    check(said.returncode == 0, f"{name} is recorded", said.stderr)


STUB = {name: str(value) for name, value in DRIVERS["stub"].items()}
record("cpu-only", sys.executable, "-c", "sum(range(10**6))")
record("pipeline", "sh", "-c", "seq 1 100000 | sort -r | tail -1")
record("four-queues", PROGRAMS / "threads", "4", "5", "16384", **STUB)
record("short-calls", PROGRAMS / "loop", "counter", "100000", **STUB)
record("empty", "true")
annotated.record("annotated", "overlap", {1: ["push epoch"], 2: ["push step", "mark here"], 6: ["pop"], 7: ["start free"],
                                          8: ["push step"], 9: ["pop", "end"], 20: ["pop"]})


def look(page, session, name):
    page.findings()
    page.still()
    beyond = page.run(SEEN + BEYOND[1])
    check(page.whole and not beyond and not page.clipped(), f"{session}, {name}: all is there", beyond)
    page.browser.picture(PICTURES / f"{session}-{name}.png")


for session in ("cpu-only", "pipeline", "four-queues", "annotated", "short-calls", "empty"):
    with View("--no-open", session) as view:
        for width, height in SIZES:
            for scheme in SCHEMES:
                look(Page(view.address, width, height, 1, scheme), session, f"{width}-{scheme}")
    done = tandem("export", "-f", "html", "-o", session + ".html", session)
    check(done.returncode == 0, f"{session}: it is written as one file", done.stderr)
    look(Page("file://" + os.path.abspath(session + ".html"), *SIZES[1]), session, f"{SIZES[1][0]}-file")

Page.close_browser()
finish()
