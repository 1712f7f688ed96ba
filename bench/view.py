# SPDX-License-Identifier: MIT
"""The timeline of large sessions, in headless Chromium: how long the index takes to
make, how long until the first picture is there, frames a second while one moves
through it, memory of the page and of the server."""
import glob
import os
import re
import subprocess
import sys
import threading
import time

FIRST_MS = {10: 500, 100: 5000}
FRAMES_LEAST = 50
PAGE_MIB_MOST = 500

# What a user does who looks around: out of the whole run into a hundredth of it and
# back, then along; a frame each, as fast as the browser gives them.
MOVES = """
const {range} = window.tandem;
const [how, frames] = arguments;
const middle = (range.begin + range.end) / 2, times = [];
let at = 0, last = null;
return await new Promise((done) => {
    const step = (now) => {
        if (last !== null)
            times.push(now - last);
        last = now;
        if (at++ === frames) {
            times.sort((a, b) => a - b);
            done([1000 / (times.reduce((a, b) => a + b, 0) / times.length), times[Math.floor(times.length * 0.95)]]);
            return;
        }
        if (how === "zoom")
            range.zoomNow(at <= frames / 2 ? 0.95 : 1 / 0.95, middle);
        else
            range.panNow((at <= frames / 2 ? 1 : -1) * range.span * 0.02);
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
});"""

# CPU time of the page for one picture, without waiting for anything.
DRAW = """
const app = window.tandem, begun = performance.now();
for (let i = 0; i < 50; i++)
    app.draw(performance.now());
return (performance.now() - begun) / 50;"""


# How long the sums of everything take, which are asked for when nothing is selected.
SUMS = """
const {source, range} = window.tandem, begun = performance.now();
await source.select(0, range.first, range.last, null);
return performance.now() - begun;"""


class Peak(threading.Thread):
    """The most memory of its own that a process has, until done() is asked."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.most_mib, self.over = pid, 0, False
        self.start()

    def run(self):
        while not self.over:
            try:
                with open(f"/proc/{self.pid}/status") as file:
                    found = re.search(r"^RssAnon:\s+(\d+) kB", file.read(), re.M)
            except OSError:
                return
            if found:
                self.most_mib = max(self.most_mib, int(found[1]) / 1024)
            time.sleep(0.02)

    def done(self):
        self.over = True
        self.join()
        return self.most_mib


def descendants(pid):
    found = [pid]
    for one in found:
        try:
            for task in os.listdir(f"/proc/{one}/task"):
                with open(f"/proc/{one}/task/{task}/children") as file:
                    found += [int(child) for child in file.read().split()]
        except OSError:
            pass
    return found[1:]


def resident_mib(pid, what="Pss"):
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return int(re.search(rf"^{what}:\s+(\d+) kB", file.read(), re.M)[1]) / 1024


def page_mib(browser):
    """Of the renderer with the most: the page's."""
    most = 0
    for pid in descendants(browser.driver.pid):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if b"--type=renderer" in file.read():
                    most = max(most, resident_mib(pid))
        except OSError:
            pass
    return most


def one_size(bench, Browser, millions):
    session = bench.session("large")
    bench.run("base", [bench.program("bench", "gen_trace"), "-n", str(millions * 10 ** 6), "-t", "8", session])
    case = f"{millions} M events"
    cache = session + ".cache"
    begun = time.monotonic()
    server = subprocess.Popen([bench.tandem, "view", "--no-open", session], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True,
                              env=dict(os.environ, XDG_CACHE_HOME=cache))
    browser, peak = None, Peak(server.pid)
    try:
        address = server.stdout.readline().strip()
        bench.add("view", case + ": index made, once", "s", {"traced": [time.monotonic() - begun]})
        bench.add("view", case + ": own memory for that", "MiB", {"traced": [peak.done()]})
        (kept,) = glob.glob(os.path.join(cache, "tandem", "*", "timeline.index"))
        index = os.path.getsize(kept)
        bench.add("view", case + ": its size", "MB", {"traced": [index / 1e6]})
        browser = Browser.start()
        browser.scaled(1920, 1080, 1)
        first = []
        for _ in range(3):
            browser.open(address)
            browser.wait("return document.body.dataset.whole === 'true'", seconds=120)
            first.append(browser.run("return performance.getEntriesByName('first-picture')[0].startTime"))
        bench.add("view", case + ": first picture", "ms", {"traced": first},
                  target=f"<= {FIRST_MS[millions]} ms", passed=lambda row: row["traced"] <= FIRST_MS[millions])
        # They have a CPU to themselves only when that is over.
        begun = time.monotonic()
        browser.wait("return window.tandem.findings.done", seconds=600)
        bench.add("view", case + ": findings, at the same time", "s", {"traced": [time.monotonic() - begun]})
        for how in ("zoom", "pan"):
            rates, late = zip(*(browser.run(MOVES, how, 120) for _ in range(3)))
            bench.add("view", f"{case}: {how}", "frames", {"traced": list(rates)},
                      target=f">= {FRAMES_LEAST} a second", frame_p95_ms=max(late),
                      passed=lambda row: row["traced"] >= FRAMES_LEAST)
        bench.add("view", case + ": sums of the full trace", "ms", {"traced": [browser.run(SUMS) for _ in range(3)]})
        bench.add("view", case + ": CPU of a picture", "ms", {"traced": [browser.run(DRAW)]})
        bench.add("view", case + ": page", "MiB", {"traced": [page_mib(browser)]}, target=f"<= {PAGE_MIB_MOST} MiB",
                  passed=lambda row: row["traced"] <= PAGE_MIB_MOST)
        bench.add("view", case + ": server, own memory", "MiB", {"traced": [resident_mib(server.pid, "Private_Dirty")]})
    finally:
        if browser:
            browser.stop()
        server.terminate()
        server.wait()
        subprocess.run(["rm", "-rf", session], check=False)


def timeline(bench):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "lib"))
    os.environ.setdefault("TANDEM", bench.tandem)
    from webdriver import Browser
    why = Browser.missing()
    if why:
        print("\n%s: the timeline is not measured" % why)
        return
    for millions in (10, 100) if bench.full else (10,):
        one_size(bench, Browser, millions)
