# SPDX-License-Identifier: MIT
"""How many calls, operations, ranges, threads and so on each command and each export has of
a session, each read back by a reader of its own. What a format has no place for is absent.

    for form, counts in outputs("session", "--range", "step").items():
        counts["calls"], counts["operations"], ...

    calls, operations    API calls; device operations whose end was recorded
    ranges, markers      of the program's own
    threads, processes   of the traced program
"""
import collections
import csv
import json
import re
import shutil
import sqlite3
import subprocess

import perfetto
from otf2 import Archive
from tap import TANDEM, check


def run(command, *arguments):
    done = subprocess.run([TANDEM, command, *arguments], text=True, capture_output=True)
    check(done.returncode == 0, " ".join(["tandem", command, *arguments]), done.stderr)
    return done.stdout


def of_report(session, *part):
    said = json.loads(run("report", "--format", "json", *part, session))
    return {"calls": said["session"]["calls"],
            "operations": said["operations"]["total"],
            "ranges": sum(row["count"] for row in said["ranges"] if row["kind"] != "marker"),
            "markers": sum(row["count"] for row in said["ranges"] if row["kind"] == "marker"),
            "threads": said["session"]["threads_with_events"], "processes": said["session"]["processes"],
            "lost": said["losses"]["total"]}


def of_print(session, *part):
    if part:
        return None
    events = [json.loads(line) for line in run("print", "--raw", "--format", "json", session).splitlines()]
    events = [event for event in events if event["domain"] != "kernel"]
    ranges = [event["args"]["kind"] for event in events if event["name"] == "range"]
    return {"calls": sum("duration_ns" in event for event in events),
            "operations": sum(event["name"] == "operation" for event in events),
            "ranges": sum(kind != "marker" for kind in ranges), "markers": ranges.count("marker")}


def of_status(session, *part):
    if part:
        return None
    said = json.loads(run("status", "--format", "json", session))
    return {"threads": said["threads_with_events"], "processes": said["processes"],
            "lost": said["losses"]["total"]}


def tables(rows):
    """Of `rows(table)`: a table's rows as dicts."""
    kinds = collections.Counter(row["kind"] for row in rows("ranges"))
    return {"calls": len(rows("api_calls")),
            "operations": sum(row["seen_ns"] not in (None, "") for row in rows("device_ops")),
            "ranges": kinds["nested"] + kinds["start_end"], "markers": kinds["marker"],
            "threads": len({(row["process"], row["tid"]) for row in rows("threads")}),
            "processes": len(rows("processes")),
            "lost": sum(int(row["count"]) for row in rows("losses"))}


def of_sql(session, *part):
    return tables(lambda table: json.loads(run("sql", "--format", "json", *part, session,
                                               f"SELECT * FROM {table}") or "[]"))


def of_sqlite(session, *part):
    out = session + ".sqlite"
    run("export", "-q", "-f", "sqlite", "-o", out, *part, session)
    with sqlite3.connect(out) as db:
        db.row_factory = sqlite3.Row
        return tables(lambda table: db.execute(f"SELECT * FROM {table}").fetchall())


def of_csv(session, *part):
    out = session + "-csv"
    shutil.rmtree(out, ignore_errors=True)
    run("export", "-q", "-f", "csv", "-o", out, *part, session)

    def rows(table):
        with open(f"{out}/{table}.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    return tables(rows)


def of_chrome(session, *part):
    out = session + ".json"
    run("export", "-q", "-f", "chrome", "-o", out, *part, session)
    with open(out, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events
             if e["name"] == "thread_name" and e["ph"] == "M"}
    own = {key for key in names if key[1] < 2**31}
    spans = [e for e in events if e["ph"] in "XB" and e.get("cat") not in ("range", "projected")]
    calls = [e for e in spans if (e["pid"], e["tid"]) in own]
    return {"calls": len(calls),
            "operations": sum("op" in e.get("args", {}) and (e["pid"], e["tid"]) not in own
                              for e in spans + [e for e in events if e["ph"] == "i"]),
            "ranges": sum(e.get("cat") == "range" and e["ph"] == "X" for e in events),
            "markers": sum(e.get("cat") == "range" and e["ph"] == "i" for e in events),
            "threads": len(own),
            "processes": sum(e["ph"] == "M" and e["name"] == "process_name" for e in events)}


def of_perfetto(session, *part):
    out = session + ".pftrace"
    run("export", "-q", "-f", "perfetto", "-o", out, *part, session)
    trace = perfetto.read(out)
    kind = {uuid: track.kind for uuid, track in trace.tracks.items()}
    pieces = trace.slices + trace.instants
    return {"calls": sum(kind[p.track] == "thread" and p.category != ["range"] and
                         p.category != ["tandem"] for p in trace.slices),
            "operations": sum("op" in p.args and trace.tracks[p.track].path[1:2] != [] and
                              trace.tracks[p.track].path[1].startswith("queue ") for p in pieces),
            "ranges": sum(p.category == ["range"] and "executing_ns" not in p.args
                          for p in trace.slices),
            "markers": sum(p.category == ["range"] for p in trace.instants),
            "threads": sum(k == "thread" for k in kind.values()),
            "processes": sum(k == "process" for k in kind.values())}


def of_otf2(session, *part):
    if not shutil.which("otf2-print"):
        return None
    out = session + "-otf2"
    shutil.rmtree(out, ignore_errors=True)
    run("export", "-q", "-f", "otf2", "-o", out, *part, session)
    archive = Archive(out)
    check(archive.status == 0 and not archive.complaints, "otf2-print reads it", archive.complaints)
    kinds = archive.entered
    return {"calls": kinds["CPU_THREAD", "WRAPPER"],
            "operations": sum(n for (kind, role), n in kinds.items()
                              if kind == "ACCELERATOR_STREAM"),
            "ranges": kinds["CPU_THREAD", "CODE"], "markers": kinds["CPU_THREAD", "ARTIFICIAL"],
            "threads": sum(kind == "CPU_THREAD" and "(thread" in name
                           for name, kind, _, _ in archive.locations.values())}


def of_ctf(session, *part):
    if not shutil.which("babeltrace2"):
        return None
    out = session + "-ctf"
    shutil.rmtree(out, ignore_errors=True)
    run("export", "-q", "-f", "ctf", "-o", out, *part, session)
    done = subprocess.run(["babeltrace2", out], text=True, capture_output=True)
    # What the kernel lost on a busy machine is said, and is no fault of the file.
    complaints = [line for line in done.stderr.splitlines() if line and "discarded" not in line]
    check(done.returncode == 0 and not complaints, "babeltrace2 reads it", complaints)
    names = collections.Counter(re.findall(r"^\[[^]]*\] \([^)]*\) ([^{]*): \{", done.stdout, re.M))
    untimed = names["operation"]
    return {"calls": sum(n for name, n in names.items() if name.endswith("_begin")),
            "operations": names["operation_end"] + untimed}


def outputs(session, *part):
    found = {"report": of_report, "print": of_print, "status": of_status, "sql": of_sql, "sqlite": of_sqlite, "csv": of_csv,
             "chrome": of_chrome, "perfetto": of_perfetto, "otf2": of_otf2, "ctf": of_ctf}
    return {name: counts for name, counts in
            ((name, count(session, *part)) for name, count in found.items()) if counts}
