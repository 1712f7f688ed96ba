# SPDX-License-Identifier: MIT
"""The timeline as a user has it: `tandem view` and a headless Chromium.

    need_browser()                              # or the test is skipped, aloud
    with View("session") as view, Page(view.address) as page:
        page.rows()                             # [{words, kind, ...}] as they stand there
        x, y = page.place("worker 1001", 5000)  # of a moment in a row
        page.browser.move(x, y)
        page.text("tooltip")
"""
import atexit
import os
import subprocess
import sys

from tap import TANDEM, check
from traces import tandem
from webdriver import Browser

TMP = os.environ["TANDEM_TMP"]


def need_browser():
    why = Browser.missing()
    if why:
        print("skipped: " + why)
        sys.exit(77)


class View:
    """A running `tandem view`."""

    def __init__(self, *arguments, env=None):
        environment = dict(os.environ, **(env or {}))
        for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
            if name not in (env or {}):
                environment.pop(name, None)
        self.process = subprocess.Popen([TANDEM, "view", *arguments], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=environment)
        # A test that fails half way leaves none behind.
        atexit.register(self.process.kill)
        self.address = self.process.stdout.readline().strip()

    def end(self):
        """Ends it as Ctrl-C does; its status and what it said."""
        if self.process.poll() is None:
            self.process.send_signal(2)
        _, said = self.process.communicate(timeout=30)
        return self.process.returncode, said

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


def pages(session, *more):
    """The page of a session, served and as a file, one after the other."""
    with View("--no-open", session, *more) as view:
        yield "served", Page(view.address)
    name = os.path.abspath(session.replace("/", "-") + ".html")
    done = tandem("export", "-f", "html", "-o", name, session, *more)
    check(done.returncode == 0, f"{session}: as one file", done.stderr)
    yield "file", Page("file://" + name)


class Page:
    """The page at an address. One browser serves many."""

    _browser = None

    def __init__(self, address, width=1280, height=720, scale=1, scheme="light", wait=True):
        if Page._browser is None:
            Page._browser = Browser.start(prefix=TMP)
        self.browser = Page._browser
        self.browser.scaled(width, height, scale)
        self.browser.prefer(scheme)
        self.browser.complaints()
        self.browser.open(address)
        self.whole = self.wait_whole() if wait else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    @classmethod
    def close_browser(cls):
        if cls._browser is not None:
            cls._browser.stop()
        cls._browser = None

    def run(self, script, *arguments):
        return self.browser.run("const app = window.tandem;" + script, *arguments)

    def wait(self, script, *arguments, seconds=60):
        return self.browser.wait("const app = window.tandem;" + script, *arguments,
                                 seconds=seconds)

    def wait_whole(self):
        """Until everything that should be in the picture is."""
        return self.wait("return !!document.body && document.body.dataset.whole === 'true'")

    def text(self, element):
        return self.run("return document.getElementById(arguments[0]).innerText", element)

    def findings(self):
        """Until they are made."""
        return self.wait("return app.findings.done")

    def rows(self):
        return self.run("return app.rows.shown.map(row => ({words: row.words, kind: row.kind, "
                        "note: row.note, depth: row.depth, folded: row.folded, "
                        "items: row.items, tracks: row.tracks.length}))")

    def words(self):
        return [row["words"] for row in self.rows()]

    def place(self, row, ns, lane=0):
        """Where a moment of a row ("words" or "kind:words") is in the window."""
        found = self.run("""
            const row = app.rows.shown.find(row => row.words === arguments[0] ||
                row.kind + ":" + row.words === arguments[0]);
            if (!row)
                return null;
            app.pane.scrollTo(row);
            const lane = row.lanes[arguments[2]];
            const box = app.pane.overlay.getBoundingClientRect();
            const y = row.y - app.pane.node.scrollTop;
            return [box.left + app.pane.x(arguments[1]),
                    app.pane.node.getBoundingClientRect().top + y +
                    (lane ? lane.y + lane.height / 2 : row.height / 2)];""", row, ns, lane)
        if not found:
            raise AssertionError(f"there is no row {row!r}: {self.words()}")
        return found

    def show(self, begin, end):
        """Shows a stretch of time, at once."""
        self.run("app.range.set(arguments[0], arguments[1])", begin, end)
        self.still()

    def still(self):
        """Until nothing moves any more."""
        self.run("await new Promise(done => requestAnimationFrame(() => "
                 "requestAnimationFrame(done)))")
        if not self.wait_whole():
            raise TimeoutError("the picture does not become complete")
        return True

    def shown(self):
        return self.run("return [app.range.begin, app.range.end]")

    def select(self, begin, end):
        """Selects a stretch; the tables that come."""
        self.run("app.select({begin: arguments[0], end: arguments[1]}, false); "
                 "await app.panel.showSelection()", begin, end)
        return self.tables()

    def tables(self):
        self.wait("return app.panel.tables.length > 0 || "
                  "document.querySelector('#selection .empty')")
        return self.run("return Object.fromEntries(app.panel.tables.map(t => [t.name, t.rows]))")

    def colours(self, row):
        """Colours in the picture of a row, by how many pixels each has."""
        return self.run("""
            const row = app.rows.shown.find(row => row.words === arguments[0] ||
                row.kind + ":" + row.words === arguments[0]);
            app.pane.scrollTo(row);
            await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
            const {picture, ratio, node} = app.pane;
            const y = row.y - node.scrollTop;
            const data = picture.getContext("2d").getImageData(0, Math.round(y * ratio),
                picture.width, Math.round(row.height * ratio)).data;
            const found = {};
            for (let i = 0; i < data.length; i += 4) {
                const key = "#" + [data[i], data[i + 1], data[i + 2]]
                    .map(c => c.toString(16).padStart(2, "0")).join("");
                found[key] = (found[key] || 0) + 1;
            }
            return found;""", row)

    def clipped(self):
        """Elements that reach beyond the window, which nobody could see."""
        return self.run("""
            const found = [];
            for (const node of document.querySelectorAll("header *, .panel .tabs *, .ruler, .overview")) {
                const box = node.getBoundingClientRect();
                if (box.width && getComputedStyle(node).visibility !== "hidden" &&
                    (box.right > innerWidth + 1 || box.bottom > innerHeight + 1 || box.left < -1))
                    found.push((node.id || node.className || node.tagName) + " " +
                        [box.left, box.top, box.right, box.bottom].map(Math.round));
            }
            return found;""")
