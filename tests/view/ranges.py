#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ranges (NVTX) in the timeline: nested above the calls of their thread, across threads in a row of the
process, and on the device from their first operation to the last; markers. Served, and as one file;
sums are the report's."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import TANDEM, check, finish
from traces import tandem
from viewing import Page, need_browser, pages

need_browser()

REPLAY = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "cuda", "replay")
if not os.access(REPLAY, os.X_OK):
    print("skipped: built without the CUDA stub")
    sys.exit(77)
LINES = {2: ["push outer"], 4: ["push inner"], 5: ["start free", "mark here"], 7: ["pop", "scope solver step"],
         8: ["push inner", "end"], 9: ["pop", "push idle", "pop"], 10: ["pop"], 11: ["leave"]}
with open(os.path.join(os.environ["TANDEM_SOURCE"], "tests", "data", "cuda", "overlap.replay")) as file, \
        open("nested.replay", "w") as out:
    launches = 0
    for line in file:
        if re.match(r"call 0 2 \d+ cudaLaunchKernel ", line):
            out.writelines(f"nvtx {text}\n" for text in LINES.get(launches, ()))
            launches += 1
        out.write(line)
done = subprocess.run([TANDEM, "record", "-q", "-o", "nested", REPLAY, "nested.replay"], capture_output=True, text=True)
check(done.returncode == 0, "a program with ranges is recorded", done.stderr)
told = {row["name"]: row for row in json.loads(tandem("report", "--format", "json", "nested").stdout)["ranges"]}

for where, page in pages("nested"):
    browser = page.browser
    check(page.whole and not browser.complaints(), f"{where}: a picture, and no complaint", browser.complaints())
    # What each range row shows: [row, lane] of each span, by its name.
    spans = page.run("""
        const found = {};
        for (const row of app.rows.all)
            for (const [lane, track] of row.tracks.entries()) {
                if (track.type !== "spans")
                    continue;
                for (let item = 0; item < track.items; item++) {
                    const detail = await app.source.detail(0, track.number, item);
                    if (GROUPS.get(detail.kind) === "range")
                        (found[detail.name] = found[detail.name] || []).push({row: row.kind, of: row.parent.kind, lane, track:
                            track.number, item, kind: detail.kind, begin: detail.begin_ns, end: detail.end_ns,
                            facts: Object.fromEntries(detail.facts.map(f => [f.is, f.count || f.ns || f.text])),
                            links: detail.links.map(l => [l.is, l.track, l.item])});
                }
            }
        return found""")
    check(set(spans) == set(told), f"{where}: each range is there", (sorted(spans), sorted(told)))
    [outer] = [s for s in spans["outer"] if s["row"] == "thread"]
    inner = [s for s in spans["inner"] if s["row"] == "thread"]
    check(len(inner) == 2 and all(s["lane"] > outer["lane"] and outer["begin"] <= s["begin"] and s["end"] <= outer["end"]
                                  for s in inner), f"{where}: nested ranges are below those around them", (outer, inner))
    calls = page.run("return app.rows.all.find(r => r.kind === 'thread').lanes.map(l => l.track.number)")
    check(calls.index(outer["track"]) == 0 or calls.index(outer["track"]) == 1, f"{where}: above the thread's calls", calls)
    check([(s["row"], s["of"]) for s in spans["free"] if s["kind"] == "range"] == [("ranges", "process")],
          f"{where}: a start-end range is in a row of its process", spans["free"])
    check([s["kind"] for s in spans["here"]] == ["mark"] and spans["here"][0]["begin"] == spans["here"][0]["end"],
          f"{where}: a marker is a moment", spans["here"])
    projected = [s for s in spans["outer"] if s["kind"] == "range_device"]
    check([(s["row"], s["of"], s["end"] - s["begin"]) for s in projected] == [("ranges", "device", told["outer"]["projected_ns"])],
          f"{where}: on the device it is from the first operation to the last", (projected, told["outer"]))
    check(not [s for s in spans["idle"] if s["kind"] == "range_device"], f"{where}: one that enqueued nothing is not on the device")
    check(outer["facts"]["kernels"] == 8 and outer["facts"]["device time"] == told["outer"]["executing_ns"],
          f"{where}: its details say what was enqueued", outer)
    check(outer["links"] == [["projected", projected[0]["track"], projected[0]["item"]]] and
          projected[0]["links"] == [["range", outer["track"], outer["item"]]], f"{where}: and lead from one to the other",
          (outer["links"], projected[0]["links"]))
    check(spans["step"][0]["facts"]["domain"] == "solver", f"{where}: and its domain", spans["step"][0])
    page.findings()
    table = {row["name"]: row for row in page.select(-1e6, 1e12)["Ranges"]}
    wrong = {name: (row, told[name]) for name, row in table.items() if (row["count"], row["total_ns"], row["device_ns"]) !=
             (told[name]["count"], told[name]["total_ns"], told[name]["executing_ns"])}
    check(set(table) == set(told) and not wrong, f"{where}: sums are the report's", wrong)
    page.run("app.select(null); app.search.input.value = 'inner'; await app.search.find()")
    check(page.text("search-count") == "2 matches", f"{where}: a search finds each once", page.text("search-count"))
    page.run("app.search.clear()")

Page.close_browser()
finish()
