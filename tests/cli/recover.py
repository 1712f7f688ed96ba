#!/usr/bin/env python3
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
CONTENT_BITS, PACKET_BITS = 48, 56  # src/schema/packet.h

# A process of the session: its window and stream are copied into it, as it was killed.
# "writer": a child of it has the window mapped and lives on, without a descriptor.
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
        with open(os.path.join(made, "window-1"), "r+b") as file:
            window = mmap.mmap(file.fileno(), 0)
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
    """A packet begun in the stream, whole in the window. Its folder, and the stream's length
    without what was begun."""
    (folder,) = [f for f in os.listdir(session) if f.startswith("process-")]
    folder = os.path.join(session, folder)
    stream, window = (os.path.join(folder, name) for name in ("stream-1", "window-1"))
    with open(stream, "rb") as file:
        kept = file.read()
    if not os.path.exists(window):
        at = last = 0
        while at < len(kept):
            last, at = at, at + struct.unpack_from("<Q", kept, at + PACKET_BITS)[0] // 8
        with open(window, "wb") as file:
            file.write(kept[last:])
        os.truncate(stream, last)
    with open(window, "rb") as file:
        kept = file.read()
    size = (struct.unpack_from("<Q", kept, CONTENT_BITS)[0] // 8 + 7) // 8 * 8
    length = os.path.getsize(stream)
    with open(stream, "ab") as file:
        file.write(kept[:32].ljust(size, b"\0"))
    return folder, length, length + size


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
check(done.returncode == 0 and stream_bytes("dead") == cut, "a stream without a writer is recovered",
      (done.stderr, stream_bytes("dead"), cut))
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
