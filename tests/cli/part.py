#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--range, and --from with --to, choose the same part of a run in every command and export:
what begins in it, whole; findings of it alone; the page shows it at first."""
import csv
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from annotated import record  # noqa: E402
from handmade import Session  # noqa: E402
from outputs import outputs, run  # noqa: E402
from tap import TANDEM, check, finish  # noqa: E402

record("nested", "overlap", {
    2: ["push outer"], 4: ["push inner"], 5: ["start free", "mark here"], 7: ["pop"],
    8: ["push inner", "end"], 9: ["pop"], 10: ["pop"], 12: ["push left"]})


def said(*options):
    return json.loads(run("report", "--format", "json", *options, "nested"))["session"]


whole = outputs("nested")
middle = json.loads(run("sql", "--format", "json", "nested", "SELECT begin_ns - (SELECT begin_ns FROM "
                        "sessions) ns FROM api_calls WHERE name = 'cudaLaunchKernel' LIMIT 1 OFFSET 12"))
middle = f"{middle[0]['ns']}ns"
for words in (["--range", "outer"], ["--range", "inner/1"], ["--from", middle]):
    inside = outputs("nested", *words)
    wanted = inside["report"]
    check(0 < wanted["calls"] < whole["report"]["calls"], f"{words}: a part", wanted)
    for form, counts in inside.items():
        for what in ("calls", "operations", "ranges", "markers"):
            if what in counts:
                check(counts[what] == wanted[what], f"{words}: {form} has the report's {what}",
                      (counts[what], wanted[what]))

# By times it is the same as by the name.
part = said("--range", "outer")
times = ["--from", f"{part['from_ns']}ns", "--to", f"{part['to_ns']}ns"]
check(outputs("nested", *times) == outputs("nested", "--range", "outer"), "as by its times", times)

# The database says which part it holds, in the times of all its tables.
WHICH = "SELECT from_ns, to_ns, range FROM sessions"


def held(*words):
    return json.loads(run("sql", "--format", "json", *words, "nested", WHICH))[0]


check(held() == {"from_ns": None, "to_ns": None, "range": None}, "SQL: the run has no part", held())
rows = {"from_ns": part["from_ns"], "to_ns": part["to_ns"], "range": "outer"}
check(held("--range", "outer") == rows, "SQL: a range's part", (held("--range", "outer"), rows))
rows["range"] = None
check(held(*times) == rows, "SQL: a part by times", (held(*times), rows))
check(held(*times[:2]) == rows | {"to_ns": None}, "SQL: to the end", held(*times[:2]))
run("export", "-q", "-f", "csv", "-o", "part-csv", "--range", "outer", "nested")
with open("part-csv/sessions.csv", newline="", encoding="utf-8") as file:
    row = next(csv.DictReader(file))
check([row[name] for name in rows] == [str(rows["from_ns"]), str(rows["to_ns"]), "outer"], "and CSV", row)
check(outputs("nested") == whole, "the database of the whole run is not another's")

# Findings: of what begins there, and as a share of it.
steps = Session("steps")
for step in range(4):
    at = 10000 * step
    steps.call("clEnqueueNDRangeKernel", at + 1000, at + 1200, op=step + 1)
    steps.call("clFinish", at + 1400, at + 6000)
    steps.operation(at + 6010, op=step + 1, times=(at + 1100, at + 1300, at + 2000, at + 5800))
    if step in (1, 3):
        steps.call("clGetDeviceInfo", at + 6500, at + 6600, result=-30)
steps.write()


def findings(*options):
    return {f["name"] + "/" + f["cause"]: f for f in json.loads(
        run("findings", "--all", "--format", "json", *options, "steps"))["findings"]}


everything, early, late = findings(), findings("--to", "20us"), findings("--from", "20us")
errors = next(name for name in everything if name.startswith("errors/"))
check([found[errors]["count"] for found in (everything, early, late)] == [2, 1, 1],
      "an error is where it was", (everything.keys(), early.keys(), late.keys()))
check(early[errors]["where"]["begin_ns"] < 20000 <= late[errors]["where"]["begin_ns"],
      "in each part its own", (early[errors], late[errors]))
check(abs(early[errors]["percent"] - 100 * early[errors]["cost_ns"] / 20000) < 1e-3 and
      early[errors]["percent"] > everything[errors]["percent"] / 2, "costs are shares of it",
      early[errors])
text = run("findings", "--to", "20us", "steps")
check("% of the part" in text and "% of the run" not in text, "as text says", text)
text = run("report", "--to", "20us", "steps")
check("clGetDeviceInfo failed" in text and "--to 20000ns" in text, "report has them", text)

# The page has all of the run and shows the part.
for out, words in (("all.html", []), ("part.html", ["--range", "outer"])):
    run("export", "-q", "-f", "html", "-o", out, *words, "nested")
with subprocess.Popen([TANDEM, "view", "--no-open", "--range", "nothing", "nested"],
                      stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as refused:
    message = refused.communicate(timeout=60)[1]
check(refused.returncode == 1 and "no range is named 'nothing'" in message, "view refuses it", message)

# What is compared are the parts: their calls, commands and findings, and their lengths.
def compared(*words, other="nested"):
    return json.loads(run("diff", "--format", "json", *words, "nested", other))


for words in (["--range", "outer"], ["--range", "inner/1"], times):
    inside, made = outputs("nested", *words)["report"], said(*words)
    both = compared(*words)
    total = {row["name"]: row for row in both["total"]}
    check(total["API calls"]["a_count"] == inside["calls"] == total["API calls"]["b_count"] and
          total["device operations"]["b_count"] == inside["operations"],
          f"diff {words}: counts of the part", (total, inside))
    check("run" not in total and total["part"]["a_total_ns"] == made["to_ns"] - made["from_ns"] and
          [both[side][0][end] for side in "ab" for end in ("from_ns", "to_ns")] ==
          [made["from_ns"], made["to_ns"]] * 2, f"diff {words}: its times", (total["part"], both["a"]))
both = compared("--to", "20us", other="steps")
check(next(row for row in both["findings"] if row["kind"] + "/" + row["cause"] == errors)["b_count"] == 1,
      "diff: findings of the part", both["findings"])
text = run("diff", "--range", "outer", "nested", "nested")
check("of a run of" in text and "Both parts took" in text and "Both runs" not in text, "diff says so", text)

# Each side has a part of its own where B's is given after the --: two steps of one run.
inner = [said("--range", f"inner/{n}") for n in (0, 1)]
both = json.loads(run("diff", "--format", "json", "--range", "inner/0", "nested", "--", "--range", "inner/1", "nested"))
total = {row["name"]: row for row in both["total"]}
check([[both[side][0][end] for end in ("from_ns", "to_ns", "range")] for side in "ab"] ==
      [[inner[n]["from_ns"], inner[n]["to_ns"], f"inner/{n}"] for n in (0, 1)], "diff: a part of each side", both)
check([total["API calls"][f"{side}_count"] for side in "ab"] ==
      [outputs("nested", "--range", f"inner/{n}")["report"]["calls"] for n in (0, 1)], "with its own counts", total)
check(not any("both sides" in note for note in both["notes"]), "which are not the same", both["notes"])
text = run("diff", "--range", "inner/0", "nested", "--", "--range", "inner/1", "nested")
check("range inner/0, " in text and "range inner/1, " in text, "and named", text)
begin, outer = int(middle[:-2]), part["from_ns"]
for words, wanted in ((["nested", "--", "--from", middle, "nested"], [0, begin]),
                      (["--from", middle, "nested", "--", "--range", "outer", "nested"], [begin, outer]),
                      (["--range", "outer", "nested", "--", "--from", "0", "nested"], [outer, 0]),
                      (["--from", middle, "nested", "--", "nested"], [begin, begin])):
    both = json.loads(run("diff", "--format", "json", *words))
    check([both[side][0]["from_ns"] for side in "ab"] == wanted, f"diff {words}", (both["a"], both["b"], wanted))
text = run("diff", "nested", "--", "--to", middle, "nested")
check(text.count(", ran ") == 1 and text.count("of a run of") == 1, "A is all of its run", text)
done = subprocess.run([TANDEM, "diff", "nested", "--", "--from", "2s", "--to", "1s", "nested"], text=True,
                      capture_output=True)
check(done.returncode == 2 and "--to is not after --from" in done.stderr, "B's part is checked", done.stderr)

check({row["name"] for row in compared()["total"]} >= {"run", "API calls"}, "diff of whole runs")

# What goes wrong, goes wrong alike.
for command in (["report"], ["print"], ["findings"], ["sql"], ["export", "-f", "chrome", "-o", "x"],
                ["view", "--no-open"], ["diff", "nested"]):
    for words, status, message in (
            (["--range", "a", "--from", "1"], 2, "omit --from and --to"),
            (["--from", "2s", "--to", "1s"], 2, "--to is not after --from"),
            (["--from", "soon"], 2, "invalid value 'soon'"),
            (["--from", "1000s"], 1, "is after its end"),
            (["--range", "none"], 1, "no range is named 'none'")):
        done = subprocess.run([TANDEM, *command, *words, "nested"], text=True, capture_output=True)
        check(done.returncode == status and message in done.stderr,
              " ".join(command[:1] + words), (done.returncode, done.stderr))
check(not os.path.exists("x"), "and nothing is written")
finish()
