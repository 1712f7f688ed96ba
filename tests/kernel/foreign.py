#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kernel traces of other tools. Real ones, as they come: counted, and refused beside
a session of another machine. And what a session's own kernel side holds, written
as LTTng and trace-cmd would have recorded it: the report says the same with each.
"""
import json
import os
import platform
import random
import re
import subprocess
import sys
import tarfile

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from foreigntrace import write_dat, write_lttng
from kernelside import Gaps, scope
from recording import BUILD, DRIVERS, has_pocl
from tap import check, finish, skip, TANDEM

COUNT = BUILD / "tests" / "kernel" / "foreign-count"
MODULE = BUILD / "tandem-ctf.so"
TRACES = next((folder for folder in
               (os.path.join(os.environ["TANDEM_SOURCE"], up, "shared", "traces")
                for up in ("..", "../..")) if os.path.isdir(folder)), None)


# Others may be at the same work in /tmp.
os.environ["TMPDIR"] = os.environ["TANDEM_TMP"]


def tandem(*words):
    return subprocess.run([TANDEM, *words], capture_output=True, text=True)


def count(path):
    said = subprocess.run([str(COUNT), path, str(MODULE)], capture_output=True, text=True)
    return dict(re.findall(r"([\w.]+)=([^\s,]*)", said.stdout)), said


def real():
    """(name, path, counts) of the traces that nobody here made."""
    for archive in ("lttng-kernel-small", "lttng-kernel-two-hosts"):
        with tarfile.open(os.path.join(TRACES, archive + ".tar.xz")) as file:
            file.extractall("real", filter="data") if hasattr(tarfile, "data_filter") \
                else file.extractall("real")
    with open("amdgpu.dat", "wb") as file:
        subprocess.run(["xz", "-dc", os.path.join(TRACES, "trace-cmd-amdgpu.dat.xz")], stdout=file,
                       check=True)
    # Of the jobs on the ring gfx, 639 ended of which the hand-over was seen after all four
    # CPUs' streams had begun, and 2 on sdma1: counted by hand from the events' lines.
    yield "trace-cmd", "amdgpu.dat", {"switch": "43806", "driver": "3674", "engine.gfx": "639",
                                      "engine.sdma1": "2"}
    if not MODULE.exists():
        skip("LTTng's traces", "built without libbabeltrace2")
        return
    for folder, _, files in sorted(os.walk("real")):
        if "metadata" in files:
            name = os.path.basename(folder)
            yield "LTTng", folder, {"bug446190": {"switch": "1052", "wakeup": "566", "fork": "2"},
                                    "scp_src": {"switch": "594", "fork": "10"},
                                    "scp_dest": {"switch": "947", "fork": "21"}}[name]


if has_pocl():
    program = [str(BUILD / "examples" / "opencl" / "mandelbrot" / "mandelbrot"), "-w", "320",
               "-h", "240", "-n", "40"]
    environment = dict(os.environ, **DRIVERS["pthread"])
else:
    program = [str(BUILD / "tests" / "programs" / "linked")]
    environment = dict(os.environ, **DRIVERS["stub"])
subprocess.run([TANDEM, "record", "-q", "-o", "session", "--", *program], env=environment,
               stdout=subprocess.DEVNULL, check=True)

if not TRACES:
    skip("real traces", "../shared/traces is absent")
else:
    for tool, path, wanted in real():
        counts, said = count(path)
        check(said.returncode == 0 and not said.stderr, f"{path}: is read", said.stderr)
        check(counts.get("tool") == tool and
              all(counts.get(key) == value for key, value in wanted.items()),
              f"{path}: with all its events", said.stdout)
        check(counts.get("backwards") == "0", f"{path}: each CPU's in their order", said.stdout)
        check(counts.get("names") == counts.get("switch"), f"{path}: with the threads' names",
              said.stdout)
        said = tandem("report", "--with", path, "session")
        check(said.returncode == 1 and re.search("another boot|recorded on", said.stderr) and
              "can't be joined" in said.stderr and len(said.stderr.splitlines()) == 1,
              f"{path}: of another machine, is refused with words", said.stderr)

said = tandem("report", "--with", "/nowhere", "session")
check(said.returncode == 1 and "/nowhere" in said.stderr, "one that is not there, too", said.stderr)
os.mkdir("empty")
said = tandem("report", "--with", "empty", "session")
check(said.returncode == 1 and len(said.stderr.splitlines()) == 1, "and an empty folder",
      said.stderr)

have, why = scope()
if have != "system":
    skip("our own events as others record them", why)
    finish()

boot = open("/proc/sys/kernel/random/boot_id", encoding="utf-8").read().strip()
host, release = platform.node(), platform.release()
events = [json.loads(line) for line in
          tandem("print", "--format", "json", "session").stdout.splitlines()]
ours = json.loads(tandem("report", "--format", "json", "session").stdout)
switches = sum(e["name"] == "sched_switch" for e in events)


def about(event, local):
    """A record as Gaps wants it, by the numbers that the report has; None: of no thread."""
    arguments = event.get("args")
    if event["name"] == "sched_switch":
        tids = arguments["prev_tid"], arguments["next_tid"]
    elif event["name"] in ("sched_waking", "sched_wakeup", "sched_wakeup_new", "sched_migrate_task"):
        tids = arguments["tid"], arguments["tid"]
    else:
        return None
    cpu = event["thread_name"] if event["name"] == "sched_switch" else None
    return event["time_ns"], cpu, *(local.get(tid, tid) for tid in tids)


local = {e["args"]["tid"]: e["args"]["local_tid"] for e in events
         if e["name"] in ("task", "task_new") and e["args"]["local_tid"]}
gaps = Gaps([record for record in (about(event, local) for event in events) if record])
# In the first milliseconds there are no records of wake-ups yet; only we know that.
blind = 1e6 + max(min((e["time_ns"] for e in events if e["name"] == "collecting" and
                       e["thread_name"] == cpu and e["args"]["wakeups"]), default=0)
                  for cpu in {e["thread_name"] for e in events if e["name"] == "collecting"})


def same(words, theirs):
    """The threads spend their time alike."""
    mine = {t["tid"]: t for t in ours["threads"]}
    their = {t["tid"]: t for t in theirs["threads"]}
    callers = [t["tid"] for t in ours["threads"] if t["calls"]]
    wanted = mine if "LTTng" in words else callers
    check(set(wanted) <= set(their), f"{words}: the threads are there", (mine, their))
    off = {}
    for tid in set(wanted) & set(their):
        count, unsure = gaps.of(tid)
        for key in ("running_ns", "wait_cpu_ns", "wait_blocked_ns"):
            if abs(mine[tid][key] - their[tid][key]) > 0.03 * mine[tid][key] + blind + unsure:
                off[tid, key] = mine[tid][key], their[tid][key]
        if abs(mine[tid]["switches"] - their[tid]["switches"]) > 3 + count:
            off[tid, "switches"] = mine[tid]["switches"], their[tid]["switches"]
    check(not off, f"{words}: they run and wait as long", (off, gaps.threads, blind))
    for row in ours["api"]:
        other = next(r for r in theirs["api"] if r["name"] == row["name"])
        check(other["total_ns"] == row["total_ns"] and
              abs(sum(other[k] for k in ("on_cpu_ns", "wait_cpu_ns", "wait_blocked_ns",
                                         "unknown_ns")) - row["total_ns"]) <= row["calls"] + 1,
              f"{words}: {row['name']} is divided", other)


def joined(words, path):
    said = tandem("report", "--format", "json", "--with", path, "session")
    check(said.returncode == 0 and not said.stderr, f"{words}: is joined", said.stderr)
    if said.returncode == 0:
        report = json.loads(said.stdout)
        check(report["session"]["scheduling"] == "system", f"{words}: tells the scheduling")
        same(words, report)


write_dat("trace.dat", events, host, release)
counts, said = count("trace.dat")
check(counts.get("switch") == str(switches), "trace-cmd's: every switch is read", said.stdout)
joined("trace-cmd's", "trace.dat")
write_dat("local.dat", events, host, release, clock="local")
said = tandem("report", "--with", "local.dat", "session")
check(said.returncode == 1 and "-C mono" in said.stderr, "on another clock: refused, with what helps",
      said.stderr)
write_dat("seven.dat", events, host, release, version=b"7")
said = tandem("report", "--with", "seven.dat", "session")
check(said.returncode == 1 and "convert" in said.stderr, "of a newer version: refused, with what helps",
      said.stderr)
write_dat("kernel.dat", events, host, "5.0.0")
said = tandem("report", "--with", "kernel.dat", "session")
check(said.returncode == 1 and "another boot" in said.stderr, "under another kernel: refused",
      said.stderr)
nothing = [e for e in events if e["name"] != "sched_switch"]
write_dat("nothing.dat", nothing, host, release)
said = tandem("report", "--with", "nothing.dat", "session")
check(said.returncode == 1 and "sched_switch" in said.stderr, "without switches: refused, with what helps",
      said.stderr)
early = [dict(e, monotonic_ns=e["monotonic_ns"] - 10 ** 12) for e in events
         if e["monotonic_ns"] > 10 ** 12]
if early:
    write_dat("early.dat", early, host, release)
    said = tandem("report", "--with", "early.dat", "session")
    check(said.returncode == 1 and "before the session" in said.stderr, "of another time: refused",
          said.stderr)

# Damage: cut off anywhere, any byte changed. Never a crash, and one line at most.
whole = open("trace.dat", "rb").read()
random.seed(1)
worst = []
for i in range(150):
    data = bytearray(whole)
    if i % 3 == 0:
        del data[random.randrange(len(data)):]
    else:
        place = random.randrange(4096) if i % 3 == 1 else random.randrange(len(data))
        data[place] = random.randrange(256)
    with open("damaged.dat", "wb") as file:
        file.write(data)
    said = subprocess.run([str(COUNT), "damaged.dat"], capture_output=True)
    if said.returncode not in (0, 1):
        worst.append((i, said.returncode, said.stderr[-300:]))
check(not worst, "damaged files are read as far as they go", worst[:3])

if not MODULE.exists():
    skip("LTTng's", "built without libbabeltrace2")
else:
    write_lttng("lttng/kernel", events, boot, host)
    counts, said = count("lttng")
    check(counts.get("switch") == str(switches), "LTTng's: every switch is read", said.stdout)
    joined("LTTng's", "lttng")
    write_lttng("reboot", events, "00000000-0000-4000-8000-000000000000", host)
    said = tandem("report", "--with", "reboot", "session")
    check(said.returncode == 1 and "another boot" in said.stderr, "of another boot: refused",
          said.stderr)
    write_lttng("user", events, boot, host, domain="ust")
    said = tandem("report", "--with", "user", "session")
    check(said.returncode == 1 and "kernel" in said.stderr, "of user space: refused", said.stderr)
left = [name for name in os.listdir(os.environ["TMPDIR"]) if name.startswith("tandem-with-")]
check(not left, "no temporary files are left", left)
finish()
