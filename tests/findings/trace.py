#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is found of the trace itself; how findings are printed; odd sessions."""
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from handmade import OPEN, Session
from tap import check, finish, skip
from traces import mandelbrot, synthetic, tandem


def findings(path, *options):
    said = tandem("findings", "--format", "json", *options, path)
    return json.loads(said.stdout)["findings"] if said.returncode == 0 else None


made = synthetic("made", records=50000, threads=2)
found = findings("made", "--all")
cost = [f for f in found if f["cause"] == "recording"]
check(len(cost) == 1 and cost[0]["count"] == made["calls"], "what recording cost", cost)
LIKELY = {"high": 1, "medium": 0.8, "low": 0.3}
check(cost and "completions took at least" in cost[0]["description"], "calls and completions", cost)
made = Session("calls")
for at in range(1000, 2001000, 1000):
    made.call("clFlush", at, at + 500)
made.write()
without = [f["description"] for f in findings("calls", "--all") if f["cause"] == "recording"]
check(len(without) == 1 and "recording 2,000 calls took at least" in without[0], "no completions are not counted", without)
check(found == sorted(found, key=lambda f: ("symptom_of" in f, -f["cost_ns"] * LIKELY[f["confidence"]])),
      "causes before symptoms, the largest likely saving first",
      [(f["name"], f["cost_ns"], f["confidence"]) for f in found])
few = findings("made", "--min", "5")
check(few and all(f["percent"] >= 5 or f["cost_ns"] == 0 for f in few), "--min hides the rest")
only = findings("made", "--all", "--kind", "trace")
check(only and {f["name"] for f in only} == {"trace"}, "--kind picks one")
check(only == [f for f in found if f["name"] == "trace"], "and changes nothing in it")
text = tandem("findings", "--all", "made").stdout
check(all(f["name"] in text and f["suggestion"].split(",")[0].split()[0] in text for f in found),
      "text says the same")
for options in (["--kind", "nothing"], ["--min", "x"], ["--format", "csv"], ["made", "made"]):
    check(tandem("findings", *options, "made").returncode == 2, f"wrong usage: {options}")
check(tandem("findings", "nowhere").returncode == 1, "a session that is not there")

shutil.copytree("made", "cut")
for folder, _, files in os.walk("cut"):
    for file in files:
        if file.startswith(("stream-", "window-")):
            path = os.path.join(folder, file)
            os.truncate(path, os.path.getsize(path) // 3)
said = tandem("findings", "--all", "cut")
check(said.returncode == 0 and "warning" in said.stderr, "a cut-off session", said.stderr)
said = tandem("findings", "--min", "101", "made").stdout
check("Nothing cost 101 %" in said and "not shown" in said, "what is hidden is not nothing", said)
os.mkdir("empty")
shutil.copy("made/session.json", "empty")
check(tandem("findings", "empty").stdout == "Nothing to examine: no GPU API calls were recorded.\n",
      "an empty session")

# Calls after one that never returned (a build with the sanitizers sees an overflow).
made = Session("open")
made.call("clFinish", 1000, OPEN)
for at in range(2000, 9000, 1000):
    made.call("clFlush", at, at + 500)
made.write()
done = tandem("findings", "--all", "open")
check(done.returncode == 0 and not done.stderr, "calls after one that never returned", done.stderr)

if mandelbrot("limited", "--limit-size", "100k", "--args", "full"):
    losses = [f for f in findings("limited") if f["cause"] == "losses"]
    check(losses and losses[0]["count"] > 0 and "--limit-size" in losses[0]["suggestion"],
          "events that were lost", losses)
    mandelbrot("untimed", "--device-timing", "off")
    untimed = [f for f in findings("untimed") if f["cause"] == "untimed"]
    check(untimed and untimed[0]["count"] == 202, "commands without device times", untimed)
    mandelbrot("run")
    cost = [f for f in findings("run", "--all") if f["cause"] == "recording"]
    each = cost[0]["cost_ns"] / (cost[0]["count"] + 202) if cost else 0
    check(len(cost) == 1 and 2 < each < 20000 and "at the end of the run" in cost[0]["evidence"],
          "what recording cost, by what a call costs here", cost)
    check(not [f for f in findings("run") if f["name"] in ("errors", "leaks") or
               f["cause"] in ("losses", "untimed", "causality")],
          "a sound program in a whole trace: none of these", findings("run"))
else:
    skip("real runs", "the image program does not run here")
finish()
