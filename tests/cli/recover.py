#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The recorder recovers what killed processes left, and nothing else: not the streams of one
that lives on, wherever its number is not known, and nothing that a link leads to. Only a
recorder that is at work keeps --force away."""
import os
import shutil
import signal
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import TANDEM, check, finish, skip, wait_for
from traces import report, synthetic

HEADER = 120
CONTENT_BITS, PACKET_BITS = 48, 56  # src/format/packet.h

# A process of the session: its streams are copied into it, as it was killed.
# "writer": a child of it has the stream mapped and lives on, without a descriptor.
PROGRAM = """
import mmap, os, shutil, sys, time
session, torn, how, victim = sys.argv[1:]
made = os.path.join(session, "process-99999999")
shutil.copytree(torn, made)
if how == "link":
    os.unlink(os.path.join(made, "stream-1"))
    os.symlink(victim, os.path.join(made, "stream-1"))
if how == "writer":
    ready, done = os.pipe()
    if os.fork() == 0:
        os.setsid()
        with open(os.path.join(made, "stream-1"), "r+b") as file:
            stream = mmap.mmap(file.fileno(), 0)
        # Python's mmap keeps a descriptor of its own.
        os.closerange(3, done)
        os.closerange(done + 1, 256)
        os.write(done, str(os.getpid()).encode())
        os.close(done)
        for fd in 0, 1, 2:
            os.close(fd)
        time.sleep(60)
        os._exit(0)
    os.close(done)
    with open("writer", "wb") as file:
        file.write(os.read(ready, 20))
"""


def tear(session):
    """The last packet of the stream has room behind its records, and a second stream was made
    that nobody used. Their folder, and the stream's length without and with that room."""
    (folder,) = [f for f in os.listdir(session) if f.startswith("process-")]
    folder = os.path.join(session, folder)
    stream = os.path.join(folder, "stream-1")
    with open(stream, "rb") as file:
        kept = bytearray(file.read())
    at = last = 0
    while at < len(kept):
        last, at = at, at + struct.unpack_from("<Q", kept, at + PACKET_BITS)[0] // 8
    length = last + (struct.unpack_from("<Q", kept, last + CONTENT_BITS)[0] // 8 + 7) // 8 * 8
    whole = length + (1 << 20)
    struct.pack_into("<Q", kept, last + PACKET_BITS, (whole - last) * 8)
    with open(stream, "wb") as file:
        file.write(kept[:length] + b"half a record")
        file.truncate(whole)
    unused = kept[:HEADER]
    struct.pack_into("<Q", unused, 24, 2)  # stream_instance_id
    struct.pack_into("<QQ", unused, CONTENT_BITS, HEADER * 8, (1 << 20) * 8)
    with open(os.path.join(folder, "stream-2"), "wb") as file:
        file.write(unused)
        file.truncate(1 << 20)
    return folder, length, whole


def record(session, torn, how):
    return subprocess.run([TANDEM, "record", "-q", "--kernel", "off", "-o", session, "--",
                           sys.executable, "-c", PROGRAM, os.path.abspath(session),
                           os.path.abspath(torn), how, os.path.abspath("victim")],
                          capture_output=True, text=True, check=False)


def stream_bytes(session):
    return os.path.getsize(os.path.join(session, "process-99999999", "stream-1"))


synthetic("made", records=20000, threads=1)
torn, cut, whole = tear("made")
with open("victim", "wb") as file:
    file.write(b"precious")

done = record("dead", torn, "none")
check(done.returncode == 0 and stream_bytes("dead") == cut, "a stream without a writer is cut",
      (done.stderr, stream_bytes("dead"), cut))
check(not os.path.exists("dead/process-99999999/stream-2"), "one that nobody used is removed")
said = report("dead")
check(said["damage"]["places"] == 0 and said["session"]["events"] == report("made")["session"]["events"],
      "all of it is read", said["damage"])
done = record("lives", torn, "writer")
with open("writer", encoding="ascii") as file:
    writer = int(file.read())
check(done.returncode == 0 and stream_bytes("lives") == whole,
      "one that a process has mapped, whatever its number, is left alone",
      (done.stderr, stream_bytes("lives"), whole))
os.kill(writer, signal.SIGKILL)
said = report("lives")
check(said["damage"]["places"] == 0 and said["session"]["events"] > 10000, "and is read whole",
      said["damage"])
done = record("linked", torn, "link")
with open("victim", "rb") as file:
    check(file.read() == b"precious", "a link in the stream's place is not followed", done.stderr)

# A recorder in a namespace of its own, where its number is another.
recorder = subprocess.Popen(["unshare", "-pf", "--kill-child", "--mount-proc", TANDEM, "record", "-q", "-o",
                             "busy", "--", "sleep", "30"],
                            stderr=subprocess.PIPE, text=True)
if wait_for(lambda: os.path.exists("busy/session.json") or recorder.poll() is not None) and recorder.poll() is None:
    done = subprocess.run([TANDEM, "record", "-q", "--force", "-o", "busy", "true"], capture_output=True,
                          text=True, check=False)
    check(done.returncode == 1 and "still being recorded" in done.stderr,
          "--force leaves a session that another pid namespace records", done.stderr)
    said = subprocess.run([TANDEM, "status", "busy"], capture_output=True, text=True, check=False)
    check("recording" in said.stdout, "which status says", said.stdout + said.stderr)
    recorder.kill()
    recorder.wait()

    def replaced():
        return subprocess.run([TANDEM, "record", "-q", "--force", "-o", "busy", "true"], capture_output=True,
                              check=False).returncode == 0
    check(wait_for(replaced), "and takes it when its recorder was killed")
else:
    skip("a recorder in another pid namespace", recorder.communicate()[1])
finish()
