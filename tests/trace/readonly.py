#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who reads a session never writes in it, follows no link out of it, and hangs on nothing
that lies there: a session that another process records, in whatever pid namespace, one that
nobody repaired, one with planted links, pipes and sockets, one on a read-only disk."""
import hashlib
import os
import shutil
import socket
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import SANITIZED
from tap import TANDEM, check, finish, skip
from traces import report, synthetic

HEADER = 120
CONTENT_BITS, PACKET_BITS = 48, 56  # src/format/packet.h

READERS = [
    ("report", "{}"), ("report", "--format", "json", "{}"), ("print", "{}"), ("print", "--raw", "{}"),
    ("findings", "{}"), ("status", "{}"), ("diff", "{}", "{}"), ("sql", "{}", "SELECT count(*) FROM threads"),
    ("export", "-f", "chrome", "-o", "/dev/null", "{}"), ("export", "-f", "html", "-o", "/dev/null", "{}"),
]


def entries(folder):
    found = {}
    for where, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(where, name)
            status = os.lstat(path)
            content = b""
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    content = file.read()
            found[path] = (status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns,
                           status.st_ctime_ns, hashlib.sha256(content).hexdigest())
    return found


def run(arguments, session, **more):
    """None: it hung."""
    words = [word.replace("{}", session) for word in arguments]
    try:
        return subprocess.run([TANDEM, *words], capture_output=True, text=True,
                              timeout=600 if SANITIZED else 60,
                              stdin=subprocess.DEVNULL, **more)
    except subprocess.TimeoutExpired:
        return None


def read_all(session, words, may_fail=False):
    before = entries(session)
    for reader in READERS:
        done = run(reader, session)
        name = " ".join(reader[:3]).replace("{}", session)
        check(done is not None and done.returncode in ((0, 1) if may_fail else (0,)),
              f"{words}: {name} ends", done and (done.returncode, done.stderr[-300:]))
        after = entries(session)
        check(after == before, f"{words}: {name} changes nothing",
              [path for path in set(after) | set(before) if after.get(path) != before.get(path)])
    return before


def stop_view(session, words):
    """The timeline as well, where it was built."""
    before = entries(session)
    view = subprocess.Popen([TANDEM, "view", "--no-open", session], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)
    address = view.stdout.readline()
    view.terminate()
    said = view.communicate()[1]
    if not address and "no such command" in said:
        return
    check(address.startswith("http"), f"{words}: view starts", said)
    check(entries(session) == before, f"{words}: view changes nothing", os.listdir(session))


def torn(session, left):
    """As a process leaves it that is killed while it appends its window: `left` bytes of
    the packet's header are in the stream. Returns the length that a repair cuts it to."""
    (folder,) = [f for f in os.listdir(session) if f.startswith("process-")]
    stream = os.path.join(session, folder, "stream-1")
    window = os.path.join(session, folder, "window-1")
    with open(window if os.path.exists(window) else stream, "rb") as file:
        kept = file.read()
    if not os.path.exists(window):
        at = last = 0
        while at < len(kept):
            last, at = at, at + struct.unpack_from("<Q", kept, at + PACKET_BITS)[0] // 8
        with open(window, "wb") as file:
            file.write(kept[last:])
        os.truncate(stream, last)
        kept = kept[last:]
    size = (struct.unpack_from("<Q", kept, CONTENT_BITS)[0] // 8 + 7) // 8 * 8
    whole = bytearray(kept[:HEADER])
    struct.pack_into("<QQ", whole, CONTENT_BITS, HEADER * 8, size * 8)
    length = os.path.getsize(stream)
    with open(stream, "ab") as file:
        file.write(bytes(whole[:left]).ljust(size, b"\0"))
    os.rename(os.path.join(session, folder), os.path.join(session, "process-99999999"))
    return length


# A packet that is being appended, by a process that kill(pid, 0) doesn't find here.
synthetic("made", records=20000, threads=1)
events = report("made")["session"]["events"]
for left in (0, 32, HEADER):
    shutil.rmtree("torn", ignore_errors=True)
    shutil.copytree("made", "torn")
    torn("torn", left)
    if left == 32:
        read_all("torn", "torn")
        stop_view("torn", "torn")
    said = report("torn")
    check(said["session"]["events"] == events and said["damage"]["places"] == 0,
          f"torn after {left} bytes: read whole", (said["session"]["events"], events, said["damage"]))

# A link in the place of its stream, to a file of the user's.
with open("victim", "wb") as file:
    file.write(b"precious " * 10)
for place in ("process-99999999/stream-1", "process-99999999/window-2", "process-99999999/metadata",
              "control", "session.json"):
    shutil.rmtree("linked", ignore_errors=True)
    shutil.copytree("torn", "linked")
    if os.path.exists(os.path.join("linked", place)):
        os.unlink(os.path.join("linked", place))
    os.symlink(os.path.abspath("victim"), os.path.join("linked", place))
    before = entries("linked")
    for reader in (("print", "{}"), ("status", "{}"), ("pause", "{}")):
        done = run(reader, "linked")
        check(done is not None and "precious" not in done.stdout + done.stderr and
              entries("linked") == before, f"a link at {place}: {reader[0]} leaves it", str(done)[-300:])
    done = run(("print", "{}"), "linked")
    check("precious" not in done.stdout and ("link" in done.stderr.lower() or place.endswith("window-2")
          or place == "control"), f"a link at {place}: print says so", done.stderr[-300:])
with open("victim", "rb") as file:
    check(file.read() == b"precious " * 10, "the file that links led to is as it was")
shutil.rmtree("linked")
shutil.copytree("made", "linked")
os.rename("linked/process-1000", "elsewhere")
os.symlink(os.path.abspath("elsewhere"), "linked/process-1000")
done = run(("report", "{}"), "linked")
check(done.returncode == 0 and "process-1000" in done.stderr, "a link in a process's place is not followed",
      done.stderr)

# Pipes and sockets in the place of files.
for place in ("control", "session.json", "kernel", "process-99999999", "process-99999999/metadata",
              "process-99999999/stream-1", "process-99999999/window-1", "process-5"):
    for kind in ("pipe", "socket"):
        shutil.rmtree("odd", ignore_errors=True)
        shutil.copytree("torn", "odd")
        path = os.path.join("odd", place)
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.exists(path):
            os.unlink(path)
        if kind == "pipe":
            os.mkfifo(path)
        else:
            socket.socket(socket.AF_UNIX).bind(path)
        for reader in (("print", "{}"), ("report", "{}"), ("status", "{}"), ("pause", "{}")):
            done = run(reader, "odd")
            check(done is not None and done.returncode in (0, 1), f"a {kind} at {place}: {reader[0]} ends",
                  done and (done.returncode, done.stderr))
        done = run(("record", "-q", "--kernel", "off", "--force", "-o", "{}", "true"), "odd")
        check(done is not None and done.returncode == 1 and os.path.lexists(path),
              f"a {kind} at {place}: --force refuses", done)

# A read-only disk.
os.mkdir("disk")
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tandem-test", "disk"], capture_output=True,
                  check=False).returncode == 0:
    try:
        shutil.copytree("torn", "disk/torn")
        subprocess.run(["mount", "-o", "remount,ro", "disk"], check=True)
        read_all("disk/torn", "read-only disk")
        stop_view("disk/torn", "read-only disk")
    finally:
        subprocess.run(["umount", "-l", "disk"], check=False)
else:
    skip("a read-only disk", "mount is not permitted here")
finish()
