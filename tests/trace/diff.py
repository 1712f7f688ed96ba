#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What changed between runs: a slower kernel is named, the same program twice is not.

tandem-test: timeout=300 alone
"""
import csv
import io
import json
import os
import re
import shutil
import struct
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from handmade import Session
from tap import check, finish, skip
from traces import BUILD, record, report, synthetic, tandem

EXAMPLE = os.path.join(BUILD, "examples", "findings", "synchronisation")
REPLAY = os.path.join(BUILD, "tests", "stubs", "cuda", "replay")
STUB = os.path.join(BUILD, "tests", "stubs", "libstubcl.so")


def diff(*arguments):
    done = tandem("diff", "--format", "json", *arguments)
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr}


def rows(said, table, significant=True):
    return {r.get("name", r.get("cause")): r for r in said[table]
            if r["significant"] or not significant}


# Made sessions: nothing but what was put there can differ.
synthetic("one", records=20000)
synthetic("two", records=40000)
synthetic("large", records=400000)
said = diff("one", "one")
check(not any(rows(said, t) for t in ("total", "api", "device", "findings")),
      "a session and itself: nothing changed", said)
check("one is on both sides" in " ".join(said["notes"]), "and that is said", said["notes"])
said = diff("one", "two")
was, now = report("one"), report("two")
calls = rows(said, "api", False)
check({n: (r["a_count"], r["b_count"], r["a_total_ns"], r["b_total_ns"])
       for n, r in calls.items()} ==
      {a["name"]: (a["calls"], b["calls"], a["total_ns"], b["total_ns"])
       for a in was["api"] for b in now["api"] if b["name"] == a["name"]},
      "both sides are as their reports have them", calls)
check(all(r["verdict"] == "more often" for r in rows(said, "device").values()) and
      set(rows(said, "device")) == {d["name"] for d in was["device"]},
      "twice as many are told, and not as slower", said["device"])
order = [abs(r["difference_ns"]) for r in said["api"]]
check(order == sorted(order, reverse=True), "the largest difference comes first", order)
total = {r["name"]: r for r in said["total"]}
check(total["run"]["p"] is None and not total["run"]["significant"],
      "one run a side does not judge the run as a whole", total["run"])
text = tandem("diff", "one", "two").stdout
check("one run per side is not enough to judge significance" in text and "comes more often: " in text and
      "Mann-Whitney" in text, "the text says so in sentences", text)
# One statistic, in sentence and table; no verdict in a row that is no change.
for kind in ("api", "device", "findings"):
    for row in said[kind]:
        check(bool(row["verdict"]) == row["significant"], "a verdict is a change that counts", row)
        if row.get("each_percent") is not None:
            each = 100 * (row["b_each_ns"] - row["a_each_ns"]) / row["a_each_ns"]
            check(abs(each - row["each_percent"]) < 0.1, "percentages are of what is beside them",
                  row)
small = diff("--min-run", "100000", "one", "two")
check(any(row["difference_ns"] for row in small["api"]) and
      not any(row["verdict"] or row["significant"] for kind in ("api", "device") for row in small[kind]),
      "what is too little of the run has no verdict", small)
check(said["test"]["each"] == "median" and '"each" is the median' in text, "it has a name", said["test"])
for before, after, percent in re.findall(
        r": ([\d.]+ \ws), then ([\d.]+ \ws) each, median \(([+-][\d.]+) %\)", text):
    unit = {"ns": 1, "us": 1e3, "ms": 1e6}
    low, high = (float(t.split()[0]) * unit[t.split()[1]] for t in (before, after))
    check(abs(100 * (high - low) / low - float(percent)) < 1, "the sentence adds up",
          (before, after, percent))
table = list(csv.DictReader(io.StringIO(tandem("diff", "-f", "csv", "-t", "api", "one",
                                               "two").stdout)))
check({r["name"]: r["verdict"] for r in table} == {n: r["verdict"] for n, r in calls.items()} and
      {r["table"] for r in table} == {"api"}, "the same as CSV", table[:2])
head = tandem("diff", "-t", "device", "-n", "1", "one", "two").stdout.splitlines()
check(head[0].startswith("Device operations") and len(head) == 4, "one table, one row", head)

# Other machines, losses, nothing at all.
shutil.copytree("two", "elsewhere", ignore=shutil.ignore_patterns("cache"))
with open("elsewhere/session.json") as file:
    run = json.load(file)
run["host"], run["start_realtime_ns"] = "far\x1baway", run["start_realtime_ns"] + 3600 * 10**9
with open("elsewhere/session.json", "w") as file:
    json.dump(run, file)
said = diff("one", "elsewhere")
check(any("machines differ" in n and "far\\x1baway" in n for n in said["notes"]),
      "machines that differ are told, and compared", said["notes"])
check("\x1b" not in tandem("diff", "one", "elsewhere").stdout, "their names do no harm")
shutil.copytree("one", "cut", ignore=shutil.ignore_patterns("cache"))
for folder, _, files in os.walk("cut"):
    for name in files:
        if name.startswith(("stream-", "window-")):
            path = os.path.join(folder, name)
            os.truncate(path, os.path.getsize(path) * 2 // 3)
done = tandem("diff", "-f", "json", "one", "cut")
check(done.returncode == 0 and "warning" in done.stderr and
      any("damaged" in n for n in json.loads(done.stdout)["notes"]),
      "a damaged session is compared, and told", done.stderr)

# Losses are told by run, with their sums; one of the two has them, or both.
def losing(path, *counts):
    made = Session(path)
    for step in range(20):
        made.call("clFinish", 1000 * step + 100, 1000 * step + 500)
    for number, count in enumerate(counts):
        made.add(1, 500 * number + 50, "lost", struct.pack("<BQ", 0, count))
    made.write()


losing("whole")
losing("losing", 3, 4000)
losing("single", 1)
notes = {pair: diff(*pair)["notes"] for pair in (("whole", "losing"), ("losing", "whole"),
                                                 ("single", "losing"))}
lost = "losing: 4,003 events were lost, so that its numbers and totals are too small"
check([n for n in notes["whole", "losing"] if "lost" in n] == ["B, " + lost] and
      [n for n in notes["losing", "whole"] if "lost" in n] == ["A, " + lost],
      "losses are told, and on which side", notes)
check([n for n in notes["single", "losing"] if "lost" in n] ==
      ["A, single: 1 event was lost, so that its numbers and totals are too small", "B, " + lost],
      "of both sides, in numbers", notes)
text = tandem("diff", "whole", "losing").stdout
check(0 < text.find(f"   B, {lost}\n") < text.find("Both runs took"), "before anything is said of it",
      text)
check("lost" not in " ".join(diff("whole", "whole")["notes"]), "and not where nothing is")

# Other programs by other runtimes.
if os.access(REPLAY, os.X_OK):
    check(record("cuda", [REPLAY, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "data", "cuda",
                                               "overlap.replay")]) == 0, "a CUDA program is recorded")
    said = diff("one", "cuda")
    told = {r["name"]: r["verdict"] for r in said["api"]}
    check("only A made calls of the domain opencl" in said["notes"] and
          "only B made calls of the domain cuda" in said["notes"] and
          "the commands differ" in said["notes"], "runtimes of one side only are named", said["notes"])
    check({r["verdict"] for r in said["api"] if r["domain"] == "opencl"} == {"gone"} and
          {r["verdict"] for r in said["api"] if r["domain"] == "cuda"} <= {"new", ""},
          "and their calls are gone, or new", told)
    check(all(r["verdict"] in ("gone", "new", "") or r["a_count"] and r["b_count"]
              for r in said["device"]), "commands are matched where both have them", said["device"])
    check(not any("domain" in n for n in diff("cuda", "cuda")["notes"]), "with itself none is")
else:
    skip("a program of another runtime", "the stub CUPTI is not built")
os.makedirs("empty")
for name in ("control", "session.json"):
    if os.path.exists(f"one/{name}"):
        shutil.copy(f"one/{name}", f"empty/{name}")
said = diff("one", "empty")
check(any("nothing was recorded" in n for n in said["notes"]) and
      all(r["verdict"] == "gone" for r in said["api"]), "one without an event is told", said)
check(diff("empty", "empty")["api"] == [], "two without an event differ in nothing")

# What is wrong.
for arguments, status, words in (
        (["one"], 2, "two sessions needed"), (["one", "two", "large"], 2, "put -- between"),
        (["one", "--"], 2, "two sessions needed"), (["one", "no-such"], 1, "no-such"),
        (["one", "."], 1, "session"), (["--p", "2", "one", "two"], 2, "0 to 1"),
        (["--min", "x", "one", "two"], 2, "--min: invalid value"), (["-t", "x", "one", "two"], 2, "findings"),
        (["one", "two", "--", "--nonsense", "two"], 2, "nonsense")):
    done = tandem("diff", *arguments)
    check(done.returncode == status and words in done.stderr and not done.stdout,
          f"wrong: {' '.join(arguments)}", (done.returncode, done.stderr))

# Several runs: each is one sample.
said = diff("one", "one", "--", "two", "two", "two")
check([len(said["a"]), len(said["b"])] == [2, 3] and "Welch" in said["test"]["statistic"] and
      rows(said, "device")["mandelbrot"]["count_p"] < 0.0001,
      "several runs by Welch's test", said["test"])
said = diff("one", "--", "two", "two", "two")
check("Student" in said["test"]["statistic"], "one against several by Student's", said["test"])

# Memory does not grow with the trace.
if not os.environ.get("TANDEM_SANITIZE"):
    import subprocess
    from tap import TANDEM
    peaks = []
    for path in ("two", "large"):
        child = subprocess.Popen([TANDEM, "diff", path, path], stdout=subprocess.DEVNULL)
        peaks.append(os.wait4(child.pid, 0)[2].ru_maxrss)
        child.returncode = 0
    check(peaks[1] < peaks[0] + 4096, "ten times the trace, the same memory", peaks)


# A real program, whose device takes its time, fast and slow.
def runs(name, count, kernel_us, *arguments):
    env = {"OCL_ICD_VENDORS": STUB, "STUB_ENGINE": "units", "STUB_KITEM_US": str(kernel_us),
           "STUB_KBYTE_US": "12", "LC_ALL": "C"}
    paths = [f"{name}-{i}" for i in range(count)]
    for path in paths:
        if record(path, [EXAMPLE, *arguments], env=env):
            return []
    return paths


def is_named(changed, name):
    """The kernel alone, for what it takes: three times as long."""
    return (set(changed) == {name} and changed[name]["verdict"] == "slower" and changed[name]["p"] < 0.01 and
            changed[name]["b_mean_ns"] > 1.5 * changed[name]["a_mean_ns"])


if os.path.exists(EXAMPLE) and os.path.exists(STUB):
    # The stub's device takes its time by the clock: a machine that is busy with others stretches
    # runs at random, and then nothing may be said of them. Three times it is not.
    for attempt in range(3):
        fast, slow, again = [runs(f"{word}{attempt}", 3, us) for word, us in (("fast", 20), ("slow", 60), ("again", 20))]
        if not (fast and slow and again):
            break
        name = report(fast[0])["device"][0]["name"]
        said = diff(*fast, "--", *slow)
        changed = rows(said, "device")
        if is_named(changed, name) and not rows(diff(*fast, "--", *again), "device"):
            break
    mended = runs("mended", 3, 20, "--mended")
    if check(fast and slow and again and mended, "the example is recorded") and \
       check(is_named(changed, name), "the slower kernel is named", changed):
        check(said["device"][0]["name"] == name, "and comes first")
        text = tandem("diff", *fast, "--", *slow).stdout
        check(f"kernel {name} is slower: " in text and "The run took " in text,
              "the text says by how much", text)
        pair = diff(fast[1], slow[1])
        check(rows(pair, "device")[name]["verdict"] == "slower", "one run a side tells it as well",
              pair["device"])
        back = rows(diff(*slow, "--", *fast), "device")
        check(back[name]["verdict"] == "faster", "the other way round it is faster", back)
        said = diff(*fast, "--", *again)
        check(not rows(said, "device"), "the same program twice: no kernel changed",
              rows(said, "device"))
        # A machine that is busy with others may slow a call down in all runs of a side.
        check(len(rows(said, "api")) <= 1, "... and no call", rows(said, "api"))
        said = diff(*fast, "--", *mended)
        check(rows(said, "api").get("clFinish", {}).get("verdict", "").endswith("less often") or
              rows(said, "api")["clFinish"]["verdict"] == "gone",
              "calls that are made no more are named", said["api"])
        told = {(r["kind"], r["cause"]): r for r in said["findings"]}
        check(told["idle-device", "synchronisation"]["verdict"] in ("gone", "costs less") and
              told["idle-device", "synchronisation"]["significant"],
              "and the finding that is mended", told)
else:
    skip("a real program, fast and slow", "OpenCL's examples are not built")
finish()
