#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where programs are recorded that nobody thought of: in containers with users, numbers and clocks
of their own, below a root that nobody can write, inside of another recording, on another
architecture, and one that makes 2,000 processes. It runs as it does alone, its calls are counted,
and what is said is true. (No memory, disk, descriptors or directory: opencl/storage.py.)"""
import json
import os
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import DRIVERS, PROGRAMS, SANITIZED, Session
from tap import TANDEM, check, finish, skip
from traces import events

CALLS = 1000
ENVIRONMENT = dict(os.environ, **DRIVERS["stub"])
# The kernel's own buffers may be full on a busy machine, which is no loss of these.
RECORD = [TANDEM, "record", "--kernel", "off"]
LOOP = [str(PROGRAMS / "loop"), "count", str(CALLS)]


def run(*command):
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=100)


def can(words, *command):
    tried = run(*command, "true")
    if tried.returncode:
        skip(words, "not permitted here: " + " ".join(tried.stderr.split()))
    return not tried.returncode


def recorded(words, done, folder, calls=CALLS):
    """It ended well, and each call is there once."""
    said = done.stderr.splitlines()
    check(done.returncode == 0 and said and said[-1].endswith("nothing lost"), f"{words}: runs, nothing lost",
          f"{done.returncode} {done.stderr}")
    report = Session(folder).report()
    found = {row["name"]: row["calls"] for row in report.get("api", [])}
    check(found == ({"clGetPlatformIDs": calls} if calls else {}) and not report["damage"]["places"],
          f"{words}: {calls} calls", f"{found} {report}")


def span(folder):
    """When the calls were, from the start of the recording, and how long that took; in ns."""
    times = [e["time_ns"] for e in events(folder) if e["name"] == "clGetPlatformIDs"]
    report = Session(folder).report()["session"]
    return min(times), max(times), report["duration_ns"]


CONTAINER = ["unshare", "-Urpf", "--kill-child"]
if can("a container", *CONTAINER):
    recorded("in a container", run(*CONTAINER, *RECORD, "-o", "inside", "--", *LOOP), "inside")
    recorded("a program that makes itself a container",
             run(*RECORD, "-o", "around", "--", *CONTAINER, *LOOP), "around")

if can("a root that is read-only", "unshare", "-rm"):
    # All but one folder, as in a container whose image nobody changes.
    os.mkdir("writable")
    done = run("unshare", "-rm", "sh", "-c",
               "mount -t tmpfs none writable && cd writable && mount -o remount,ro,bind / || exit 99\n"
               '"$0" record --kernel off -o made -- "$@"; "$0" report --format json made\n'
               'cd / && "$0" record --kernel off -- "$@"', TANDEM, *LOOP)
    if done.returncode == 99:
        skip("a root that is read-only", "mount is not permitted here: " + " ".join(done.stderr.split()))
    else:
        check('"calls": 1000' in done.stdout and "nothing lost" in done.stderr,
              "a root that is read-only: what is recorded where one can write", done.stdout[-300:] + done.stderr)
        check(done.returncode == 1 and "Read-only file system" in done.stderr.splitlines()[-1] and
              "-o DIR" in done.stderr.splitlines()[-1],
              "elsewhere the last line says how to", done.stderr)

AWAY = ["unshare", "-T", "--monotonic", "100000", "--boottime", "100000", "-f"]
if can("another CLOCK_MONOTONIC", *AWAY):
    recorded("a program whose clock is a day ahead", run(*RECORD, "-o", "ahead", "--", *AWAY, *LOOP), "ahead")
    with open("ahead/session.json", encoding="utf-8") as file:
        source = json.load(file)["clock"]["source"]
    if source == "counter":
        first, last, whole = span("ahead")
        check(0 <= first <= last <= whole, "its calls lie within the recording", (first, last, whole))
    else:
        skip("its calls lie within the recording", "this machine has no counter to go by (doc/CLOCKS.md)")

# A recorder that is recorded: each has its own.
done = run(*RECORD, "-o", "outer", "--", *RECORD, "-o", "inner", "--", *LOOP)
# One that is linked into one file has nothing loaded into it, which the last line says.
done.stderr = done.stderr.replace("it is statically linked, so that nothing can be loaded into it", "nothing lost")
recorded("a recorder that is recorded", done, "inner")
recorded("and the recording around it", done, "outer", calls=0)
check(f"inside of the recording {os.path.abspath('outer')}, which gets none of the API calls" in done.stderr,
      "is said", done.stderr)
done = run("env", "TANDEM_SESSION=" + os.path.abspath("gone"), *RECORD, "-o", "later", "--", *LOOP)
check("inside of" not in done.stderr, "but not of one that there is not", done.stderr)

# A 32-bit program: exit(5).
if os.uname().machine == "x86_64":
    code = b"\xb8\x01\0\0\0\xbb\x05\0\0\0\xcd\x80"
    base, head = 0x8048000, 52 + 32
    with open("narrow", "wb") as file:
        file.write(b"\x7fELF\1\1\1" + bytes(9) +
                   struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, base + head, 52, 0, 0, 52, 32, 1, 0, 0, 0) +
                   struct.pack("<8I", 1, 0, base, base, head + len(code), head + len(code), 5, 0x1000) + code)
    os.chmod("narrow", 0o755)
    try:
        alone = run("./narrow").returncode
    except OSError as error:
        alone = str(error)
    if alone == 5:
        done = run(*RECORD, "-o", "other", "./narrow")
        check(done.returncode == 5, "a 32-bit program ends as it does alone", done)
        check("different architecture" in done.stderr, "why there are no calls is said", done.stderr)
    else:
        skip("a 32-bit program", f"the kernel runs none: {alone}")



def half_made(session, seen):
    """Files of new processes that have their names and not yet what they need to be read. `seen`:
    how long each process's metadata was."""
    for entry in os.scandir(session):
        if not entry.name.startswith("process-") or entry.name in seen:
            continue
        try:
            with open(entry.path + "/metadata", "rb") as file:
                text = file.read()
        except FileNotFoundError:
            continue
        seen[entry.name] = len(text)
        if b"clock {" not in text or not text.endswith(b"\n"):
            yield f"{entry.name}/metadata", len(text)
        for name in os.listdir(entry.path):
            if name.startswith("stream-"):
                try:
                    with open(f"{entry.path}/{name}", "rb") as file:
                        begin = file.read(4)
                except FileNotFoundError:  # of no use, and removed by the recorder
                    continue
                if begin != b"\xc1\x1f\xfc\xc1":
                    yield f"{entry.name}/{name}", 0


children = 100 if SANITIZED else 2000
recorder = subprocess.Popen([*RECORD, "-o", "many", "--", str(PROGRAMS / "processes"), "many", str(children)],
                            env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
halves, lengths = [], {}
while recorder.poll() is None:
    if os.path.isdir("many"):
        halves += half_made("many", lengths)
done = subprocess.CompletedProcess((), recorder.returncode, *recorder.communicate())
halves += half_made("many", lengths)
check(not halves and lengths, "no file has its name before it can be read", halves[:5])
recorded(f"{children} children", done, "many", calls=5 * children)
# The parent makes no call of OpenCL.
found = len(Session("many").processes())
check(found in (children, children + 1), "and as many traces", found)
shutil.rmtree("many")
finish()
