#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Traces of LTTng's that nobody's tracer wrote, or that other programs meddle with: values that
do not fit into their records, more threads than files, links in circles, pipes in the place of
files, readers at once, disks that are full. (No daemon is needed.)"""
import fcntl
import glob
import json
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time
import uuid

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish, skip, TANDEM
from traces import BUILD, cached, synthetic, tandem

if not os.path.exists(os.path.join(BUILD, "tandem-lttng-read.so")):
    print("built without libbabeltrace2 (libbabeltrace2-dev)")
    sys.exit(77)

HEAD = """/* CTF 1.8 */
typealias integer {{ size = 8; align = 8; signed = false; encoding = UTF8; }} := char_t;
typealias integer {{ size = 8; align = 8; signed = false; }} := u8_t;
typealias integer {{ size = 16; align = 8; signed = false; }} := u16_t;
typealias integer {{ size = 32; align = 8; signed = false; }} := u32_t;
typealias integer {{ size = 64; align = 8; signed = false; }} := u64_t;
typealias integer {{ size = 32; align = 8; signed = true; }} := i32_t;
trace {{ major = 1; minor = 8; uuid = "{ident}"; byte_order = le;
 packet.header := struct {{ u32_t magic; u8_t uuid[16]; u32_t stream_id; }}; }};
env {{ hostname = "here"; domain = "ust"; tracer_name = "lttng-ust"; }};
clock {{ name = "monotonic"; uuid = "93eacddb-4598-400f-a422-8d3e25180000"; freq = 1000000000;
 offset = 1700000000000000000; }};
typealias integer {{ size = 64; align = 8; signed = false; map = clock.monotonic.value; }} := ts_t;
stream {{ id = 0; event.header := struct {{ u16_t id; ts_t timestamp; }};
 event.context := struct {{ u32_t vpid; u32_t vtid; char_t procname[16]; }};
 packet.context := struct {{ ts_t timestamp_begin; ts_t timestamp_end; u64_t content_size;
 u64_t packet_size; u64_t events_discarded; u32_t cpu_id; }}; }};
"""


def write(folder, described, events):
    """`described`: (name, fields in TSDL); `events`: (which, thread, bytes), 10 ns apart."""
    os.makedirs(folder)
    ident = uuid.uuid4()
    text = HEAD.format(ident=ident)
    for number, (name, fields) in enumerate(described):
        text += (f'event {{ name = "tandem_opencl:{name}"; id = {number}; stream_id = 0; '
                 f'fields := struct {{ {fields} }}; }};\n')
    with open(os.path.join(folder, "metadata"), "w", encoding="utf-8") as file:
        file.write(text)
    data = b"".join(struct.pack("<HQII16s", which, 1000 + 10 * i, 77, thread, b"app") + more
                    for i, (which, thread, more) in enumerate(events))
    size = (24 + 8 * 5 + 4 + len(data)) * 8
    with open(os.path.join(folder, "channel_0"), "wb") as file:
        file.write(struct.pack("<I16sI", 0xC1FC1FC1, ident.bytes, 0) +
                   struct.pack("<QQQQQI", 1000, 1000 + 10 * len(events), size, size, 0, 0) + data)


def calls(path, **more):
    """Of each function, or what it said instead."""
    done = tandem("report", "--format", "json", path, timeout=100, **more)
    if done.returncode:
        return done.stderr
    return {row["name"]: row["calls"] for row in json.loads(done.stdout)["api"]}


FINISH = [("clFinish_entry", "u32_t queue;"), ("clFinish_exit", "i32_t result;")]


def finishes(count, threads=(5,)):
    return [(half, thread, struct.pack("<I", 1 if half == 0 else 0))
            for thread in threads for _ in range(count) for half in (0, 1)]


# A text where numbers of 8 bytes belong: as long, and then some, as the record's room.
write("text", [("clCreateContext_entry", "u32_t returned; string properties; u32_t num_devices; "
                "string devices; u64_t pfn_notify; u64_t user_data; u64_t errcode_ret;"),
               ("clCreateContext_exit", "i32_t result; u32_t returned;")],
      [(0, 5, bytes(4) + b"A" * 15000 + bytes(1) + bytes(4) + b"B" * 15000 + bytes(1) + bytes(24)),
       (1, 5, bytes(8))] * 50)
check(calls("text") == {"clCreateContext": 50}, "a text in the place of numbers", calls("text"))

# Calls without arguments, whose ends have one: it would lie in the next record, and of a
# packet's last one behind the packet.
many = 20000
write("ends", [("clCreateBuffer_entry", ""), ("clCreateBuffer_exit", "i32_t result; u32_t returned;"),
               ("clCreateSampler_entry", "")],
      [(which, 5, b"\xff" * 8 if which == 1 else b"") for _ in range(many) for which in (0, 2, 1)])
done = tandem("print", "--raw", "ends")
check(done.stdout.count("clCreateBuffer() = ") == many == done.stdout.count("clCreateSampler()") and
      not done.stderr, "ends of calls that have no room for what they return", done.stderr[-300:])

# More threads than a process may have files.
threads = 600
write("threads", FINISH, finishes(2, range(1, threads + 1)))
limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
check(calls("threads", preexec_fn=limit) == {"clFinish": 2 * threads},
      f"{threads} threads, 256 files", calls("threads", preexec_fn=limit))

# Links to their own folder: 40^6 folders, for who follows them.
write("links/app", FINISH, finishes(10))
for number in range(40):
    os.symlink(".", f"links/again-{number:02}")
try:
    said = calls("links")
except subprocess.TimeoutExpired:
    said = "no end"
check(said == {"clFinish": 10}, "links in a circle", said)
synthetic("made", records=100)
try:
    done = tandem("report", "--with", "links", "made", timeout=100)
    check(done.returncode == 1 and "links" in done.stderr, "and for --with", done.stderr)
except subprocess.TimeoutExpired:
    check(False, "and for --with", "no end")

# A pipe that nobody writes into.
os.mkfifo("pipe")
write("piped", FINISH, finishes(10))
os.mkdir("piped/sub")
os.mkfifo("piped/sub/metadata")
os.mkfifo("piped/channel_1")
for words, command in (("a pipe as a trace-cmd file", ["report", "--with", "pipe", "made"]),
                       ("a pipe as a trace", ["report", "pipe"])):
    try:
        done = tandem(*command, timeout=60)
        check(done.returncode == 1 and "pipe" in done.stderr, words, done.stderr)
    except subprocess.TimeoutExpired:
        check(False, words, "it is waited for")
try:
    check(calls("piped") == {"clFinish": 10}, "pipes in a trace's folders", calls("piped"))
except subprocess.TimeoutExpired:
    check(False, "pipes in a trace's folders", "they are waited for")

# What was made of it is kept while somebody reads it, though the trace has changed.
write("changing", FINISH, finishes(10))
calls("changing")
kept = glob.glob(os.path.join(os.path.dirname(cached("changing", "path")), "import-*"))
check(len(kept) == 1, "what was made of a trace is cached", kept)
held = os.open(kept[0], os.O_RDONLY)
fcntl.flock(held, fcntl.LOCK_SH)
os.utime("changing/channel_0", (1, 1))
check(calls("changing") == {"clFinish": 10} and os.path.exists(kept[0] + "/control"),
      "an import that is being read is not removed", glob.glob(kept[0] + "/*"))
os.close(held)
os.utime("changing/channel_0", (2, 2))
check(calls("changing") == {"clFinish": 10} and not os.path.exists(kept[0]), "and then it is")
for turn in range(4):
    os.utime("changing/channel_0", (10 + turn, 10))
    readers = [subprocess.Popen([TANDEM, "report", "--format", "json", "changing"], stderr=subprocess.PIPE,
                                stdout=subprocess.DEVNULL, text=True) for _ in range(6)]
    said = [(reader.communicate()[1], reader.returncode) for reader in readers]
    check(all(status == 0 for _, status in said), "six readers at once", said)

# What an interrupted removal, a cleaner of caches, a power cut or another program leave of an
# import (fuzz/fuzz_cache.c has more of it).
write("spoilt", FINISH, finishes(10))


def import_of(trace):
    return glob.glob(os.path.join(os.path.dirname(cached(trace, "path")), "import-*"))[0]


def remove(path):
    (os.unlink if os.path.islink(path) or not os.path.isdir(path) else shutil.rmtree)(path)


def replace(path, make):
    remove(path)
    make(path)


for words, name, change in (
        ("without its streams", "process-77", lambda path: [os.unlink(file) for file in glob.glob(path + "/stream-*")]),
        ("without a process", "process-77", remove),
        ("cut off", "control", lambda path: os.truncate(path, 0)),
        ("of other bytes", "session.json", lambda path: open(path, "r+b").write(b"[")),
        ("a file", "", lambda path: replace(path, lambda name: open(name, "w").close())),
        ("a link", "", lambda path: replace(path, lambda name: os.symlink("../..", name))),
        ("a pipe", "", lambda path: replace(path, os.mkfifo))):
    calls("spoilt")
    before = import_of("spoilt")
    change(os.path.join(before, name) if name else before)
    try:
        said = [calls("spoilt"), calls("spoilt")]
    except subprocess.TimeoutExpired:
        said = "no end"
    check(said == [{"clFinish": 10}] * 2 and import_of("spoilt") == before and
          os.path.isdir(before + "/process-77"), f"an import that is {words} is made again", said)
locked = os.open(os.path.dirname(before), os.O_RDONLY)
fcntl.flock(locked, fcntl.LOCK_EX)
os.utime("spoilt/channel_0", (3, 3))
try:
    said = calls("spoilt")
except subprocess.TimeoutExpired:
    said = "no end"
check(said == {"clFinish": 10}, "nobody waits for who has the cache locked", said)
os.close(locked)

# A packet without a size: libbabeltrace2 would fill the memory with it.
write("empty", FINISH, finishes(10))
with open("empty/channel_0", "rb") as file:
    whole = file.read()
with open("empty/channel_0", "ab") as file:
    file.write(whole[:48] + bytes(len(whole) - 48))
if os.environ.get("TANDEM_SANITIZE"):
    # A sanitizer's shadow takes terabytes of addresses: it has a limit of its own for what is used.
    bounded = {"env": {**os.environ, **{name: ":".join(filter(None, [os.environ.get(name), "hard_rss_limit_mb=4096"]))
                                        for name in ("ASAN_OPTIONS", "TSAN_OPTIONS")}}}
else:
    bounded = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))}
told = calls("empty", **bounded)
check(f"empty/channel_0: the packet at byte {len(whole)} has no size" in told and
      f"truncate -s {len(whole)}" in told, "a packet without a size", told)
os.truncate("empty/channel_0", len(whole))
check(calls("empty") == {"clFinish": 10}, "and without it", calls("empty"))

# A cache without room.
os.mkdir("full")
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tandem-test", "full"],
                  capture_output=True, check=False).returncode == 0:
    env = dict(os.environ, XDG_CACHE_HOME=os.path.abspath("full"))
    check(calls("ends", env=env).get("clCreateBuffer") == many, "a cache on a full disk")
    subprocess.run(["umount", "-l", "full"], check=False)
else:
    skip("a cache on a full disk", "mount is not permitted here")

# A temporary folder goes with the process that made it, however that ends.
os.makedirs("temporary")
env = dict(os.environ, TMPDIR=os.path.abspath("temporary"), XDG_CACHE_HOME="/dev/null")
for words, number in (("SIGINT", signal.SIGINT), ("SIGKILL", signal.SIGKILL)):
    # It waits for who reads its output, which is more than a pipe holds.
    reader = subprocess.Popen([TANDEM, "print", "ends"], stdout=subprocess.PIPE, env=env)
    reader.stdout.read(1)
    there = os.listdir("temporary")
    reader.send_signal(number)
    reader.wait()
    for _ in range(400):
        if not os.listdir("temporary"):
            break
        time.sleep(0.05)
    check(len(there) == 1 and not os.listdir("temporary"), f"nothing is left after {words}",
          (there, os.listdir("temporary")))
finish()
