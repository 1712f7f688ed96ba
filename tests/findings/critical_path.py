#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The critical path is as long as the run, and made of what makes the run longer; what a
finding costs is what the graph saves without its cause.

tandem-test: timeout=300 alone
"""
import csv
import io
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from kernelside import scope
from tap import check, finish, skip
from traces import BUILD, record, synthetic, tandem

CORPUS = os.path.join(BUILD, "tests", "findings", "corpus", "corpus")
STUB = {"OCL_ICD_VENDORS": os.path.join(BUILD, "tests", "stubs", "libstubcl.so"),
        "STUB_ENGINE": "units", "STUB_DELAY_US": "2000"}
KEYS = {"ns", "percent", "count", "kind", "words", "name"}
KINDS = {"before", "host", "call", "launch", "behind", "execution", "return", "after"}


def path_of(session):
    said = tandem("report", "--critical-path", "--format", "json", session)
    return json.loads(said.stdout) if said.returncode == 0 else None


def check_path(session, where):
    """It is whole, as long as the run, and its rows are in order."""
    path = path_of(session)
    if not check(path is not None, f"{where}: there is a path"):
        return None
    rows = path["critical_path"]
    check(abs(path["length_ns"] - path["duration_ns"]) <= 0.01 * path["duration_ns"] and
          sum(row["ns"] for row in rows) == path["length_ns"],
          f"{where}: it is as long as the run, within 1 %, and the sum of its parts",
          [path["length_ns"], path["duration_ns"]])
    check(all(set(row) == KEYS and row["kind"] in KINDS and row["count"] > 0 for row in rows) and
          rows == sorted(rows, key=lambda row: -row["ns"]), f"{where}: the longest first", rows)
    return rows


def part(rows, kind, name=""):
    return sum(row["ns"] for row in rows if row["kind"] == kind and name in row["name"])


made = synthetic("made", records=20000, processes=2, threads=3, launches=4)
check_path("made", "a made-up session")

if not os.access(CORPUS, os.X_OK):
    print("the corpus is not built: no OpenCL")
    finish()
SCHEDULED = scope()[0] != "none"
# The device works for 2 ms a command, in turn: nothing that the host does takes longer.
for name, options in (("clean_pipeline", []), ("clean_events", []), ("clean_out_of_order", []),
                      ("clean_double_buffer", ["--kernel", "off"]), ("clean_threads", [])):
    if name == "clean_threads" and not SCHEDULED:
        skip(name, "nothing of the scheduler can be seen: who woke the main thread is unknown")
        continue
    check(record(name, [CORPUS, name], *options, env=STUB) == 0, f"{name} is recorded")
    rows = check_path(name, name)
    # How long a program takes until its first call hangs on the machine.
    whole = sum(row["ns"] for row in rows or [] if row["kind"] != "before")
    check(rows and part(rows, "execution", "work") > 40 * 2e6 and
          part(rows, "execution", "work") > 0.5 * whole and part(rows, "host") < 0.25 * whole,
          f"{name}: the device's work is the path", rows)
# The device is idle meanwhile: the host's work is.
record("host", [CORPUS, "clean_host"], env=STUB)
rows = check_path("host", "clean_host")
check(rows and part(rows, "host") > 100e6, "clean_host: the host's work is the path", rows)

said = tandem("report", "--critical-path", "--format", "csv", "host")
table = list(csv.DictReader(io.StringIO(said.stdout)))
check(table and [row["ns"] for row in table] == [str(row["ns"]) for row in rows or []],
      "the same as CSV", said.stdout[:300])
text = tandem("report", "--critical-path", "--top", "3", "host").stdout
check(text.startswith("Critical path: ") and "--top 0" in text and
      all(len(line) <= 120 for line in text.splitlines()), "and as text", text)
for more in (["--from", "1ms"], ["--metrics"], ["--table", "api"], ["--findings", "on"]):
    said = tandem("report", "--critical-path", *more, "host")
    check(said.returncode != 0 and "--critical-path" in said.stderr,
          f"not with {more[0]}, and it says so", said.stderr)

# The main thread joins three, which wait for each other's builds: several wake-ups without a call in
# between. The timeline has the path piece by piece.
OUTSIDE = os.path.join(BUILD, "tests", "findings", "outside", "outside")
for name in ("plugin_builds", "locked_wait", "clean_workers"):
    session = f"joined-{name}"
    record(session, [OUTSIDE, name], env=dict(STUB, STUB_BUILD_MS="2", STUB_DELAY_US="50"))
    check_path(session, name)
    try:
        said = tandem("export", "--format", "html", "-o", f"{session}.html", session, timeout=60)
        check(said.returncode == 0, f"{name}: the timeline has it", said.stderr)
    except subprocess.TimeoutExpired:
        check(False, f"{name}: the timeline has it")

# Seven builds of 20 ms need not be.
record("builds", [CORPUS, "build_again"], env=dict(STUB, STUB_BUILD_MS="20"))
found = json.loads(tandem("findings", "--all", "--format", "json", "builds").stdout)["findings"]
again = [f for f in found if f["cause"] == "repeated"]
check(len(again) == 1 and again[0]["cost_ns"] >= 140e6, "a repeated build costs what it took",
      again)

# Without the waits the device does the same work: no more is saved than it was idle.
record("waits", [CORPUS, "wait_each"], env=STUB)
said = json.loads(tandem("findings", "--all", "--format", "json", "waits").stdout)
waits = [f for f in said["findings"] if f["cause"] == "after-each-command"]
check(len(waits) == 1 and waits[0]["cost_ns"] <= said["duration_ns"] - 300 * 2e6,
      "a wait costs no more than the device was idle", waits)
finish()
