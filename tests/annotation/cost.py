#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `bench/run ranges` measures are ranges: the program makes as many as it says, and all of
them are recorded."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import TANDEM, check, finish  # noqa: E402

PROGRAM = os.path.join(os.environ["TANDEM_BUILD"], "bench", "bench-ranges")


def run(*words):
    done = subprocess.run(words, text=True, capture_output=True)
    check(done.returncode == 0, " ".join(words), done.stderr)
    return done.stdout


lines = [line.split() for line in run(TANDEM, "record", "-q", "-o", "made", PROGRAM, "100", "2").splitlines()]
check(len(lines) == 2 and all(float(figure) > 0 for line in lines for figure in line),
      "a line for each repeat: a range, two stamps", lines)
made = json.loads(run(TANDEM, "report", "--format", "json", "made"))["ranges"]
check([(row["name"], row["count"]) for row in made] == [("step", 300)], "each range is recorded", made)
source = os.path.join(os.environ["TANDEM_SOURCE"], "bench", "run")
said = run(sys.executable, source, "--build", os.environ["TANDEM_BUILD"], "--help")
refused = subprocess.run([sys.executable, source, "nothing"], text=True, capture_output=True).stderr
check("usage" in said and "ranges" in refused, "bench/run has the part", refused)
finish()
