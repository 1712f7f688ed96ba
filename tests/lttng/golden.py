#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""LTTng's traces that are kept in tests/traces: real ones of user space and of the kernel, and one that
was made. Report, print, findings and export say of each what is stored next to it. (No daemon is
needed.) With --expect NAME... it writes down what they say now."""
import collections
import csv
import hashlib
import json
import os
import sys
import tarfile
import tempfile

sys.path.insert(0, os.path.join(os.environ.get("TANDEM_SOURCE", "."), "tests", "lib"))
os.environ.setdefault("TANDEM", os.path.join(os.environ["TANDEM_BUILD"], "tandem"))
from tap import check, finish
from traces import BUILD, tandem

TRACES = os.path.join(os.environ["TANDEM_SOURCE"], "tests", "traces")
NAMES = ["real/ust-opencl", "real/ust-opencl-malloc", "real/kernel-sched", "real/foreign", "real/foreign/ust",
         "made/ust-kernel"]
# What these say may grow by things that these traces do not have.
SESSION = ("program", "host", "duration_ns", "processes", "threads", "events", "calls", "kernel_events", "scheduling")
THREAD = ("pid", "tid", "name", "calls", "running_ns", "switches")


def unpack(name, to):
    """The folder of that trace; of NAME/SUB only what is in SUB."""
    archive = name if os.path.exists(os.path.join(TRACES, name + ".tar.xz")) else os.path.dirname(name)
    if not os.path.isdir(os.path.join(to, archive)):
        with tarfile.open(os.path.join(TRACES, archive + ".tar.xz")) as file:
            file.extractall(os.path.join(to, archive))
    return os.path.join(to, name)


def said_by(*words):
    """What the command printed, or how it failed, without the folder's name."""
    done = tandem(*words)
    told = done.stderr.replace(words[-1], "TRACE").strip()
    return done.stdout, ({"status": done.returncode, "stderr": told} if done.returncode or told else None)


def report(folder):
    text, failed = said_by("report", "--format", "json", folder)
    if failed:
        return failed
    said = json.loads(text)
    return {"session": {key: said["session"].get(key) for key in SESSION},
            "losses": {why: count for why, count in said["losses"]["by_reason"].items() if count},
            "damage": said["damage"]["places"],
            "api": [[row["name"], row["calls"], row["total_ns"]] for row in said["api"]],
            "devices": [[row["name"], row.get("operations")] for row in said["devices"]],
            "threads": [[row.get(key) for key in THREAD] for row in said["threads"]]}


def printed(folder):
    text, failed = said_by("print", "--raw", "--format", "json", folder)
    if failed:
        return failed
    events = [json.loads(line) for line in text.splitlines()]
    digest = hashlib.sha256()
    for event in events:
        digest.update(json.dumps([event["monotonic_ns"], event["process"], event["thread"], event["name"],
                                  event.get("args")], sort_keys=True).encode())
    return {"events": dict(sorted(collections.Counter(event["name"] for event in events).items())),
            "first": [[event["monotonic_ns"], event["process"], event["thread"], event["name"]]
                      for event in events[:5]],
            "sha256": digest.hexdigest()}


def findings(folder):
    text, failed = said_by("findings", "--all", "--format", "json", folder)
    return failed or sorted({f"{row['name']}: {row['cause']}" for row in json.loads(text)["findings"]})


def exported(folder):
    text, failed = said_by("export", "--quiet", "--format", "chrome", "--output", "-", folder)
    if failed:
        return failed
    slices = collections.Counter(event["name"] for event in json.loads(text)["traceEvents"] if event["ph"] == "X")
    with tempfile.TemporaryDirectory() as place:
        out = os.path.join(place, "csv")
        _, failed = said_by("export", "--quiet", "--format", "csv", "--output", out, folder)
        if failed:
            return failed
        with open(os.path.join(out, "api_calls.csv"), encoding="utf-8", newline="") as file:
            rows = sum(1 for _ in csv.reader(file)) - 1
    return {"chrome": dict(sorted(slices.items())), "csv calls": rows}


def everything(folder):
    return {"report": report(folder), "print": printed(folder), "findings": findings(folder),
            "export": exported(folder)}


def expected(name):
    return os.path.join(TRACES, name.replace("/ust", "-ust") if name.endswith("/ust") else name) + ".json"


if sys.argv[1:2] == ["--expect"]:
    with tempfile.TemporaryDirectory() as scratch:
        for name in sys.argv[2:] or NAMES:
            with open(expected(name), "w", encoding="utf-8") as file:
                json.dump(everything(unpack(name, scratch)), file, indent=1)
                file.write("\n")
    sys.exit(0)
if not os.path.exists(os.path.join(BUILD, "tandem-lttng-read.so")):
    print("built without libbabeltrace2 (libbabeltrace2-dev)")
    sys.exit(77)
for name in NAMES:
    with open(expected(name), encoding="utf-8") as file:
        wanted = json.load(file)
    found = json.loads(json.dumps(everything(unpack(name, "."))))
    for what in wanted:
        check(found[what] == wanted[what], f"{name}: {what}", f"expected {wanted[what]}\nfound {found[what]}")
finish()
