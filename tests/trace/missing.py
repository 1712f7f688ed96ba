#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A session that lost a stream or the end of a metadata file after it ended, as when it was copied: what is missing
is said, nobody says that nothing is lost, and what is there is read."""
import glob
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish
from traces import events, mandelbrot, report, tandem

if not mandelbrot("whole"):
    print("the image program can't run here")
    sys.exit(77)
said = tandem("report", "whole")
check("nothing lost" in said.stdout and not said.stderr, "whole: nothing is lost", said.stdout[:300] + said.stderr)
streams = glob.glob("whole/process-*/stream-*") + glob.glob("whole/kernel/stream-*")
check(streams, "it has streams")
for number, stream in enumerate(streams):
    for way in ("gone", "empty"):
        copy = f"copy-{number}-{way}"
        shutil.copytree("whole", copy)
        lost = stream.replace("whole", copy, 1)
        if way == "gone":
            os.unlink(lost)
        else:
            os.truncate(lost, 0)
        said = tandem("report", copy)
        everything = said.stdout + said.stderr
        check(f"1 of {len(streams)} streams are missing or empty" in everything and "nothing lost" not in everything,
              f"{stream} is {way}: it is said", everything[:500])

metadata, = glob.glob("whole/process-*/metadata")
with open(metadata, "rb") as file:
    text = file.read()
half = len(text) // 2
heads = {"block": text.index(b"env {") + 20, "line of a block": text.index(b"\n\tpid = ") + 1,
         "head": text.index(b"\nstream {") + 1, "event": half, "line of an event": text.index(b"\n", half) + 1}
read, names = events("whole"), [one["name"] for one in report("whole")["processes"]]
check(len(read) > 100, "it has events")
for place, length in heads.items():
    copy = "copy-" + place.replace(" ", "-")
    shutil.copytree("whole", copy)
    cut = metadata.replace("whole", copy, 1)
    os.truncate(cut, length)
    for command in ("report", "print", "findings"):
        said = tandem(command, copy)
        check(said.returncode == 0 and said.stderr.count("warning") == 1 and
              f"{cut}: byte {length}: the file is cut off" in said.stderr and "copy the session again" in said.stderr and
              "nothing lost" not in said.stdout, f"metadata cut in a {place}: {command} says so", said.stderr)
    check(events(copy) == read and [one["name"] for one in report(copy)["processes"]] == names,
          f"metadata cut in a {place}: all events are read, and their process has its name")
finish()
