#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A session that lost a stream after it ended, as when it was copied: nobody says that nothing is lost."""
import glob
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish
from traces import mandelbrot, tandem

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
finish()
