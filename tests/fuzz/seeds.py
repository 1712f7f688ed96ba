#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes first inputs for the fuzz targets into FOLDER/TARGET: sessions of every argument
level, descriptions of events, machines with the kernel's side, files of trace-cmd, traces of LTTng.

    tests/fuzz/seeds.py BUILD FOLDER
"""
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from foreigntrace import write_dat, write_lttng


def part(data):
    """As scratch_part() takes it."""
    return len(data).to_bytes(3, "little") + data


def content(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def write(folder, target, name, data):
    os.makedirs(os.path.join(folder, target), exist_ok=True)
    with open(os.path.join(folder, target, name), "wb") as file:
        file.write(data)


def session_input(build, level, records, window):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.path.join(build, "bench", "gen_trace"), "-n", str(records), "-t", "1",
                        "-w", str(window), "-a", level, folder], check=True,
                       stdout=subprocess.DEVNULL)
        process = os.path.join(folder, "process-1000")
        text = content(process, "metadata").decode()
        # The blocks that the reader takes; the events' text is long and passed over.
        blocks = re.findall(r"^(?:trace|env|clock) \{.*?^\};", text, re.S | re.M)
        return (part("\n".join(blocks).encode()) + part(content(process, "stream-1"))
                + content(process, "window-1"))


def schema_input(build, level):
    """Some events and what they need, described in other layouts than this build's, and records."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.path.join(build, "bench", "gen_trace"), "-n", "20", "-t", "1",
                        "-w", "1024", "-a", level, folder], check=True, stdout=subprocess.DEVNULL)
        process = os.path.join(folder, "process-1000")
        lines = content(process, "metadata").decode().splitlines()
        events = [line for line in lines if line.startswith("event {")]
        events = events[1:20] + [line for line in events if re.search(
            r'"cl(EnqueueNDRangeKernel|EnqueueReadBuffer|Finish|CreateBuffer)"', line)]
        needed = set(re.findall(r"enum (\w+)", " ".join(events)))
        enums = [line[:300].rsplit(",", 1)[0] + " };" if len(line) > 300 else line
                 for line in lines if line.startswith("enum ") and line.split()[1] in needed]
        rows = [re.sub('layout="[^"]*"', 'layout="1"', line) for line in lines
                if line.startswith("/* domain") and line.split()[2] in "01"]
        core = [event for event in events if re.search(r"; id = \d{1,3};", event)]
        text = "\n".join(enums + rows[:1] + core + rows[1:]
                         + [event for event in events if event not in core]) + "\n"
        return text.encode() + b"\0" + (content(process, "stream-1")
                                        + content(process, "window-1"))[120:4000]


def machine_input(build, records):
    """And its kernel's events, as `tandem print` has them."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.path.join(build, "bench", "gen_machine"), "-n", str(records), "-p", "1",
                        "-t", "1", "-c", "2", "-w", "1200", folder], check=True,
                       stdout=subprocess.DEVNULL)
        stream = (content(folder, "process-1000", "stream-1")
                  + content(folder, "process-1000", "window-1"))
        printed = subprocess.run([os.path.join(build, "tandem"), "print", "--raw", "--format",
                                  "json", folder], check=True, capture_output=True, text=True)
        events = [json.loads(line) for line in printed.stdout.splitlines()]
        return (part(content(folder, "session.json")) + part(stream)
                + part(content(folder, "kernel", "stream-1"))
                + content(folder, "kernel", "stream-2"),
                [event for event in events if event["domain"] == "kernel"])


def control_inputs():
    """A page of each version that can be read, with the stream of a process."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.path.join(sys.argv[1], "bench", "gen_trace"), "-n", "20", "-t", "1",
                        "-w", "1024", "-a", "basic", folder], check=True,
                       stdout=subprocess.DEVNULL)
        stream = (content(folder, "process-1000", "stream-1")
                  + content(folder, "process-1000", "window-1"))
        page = content(folder, "control").rstrip(b"\0")
    for choice in range(8):
        yield bytes([choice]) + part(b"") + part(stream) + page


def view_input(build, records):
    """A process's stream, its timeline's index, and questions about it."""
    with tempfile.TemporaryDirectory() as folder:
        session, cache = os.path.join(folder, "session"), os.path.join(folder, "cache")
        os.mkdir(cache)
        subprocess.run([os.path.join(build, "bench", "gen_machine"), "-n", str(records), "-p", "1",
                        "-t", "1", "-c", "1", "-w", "1200", session], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([os.path.join(build, "tandem"), "export", "--format", "html", "-o",
                        os.path.join(folder, "page.html"), session], check=True,
                       env=dict(os.environ, XDG_CACHE_HOME=cache), stdout=subprocess.DEVNULL)
        stream = (content(session, "process-1000", "stream-1")
                  + content(session, "process-1000", "window-1"))
        found = [os.path.join(path, "timeline.index") for path, _, files in os.walk(cache)
                 if "timeline.index" in files]
        index = content(found[0])
    all_of = "session=0&from=0&to=1000000000"
    questions = ["tiles?session=0&level=0&first=0&last=3&tracks=0-3",
                 "tiles?session=0&level=9&first=-1&last=1&tracks=1,2",
                 *("detail?session=0&track=%d&item=%d" % (track, track) for track in range(6)),
                 "select?row=0&" + all_of, "select?row=1&" + all_of, "stacks?rows=0-9&" + all_of,
                 "search?session=0&labels=0-9", "counts?session=0&labels=0-9",
                 "instances?labels=0-9&rows=0-9&count=10&by_length=1&" + all_of,
                 "step?session=0&labels=0-9&at=0&track=0&item=0&back=0",
                 "marks?labels=0-9&bins=64&" + all_of]
    return part(stream) + part("\n".join(questions).encode()) + index


def guest_inputs():
    """A program, a script, a seccomp filter, and what comes through a pipe."""
    yield b"\0" + content("/bin/true")[:8000]
    yield b"\0#! /usr/bin/env sh\n"
    # Loads the number of the call, and allows all but one.
    yield b"\1" + b"".join(struct.pack("<HBBI", *step) for step in (
        (0x20, 0, 0, 0), (0x15, 0, 1, 257), (0x06, 0, 0, 0), (0x06, 0, 0, 0x7fff0000)))
    yield b"\2\1" + b"\2\0x" * 5 + b"\3" + bytes(4) + b"\2\0y"


def http_inputs():
    """What a browser sends, and others, with fuzz_http.c's bytes for the token, ticket and name."""
    for path in (b"/\1/", b"/\1", b"/\2", b"/", b"/\1/model", b"/\1/main.js", b"/\1/../\1/x", b"http://\3/\1/",
                 b"/\1/tiles?session=0&level=0&first=0&last=3&tracks=0-3", b"//\1/", b"/%2e/\1/"):
        yield b"GET " + path + b" HTTP/1.1\r\nHost: \3\r\n\r\n"
    for header in (b"Origin: http://\3", b"Origin: http://elsewhere", b"Sec-Fetch-Site: cross-site",
                   b"Host: elsewhere", b"Connection: close", b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0",
                   b"Content-Length: 5\r\n\r\n12345", b"Expect: 100-continue", b"Range: bytes=1-"):
        yield b"POST /\1/ HTTP/1.1\r\nHost: \3\r\n" + header + b"\r\n\r\n"
        yield b"HEAD /\1/ HTTP/1.0\r\n" + header + b"\r\nHost: \3\r\n\r\nGET /\1/model HTTP/1.1\r\nHost: \3\r\n\r\n"
    yield b"GET / HTTP/1.1\r\nHost: \3\r\nCookie: " + b"a" * 3000 + b"\r\n\r\n"


def cache_inputs():
    """Steps of fuzz_cache.c: readers that come, go and meet, and between them each kind of meddling
    at each place."""
    read, close, change, other, unlock = 0, 4, 5, 6, 7
    yield bytes((read, 0, read, 1, change, 1, read, 2, close, 0, read, 0, close, 1, other, 1, read, 1))
    yield bytes((8, 20)) + part(b"/nowhere") + bytes((10, 21, other, 1, read, 0))
    for kind in range(11):
        for place in range(26):
            content = part(b"damaged") if kind < 2 else b""
            meddle = bytes((8 + kind, place)) + content
            yield (bytes((read, 0)) + meddle + bytes((read, 1, close, 0, close, 1, read, 0, unlock, 0))
                   + bytes((8 + kind, place + 26)) + content
                   + bytes((change, 3, other, 1, read, 2, read, 1)))


def xpti_input(seed):
    chance = random.Random(seed)
    return bytes(chance.choice((0, 1, 2, 3, 65, 255, chance.randrange(256))) for _ in range(400))


def lttng_input(events):
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "kernel")
        write_lttng(trace, events, "93eacddb-4598-400f-a422-8d3e25180000", "here")
        streams = part(content(trace, "channel0_0")) + content(trace, "channel0_1")
        # Fields as LTTng has them, and some others.
        return part(b"") + streams, part(bytes(range(12)) * 4) + streams


def user_space_input(seed):
    """Twelve events of ours, most fields as the sink writes them, and 200 events of two threads."""
    chance = random.Random(seed)
    choices = bytes(0 if chance.random() < 0.8 else chance.randrange(256) for _ in range(200))
    events = b"".join(struct.pack("<BQBB4s", chance.randrange(12), 1000 + 10 * i, 1, 1 + i % 2, b"app")
                      + bytes(chance.choice((0, 0, 0, 1, 4, 65)) for _ in range(chance.choice((4, 8, 60))))
                      for i in range(200))
    return part(choices) + events


def main():
    build, folder = sys.argv[1:]
    for level in "none", "basic", "full":
        for records, window in (20, 1024), (60, 1200):
            write(folder, "trace", f"{level}-{records}",
                  session_input(build, level, records, window))
    for level in "none", "basic", "full":
        write(folder, "schema", level, schema_input(build, level))
    for records in 40, 120:
        data, events = machine_input(build, records)
        write(folder, "machine", str(records), data)
        os.makedirs(os.path.join(folder, "dat"), exist_ok=True)
        write_dat(os.path.join(folder, "dat", str(records)), events, "here", "6.1.0")
        for number, data in enumerate(lttng_input(events)):
            write(folder, "ctf", f"{records}-{number}", data)
    for seed in range(40):
        write(folder, "lttng", str(seed), user_space_input(seed))
        write(folder, "xpti", str(seed), xpti_input(seed))
    for target, inputs in (("cache", cache_inputs()), ("control", control_inputs()), ("guest", guest_inputs()), ("http", http_inputs()),
                           ("view", (view_input(build, records) for records in (20, 60)))):
        for number, data in enumerate(inputs):
            write(folder, target, str(number), data)


main()
