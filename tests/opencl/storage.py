#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No room, no directory, no descriptors, no memory: the program never notices,
and every event that could not be kept is counted, by reason."""
import os
import resource
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import DRIVERS, PROGRAMS, SANITIZED, Session
from tap import check, finish, skip, wait_for, TANDEM

CALLS = 400000
STUB = dict(os.environ, **DRIVERS["stub"])


def verify(words, folder, made, reasons):
    """All calls are recorded, or counted under one of these reasons."""
    session = Session(folder)
    report = session.report()
    if not check("api" in report, f"{words}: can be read", report):
        return
    found = sum(row["calls"] for row in report["api"] if row["name"] == "clGetPlatformIDs")
    losses = report["losses"]
    check(found + losses["total"] == made, f"{words}: {made} calls, recorded or counted",
          f"{found} recorded, {losses}")
    lost_for = {reason for reason, count in losses["by_reason"].items() if count}
    check(lost_for <= reasons and bool(lost_for) == bool(reasons),
          f"{words}: lost for {' or '.join(sorted(reasons)) or 'nothing'}", losses)
    check(report["damage"]["places"] == 0, f"{words}: nothing is damaged", report["damage"])
    count, said = session.babeltrace()
    check(count is None or (count == report["session"]["events"] and not said),
          f"{words}: babeltrace2 reads as many",
          f"{count} {report['session']['events']} {said[:2000]}")


def record(folder, options, command, **more):
    return subprocess.run([TANDEM, "record", "--kernel", "off", "--args", "none", "-o", folder, *options, "--", *command],
                          env=STUB, capture_output=True, text=True, timeout=100, **more)


LOOP = [str(PROGRAMS / "loop"), "count", str(CALLS)]


def unharmed(words, result):
    check(result.returncode == 0, f"{words}: the program is unharmed",
          f"{result.returncode} {result.stderr}")


# A limit on the size.
for limit, size in (("1M", 1 << 20), ("3M", 3 << 20), ("100K", 100 << 10)):
    result = record(f"limit-{limit}", ["--limit-size", limit, "--kernel", "off"], LOOP)
    unharmed(f"limit {limit}", result)
    verify(f"limit {limit}", f"limit-{limit}", CALLS, {"size_limit"})
    streams = sum(os.path.getsize(path) for process in Session(f"limit-{limit}").processes()
                  for path in process.glob("[sw]*-*"))
    check(streams <= size, f"limit {limit}: the streams are no larger", streams)
    check("size" in result.stderr and "lost" in result.stderr, f"limit {limit}: is said at the end",
          result.stderr)

# A limit on the size of a file: a stream goes on in further ones.
if SANITIZED:
    skip("RLIMIT_FSIZE, RLIMIT_AS", "a sanitizer needs room of its own")
else:
    result = record("file-size", ["--kernel", "off"], LOOP, preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_FSIZE, (2 << 20, 2 << 20)))
    unharmed("RLIMIT_FSIZE", result)
    verify("RLIMIT_FSIZE", "file-size", CALLS, set())

# A full disk.
os.mkdir("small")
mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "none", "small"],
                         capture_output=True, text=True)
if mounted.returncode:
    skip("a full disk", f"mount is not permitted: {mounted.stderr.strip()}")
else:
    try:
        result = record("small/full", [], LOOP)
        unharmed("full disk", result)
        verify("full disk", "small/full", CALLS, {"disk_full"})
        shutil.rmtree("small/full")

        # Full from the start: there is room for the control page and no more, or for all but a process's files.
        for left in 32 << 10, 80 << 10:
            words = f"no room, {left >> 10} KiB"
            with open("small/ballast", "wb") as ballast:
                ballast.write(bytes((3 << 20) - left))
            result = record("small/none", ["--kernel", "off"], LOOP)
            if result.returncode == 1 and not os.path.exists("small/none/control"):
                check("tandem:" in result.stderr, f"{words}: said before the start", result.stderr)
            else:
                unharmed(words, result)
                report = Session("small/none").report()
                check(report["losses"]["by_reason"]["disk_full"] == CALLS, f"{words}: all is counted", report["losses"])
                check(not Session("small/none").processes(), f"{words}: no folder is left without its files",
                      os.listdir("small/none"))
                check(report["session"]["processes"] == 1, f"{words}: one process", report["session"])
                text = subprocess.run([TANDEM, "report", "small/none"], capture_output=True, text=True, timeout=100).stdout
                check("could not be written" in text and "made none" not in text,
                      f"{words}: the report says why there is no call", text)
            os.unlink("small/ballast")
            shutil.rmtree("small/none", ignore_errors=True)
    finally:
        subprocess.run(["umount", "-l", "small"])

# The session's directory goes away.
if os.path.exists("count"):
    os.unlink("count")
recorder = subprocess.Popen([TANDEM, "record", "--kernel", "off", "--args", "none", "-o", "gone", "--", *LOOP],
                            env=STUB, stderr=subprocess.PIPE, text=True)
wait_for(lambda: os.path.exists("count") and any(open("count", "rb").read(8)))
shutil.rmtree("gone", ignore_errors=True)
said = recorder.stderr.read()
check(recorder.wait() == 0 and struct.unpack("<Q", open("count", "rb").read(8))[0] == CALLS,
      "the directory goes away: the program is unharmed", said)
shutil.rmtree("gone", ignore_errors=True)

# No descriptors: as many are left to the program as it has alone, and its new
# threads work.
STEPS = "calls 10\nopen 1000\nthreads 20\ncalls 100000\nlaunch 3\n"


def few_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (48, 48))


alone = subprocess.run([str(PROGRAMS / "steps")], env=STUB, input=STEPS, capture_output=True,
                       text=True, preexec_fn=few_descriptors)
check(alone.returncode == 0, "no descriptors: works alone", alone.stderr)
# The limit is set behind the recorder's back, in the program alone.
limited = ["sh", "-c", "ulimit -n 48; exec \"$0\"", str(PROGRAMS / "steps")]
result = record("descriptors", [], limited, input=STEPS)
if SANITIZED:
    skip("no descriptors", "a sanitizer has some of its own")
else:
    check(result.stdout == alone.stdout and result.returncode == 0,
          "no descriptors: as it is alone", f"{alone.stdout}{result.stdout}{result.stderr}")
    report = Session("descriptors").report()
    found = sum(row["calls"] for row in report["api"] if row["name"] == "clGetPlatformIDs")
    # 10 + 20 + 100000, and the first.
    check(found >= 100031, "no descriptors: all is recorded", f"{found} {report['losses']}")
    check(not report["losses"]["total"], "no descriptors: nothing is lost", report["losses"])

# No memory.
if not SANITIZED:
    result = record("memory", [], ["sh", "-c", "ulimit -v 60000; exec \"$0\" count 400000", LOOP[0]])
    unharmed("no address space", result)
    report = Session("memory").report()
    found = sum(row["calls"] for row in report.get("api", []) if row["name"] == "clGetPlatformIDs")
    check(found + report["losses"]["total"] == CALLS, "no address space: recorded or counted",
          f"{found} {report['losses']}")
# A filter that ends the process for whatever a growing stream needs: what was made ready before
# it is used, and the rest is counted. Sanitizers need such calls themselves.
for how in () if SANITIZED else ("prctl", "syscall"):
    result = record(f"sandbox-{how}", [], [str(PROGRAMS / "sandbox"), how, str(CALLS - 1)])
    unharmed(f"sandbox by {how}", result)
    verify(f"sandbox by {how}", f"sandbox-{how}", CALLS, {"io_error"})
    found = Session(f"sandbox-{how}").report()["session"]["events"]
    check(found > 170000, f"sandbox by {how}: what was made ready is used", found)
if SANITIZED:
    skip("sandbox", "a sanitizer makes system calls of its own")
finish()
