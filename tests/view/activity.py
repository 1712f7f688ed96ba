#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a runtime tells besides calls and commands in the timeline: overhead and modules in rows of their
process, page faults of unified memory in rows of their device or process, the program's own numbers in the
details of commands and of their calls. Served, and as one file; each record of the trace is there once."""
import collections
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import annotated
from tap import check, finish
from traces import tandem
from viewing import Page, need_browser, pages

need_browser()
if not os.access(annotated.REPLAY, os.X_OK):
    print("skipped: built without the CUDA stub")
    sys.exit(77)
annotated.record("managed", "managed", {})
annotated.record("external", "external", {}, "--cuda", "api,kernels,modules,overhead,external")


def records(session, name):
    events = map(json.loads, tandem("print", "--raw", "--format", "json", session).stdout.splitlines())
    return [event["args"] for event in events if event["name"] == name and event["domain"] != "kernel"]


def run_threads(session):
    return {str(event["tid"]) for event in map(json.loads, tandem("print", "--raw", "--format", "json", session).stdout.splitlines())
            if "tid" in event}


ROWS = {"overhead": "overhead", "fault": "faults", "module": "modules"}
SPANS = """
    const found = [];
    for (const row of app.rows.all)
        for (const track of row.tracks) {
            if (!isNamed(track) || track.again)
                continue;
            for (let item = 0; item < track.items; item++) {
                const detail = await app.source.detail(0, track.number, item);
                found.push({row: row.kind, of: row.parent && row.parent.kind, device: row.parent && row.parent.name,
                    kind: detail.kind, name: detail.name, begin: detail.begin_ns, length: detail.end_ns - detail.begin_ns,
                    group: GROUPS.get(detail.kind), shown: detailPairs(detail),
                    facts: (detail.facts || []).map(f => [f.is, f.text ?? f.count ?? f.bytes])});
            }
        }
    return found"""
seen = collections.defaultdict(list)
for session in ("managed", "external"):
    wanted = {kind: records(session, kind) for kind in (*ROWS, "external")}
    check(all(wanted[kind] for kind in (("fault", "module") if session == "managed" else ("overhead", "external"))),
          f"{session} has such records", {kind: len(of) for kind, of in wanted.items()})
    report = json.loads(tandem("report", "--format", "json", session).stdout)
    for where, page in pages(session):
        where = f"{session}, {where}"
        check(page.whole and not page.browser.complaints(), f"{where}: a picture, and no complaint", page.browser.complaints())
        spans = page.run(SPANS)
        seen[session].append(spans)
        for kind, row in ROWS.items():
            of = [span for span in spans if span["kind"] == kind]
            names = [f"module {r['program']}" if kind == "module" else r["kind"] for r in wanted[kind]]
            check(sorted(span["name"] for span in of) == sorted(names), f"{where}: each {kind} is there, once", (of, names))
            check(all(span["row"] == row and span["group"] == "runtime" for span in of), f"{where}: in its own row", of)
        check(sum(s["length"] for s in spans if s["kind"] == "overhead") == sum(r["total_ns"] for r in report["overheads"]),
              f"{where}: overhead is as long as in the report", report["overheads"])
        threads = set(run_threads(session))
        told = [dict(s["facts"]) for s in spans if s["group"] == "runtime"]
        check(all(re.fullmatch(r"replay \(\d+\)", facts["process"]) for facts in told), f"{where}: each has its process", told)
        check(all(re.search(r"\((\d+)\)$", facts["thread"])[1] in threads for facts in told if "thread" in facts),
              f"{where}: and no thread that the program has not", (told, threads))
        faults = [span for span in spans if span["kind"] == "fault"]
        check(sum(s["length"] for s in faults) == sum(r["total_ns"] for r in report["faults"]),
              f"{where}: so are faults", report["faults"])
        check(sorted(s["device"] if s["of"] == "device" else "host" for s in faults) ==
              sorted(r["device"] for r in report["faults"] for _ in range(r["count"])),
              f"{where}: each below its device, or its process", (faults, report["faults"]))
        addresses = sorted(dict(s["facts"])["address"] for s in faults)
        check(addresses == sorted(f"0x{int(str(r['address']), 0):x}" for r in wanted["fault"]),
              f"{where}: with its address", (addresses, wanted["fault"]))
        told = sorted((dict(s["facts"])["hash"], dict(s["facts"])["size"]) for s in spans if s["kind"] == "module")
        check(told == sorted((r["hash"], r["bytes"]) for r in report["modules"]), f"{where}: modules have a hash and a size",
              (told, report["modules"]))
        ids = sorted(f"{r['id']} ({r['kind']})" for r in wanted["external"])
        for group in ("command", "call"):
            found = sorted(words for s in spans if s["group"] == group for what, words in s["facts"] if what == "external id")
            check(found == ids, f"{where}: {group}s have the program's numbers", (found, ids))
            check(all(["external id", dict(s["facts"])["external id"]] in s["shown"] for s in spans
                      if s["group"] == group and "external id" in dict(s["facts"])), f"{where}: which are shown")
        for kind, of in ROWS.items():
            if not wanted[kind]:
                continue
            name = [s["name"] for s in spans if s["kind"] == kind][0]
            count = sum(s["name"] == name and s["kind"] == kind for s in spans)
            found = page.run(f"""app.search.input.value = {json.dumps(name)}; await app.search.find();
                const one = app.search.names.find(n => n.name === {json.dumps(name)} && n.kind === {json.dumps(kind)});
                app.search.clear(); return one && [one.count, one.of.key]""")
            check(found == [count, "runtime"], f"{where}: a search finds {name}", (found, count))
    check(seen[session][0] == seen[session][1], f"{session}: page and file say the same")

Page.close_browser()
finish()
