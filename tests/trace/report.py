#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report says of synthetic sessions what their maker knows, in every format."""
import csv
import io
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish, skip, TANDEM

GENERATOR = os.path.join(os.environ["TANDEM_BUILD"], "bench", "gen_trace")
FIELDS = {
    "session": {"program", "command", "host", "start", "duration_ns", "processes", "threads"},
    "losses": {"total", "by_reason"},
    "api": {"domain", "name", "calls", "errors", "total_ns", "mean_ns", "min_ns", "p50_ns",
            "p99_ns", "max_ns"},
    "device": {"domain", "device", "kind", "name", "count", "total_ns", "mean_ns", "min_ns",
               "p50_ns", "p99_ns", "max_ns", "bytes", "gb_per_s"},
    "zones": {"domain", "device", "queue", "host_queue_ns", "device_queue_ns", "executing_ns",
              "count"},
    "devices": {"domain", "name", "busy_ns", "busy_percent"},
    "memory": {"domain", "device", "allocated_bytes", "freed_bytes", "peak_bytes"},
}


def generate(folder, *words):
    made = subprocess.run([GENERATOR, *words, folder], capture_output=True, text=True, check=True)
    return json.loads(made.stdout)


def report(folder, *words):
    return subprocess.run([TANDEM, "report", *words, folder], capture_output=True, text=True)


def near(value, expected, part=0.0001):
    return abs(value - expected) <= part * expected + 2


def check_session(folder, processes, threads, known):
    said = report(folder, "--format", "json")
    check(said.returncode == 0 and not said.stderr, f"{folder}: no complaint", said)
    data = json.loads(said.stdout)
    for name, fields in FIELDS.items():
        rows = data[name] if isinstance(data[name], list) else [data[name]]
        check(rows and all(fields <= set(row) for row in rows), f"{folder}: fields of {name}", rows)
    session = data["session"]
    check((session["processes"], session["threads"]) == (processes, processes * threads),
          f"{folder}: processes and threads", session)
    check(session["events"] == known["records"] and session["calls"] == known["calls"],
          f"{folder}: every record is counted", session)
    check(near(session["duration_ns"], known["duration_ns"]), f"{folder}: duration", session)
    api = {row["name"]: row for row in data["api"]}
    check(sum(row["calls"] for row in data["api"]) == known["calls"], f"{folder}: calls")
    launch = api["clEnqueueNDRangeKernel"]
    check(near(launch["total_ns"], known["launch_ns"]), f"{folder}: time of launches", launch)
    check(all(row["min_ns"] <= row["p50_ns"] <= row["p99_ns"] <= row["max_ns"]
              and row["min_ns"] <= row["mean_ns"] <= row["max_ns"] for row in data["api"]),
          f"{folder}: percentiles in order")
    device = {row["kind"]: row for row in data["device"]}
    check(sum(row["count"] for row in data["device"]) == known["operations"], f"{folder}: operations")
    check(sum(row["total_ns"] for row in data["device"]) == known["executing_ns"],
          f"{folder}: time on the device")
    check(device["kernel"]["name"] == "mandelbrot" and device["copy_d2h"]["name"] == "ReadBuffer",
          f"{folder}: names of operations", device)
    check(device["copy_d2h"]["bytes"] == 4096 * device["copy_d2h"]["count"]
          and near(device["copy_d2h"]["gb_per_s"], 4096 / 800), f"{folder}: bytes", device)
    check(len(data["zones"]) == processes * threads
          and sum(zone["executing_ns"] for zone in data["zones"]) == known["executing_ns"]
          and all(zone["host_queue_ns"] == 500 * zone["count"]
                  and zone["device_queue_ns"] == 1500 * zone["count"]
                  or zone["count"] != 0 for zone in data["zones"]), f"{folder}: zones", data["zones"])
    check([row["name"] for row in data["devices"]] == ["synthetic device"]
          and 0 < data["devices"][0]["busy_ns"] <= known["executing_ns"]
          and 0 < data["devices"][0]["busy_percent"] <= 101, f"{folder}: one device", data["devices"])
    check(data["memory"][0]["peak_bytes"] == processes << 20, f"{folder}: memory", data["memory"])
    check(data["operations"]["unfinished"] == 0 and data["losses"]["total"] == 0,
          f"{folder}: nothing unfinished, nothing lost")
    return data


def check_formats(folder, data):
    said = report(folder, "--format", "csv")
    tables = [list(csv.reader(io.StringIO(part))) for part in said.stdout.split("\n\n")]
    rows = {table[1][0]: [dict(zip(table[0], row)) for row in table[1:]]
            for table in tables if len(table) > 1}
    check({name: len(rows[name]) for name in rows}
          == {name: len(data[name]) for name in rows}, "csv has the rows of json")
    check([int(row["total_ns"]) for row in rows["api"]] == [row["total_ns"] for row in data["api"]],
          "csv has the numbers of json")
    one = json.loads(report(folder, "--format=json", "--table=device").stdout)
    check(one == {"device": data["device"]}, "one table alone")
    text = report(folder).stdout
    check("mandelbrot" in text and "clEnqueueReadBuffer" in text and "nothing lost" in text
          and "\033" not in text, "text without colours where there is no terminal", text)
    check("more; --top 0" in report(folder, "--top", "3").stdout, "rows beyond --top are counted")
    silent = subprocess.run(f"'{TANDEM}' report '{folder}' | head -1; exit ${{PIPESTATUS[0]}}",
                            shell=True, executable="/bin/bash", capture_output=True, text=True)
    check(silent.returncode in (0, 141) and not silent.stderr, "a closed pipe is no complaint", silent)


def check_refusals(folder):
    for words, status, part in (
            ([folder, folder], 2, "one session"),
            (["--format", "xml", folder], 2, "accepted: text, json, csv"),
            (["--table", "none", folder], 2, "accepted: api, "),
            (["--top", "-1", folder], 2, "a number of rows"),
            (["--nonsense", folder], 2, "nonsense"),
            (["/nonexistent"], 1, "No such file"),
            (["/"], 1, "not a recorded session"),
            ([TANDEM], 1, "not a directory")):
        said = subprocess.run([TANDEM, "report", *words], capture_output=True, text=True)
        check(said.returncode == status and part in said.stderr and not said.stdout,
              f"report {' '.join(words)[-30:]}: status {status}", said)


def check_memory(small, large):
    """The same threads with ten times the events take the same memory."""
    peaks = []
    for folder in small, large:
        said = subprocess.run(["/usr/bin/env", "python3", "-c", """
import os, resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
""", TANDEM, "report", folder], capture_output=True, text=True)
        peaks.append(int(said.stdout))
    if os.environ.get("TANDEM_SANITIZE"):
        skip("memory does not grow with the trace", "a sanitizer keeps what was freed")
        return
    check(peaks[1] <= peaks[0] + 2048, f"memory does not grow with the trace: {peaks} KiB")


def end_early(folder, part, known):
    """The run has an end after a part of its records, as of a program that others outlive."""
    path = os.path.join(folder, "session.json")
    with open(path, encoding="utf-8") as file:
        session = json.load(file)
    ended_ns = int(known["duration_ns"] * part)
    session["end"]["monotonic_ns"] = session["start_monotonic_ns"] + ended_ns
    session["end"]["ticks"] = session["start_ticks"] + ended_ns * session["ticks_hz"] // 10**9
    with open(path, "w", encoding="utf-8") as file:
        json.dump(session, file)


def check_outlived():
    known = generate("outlived", "-n", "5e4", "-t", "1")
    end_early("outlived", 0.25, known)
    data = json.loads(report("outlived", "--format", "json").stdout)
    session = data["session"]
    check(near(session["duration_ns"], known["duration_ns"], 0.01)
          and near(session["outlived_ns"], known["duration_ns"] * 0.75, 0.01),
          "it is as long as what outlived the program", session)
    check(0 < data["devices"][0]["busy_percent"] <= 100, "percentages are of that", data["devices"])
    text = report("outlived").stdout
    check("processes that outlived the program recorded for 45.5 ms after it: percentages are of all "
          "60.7 ms" in text and "ran 15.2 ms" in text, "the text says so", text[:600])
    path = json.loads(report("outlived", "--critical-path", "--format", "json").stdout)
    check(near(path["length_ns"], path["duration_ns"], 0.01), "the critical path is as long", path)
    known = generate("punctual", "-n", "5e4", "-t", "1")
    end_early("punctual", 1 - 0.5e6 / known["duration_ns"], known)
    data = json.loads(report("punctual", "--format", "json").stdout)
    check(data["session"]["outlived_ns"] == 0 and "outlived" not in report("punctual").stdout,
          "half a millisecond after the end is the clocks' matter", data["session"])


one = generate("one", "-n", "5e4", "-t", "1")
check_formats("one", check_session("one", 1, 1, one))
check_session("many", 3, 5, generate("many", "-n", "9e4", "-p", "3", "-t", "5"))
check_session("bare", 1, 2, generate("bare", "-n", "5e4", "-a", "none"))
check_session("full", 1, 2, generate("full", "-n", "5e4", "-a", "full"))
check_session("small", 2, 100, generate("small", "-n", "9e4", "-p", "2", "-t", "100", "-w", "4096"))
check_refusals("one")
check_outlived()
generate("large", "-n", "5e5", "-t", "1")
check_memory("one", "large")
finish()
