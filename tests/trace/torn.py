#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Older sessions: a process that was killed while it appended its window to its stream. The
packet's header may be there up to the end of a page of the file, and zeros behind it. Readers
take the packet from the window."""
import os
import shutil
import struct
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish
from traces import synthetic, tandem

HEADER = 120
CONTENT_BITS, PACKET_BITS = 48, 56  # src/format/packet.h

synthetic("made", records=30000, threads=1)
(folder,) = [f for f in os.listdir("made") if f.startswith("process-")]
stream, window = (os.path.join("made", folder, name) for name in ("stream-1", "window-1"))
with open(window if os.path.exists(window) else stream, "rb") as file:
    kept = file.read()
if not os.path.exists(window):  # its last packet was what a window held
    at = last = 0
    while at < len(kept):
        last, at = at, at + struct.unpack_from("<Q", kept, at + PACKET_BITS)[0] // 8
    with open(window, "wb") as file:
        file.write(kept[last:])
    with open(stream, "r+b") as file:
        file.truncate(last)
    kept = kept[last:]
content = struct.unpack_from("<Q", kept, CONTENT_BITS)[0] // 8
size = (content + 7) // 8 * 8
whole = bytearray(kept[:HEADER])
struct.pack_into("<QQ", whole, CONTENT_BITS, HEADER * 8, size * 8)
length = os.path.getsize(stream)
printed = tandem("print", "--raw", "made")
check(len(printed.stdout.splitlines()) > 30000 and not printed.stderr, "whole", printed.stderr)

# Killed while it began: what its trace would have held has no name yet.
os.mkdir("made/process-99999")
open("made/process-99999/.metadata", "w").close()
again = tandem("print", "--raw", "made")
check(again.stdout == printed.stdout and not again.stderr,
      "a process that had not begun is no damage", again.stderr)
open("made/process-99999/stream-1", "w").close()
again = tandem("print", "--raw", "made")
check("metadata" in again.stderr, "a stream without metadata is", again.stderr)
shutil.rmtree("made/process-99999")

for there in (0, 4, 8, 32, 56, 64, 72, 104, HEADER):
    with open(stream, "r+b") as file:
        file.truncate(length)
        file.seek(length)
        file.write(bytes(whole[:there]).ljust(size, b"\0"))
    again = tandem("print", "--raw", "made")
    check(again.stdout == printed.stdout and not again.stderr,
          f"{there} bytes of the header: read without a complaint", again.stderr)
# What is no beginning of it stays, and is told.
with open(stream, "r+b") as file:
    file.truncate(length)
    file.seek(length)
    file.write((bytes(whole[:32]) + b"\0" * 40 + b"odd").ljust(size, b"\0"))
again = tandem("print", "--raw", "made")
check("smaller than its header" in again.stderr, "anything else is damage", again.stderr)
finish()
