#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sampled stacks: of a program whose functions take known shares of its time, unwound
by frame pointers and from saved stacks; in a library that it opens itself and in
its child; as an ordinary user; losses; and read back from both exports.
"""
# tandem-test: timeout=240
import json
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import BUILD
import perfetto
from tap import check, finish, skip, TANDEM

HOT = BUILD / "tests" / "kernel" / "hot"
PLUGIN = BUILD / "tests" / "kernel" / "hot-plugin.so"
# Of 1,200 ms: what each function takes itself.
SELF = {"busy_long": 600, "busy_short": 200, "plugin_work": 200, "busy_child": 200}


def tandem(*words, **options):
    return subprocess.run([TANDEM, *words], capture_output=True, text=True, **options)


def report(path):
    said = tandem("report", "--format", "json", path)
    check(said.returncode == 0 and not said.stderr, f"{path}: is reported", said.stderr)
    return json.loads(said.stdout)


def shares(path, told):
    """Whether each function has its share: samples fall by the kernel's own clock."""
    functions = {row["name"]: row for row in told["functions"]}
    count = sum(row["self_samples"] for row in told["functions"])
    check(count == told["session"]["samples"], f"{path}: each sample has an innermost function",
          (count, told["session"]))
    # What the machine takes away for others' sake makes all of it longer, not the shares.
    whole = sum(row["self_ns"] for row in told["functions"])
    off = {name: functions.get(name, {}).get("self_ns") for name, ms in SELF.items()
           if abs(functions.get(name, {}).get("self_ns", 0) / whole - ms / sum(SELF.values())) > 0.05}
    check(not off and whole > 0.8e6 * sum(SELF.values()), f"{path}: the functions have their time", (off, told["functions"][:8]))
    for name, key in (("busy_long", HOT), ("plugin_work", PLUGIN)):
        check(functions.get(name, {}).get("file") == os.path.realpath(key),
              f"{path}: {name} is found in its file", functions.get(name))
    # main is around all of it.
    whole = functions.get("main", {}).get("total_ns", 0) / 1e6
    check(abs(whole - 1200) < 0.15 * 1200, f"{path}: main is on every stack of them", whole)
    return functions


def folded(path):
    said = tandem("export", "--format", "folded", "-o", "-", path)
    check(said.returncode == 0, f"{path}: folded", said.stderr)
    stacks = {}
    for line in said.stdout.splitlines():
        stack, count = line.rsplit(" ", 1)
        check(stack not in stacks, f"{path}: each stack once", line) if stack in stacks else None
        stacks[stack] = int(count)
    return stacks


def speedscope(path):
    """The format as speedscope.app reads it: every stack, with its count."""
    said = tandem("export", "--format", "speedscope", "-o", path + ".json", path)
    check(said.returncode == 0, f"{path}: speedscope", said.stderr)
    with open(path + ".json", encoding="utf-8") as file:
        data = json.load(file)
    frames, counts, threads = data["shared"]["frames"], {}, 0
    period = None
    for profile in data["profiles"]:
        threads += 1
        assert profile["type"] == "sampled" and profile["unit"] == "nanoseconds"
        assert len(profile["samples"]) == len(profile["weights"])
        assert profile["endValue"] == sum(profile["weights"])
        for stack, weight in zip(profile["samples"], profile["weights"]):
            period = weight
            names = ";".join(frames[index]["name"] for index in stack)
            counts[names] = counts.get(names, 0) + 1
    return counts, threads, period


said = tandem("record", "-o", "fp", "--sample", "999", "--", HOT, PLUGIN)
if "no stacks are sampled" in said.stderr:
    print("skipped:", said.stderr.strip())
    sys.exit(77)
check(said.returncode == 0, "it is recorded", said.stderr)
told = report("fp")
if not any(row["name"] == "main" for row in told["functions"]):
    skip("names of functions", "built without libdw")
    finish()
check(told["session"]["sample_period_ns"] == 1001001, "and how often is said", told["session"])
shares("fp", told)
check(told["losses"]["total"] == 0, "nothing is lost", told["losses"])
stacks = folded("fp")
check(sum(stacks.values()) == told["session"]["samples"], "folded: all of them", stacks)
check(any(re.search(r"main;outer;busy_long$", stack) or re.search("main;busy_long$", stack)
          for stack in stacks), "folded: callers first", list(stacks)[:9])
check(any("plugin_work" in stack for stack in stacks), "folded: with the library's")
counts, threads, period = speedscope("fp")
alike = {}
for stack, count in stacks.items():
    names = stack.split(";", 1)[1]
    alike[names] = alike.get(names, 0) + count
check(counts == alike and period == 1001001, "speedscope holds the same stacks",
      (sorted(counts.items())[:5], sorted(alike.items())[:5]))
check(threads == 2, "a profile for each thread: the program's and its child's", threads)
done = tandem("export", "-q", "-f", "perfetto", "-o", "fp.pftrace", "fp")
trace = perfetto.read("fp.pftrace")
found = {}
for sample in trace.samples:
    names = ";".join(name.replace(";", ":") for name, _ in sample.frames)
    found[names] = found.get(names, 0) + 1
check(found == alike, "perfetto holds the same stacks", (sorted(found.items())[:5],
                                                         sorted(alike.items())[:5]))
check(any(os.path.basename(file) == os.path.basename(PLUGIN) for s in trace.samples for name, file in s.frames
          if name == "plugin_work"), "with their files", trace.samples[:1])
period = next(iter(perfetto.fields(trace.defaults[12][0])))[1]
check(next(iter(perfetto.fields(period)))[1] == 999, "and the rate", trace.defaults)
text = tandem("report", "fp").stdout
check("CPU hot spots (sampled)" in text and "busy_long" in text, "report says it in words",
      text)

for raw in ([], ["--raw"]):
    rows = [json.loads(line) for line in
            tandem("print", *raw, "--format", "json", "--name", "sample", "fp").stdout.splitlines()]
    check(len(rows) == told["session"]["samples"] and
          sum(row["stack"][0] == "busy_long" for row in rows) > 300,
          f"print {raw} gives each with its stack", rows[:1])
# What begins and ends is reported once, though the sampler reports it as well.
said = tandem("record", "-o", "forks", "--sample", "100", "sh", "-c", "ls > /dev/null; ls > /dev/null; sleep 0.01")
with open("forks/session.json", encoding="utf-8") as file:
    names = [process["name"] for process in json.load(file)["processes"]]
check(names == ["sh", "ls", "ls", "sleep"] and "of 4 processes" in said.stderr, "each process is listed once",
      (names, said.stderr))
rows = [json.loads(line) for line in tandem("print", "--format", "json", "forks").stdout.splitlines()]
for name in "task_new", "task_exit":
    tids = [row["args"]["tid"] for row in rows if row["name"] == name]
    check(tids and len(tids) == len(set(tids)), f"{name}: each once", tids)

text = tandem("print", "--name", "sample", "--limit", "200", "fp").stdout
check(re.search(r"sample\(busy_long < .*main", text), "and in words", text[-300:])

# From saved stacks: every caller, as the files' own tables tell.
said = tandem("record", "-o", "dwarf", "--sample", "499", "--unwind", "dwarf", "--", HOT, PLUGIN)
if "x86-64 only" in said.stderr:
    skip("saved stacks", said.stderr.strip())
else:
    told = report("dwarf")
    functions = shares("dwarf", told)
    stacks = folded("dwarf")
    check(sum(count for stack, count in stacks.items() if
              re.search(r"_start;.*main;outer;busy_long$", stack)) >
          0.9 * functions["busy_long"]["self_samples"],
          "dwarf: whole, from _start to the innermost", list(stacks)[:5])
    check(any(re.search(r"main;plugin_work$", stack) for stack in stacks),
          "dwarf: out of the library into main", list(stacks))

# Paused at first: what was mapped meanwhile is known all the same.
recorder = subprocess.Popen([TANDEM, "record", "-q", "-o", "paused", "--start-paused", "--sample",
                             "999", "--", HOT, PLUGIN, "wait"], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True)
check(recorder.stdout.readline() == "ready\n", "paused: it is there")
time.sleep(0.3)
tandem("resume", "paused")
time.sleep(0.3)
recorder.communicate("\n")
told = report("paused")
functions = {row["name"]: row for row in told["functions"]}
check(functions.get("busy_long", {}).get("self_samples", 0) > 400 and
      functions.get("plugin_work", {}).get("self_samples", 0) > 100,
      "paused: functions of files that were opened meanwhile", told["functions"][:5])

# The file is another one now: names of the new one would be wrong.
shutil.copy(HOT, "hot")
tandem("record", "-q", "-o", "other", "--sample", "499", "--", "./hot", PLUGIN)
before = {row["name"] for row in report("other")["functions"]}
shutil.copy(PLUGIN, "hot")
told = report("other")
after = {row["name"]: row["self_samples"] for row in told["functions"]}
check("busy_long" in before and "busy_long" not in after and after.get("[hot]", 0) > 200,
      "a file with another build-id has no names", told["functions"][:5])
os.remove("hot")
check("[hot]" in {row["name"] for row in report("other")["functions"]},
      "one that is gone, neither")

# More than the buffers hold, as the recorder stands still.
recorder = subprocess.Popen([TANDEM, "record", "-o", "lost", "--sample", "4999", "--unwind",
                             "dwarf", "--", HOT, PLUGIN, "wait"], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
recorder.stdout.readline()
time.sleep(0.3)
recorder.send_signal(signal.SIGSTOP)
recorder.stdin.write("\n")
recorder.stdin.flush()
time.sleep(6)
recorder.send_signal(signal.SIGCONT)
_, said = recorder.communicate()
told = report("lost")
# How many come is the kernel's choice: it samples less where that takes too much of a busy machine.
check(told["losses"]["by_reason"]["kernel_buffer"] > 0 and "per-CPU kernel buffer overflow" in said,
      "what did not fit is counted and said", (told["losses"], said))

# As an ordinary user: the own program, if the system lets him.
if os.geteuid():
    skip("as an ordinary user", "it takes root to become another")
else:
    nobody = pwd.getpwnam("nobody")
    os.mkdir("theirs")
    os.chown("theirs", nobody.pw_uid, nobody.pw_gid)
    os.chmod(".", 0o755)
    user = dict(user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[], cwd="theirs")
    try:
        said = tandem("record", "-o", "s", "--sample", "499", "--", HOT, PLUGIN, **user)
    except PermissionError:
        said = subprocess.CompletedProcess([], 126, "", "")
    lines = [line for line in said.stderr.splitlines() if "stacks" in line]
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="utf-8") as file:
        level = int(file.read())
    if said.returncode:
        skip("as an ordinary user", "nobody may not reach the program here")
    elif level > 2:
        check(len(lines) == 1 and "sysctl" in lines[0], "one line says what is missing", said.stderr)
    else:
        check(not lines, "nothing is missing", said.stderr)
        told = json.loads(tandem("report", "--format", "json", "s", **user).stdout)
        functions = {row["name"]: row for row in told["functions"]}
        check(functions.get("busy_long", {}).get("self_samples", 0) > 200 and
              told["session"]["samples_in_kernel"] == 0, "his own program's stacks",
              told["functions"][:5])

# What makes no sense.
for words in (["--sample", "0"], ["--sample", "often"], ["--sample", "1000000"],
              ["--sample", "99", "--kernel", "off"], ["--unwind", "magic"]):
    said = tandem("record", "-o", "no", *words, "--", "true")
    check(said.returncode == 2 and words[0] in said.stderr and not os.path.exists("no"),
          f"{words}: refused", said.stderr)
tandem("record", "-q", "-o", "none", "--", "true")
for form in ("folded", "speedscope"):
    said = tandem("export", "--format", form, "-o", "none.out", "none")
    check(said.returncode == 1 and "--sample" in said.stderr and not os.path.exists("none.out"),
          f"{form}: a session without samples is refused with what helps", said.stderr)
finish()
