#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""LTTng as a sink: the same program recorded into our own files and by LTTng gives the same
calls, operations and totals; sessions that come and go while the program runs; full
buffers; daemons that die; a relay; what can go wrong before it starts.

tandem-test: timeout=300
"""
import glob
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import lttng
from tap import check, finish, skip, TANDEM
from traces import BUILD, MANDELBROT, tandem

if not os.access(MANDELBROT, os.X_OK):
    print("the example is not built: no OpenCL")
    sys.exit(77)

NO_SESSION = dict(os.environ, TANDEM_SINK="lttng", LTTNG_HOME="/nonexistent",
                  LD_PRELOAD=os.path.join(BUILD, "libtandem.so.0"),
                  OPENCL_LAYERS=os.path.join(BUILD, "libtandem-opencl.so"))
if os.environ.get("TANDEM_SANITIZE"):
    print("LTTng's library is not built with a sanitizer")
    sys.exit(77)

# Before the daemons are there.
done = subprocess.run([TANDEM, "record", "--live", "net://localhost", "true"], capture_output=True,
                      text=True)
check(done.returncode == 2 and "--sink lttng" in done.stderr, "--live needs the sink", done.stderr)
done = subprocess.run([TANDEM, "record", "--sink", "lttng", "--start-paused", "true"], capture_output=True,
                      text=True)
check(done.returncode == 2 and "lttng start" in done.stderr, "a paused start is LTTng's own", done.stderr)
done = subprocess.run([TANDEM, "record", "--sink", "lttng", "-o", "none", "true"], text=True,
                      capture_output=True, env=dict(os.environ, PATH="/nonexistent:/usr/nothing"))
check(done.returncode in (1, 127), "a program that is not found", done.stderr)
done = subprocess.run([TANDEM, "record", "--sink", "lttng", "-o", "none", "/bin/true"], text=True,
                      capture_output=True, env=dict(os.environ, PATH="/nonexistent"))
check(done.returncode == 1 and "install lttng-tools" in done.stderr and not os.path.exists("none"),
      "without lttng-tools it says what to install, and leaves nothing behind", done.stderr)

try:
    lttng.start()
except SystemExit as error:
    if error.code != 77:
        raise
    skip("all that needs LTTng's daemons", "they can't be had here")
    finish()
    sys.exit(0)
ENVIRONMENT = dict(NO_SESSION, LTTNG_HOME=os.environ["LTTNG_HOME"])
DRAW = [MANDELBROT, "-w", "64", "-h", "64", "-n", "40"]


def report(path):
    done = tandem("report", "--format", "json", path)
    if not check(done.returncode == 0, f"a report of {path}", done.stderr):
        return None
    return json.loads(done.stdout)


def counted(path):
    """Calls by function, operations by kind and name, bytes."""
    said = report(path) or {"api": [], "device": []}
    return ({row["name"]: row["calls"] for row in said["api"]},
            {(row["kind"], row["name"]): (row["count"], row["bytes"]) for row in said["device"]})


def record(path, *options, draw=None):
    return subprocess.run([TANDEM, "record", "-o", path, "--kernel", "off", *options, "--",
                           *(draw or DRAW)], capture_output=True, text=True,
                          env=dict(os.environ, POCL_DEVICES="basic"))


# Both sinks.
for level in ("basic", "none", "full"):
    ours, theirs = record(f"ours-{level}", "--args", level), \
        record(f"lttng-{level}", "--sink", "lttng", "--args", level)
    check(ours.returncode == 0 and theirs.returncode == 0, f"recorded twice, arguments {level}",
          theirs.stderr)
    check("nothing lost" in theirs.stderr, "nothing is lost", theirs.stderr)
    a, b = counted(f"ours-{level}"), counted(f"lttng-{level}")
    # How often the program asks depends on the device's pace.
    for calls in (a[0], b[0]):
        calls.pop("clGetEventInfo", None)
    check(a[0] == b[0] and sum(a[0].values()) > 400, f"the same calls, arguments {level}", (a[0], b[0]))
    check(a[1] == b[1] and sum(count for count, _ in a[1].values()) == 41 * 2,
          f"the same operations and bytes, arguments {level}", (a[1], b[1]))

fields = {}
for path in ("ours-basic", "lttng-basic"):
    fields[path] = [json.loads(line) for line in tandem("print", "--format", "json", path).stdout.splitlines()]
first = {path: next(e for e in lines if e.get("name") == "clEnqueueReadBuffer")
         for path, lines in fields.items()}
check({k: v for k, v in first["ours-basic"].items() if not isinstance(v, (int, float))}.keys() ==
      {k: v for k, v in first["lttng-basic"].items() if not isinstance(v, (int, float))}.keys(),
      "a call has the same fields", first)

# Raw, by babeltrace2; and the same trace given as what it is.
raw = subprocess.run(["babeltrace2", "lttng-basic/lttng"], capture_output=True, text=True)
check(raw.returncode == 0 and raw.stdout.count("tandem_opencl:clEnqueueReadBuffer_entry") == 41 and
      raw.stdout.count("tandem_opencl:clEnqueueReadBuffer_exit") == 41,
      "babeltrace2 shows entry and exit of each call", raw.stderr)
check(counted("lttng-basic/lttng")[1] == counted("lttng-basic")[1], "a bare trace reads the same")
before = tandem("status", "lttng-basic")
for command in (["report", "-f", "csv"], ["findings"], ["print"], ["export", "--format", "chrome", "-o", "-"]):
    done = tandem(*command, "lttng-basic/lttng")
    check(done.returncode == 0 and done.stdout, f"tandem {command[0]} reads a bare trace", done.stderr)

# By hand, with a program that runs already: objects made before the session are described.
lttng.need(lttng.run("create", "late", "--output=" + os.path.abspath("late")))
lttng.need(lttng.run("enable-event", "-u", "tandem_*"))
lttng.need(lttng.run("add-context", "-u", "-t", "vpid", "-t", "vtid", "-t", "procname"))


def start_program():
    return subprocess.Popen([MANDELBROT, "-w", "64", "-h", "64", "-n", "100000000"],
                            env=dict(ENVIRONMENT, POCL_DEVICES="basic"), stdout=subprocess.DEVNULL)


program = start_program()

def wait_for(what, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.05)
    return False


check(wait_for(lambda: f"PID: {program.pid} " in lttng.run("list", "-u").stdout),
      "the program registers with LTTng")
time.sleep(2)
lttng.need(lttng.run("start"))
check(wait_for(lambda: sum(os.path.getsize(f) for f in glob.glob("late/**/*", recursive=True)
                           if os.path.isfile(f)) > 300000 or program.poll() is not None, 30) or True,
      "a session begins")
time.sleep(1)
lttng.need(lttng.run("destroy", "late"))
check(program.poll() is None, "the program goes on when its session is destroyed")
said = report("late")
check(said and any(row["name"] == "mandelbrot" and row["kind"] == "kernel" for row in said["device"]),
      "a late session has names of what was made before it", said and said["device"])

# Buffers that are too small: discarded events are counted, and shown.
lttng.need(lttng.run("create", "small", "--output=" + os.path.abspath("small")))
lttng.need(lttng.run("enable-channel", "-u", "tiny", "--subbuf-size=4k", "--num-subbuf=2", "--discard"))
lttng.need(lttng.run("enable-event", "-u", "-c", "tiny", "tandem_*"))
lttng.need(lttng.run("add-context", "-u", "-c", "tiny", "-t", "vpid", "-t", "vtid", "-t", "procname"))
lttng.need(lttng.run("start"))
time.sleep(4)
lttng.need(lttng.run("destroy", "small"))
said = tandem("report", "small")
check(said.returncode == 0, "a trace with losses is read", said.stderr)
check("nothing lost" not in said.stdout and "LTTng" in said.stdout, "losses are shown", said.stdout[:600])

program.kill()
program.wait()

# A relay daemon: a trace that it keeps, and one that is read while it is recorded.
relay = lttng.daemon("lttng-relayd", "--output=" + os.path.abspath("relay"))


def relay_answers():
    return not record("probe", "--force", "--sink", "lttng", "--relay", "net://localhost",
                      "--lttng-session", "probe").returncode


if not os.geteuid() or relay.poll() is None:
    wait_for(relay_answers, 30)
    done = record("relayed", "--sink", "lttng", "--relay", "net://localhost", "--lttng-session", "relayed")
    check(done.returncode == 0, "recorded to a relay", done.stderr)
    found = glob.glob("relay/**/relayed*", recursive=True)
    check(found and counted(found[0])[1] == counted("ours-basic")[1], "the relay's trace is complete",
          found)
    address = "net://localhost/host/%s/live" % os.uname().nodename
    long = subprocess.Popen([TANDEM, "record", "-o", "live", "--kernel", "off", "--sink", "lttng", "--live",
                             "net://localhost", "--lttng-session", "live", "--", MANDELBROT, "-w", "64",
                             "-h", "64", "-n", "20000"], stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, env=dict(os.environ, POCL_DEVICES="basic"))
    check(wait_for(lambda: "live" in lttng.run("list").stdout), "a live session is there")
    for verb in ("pause", "resume", "stop"):
        said = tandem(verb, "live")
        check(said.returncode == 1 and "lttng stop" in said.stderr, f"{verb} is LTTng's to do", said.stderr)
    # The relay knows a session when its first stream came, which takes seconds on a busy machine.
    check(wait_for(lambda: any(map(os.path.getsize, glob.glob("relay/**/live-*/**/*_[0-9]", recursive=True))), 30), "its streams come to the relay",
          glob.glob("relay/**", recursive=True))
    said = tandem("report", "--format", "json", address, timeout=120)
    long.wait(100)
    rows = json.loads(said.stdout)["device"] if said.returncode == 0 else []
    # A viewer gets what comes after it has attached: objects may have been described before.
    check(any(row["kind"] == "kernel" and row["count"] > 10 for row in rows),
          "a live session is read from its relay",
          (said.returncode, rows, said.stderr))

# The consumer daemon is killed.
program = start_program()
lttng.need(lttng.run("create", "killed", "--output=" + os.path.abspath("killed")))
lttng.need(lttng.run("enable-event", "-u", "tandem_*"))
lttng.need(lttng.run("add-context", "-u", "-t", "vpid", "-t", "vtid", "-t", "procname"))
lttng.need(lttng.run("start"))
time.sleep(1)
for name in os.listdir("/proc"):
    try:
        with open(f"/proc/{name}/comm", encoding="utf-8") as file:
            if not file.read().startswith("lttng-consumerd"):
                continue
        with open(f"/proc/{name}/environ", "rb") as file:
            if os.environ["LTTNG_HOME"].encode() in file.read():
                os.kill(int(name), signal.SIGKILL)
    except (OSError, ValueError):
        pass
time.sleep(2)
check(program.poll() is None, "the program goes on when LTTng's consumer is killed")
program.send_signal(signal.SIGTERM)
check(program.wait(60) == -signal.SIGTERM, "and ends as it should")

# A session that exists.
lttng.run("destroy", "--all")
lttng.run("create", "taken", "--output=" + os.path.abspath("taken"))
done = record("again", "--sink", "lttng", "--lttng-session", "taken")
check(done.returncode == 1 and "already exists" in done.stderr and
      not os.path.exists("again"), "a session that exists is said, and nothing is left", done.stderr)
lttng.run("destroy", "--all")
for path in ("empty-folder", "no-such"):
    if path == "empty-folder":
        os.mkdir(path)
    done = tandem("report", path)
    check(done.returncode == 1 and path in done.stderr, f"{path}: an error that names it", done.stderr)
finish()
