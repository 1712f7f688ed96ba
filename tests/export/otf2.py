#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""OTF2 archives, read back by otf2-print of the library's own tools."""
import collections
import os
import re
import resource
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from otf2 import Archive, otf2_print
from tap import check, finish, skip
from traces import mandelbrot, report, synthetic, tandem

if not shutil.which("otf2-print"):
    print("there is no otf2-print here")
    sys.exit(77)
if "not in this build" in re.search(r"otf2.*", tandem("export", "--help").stdout)[0]:
    print("this tandem was built without OTF2")
    sys.exit(77)


def compare(path, folder, words):
    archive = Archive(folder)
    said = report(path)
    check(archive.status == 0 and not archive.complaints, f"{words}: otf2-print reads it",
          archive.complaints)
    calls = archive.totals("CPU_THREAD")
    check(calls == {a["name"]: (a["calls"], a["total_ns"]) for a in said["api"]},
          f"{words}: calls as in the report", calls)
    ops = archive.totals("ACCELERATOR_STREAM")
    wanted = {d["name"]: (d["count"], d["total_ns"]) for d in said["device"]}
    # A device's clock goes at its own rate: lengths are the host's here.
    check({n: c for n, (c, _) in ops.items()} == {n: c for n, (c, _) in wanted.items()} and
          all(abs(ns - wanted[n][1]) <= wanted[n][1] / 1000 + 2 * c for n, (c, ns) in ops.items()),
          f"{words}: commands as in the report", (ops, wanted))
    check(all(end == count for end, count in zip(
        [sum(e[1] == i for e in archive.events) for i in sorted(archive.locations)],
        [archive.locations[i][2] for i in sorted(archive.locations)])),
        f"{words}: as many events as it says", archive.locations)
    times = collections.defaultdict(list)
    for _, location, ns, _, _ in archive.events:
        times[location].append(ns)
    check(all(t == sorted(t) for t in times.values()), f"{words}: no location goes back in time")
    pairs = collections.defaultdict(list)
    for location, region, begin, _, call in archive.intervals():
        if call:
            pairs[call].append((archive.locations[location][1], begin))
    check(pairs and all(sorted(k for k, _ in p) == ["ACCELERATOR_STREAM", "CPU_THREAD"]
                        for p in pairs.values()), f"{words}: a number joins call and command",
          next((p for p in pairs.values() if len(p) != 2), len(pairs)))
    return archive


made = synthetic("made", records=20000, processes=2, threads=2)
done = tandem("export", "-f", "otf2", "-o", "out", "made")
check(done.returncode == 0, "a made session is exported", done.stderr)
archive = compare("made", "out", "a made session")
kinds = collections.Counter(kind for _, kind, _, _ in archive.locations.values())
check(kinds["CPU_THREAD"] == 4 and kinds["ACCELERATOR_STREAM"] >= 4,
      "a location for each thread and queue", kinds)
check(archive.clock[0] == 10**9 and archive.clock[1] == min(e[2] for e in archive.events),
      "times are in ns", archive.clock)
check("Role: FUNCTION" in archive.regions["mandelbrot"] and
      "Role: DATA_TRANSFER" in archive.regions["ReadBuffer"] and
      "Role: WRAPPER" in archive.regions["clFlush"], "kernels, transfers and calls are told apart")
check(any("Type: ACCELERATOR" in g and 'Creator: "' in g for g in archive.groups.values()),
      "a device's queues are its process's")

# An archive is replaced as a whole; what is none stays.
before = sorted(os.listdir("out/traces"))
synthetic("small", records=1000)
done = tandem("export", "-f", "otf2", "-o", "out", "small")
check(done.returncode == 0 and len(os.listdir("out/traces")) < len(before),
      "an archive that was there is replaced", done.stderr)
os.makedirs("mine")
open("mine/letter", "w").close()
done = tandem("export", "-f", "otf2", "-o", "mine", "small")
check(done.returncode == 1 and "something else" in done.stderr and "--output" in done.stderr and
      os.listdir("mine") == ["letter"], "another folder is left alone", done.stderr)
open("file", "w").close()
done = tandem("export", "-f", "otf2", "-o", "file", "small")
check(done.returncode == 1 and "file:" in done.stderr and os.path.isfile("file"),
      "and so is a file", done.stderr)


def limited():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))


for words, out in (("a full disk leaves nothing", "full"), ("or what was there", "out")):
    done = tandem("export", "-f", "otf2", "-o", out, "made", preexec_fn=limited)
    check(done.returncode == 1 and f"{out}: " in done.stderr and
          os.path.exists(out) == (out == "out"), words, done.stderr)
check(otf2_print("out/traces.otf2").returncode == 0, "which is as it was")
check(not [f for f in os.listdir(".") if ".part" in f], "no part is left", os.listdir("."))

# Calls that never returned, commands that overlap: a real run.
if mandelbrot("run"):
    tandem("export", "-f", "otf2", "-o", "run-out", "run")
    compare("run", "run-out", "a real run")
    tandem("export", "-f", "otf2", "-o", "two", "made", "run")
    two = Archive("two")
    check(two.status == 0 and len(two.events) == sum(l[2] for l in two.locations.values()) and
          "mandelbrot" in two.totals("ACCELERATOR_STREAM"), "two sessions in one archive",
          two.complaints)
else:
    skip("a real run", "the image program does not run here")
finish()
