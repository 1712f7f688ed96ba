# SPDX-License-Identifier: MIT
"""Sentences of how the page looks, at three widths, in light and in dark, served and as one file: each two of
these together.

    TABLE = (("devices come first", "return app.rows.shown[0].kind", "device"), ...)
    look("session", TABLE)

A row: a sentence, a script, and what it has to return: a value, or a function of what it returned
and of the width.
"""
import itertools
import os

from tap import check
from traces import tandem
from viewing import Page, View

SIZES = ((1024, 700), (1440, 900), (1920, 1080))
SCHEMES = ("light", "dark")
SEEN = "const box = node => node.getBoundingClientRect();"
BEYOND = ("nothing reaches beyond the window", """
        return [...document.querySelectorAll('header *, .panel *, .ruler, .overview, #rows *')].filter(n => {
            const b = box(n);
            return b.width && b.height && getComputedStyle(n).visibility !== 'hidden' && (b.right > innerWidth + 1 || b.left < -1);
        }).map(n => n.id || n.className || n.tagName)""", [])


def look(session, table, more=None):
    """`more`: called with each page and what to call it, after the table."""
    done = tandem("export", "-f", "html", "-o", session + ".html", session)
    check(done.returncode == 0, f"{session}: it is written as one file", done.stderr)
    with View("--no-open", session) as view:
        places = (("served", view.address), ("file", "file://" + os.path.abspath(session + ".html")))
        for (i, (where, address)), (j, (width, height)) in itertools.product(enumerate(places), enumerate(SIZES)):
            scheme = SCHEMES[(i + j) % 2]
            Page("about:blank", wait=False)
            page = Page(address, width, height, 1, scheme)
            page.still()
            for sentence, script, wanted in table:
                found = page.run(SEEN + script)
                right = wanted(found, width) if callable(wanted) else found == wanted
                check(right, f"{where}, {width}, {scheme}: {sentence}", found)
            if more:
                more(page, f"{where}, {width}, {scheme}")
            said = page.browser.complaints()
            check(not said, f"{where}, {width}, {scheme}: no complaint", said)
