#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sessions of every version are read: those that versions wrote (tests/data/sessions), and what
another build could have written, made of them: events, fields and domains of other names, in
other places, described by half, or not at all. Nothing ever has a wrong name."""
import collections
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile

sys.path.insert(0, os.path.join(os.environ.get("TANDEM_SOURCE", "."), "tests", "lib"))
from tap import check, finish, TANDEM

DATA = os.path.join(os.environ.get("TANDEM_SOURCE", "."), "tests", "data", "sessions")
OPENCL, MADE = 1, 61
HEADER_BYTES, CONTENT_BITS = 120, 48  # src/format/packet.h


def tandem(*words):
    return subprocess.run([TANDEM, *words], capture_output=True, text=True)


def printed(folder, *words):
    shown = tandem("print", "--raw", "--format", "json", *words, folder)
    return [json.loads(line) for line in shown.stdout.splitlines()], shown


# Events that have another name now than when such sessions were recorded.
RENAMED = {"launch_shape": "launch_config", "transfer_shape": "transfer_config"}


def of_now(said):
    return dict(said, events={RENAMED.get(name, name): count
                              for name, count in said["events"].items()})


def summary(events):
    """What a version must say of a session: see tests/data/sessions/README."""
    counts = collections.Counter(event["name"] for event in events)
    digest = hashlib.sha256()
    for event in events:
        if event["domain"] in ("opencl", "cuda", "cudart"):
            digest.update(json.dumps([event["name"], event["args"]], sort_keys=True).encode())
    return {"events": dict(sorted(counts.items())), "calls": digest.hexdigest()}


def unpack(name, to):
    with tarfile.open(os.path.join(DATA, name + ".tar.xz")) as archive:
        archive.extractall(to)
    return os.path.join(to, os.listdir(to)[0])


def files_of(folder, start):
    return [os.path.join(path, file) for path, _, files in os.walk(folder)
            for file in files if file.startswith(start)]


def edit(folder, change):
    """Changes the text of each metadata file."""
    for path in files_of(folder, "metadata"):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(change(text))


def renumber(folder, change):
    """Changes the ids of all records."""
    for path in files_of(folder, "stream-") + files_of(folder, "window-"):
        with open(path, "rb") as file:
            data = bytearray(file.read())
        packet = 0
        while packet + HEADER_BYTES <= len(data):
            content, size = struct.unpack_from("<2Q", data, packet + CONTENT_BITS)
            at, end = packet + HEADER_BYTES, packet + content // 8
            while at + 12 <= end:
                event, length = struct.unpack_from("<2H", data, at + 8)
                struct.pack_into("<H", data, at + 8, change(event))
                at += (length + 7) & ~7
            packet += size // 8 or len(data)
        with open(path, "wb") as file:
            file.write(data)


if sys.argv[1:2] == ["--expect"]:
    json.dump({os.path.basename(folder): summary(printed(folder)[0]) for folder in sys.argv[2:]},
              sys.stdout, indent=1)
    print()
    sys.exit(0)

with open(os.path.join(DATA, "expected.json"), encoding="utf-8") as file:
    expected = {name: of_now(said) for name, said in json.load(file).items()}
names = sorted(name[:-len(".tar.xz")] for name in os.listdir(DATA) if name.endswith(".tar.xz"))
check(names == sorted(expected) and len(names) >= 8, "each session has what is expected of it", names)
for name in names:
    folder = unpack(name, name)
    events, shown = printed(folder)
    check(not shown.returncode and not shown.stderr, "%s: read without a word" % name, shown.stderr)
    check(summary(events) == expected[name], "%s: every event and argument" % name)
    for command in ("report", "findings", "status"):
        said = tandem(command, folder)
        check(not said.returncode and not said.stderr, "%s: %s" % (name, command), said.stderr)

# Fields of former names are understood, in metadata and in DIR/schema, and only these.
for name in ("cuda-graph-0.1.0-a", "cuda-graph-0.1.0-b"):
    events, _ = printed(os.path.join(name, "cuda-graph"))
    operations = [event["args"] for event in events if event["name"] == "operation"]
    configs = {event["args"]["launch_config"]: event for event in events
               if event["name"] in ("launch_config", "transfer_config")}
    check(operations and all(args["completion_source"] == "delivered"
                             and args["time_domain"] == "session_ticks"
                             and not {"proof", "timed", "shape"} & set(args)
                             for args in operations),
          "%s: an operation's fields have their names of now" % name, operations[:1])
    check(len(configs) > 3 and {configs[args["launch_config"]]["name"] for args in operations
                                if args["kind"] == "kernel"} == {"launch_config"},
          "%s: and name the launch's configuration" % name, (operations[:1], list(configs)))

basic = "opencl-stub-basic-0.1.0-a"
was, _ = printed(basic + "/opencl-stub-basic")


def other(words, change=None, ids=None):
    """The session changed; prints what is said of it."""
    shutil.rmtree("other", ignore_errors=True)
    folder = unpack(basic, "other")
    if ids:
        renumber(folder, ids)
    edit(folder, lambda text: re.sub(r'schema = "\w+"', 'schema = "0123"', text))
    if change:
        edit(folder, change)
    for command in ("report", "findings"):
        said = tandem(command, folder)
        check(not said.returncode, "%s: %s" % (words, command), said.stderr)
    events, shown = printed(folder)
    check(not shown.returncode, "%s: print" % words, shown.stderr)
    return events, shown.stderr


def of(events, name):
    return [event for event in events if event["name"] == name]


# Another build's hash says that something differs; nothing does.
now, said = other("another hash")
check(now == was and not said, "another hash: all is read", said)

# Metadata that is cut, as by a full disk, garbage, or missing: what is there is as this build
# knows it, so that all is.
now, said = other("cut", lambda text: text[:len(text) * 2 // 3])
check(now == was, "cut in an event: all is read", said)
now, said = other("garbage", lambda text: text + "event { name = 7; };\nevent {\nenum x {\n")
check(now == was and "make no sense" in said and said.count("warning") == 1,
      "events that make no sense are told once", said)
shutil.rmtree("other", ignore_errors=True)
folder = unpack(basic, "other")
for path in files_of(folder, "metadata"):
    os.unlink(path)
now, shown = printed(folder)
check(summary(now) == expected[basic] and "metadata" in shown.stderr, "without metadata: all is read")

# A call of another name in the place of one that this build knows.
now, said = other("renamed", lambda text: text.replace('name = "clFinish"', 'name = "clFinishAll"'))
check(len(of(now, "clFinishAll")) == len(of(was, "clFinish")) > 0 and not of(now, "clFinish"),
      "a call has the session's name, not this build's", said)

# A call whose fields stand otherwise: no field has another's value.
swapped = (("u64 offset; u64 _size;", "u64 _size; u64 offset;"),)
first = of(was, "clEnqueueReadBuffer") + of(was, "clEnqueueWriteBuffer")


def swap(text):
    for a, b in swapped:
        assert a in text
        text = text.replace(a, b)
    return text


now, said = other("fields", swap)
after = of(now, "clEnqueueReadBuffer") + of(now, "clEnqueueWriteBuffer")
check(len(first) == len(after) > 0 and all(
    (a["args"]["offset"], a["args"]["size"]) == (b["args"]["size"], b["args"]["offset"])
    and a["args"]["queue"] == b["args"]["queue"] for a, b in zip(first, after)),
      "fields are where the session says", after[:1])

# A record of our own laid out otherwise is converted: its struct is known by heart.
swapped = (("u32 context; u32 device; x64 properties", "u32 device; u32 context; x64 properties"),)
now, said = other("record", swap)
a, b = of(was, "queue")[0]["args"], of(now, "queue")[0]["args"]
check((a["context"], a["device"], a["timing"]) == (b["device"], b["context"], b["timing"]),
      "a record is converted by the names of its fields", (a, b))

# One with a text behind it.
swapped = (("u64 local_bytes; u64 private_bytes;", "u64 private_bytes; u64 local_bytes;"),)
now, said = other("record with a text", swap)
a, b = of(was, "kernel"), of(now, "kernel")
check(a and [event["args"]["name"] for event in a] == [event["args"]["name"] for event in b],
      "and what lies behind its fields is found", (a[:1], b[:1]))

# A record of another name in the place of one that this build knows is none of that.
now, said = other("record renamed", lambda text: text.replace(
    'event { name = "queue"; id = 3;', 'event { name = "gueue"; id = 3;'))
check(len(of(now, "gueue")) == len(of(was, "queue")) > 0 and not of(now, "queue"),
      "a record has the session's name", said)


# A domain that this build does not have, described by the session ...
def made(event):
    return MADE << 10 | event & 0x3ff if event >> 10 == OPENCL else event


def described(text):
    def event(match):
        return "id = %d;" % made(int(match[1]))
    head, body = text.split('event { name = "clGetPlatformIDs"')
    body = 'event { name = "clGetPlatformIDs"' + body
    return head + '/* domain 61 made title="Made" prefixes="cl" */\n' + re.sub(r"id = (\d+);", event, body)


now, said = other("new domain", described, made)
calls = [event for event in was if event["domain"] == "opencl"]
check([event["name"] for event in now if event["domain"] == "made"]
      == [event["name"] for event in calls], "its calls have their names", said)
check(said.count("warning") == 1 and "made" in said, "that is told once", said)

# ... and described by nobody.
now, said = other("unknown domain", None, made)
check([event["name"] for event in now] == [event["name"] for event in was
                                           if event["domain"] != "opencl"],
      "all but its events are read")
check(said.count("warning") == 1 and "61" in said, "that is told once", said)

# A domain of another name under a number that this build gave away.
now, said = other("number of another", lambda text: text.replace(
    'event { name = "none"; id = 1024;',
    '/* domain 1 other title="Other" */\nevent { name = "none"; id = 1024;'))
check(len([event for event in now if event["domain"] == "other"]) == len(calls)
      and not [event for event in now if event["domain"] == "opencl"],
      "it is not taken for this build's", said)

# What this build records: the session's own descriptions, damaged before the program's first call.
def record(name, damage):
    """Records a program; `damage` is a shell command that has the session's file as $1."""
    shutil.rmtree(name, ignore_errors=True)
    path = os.path.abspath(name)
    done = subprocess.run(
        [TANDEM, "record", "-q", "--kernel", "off", "-o", name, "--", "sh", "-c",
         damage + '; exec "$2"', "sh", path + "/schema", PROGRAM],
        env=dict(os.environ, OCL_ICD_VENDORS=STUB, STUB_ENGINE="thread"), capture_output=True,
        text=True)
    events, shown = printed(name)
    return done, [event["name"] for event in events if event["domain"] == "opencl"], shown.stderr


PROGRAM = os.path.join(os.environ["TANDEM_BUILD"], "tests", "programs", "outoforder")
STUB = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "libstubcl.so")
if os.path.exists(PROGRAM):
    whole, names, said = record("whole", ":")
    check(not whole.returncode and not said and len(names) > 100, "a session of this build", said)
    text = open(files_of("whole/process-" + [name for name in os.listdir("whole")
                                             if name.startswith("process-")][0][8:], "metadata")[0],
                encoding="utf-8").read()
    check(re.search(r"/\* domain 1 opencl layout=\"[0-9a-f]{32}\"", text) and "@queue" in text
          and "/* domain 2 " not in text, "its process has what it uses")
    for words, damage in (("removed", 'rm "$1"'), ("cut", 'truncate -s 100 "$1"'),
                          ("empty", ': >"$1"'), ("garbage", 'head -c 9999 /dev/urandom >"$1"')):
        done, found, said = record("damaged", damage)
        check(done.returncode == whole.returncode and sorted(found) == sorted(names),
              "schema %s: the program and its trace are whole" % words, said)
    done, found, said = record("other", "sed -i 's/3[0-9a-f]*/0000/; s/layout=\"[0-9a-f]*/"
                                        "layout=\"0/' \"$1\"")
    check(done.returncode == whole.returncode and (found == [] or sorted(found) == sorted(names)),
          "of other layouts: no call has a name that may be wrong", said)
finish()
