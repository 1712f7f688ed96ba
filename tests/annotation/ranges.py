#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ranges (NVTX) around what a CUDA program enqueues: wall time, what the devices did of it
and when, kernels; by thread, by scope, across threads; what is open when the program ends."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import perfetto  # noqa: E402
from annotated import DATA, REPLAY, record  # noqa: E402
from otf2 import Archive  # noqa: E402
from tap import TANDEM, check, finish, skip  # noqa: E402


def report(session, *options):
    done = subprocess.run([TANDEM, "report", "--format", "json", *options, session], text=True,
                          capture_output=True)
    check(done.returncode == 0 and not done.stderr, session + " is reported", done.stderr)
    return json.loads(done.stdout)


def ranges(session, *options):
    return {(r["scope"], r["name"]): r for r in report(session, *options)["ranges"]}


def operations(session):
    """Of device operations: number of the launch that made each kernel, start, end."""
    done = subprocess.run([TANDEM, "sql", "--format", "json", session,
                           "SELECT o.kind kind, c.begin_ns called, o.start_ns start, "
                           "o.end_ns end FROM device_ops o JOIN api_calls c ON c.id = o.call "
                           "ORDER BY c.begin_ns"], text=True, capture_output=True, check=True)
    return json.loads(done.stdout)


# Kernels 0..24: outer holds 2..9, inner 4..6 and again 8; a scope of its own overlaps both,
# across their ends; a start-end range from 5 to 7; one without work; one that never ends.
record("nested", "overlap", {
    2: ["push outer"],
    4: ["push inner"],
    5: ["start free", "mark here"],
    7: ["pop", "scope solver step"],
    8: ["push inner", "end"],
    9: ["pop", "push idle", "pop"],
    10: ["pop"],
    11: ["leave"],
    12: ["push left"],
    14: ["start lost"],
})
found = ranges("nested")
check(set(found) == {("", "outer"), ("", "inner"), ("", "free"), ("", "here"), ("", "idle"),
                     ("solver", "step"), ("", "left"), ("", "lost")}, "every range has a row",
      found.keys())
kernels = {name: row["kernels"] for (_, name), row in found.items()}
check(kernels == {"outer": 8, "inner": 4, "free": 3, "here": 0, "idle": 0, "step": 4, "left": 13,
                  "lost": 11}, "kernels enqueued inside", kernels)
check(found["", "inner"]["count"] == 2 and found["", "inner"]["open"] == 0, "two of a name",
      found["", "inner"])
check({name: row["kind"] for (_, name), row in found.items()} ==
      {"outer": "nested", "inner": "nested", "free": "start_end", "here": "marker",
       "idle": "nested", "step": "nested", "left": "nested", "lost": "start_end"}, "kinds")
check(found["", "left"]["open"] == 1 and found["", "left"]["total_ns"] == 0 and
      found["", "lost"]["open"] == 1, "what has no end is open, and has its operations", found)

made = operations("nested")
launched = [o for o in made if o["kind"] == "kernel"]
first, last = launched[2]["called"], launched[10]["called"]
inside = [o for o in made if first <= o["called"] < last]
outer = found["", "outer"]
check(outer["operations"] == len(inside), "operations of all kinds", (outer, len(inside)))
check(outer["executing_ns"] == sum(o["end"] - o["start"] for o in inside),
      "the sum of their executions", outer)
check(outer["projected_ns"] == max(o["end"] for o in inside) - min(o["start"] for o in inside),
      "projected: from the first start to the last end", outer)
check(outer["total_ns"] <= launched[10]["called"] - launched[1]["called"] and
      outer["total_ns"] >= launched[9]["called"] - launched[2]["called"],
      "its wall time is on the host", outer)

text = subprocess.run([TANDEM, "report", "--table", "ranges", "nested"], text=True,
                      capture_output=True).stdout
check("outer" in text and "on device" in text and "solver" in text, "the table in text", text)

# A part of the run: only ranges that begin there count.
part = ranges("nested", "--to", "0")
check(not part, "none begin before the run", part)

# --range: what begins while the range is open, as --from and --to say it.
part = report("nested", "--range", "outer")
check(sum(r["calls"] for r in part["api"] if r["name"] == "cudaLaunchKernel") == 8,
      "--range: the launches inside", part["api"])
span = part["session"]["to_ns"] - part["session"]["from_ns"]
check(span == outer["total_ns"], "--range: from its begin to its end", part["session"])
again = report("nested", "--range", "inner/1")["session"]
check(again["from_ns"] > launched[7]["called"] - 10**6 and
      again["to_ns"] - again["from_ns"] < found["", "inner"]["total_ns"], "the second one", again)
check(report("nested", "--range", "step@solver")["session"]["from_ns"] > part["session"]["from_ns"],
      "one of a domain")
check(report("nested", "--range", "left")["session"]["to_ns"] ==
      part["session"]["duration_ns"], "without an end it goes on to the run's")
printed = subprocess.run([TANDEM, "print", "--raw", "--range", "outer", "--name",
                          "cudaLaunchKernel", "nested"], text=True, capture_output=True)
check(printed.stdout.count("cudaLaunchKernel") == 8, "print takes it, too", printed.stdout)
for given, said in (("nothing", "no range is named 'nothing'; there is 'inner', "),
                    ("inner/2", "2 ranges are named 'inner': inner/0 to inner/1"),
                    ("here", "no range is named 'here'")):
    refused = subprocess.run([TANDEM, "report", "--range", given, "nested"], text=True,
                             capture_output=True)
    check(refused.returncode == 1 and said in refused.stderr, "--range " + given, refused.stderr)
said = subprocess.run([TANDEM, "report", "--range", "inner", "nested"], text=True,
                      capture_output=True).stderr
check("the first of 2 ranges" in said, "several of one name are told", said)
for command in ("report", "print"):
    refused = subprocess.run([TANDEM, command, "--range", "a", "--from", "1", "nested"], text=True,
                             capture_output=True)
    check(refused.returncode == 2, command + ": --range and --from are one too many")

# A graph's launch has many operations, all of them inside.
record("graph", "graph", {})
nodes = sum(row["count"] for row in report("graph")["device"])
with open(os.path.join(DATA, "graph.replay")) as file, open("around.replay", "w") as out:
    for line in file:
        if re.match(r"call 0 2 \d+ cudaGraphLaunch ", line):
            out.write("nvtx push launch\n")
        out.write(line)
        if re.match(r"call 1 2 \d+ cudaGraphLaunch ", line):
            out.write("nvtx pop\n")
done = subprocess.run([TANDEM, "record", "-o", "around", REPLAY, "around.replay"],
                      capture_output=True)
launch = ranges("around")["", "launch"]
check(launch["count"] == 6 and launch["operations"] == 15, "a graph's operations are its launch's",
      (launch, nodes))

# SQL: the same numbers; ids lead from one table to the other.
def sql(session, query):
    done = subprocess.run([TANDEM, "sql", "--format", "json", session, query], text=True,
                          capture_output=True)
    check(done.returncode == 0, "sql", done.stderr)
    return json.loads(done.stdout or "[]")


rows = {r["name"]: r for r in sql("nested", "SELECT * FROM range_summary")}
check({n: r["kernels"] for n, r in rows.items()} == kernels, "SQL counts as report does", rows)
check(rows["outer"]["total_ns"] == outer["total_ns"] and
      abs(rows["outer"]["projected_ns"] - outer["projected_ns"]) < 10 and
      rows["outer"]["executing_ns"] == outer["executing_ns"], "... and measures so", rows["outer"])
pairs = sql("nested", "SELECT a.name inside, b.name around, a.depth FROM ranges a JOIN ranges b "
            "ON b.id = a.parent")
check(sorted((p["inside"], p["around"], p["depth"]) for p in pairs) ==
      [("idle", "outer", 1), ("inner", "outer", 1), ("inner", "outer", 1)], "parents", pairs)
check(sql("nested", "SELECT scope FROM ranges WHERE name = 'step'") == [{"scope": "solver"}],
      "scopes have their names")


def export(session, form, out):
    done = subprocess.run([TANDEM, "export", "--format", form, "-o", out, session], text=True,
                          capture_output=True)
    check(done.returncode == 0, form + " is written", done.stderr)


export("nested", "chrome", "nested.json")
with open("nested.json") as file:
    events = json.load(file)["traceEvents"]
tids = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
slices = [e for e in events if e.get("cat") == "range"]
check(sorted(e["name"] for e in slices) == sorted(
    ["outer", "inner", "inner", "free", "here", "idle", "step", "left", "lost"]),
      "chrome: every range", slices)
place = {e["name"]: tids[e["pid"], e["tid"]] for e in slices}
check(place["outer"] == place["inner"] == "replay" and place["free"] == "ranges across threads" and
      place["step"] == "solver ranges of replay", "chrome: on their rows", place)
projected = {e["name"]: e for e in events if e.get("cat") == "projected"}
check(set(projected) == {"outer", "inner", "free", "step", "left", "lost"} and
      abs(projected["outer"]["dur"] * 1000 - outer["projected_ns"]) < 10,
      "chrome: projected where work was enqueued", projected)

export("nested", "perfetto", "nested.pftrace")
trace = perfetto.read("nested.pftrace")
found_in = {}
for piece in trace.slices:
    if piece.category == ["range"]:
        found_in.setdefault(trace.tracks[piece.track].path[-1], []).append(piece)
device = next(name for name in found_in if name.startswith("ranges on "))
check(sorted(p.name for p in found_in["replay"]) == ["idle", "inner", "inner", "left", "outer"] and
      [p.name for p in found_in["solver ranges of replay"]] == ["step"] and
      sorted(p.name for p in found_in["ranges across threads"] ) == ["free", "lost"],
      "perfetto: on their tracks", {k: [p.name for p in v] for k, v in found_in.items()})
onto = next(p for row in found_in for p in found_in[row]
            if row.startswith("ranges on ") and p.name == "outer")
check(abs(onto.end - onto.ns - outer["projected_ns"]) < 10 and onto.args["kernels"] == 8,
      "perfetto: projected", onto)
launches_of = [p for p in trace.slices if p.name == "cudaLaunchKernel" and p.depth > 0]
check(len(launches_of) == 8 + 13, "perfetto: calls lie inside of their ranges", len(launches_of))
check([p.name for p in trace.instants if p.category == ["range"]] == ["here"], "perfetto: markers")

if shutil.which("otf2-print") and "not in this build" not in re.search(
        r"otf2.*", subprocess.run([TANDEM, "export", "--help"], text=True, capture_output=True).stdout)[0]:
    export("nested", "otf2", "nested-otf2")
    archive = Archive("nested-otf2")
    check(archive.status == 0 and not archive.complaints, "otf2: it is read", archive.complaints)
    rows = collections.defaultdict(list)
    for location, region, begin, end, _ in archive.intervals():
        rows[archive.locations[location][0].rsplit(" ", 1)[0].replace(" (thread", "")].append(
            (region, end - begin))
    wanted = {r["name"]: r["ns"] for r in sql(
        "nested", "SELECT name, duration_ns ns FROM ranges WHERE duration_ns > 0 AND name != 'inner'")}
    inside = {name: ns for row in rows.values() for name, ns in row if name in wanted}
    check(inside == wanted and len(wanted) == 4, "otf2: ranges are as long as they are", (inside, wanted))
    check({name for name, _ in rows["replay"]} > {"outer", "inner", "here", "left", "cudaLaunchKernel"} and
          [name for name, _ in rows["solver ranges of replay"]] == ["step"] and
          sorted(name for name, _ in rows["ranges across"]) == ["free", "lost"],
          "otf2: nested ones are in their thread, with its calls; others on rows of their own", rows.keys())
else:
    skip("ranges in OTF2", "there is no otf2-print, or no library")

# What a runtime says besides: unified memory's faults, overhead, code, the program's numbers.
for name, options in (("managed", ()), ("external", ("--cuda", "api,kernels,modules,overhead,external"))):
    subprocess.run([TANDEM, "record", "-o", name, *options, REPLAY,
                    os.path.join(DATA, name + ".replay")], capture_output=True, check=True)
    said = report(name)
    raw = subprocess.run([TANDEM, "print", "--raw", "--format", "json", name], text=True,
                         capture_output=True).stdout
    raw = [json.loads(line) for line in raw.splitlines()]

    def count(what):
        return sum(e["name"] == what and e["domain"] == "cuda" for e in raw)

    for record_name, table, counted in (
            ("fault", "faults", "count"), ("overhead", "overheads", "count"),
            ("module", "modules", "count"), ("external", "external_ids", "count")):
        expected = count(record_name)
        check(sum(r[counted] for r in said[table]) == expected, f"{name}: report counts {table}",
              (said[table], expected))
        check(sql(name, f"SELECT count(*) n FROM {table}") == [{"n": expected}],
              f"{name}: SQL has {table}")
    if name == "managed":
        check(count("fault") > 0 and said["faults"][0]["kind"] == "gpu_page" and
              said["faults"][0]["device"] == "NVIDIA_H200", "faults of the GPU", said["faults"])
        check({r["kind"]: r["value"] < 10000 for r in said["faults"]} ==
              {"gpu_page": True, "cpu_page": True}, "an address is no count", said["faults"])
        export(name, "perfetto", "managed.pftrace")
        trace = perfetto.read("managed.pftrace")
        tracks = {trace.tracks[e.track].path[-1] for e in trace.slices + trace.instants}
        check({"unified memory faults", "loaded device code",
               "runtime and tracing overhead"} <= tracks, "perfetto has them", tracks)
    else:
        check(count("external") > 0 and {r["id"] for r in said["external_ids"]} ==
              {100, 200, 300, 400, 500, 600}, "the program's own numbers", said["external_ids"])
finish()
