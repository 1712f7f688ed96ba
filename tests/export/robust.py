#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What exports do with damaged sessions, several sessions, bad outputs and size.

tandem-test: timeout=300
"""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import perfetto
from tap import TANDEM, check, finish
from traces import synthetic, tandem

FORMATS = re.findall(r"^ {25}(\w+) ", tandem("export", "--help").stdout, re.M)
check({"perfetto", "chrome", "csv"} <= set(FORMATS), "--help names the formats", FORMATS)
missing = "built without" in tandem("export", "-f", "sqlite", "-o", "x.sqlite", ".").stderr
made = synthetic("made", records=20000, processes=2, threads=2)
# Those of sampled stacks have nothing of these sessions: tests/kernel/sample.py.
FORMATS = [f for f in FORMATS if f not in ("speedscope", "folded", "dot")]
FORMATS = [f for f in FORMATS if not (f == "sqlite" and "not in this build" in
                                      tandem("export", "--help").stdout)]


def export(form, out, *sessions):
    return tandem("export", "-f", form, "-o", out, *sessions)


for form in FORMATS:
    done = tandem("export", "-f", form, "made/")
    out = re.search(r"wrote (made\S+)", done.stderr)
    check(done.returncode == 0 and out and os.path.exists(out[1]),
          f"{form}: has a name of its own for its output", done.stderr)

    # A session whose every file ends in the middle.
    shutil.rmtree("cut", ignore_errors=True)
    shutil.copytree("made", "cut", ignore=shutil.ignore_patterns("cache"))
    for folder in os.listdir("cut"):
        for file in os.listdir(f"cut/{folder}") if os.path.isdir(f"cut/{folder}") else []:
            path = f"cut/{folder}/{file}"
            if file.startswith(("stream-", "window-")):
                os.truncate(path, os.path.getsize(path) * 2 // 3)
    done = export(form, f"cut.{form}", "cut")
    check(done.returncode == 0 and "warning" in done.stderr and os.path.exists(f"cut.{form}"),
          f"{form}: what is left of a cut-off session", done.stderr)

    os.makedirs("empty", exist_ok=True)
    shutil.copy("made/control", "empty/control") if os.path.exists("made/control") else None
    shutil.copy("made/session.json", "empty/session.json")
    done = export(form, f"empty.{form}", "empty")
    check(done.returncode == 0 and os.path.exists(f"empty.{form}"), f"{form}: an empty session",
          done.stderr)

    done = export(form, "no/such/folder/out", "made")
    check(done.returncode == 1 and "no/such/folder" in done.stderr,
          f"{form}: an output that cannot be", done.stderr)
    done = export(form, "out", "made", "no-such-session")
    check(done.returncode == 1 and "no-such-session" in done.stderr and not os.path.exists("out"),
          f"{form}: a session that is not there", done.stderr)
    check(not [f for f in os.listdir(".") if ".part-" in f], f"{form}: leaves nothing behind")

for form in ("perfetto", "chrome"):
    done = export(form, "/dev/full", "made")
    check(done.returncode == 1 and "No space left" in done.stderr, f"{form}: a full disk",
          done.stderr)
done = export("csv", "-", "made")
check(done.returncode == 2, "csv: not to the standard output")
check(tandem("export", "made").returncode == 2, "no format is wrong usage")
done = tandem("export", "-f", "gif", "made")
check(done.returncode == 2 and "perfetto" in done.stderr, "an unknown format", done.stderr)


def limited():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))


def content(path):
    """Of the file, or of all files of the folder."""
    if os.path.isfile(path):
        return open(path, "rb").read()
    return {os.path.join(folder, name): open(os.path.join(folder, name), "rb").read()
            for folder, _, names in os.walk(path) for name in names}


for form in FORMATS:
    for words, out in (("leaves nothing", f"full.{form}"), ("leaves what was there", f"was.{form}")):
        if out.startswith("was"):
            export(form, out, "empty")
        before = content(out)
        done = tandem("export", "-f", form, "-o", out, "made", preexec_fn=limited)
        check(done.returncode == 1 and out in done.stderr and content(out) == before and
              os.path.exists(out) == bool(before), f"{form}: a full disk {words}",
              (done.stderr, os.path.isdir(out) and os.listdir(out)))
    check(not [f for f in os.listdir(".") if ".part" in f], f"{form}: and no part",
          os.listdir("."))
    done = export(form, f"/proc/sys/out.{form}", "made")
    check(done.returncode == 1 and "/proc/sys/out" in done.stderr,
          f"{form}: a place that cannot be written", done.stderr)

# A table that cannot get its name when others have theirs: the folder that was made goes, too.
TABLES = len(os.listdir("planted-tables")) if export("csv", "planted-tables", "empty").returncode == 0 else 0
synthetic("long", records=100000)
with subprocess.Popen([TANDEM, "export", "-f", "csv", "-o", "half", "long"], stderr=subprocess.PIPE,
                      text=True) as exporting:
    while exporting.poll() is None and not (os.path.isdir("half") and len(os.listdir("half")) == TABLES):
        time.sleep(0.001)
    exporting.send_signal(signal.SIGSTOP)
    parts = [name for name in os.listdir("half") if ".part-" in name]
    os.mkdir("half/findings.csv")
    exporting.send_signal(signal.SIGCONT)
    message = exporting.communicate()[1]
check(len(parts) == TABLES > 10 and exporting.returncode == 1 and "findings.csv" in message,
      "csv: the last table cannot be made", (exporting.returncode, message, parts))
check(os.listdir("half") == ["findings.csv"], "csv: none of them stays", os.listdir("half"))

# A link planted where the output is written until it is whole.
with open("victim", "w") as file:
    file.write("precious")
for form in ("chrome", "perfetto", "sqlite", "csv", "ctf", "html"):
    out = f"planted.{form}"
    inside = {"csv": "/threads.csv", "ctf": "/metadata"}.get(form, "")
    if inside:
        os.mkdir(out)

    def plant():
        os.symlink(os.path.abspath("victim"), f"{out}{inside}.part-{os.getpid()}")
    done = subprocess.run([TANDEM, "export", "-f", form, "-o", out, "made"], capture_output=True, text=True,
                          preexec_fn=plant, check=False)
    with open("victim") as file:
        check(file.read() == "precious" and done.returncode == 0 and not os.path.islink(out + inside),
              f"{form}: a planted link is not followed", done.stderr)

# Two sessions: on one axis, ids apart.
again = synthetic("again", records=5000)
done = export("perfetto", "both.pftrace", "made", "again")
both = perfetto.read("both.pftrace")
check(done.returncode == 0 and
      len([s for s in both.slices if both.tracks[s.track].kind == "thread"]) ==
      made["calls"] + again["calls"], "two sessions in one trace", done.stderr)
flows = [f for s in both.slices for f in s.flows]
check(len(flows) == 2 * len(set(flows)), "their flows are apart")
with open("again/session.json") as file:
    run = json.load(file)
run["host"] = "elsewhere"
run["start_realtime_ns"] += 3600 * 10**9
with open("again/session.json", "w") as file:
    json.dump(run, file)
done = export("chrome", "apart.json", "made", "again")
check("--join" in done.stderr, "sessions of two machines are not joined unasked", done.stderr)
with open("apart.json") as file:
    apart = json.load(file)["traceEvents"]
pids = {e["pid"] for e in apart if e["ph"] == "X"}
check(len(pids) == 3, "nor their processes", pids)
check(max(e["ts"] for e in apart if e["ph"] == "X") < 1e9, "the second begins with the first")
done = tandem("export", "-f", "chrome", "-o", "apart.json", "--join", "made", "again")
with open("apart.json") as file:
    late = max(e["ts"] for e in json.load(file)["traceEvents"] if e["ph"] == "X")
check(done.returncode == 0 and late >= 3600e6, "--join goes by the time of day", late)

# Memory does not grow with the trace.
if not os.environ.get("TANDEM_SANITIZE"):
    peaks = {}
    for records in (50000, 500000):
        synthetic(f"g{records}", records=records)
        for form in FORMATS:
            child = subprocess.Popen([TANDEM, "export", "-q", "-f", form, "-o", f"big.{form}",
                                      f"g{records}"])
            peaks[form, records] = os.wait4(child.pid, 0)[2].ru_maxrss
            child.returncode = 0
    for form in FORMATS:
        small, large = peaks[form, 50000], peaks[form, 500000]
        check(large < small + 4096, f"{form}: ten times the trace, the same memory",
              f"{small} KiB, {large} KiB")
finish()
