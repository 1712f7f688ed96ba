#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A look at a live session ends when the relay daemon has it no longer, though nobody said that
it ended: lttng-relayd 2.13 forgets to where the look began as the session was destroyed. A relay
of our own does so each time; it speaks as much of LTTng's live protocol (lttng-viewer-abi.h) as
libbabeltrace2 asks for.

tandem-test: waits
"""
import os
import socket
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import TANDEM, check, finish

CONNECT, LIST, ATTACH, NEW_STREAMS, CREATE, DETACH = 1, 2, 3, 7, 8, 9
OK, NOTHING_NEW = 1, 2


def taken(connection, count):
    found = b""
    while len(found) < count:
        part = connection.recv(count - len(found))
        if not part:
            raise ConnectionError
        found += part
    return found


class Relay:
    """With a session `made`, which has no stream yet; forgotten after the first look if `forgets`."""

    def __init__(self, forgets):
        self.forgets, self.attached, self.listed_after = forgets, False, 0
        self.server = socket.create_server(("localhost", 0))
        self.address = "net://localhost:%d/host/here/made" % self.server.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            threading.Thread(target=self.serve, args=self.server.accept()[:1], daemon=True).start()

    def sessions(self):
        if self.attached:
            self.listed_after += 1
            if self.forgets:
                return struct.pack(">I", 0)
        return struct.pack(">IQIII64s255s", 1, 1, 1_000_000, 0, 0, b"here", b"made")

    def serve(self, connection):
        try:
            while True:
                size, command, _ = struct.unpack(">QII", taken(connection, 16))
                body = taken(connection, size)
                if command == CONNECT:
                    connection.sendall(struct.pack(">QIII", 1, 2, 11, 1))
                elif command == LIST:
                    connection.sendall(self.sessions())
                elif command == CREATE:
                    connection.sendall(struct.pack(">I", OK))
                elif command == ATTACH:
                    self.attached = True
                    connection.sendall(struct.pack(">II", OK, 0))
                elif command == NEW_STREAMS:
                    connection.sendall(struct.pack(">II", NOTHING_NEW, 0))
                elif command == DETACH:
                    connection.sendall(struct.pack(">I", OK))
                else:
                    print("# asked for", command, body, flush=True)
                    return
        except ConnectionError:
            pass


relay = Relay(forgets=True)
try:
    done = subprocess.run([TANDEM, "report", relay.address], capture_output=True, text=True, timeout=60)
except subprocess.TimeoutExpired:
    done = None
if done and "libbabeltrace2-dev" in done.stderr:
    print("built without libbabeltrace2")
    sys.exit(77)
check(relay.attached, "a look at a session begins", done and done.stderr)
check(done and done.returncode == 1 and "no events of tandem came from there" in done.stderr,
      "it ends when the session is gone", done and done.stderr)

relay = Relay(forgets=False)
looking = subprocess.Popen([TANDEM, "report", relay.address], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
until = time.monotonic() + 60
while relay.listed_after < 2 and time.monotonic() < until:
    time.sleep(0.1)
check(relay.listed_after >= 2 and looking.poll() is None, "one at a session that is there goes on",
      (relay.listed_after, looking.poll()))
looking.kill()
looking.wait()
finish()
