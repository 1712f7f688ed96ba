#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a program or its runtime says besides calls and commands is seen wherever there is a place
for it: each kind of record, in report, print, SQL, CSV and every export, of runs by the stub (the page:
tests/view/ranges.py); and doc/EXPORTS.md says so."""
import collections
import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import annotated  # noqa: E402
import perfetto  # noqa: E402
from otf2 import Archive  # noqa: E402
from outputs import run  # noqa: E402
from tap import check, finish  # noqa: E402

SOURCE = Path(os.environ["TANDEM_SOURCE"])
annotated.record("annotated", "overlap", {
    1: ["push outer"], 2: ["push inner", "mark here"], 6: ["pop"], 7: ["start free"], 9: ["end"],
    20: ["pop"]})
for name in ("managed", "external"):
    options = () if name == "managed" else ("--cuda", "api,kernels,modules,overhead,external")
    annotated.record(name, name, {}, *options)

# Kind: the session that has it, what it is called in each place (None: there is no place), and how
# many there are, by what print has of the records.
KINDS = {
    "range": "annotated", "marker": "annotated", "overhead": "annotated", "migrate": "managed",
    "fault": "managed", "module": "managed", "external": "external",
}
ROWS = {"overhead": "runtime and tracing overhead", "fault": "unified memory faults",
        "module": "loaded device code", "external": "the program's numbers of operations"}
TABLES = {"overhead": "overheads", "fault": "faults", "module": "modules", "external": "external_ids"}


def is_kind(kind, event):
    if kind in ("range", "marker"):
        return event["name"] == "range" and (event["args"]["kind"] == "marker") == (kind == "marker")
    if kind == "migrate":
        return event["name"] == "operation" and event["args"]["kind"] == "migrate"
    return event["name"] == kind and event["domain"] != "kernel"


def in_print(kind, session):
    return sum(is_kind(kind, json.loads(line)) for line in
               run("print", "--raw", "--format", "json", session).splitlines())


def in_report(kind, session):
    said = json.loads(run("report", "--format", "json", session))
    if kind in ("range", "marker"):
        return sum(r["count"] for r in said["ranges"] if (r["kind"] == "marker") == (kind == "marker"))
    if kind == "migrate":
        return sum(r["count"] for r in said["device"] if r["kind"] == kind)
    return sum(r["count"] for r in said[TABLES[kind]])


def of_tables(kind, rows):
    if kind in ("range", "marker"):
        return sum((row["kind"] == "marker") == (kind == "marker") for row in rows("ranges"))
    if kind == "migrate":
        return sum(row["kind"] == kind for row in rows("device_ops"))
    return len(rows(TABLES[kind]))


def in_sql(kind, session):
    return of_tables(kind, lambda table: json.loads(
        run("sql", "--format", "json", session, f"SELECT * FROM {table}") or "[]"))


def in_csv(kind, session):
    out = session + "-csv"
    if not os.path.exists(out):
        run("export", "-q", "-f", "csv", "-o", out, session)
    return of_tables(kind, lambda table: list(csv.DictReader(open(
        f"{out}/{table}.csv", newline="", encoding="utf-8"))))


def in_chrome(kind, session):
    run("export", "-q", "-f", "chrome", "-o", session + ".json", session)
    with open(session + ".json", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    if kind in ("range", "marker"):
        return sum(e.get("cat") == "range" and (e["ph"] == "i") == (kind == "marker") for e in events)
    if kind == "migrate":
        return sum(e.get("cat") == kind for e in events)
    return sum(e["ph"] in "Xi" and names.get((e["pid"], e["tid"])) == ROWS[kind] for e in events)


def in_perfetto(kind, session):
    run("export", "-q", "-f", "perfetto", "-o", session + ".pftrace", session)
    trace = perfetto.read(session + ".pftrace")
    if kind == "range":
        return sum(p.category == ["range"] and "executing_ns" not in p.args for p in trace.slices)
    if kind == "marker":
        return sum(p.category == ["range"] for p in trace.instants)
    pieces = trace.slices + trace.instants
    if kind == "migrate":
        return sum(p.args.get("kind") == kind and "op" in p.args for p in pieces)
    return sum(trace.tracks[p.track].path[-1] == ROWS[kind] for p in pieces)


def in_otf2(kind, session):
    if kind in TABLES or not shutil.which("otf2-print"):
        return None
    shutil.rmtree(session + "-otf2", ignore_errors=True)
    run("export", "-q", "-f", "otf2", "-o", session + "-otf2", session)
    archive = Archive(session + "-otf2")
    if kind == "migrate":
        return None  # counted as a transfer: roles do not tell them apart
    return archive.entered["CPU_THREAD", "ARTIFICIAL" if kind == "marker" else "CODE"]


def in_ctf(kind, session):
    if not shutil.which("babeltrace2"):
        return None
    shutil.rmtree(session + "-ctf", ignore_errors=True)
    run("export", "-q", "-f", "ctf", "-o", session + "-ctf", session)
    said = subprocess.run(["babeltrace2", session + "-ctf"], text=True, capture_output=True).stdout
    if kind in ("range", "marker"):
        return sum((' kind = ( "marker"' in line) == (kind == "marker") for line in said.splitlines()
                   if re.search(r"\) range: ", line))
    if kind == "migrate":
        return len(re.findall(r'\) operation_end: .* kind = \( "migrate"', said))
    return len(re.findall(rf"\) (?:\w+:)?{kind}: ", said))


PLACES = {"print": in_print, "report": in_report, "sql": in_sql, "csv": in_csv, "chrome": in_chrome,
          "perfetto": in_perfetto, "otf2": in_otf2, "ctf": in_ctf}
told = collections.Counter()
for kind, session in KINDS.items():
    wanted = in_print(kind, session)
    check(wanted > 0, f"{session}: there is a {kind}", wanted)
    for place, count in PLACES.items():
        found = count(kind, session)
        if found is None:
            continue
        told[place] += 1
        check(found == wanted, f"{kind}: {place} has each", (found, wanted))
check(all(told[place] >= 7 for place in ("print", "report", "sql", "csv", "chrome", "perfetto")),
      "no place leaves one out", told)

# The document's table: a kind that a format has is not said to be absent, nor the other way round.
text = (SOURCE / "doc/EXPORTS.md").read_text()
head = re.search(r"^\| \| (.*) \|$", text, re.M)[1].split(" | ")
for words, kinds in (("ranges and markers", "range marker"), ("overhead, unified", "overhead fault module"),
                     ("own numbers of commands", "external")):
    cells = re.search(rf"^\| [^|]*{words}[^|]*\| (.*) \|$", text, re.M)[1].split(" | ")
    said = dict(zip(head, cells))
    for kind in kinds.split():
        for place in ("perfetto", "chrome", "otf2", "ctf"):
            has = PLACES[place](kind, KINDS[kind]) is not None
            check((said[place] == "no") == (not has) or not shutil.which("otf2-print"),
                  f"EXPORTS.md: {kind} in {place}", said)
finish()
