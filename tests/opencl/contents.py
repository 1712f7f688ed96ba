#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What transfers moved leaves a hash behind their calls: the same for the same bytes, to the device
(`content`) and to the host (`content_read`), where it is there when the call returns."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from corpus import CORPUS, STUB
from tap import check, finish
from traces import record, tandem

CONTENT = re.compile(r"\b(content|content_read)\(op=([\d:]+), offset=(\d+), bytes=(\d+), hashed=(\d+), hash=(\w+)"
                     r"(?:, words=(\w+))?\)")
CALL = re.compile(r"\.\.\. (clEnqueue(?:Read|Write)Buffer) = CL_SUCCESS  op ([\d:]+)")
ENTRY = re.compile(r"(clEnqueue(?:Read|Write)Buffer)\(.*blocking=(\w+),.*op ([\d:]+)")


SYMPOSIA = os.path.join(os.environ["TANDEM_BUILD"], "tests", "findings", "symposia", "symposia")
FINALS = os.path.join(os.path.dirname(os.path.dirname(CORPUS)), "finals", "finals")


def printed(program, args, device=STUB, of=CORPUS, version=()):
    path = f"{program}-{args}"
    status = record(path, [of, program, *version], "--args", args, env=device)
    said = tandem("print", path)
    check(status == 0 and said.returncode == 0, f"{path} is recorded", said.stderr)
    return said.stdout.splitlines()


def contents(lines):
    return [match.groups() for match in map(CONTENT.search, lines) if match]


lines = printed("copy_by_host", "full")
found = contents(lines)
reads = [row for row in found if row[0] == "content_read"]
writes = [row for row in found if row[0] == "content"][1:]  # without the one that fills the source
check(len(reads) == 40 and len(writes) == 40, "one record for each transfer", (len(reads), len(writes)))
# The first read has samples, of which the first write knows: it filled the source.
check(all(read[2:4] + read[5:] == write[2:4] + write[5:] for read, write in zip(reads[1:], writes[1:])),
      "what was read is what is written", (reads[:1], writes[:1]))
check(all(int(row[3]) == 4 << 20 for row in reads) and int(reads[0][4]) == 65536, "64 KiB of it are looked at",
      reads[:1])
call, calls = None, []
for line in lines:
    call = CALL.search(line) or call
    if "content_read(" in line:
        calls.append(call and call.groups())
check(calls == [("clEnqueueReadBuffer", row[1]) for row in reads], "and comes behind its call", calls[:2])

lines = printed("halo_by_host", "full")
check(all(row[3] == row[4] for row in contents(lines)) and contents(lines), "all bytes of less are")
check({int(row[2]) for row in contents(lines)} == {0, 2048, 128 * 2048, 129 * 2048}, "parts have their places",
      {row[2] for row in contents(lines)})

# A part of each row of a picture: 1 MiB in rows of 1 KiB, 4 KiB apart.
found = contents(printed("window_by_host", "full"))
pairs = [(one, other) for one, other in zip(found, found[1:]) if one[0] == "content_read"]
check(len(pairs) == 40 and all(one[3:] == other[3:] and int(one[3]) == 1 << 20 for one, other in pairs) and
      len({one[5] for one, _ in pairs}) == 40, "rows that lie apart are looked at as they are", pairs[:2])
check({one[2] for one, _ in pairs} == {str(16 * 2048 + 1024)} and {other[2] for _, other in pairs} == {"0"},
      "where they are in either buffer", pairs[:1])
found = contents(printed("window_again", "full"))
check(len(found) == 40 and len({row[5] for row in found[1:]}) == 1 and all(row[3] == row[4] for row in found[1:9]),
      "and all of them where their samples come again", found[:3])

# The host changes the walls of a grid that it read, and writes all of it back: words in between are the same,
# as one that is 0 has no byte. A buffer that is filled anew has other words.
if os.path.exists("/etc/OpenCL/vendors/pocl.icd"):
    found = contents(printed("cavity_walls", "full", {"POCL_DEVICES": "basic"}, of=SYMPOSIA))
    pairs = [(one, other) for one, other in zip(found, found[1:])
             if (one[0], other[0]) == ("content_read", "content") and int(one[3]) == 1 << 18]
    check(len(pairs) == 700 and all(one[5] != other[5] for one, other in pairs) and
          all(one[6] == other[6] for one, other in pairs), "a part that changes leaves most words", pairs[:2])
words = [row[6] for row in contents(printed("clean_stream", "full")) if row[0] == "content"]
check(len(words) > 8 and len(set(words)) == len(words) and words.index(None) == 0,
      "what is new has other words, and what is 0 none", words[:4])

# An image of 16 MiB, of which one of the first elements changes each time.
tiles = [row for row in contents(printed("image_scratch", "full", of=FINALS, version=["repaired"]))
         if row[0] == "content" and int(row[3]) == 16 << 20]
check(len(tiles) >= 60 and len({row[5] for row in tiles}) >= 60, "what changes at the beginning is seen",
      (len(tiles), len({row[5] for row in tiles})))

# Of 4 MiB one number changes between the samples: from the second time on all of it is hashed.
lines = [row for row in contents(printed("clean_element", "full")) if int(row[3]) == 4 << 20]
check(len(lines) == 40 and int(lines[0][4]) == 65536 and all(row[3] == row[4] for row in lines[1:]) and
      len({row[5] for row in lines}) == 40, "what changes where no sample is, is seen", lines[:3])
# What is the same is looked at as a whole eight times, and then each eighth time.
lines = [row for row in contents(printed("upload_again", "full")) if int(row[3]) > 1 << 18]
whole = [row[3] == row[4] for row in lines]
check(len(lines) >= 20 and len({row[5] for row in lines[1:]}) == 1 and not whole[0] and all(whole[1:9]) and
      3 < whole.count(False) < len(whole) - 8, "and what is the same, now and then", whole)

# What a read brings that does not wait may not be there yet; a write has what it takes.
lines = printed("marker_each", "full")
waits = {match[3]: match[2] for match in map(ENTRY.search, lines) if match and "Read" in match[1]}
reads = {row[1] for row in contents(lines) if row[0] == "content_read"}
check("CL_FALSE" in waits.values() and all(waits.get(op) == "CL_TRUE" for op in reads),
      "none of reads that do not wait", (len(waits), len(reads)))
check(not contents(printed("copy_by_host", "basic")), "nor without --args full")

# What came is looked at behind the wait of the thread that enqueued the read, if it is still there.
ARRIVED = re.compile(r"\bcontent_arrived\(op=[\d:]+, offset=(\d+), bytes=(\d+), words=(\w+)\)")
LATER_CALLS = re.compile(r"\b(clFinish|clWaitForEvents|content|content_arrived)\(")
LATER = os.path.join(os.environ["TANDEM_BUILD"], "tests", "programs", "later")
check(record("later", [LATER], "--args", "full", env=STUB) == 0, "reads that do not wait are recorded")
lines = [line for line in tandem("print", "later").stdout.splitlines() if LATER_CALLS.search(line)]
came = [match.groups() for match in map(ARRIVED.search, lines) if match]
check([row[:2] for row in came] == 10 * [("0", str(1 << 18))] + [(str(1 << 17), str(1 << 17)), ("0", str(1 << 16))],
      "by clFinish, by an event, by what blocks behind it; none of what is gone, or another thread waits for", came)
sent = [row[6] for row in contents(lines) if row[0] == "content"]
check([row[2] for row in came[:10]] == sent[1:20:2] and len(set(sent)) == 10, "as it was written", (came, sent))
behind = [before for before, line in zip(lines, lines[1:]) if "content_arrived(" in line]
check(len(behind) == 12 and all("clFinish" in line for line in behind[:10]), "behind the call that waited",
      behind[:1])
found = [row for row in json.loads(tandem("findings", "--format", "json", "--all", "later").stdout)["findings"]
         if (row["name"], row["cause"]) == ("copies", "by-host")]
check(len(found) == 1 and found[0]["count"] == 10 and "eight words" in found[0]["why"],
      "and said to go from buffer to buffer", found)

# What is written to memory that is mapped goes to the device when it is unmapped.
MAPPED = os.path.join(os.environ["TANDEM_BUILD"], "tests", "programs", "mapped")
check(record("mapped", [MAPPED], "--args", "full", env=STUB) == 0, "memory that is mapped is recorded")
printed_lines = tandem("print", "mapped").stdout.splitlines()
found = contents(printed_lines)
read = [row for row in found if row[0] == "content_read"]
sent = [row[2:6] for row in found if row[0] == "content"]
check(len(read) == 12 and len(sent) == 7 * 10, "what comes by mapping it to be read, goes by unmapping", found[:4])
check([row[2:6] for row in read[:10]] == sent[0:20:2] == sent[1:20:2] and len(set(sent[:20])) == 10,
      "a field is the same on its way from buffer to buffer", (read[:2], sent[:4]))
check(len(set(sent[20:40:2])) == len(set(sent[21:40:2])) == len(set(sent[40:50])) == 1 and
      sent[20][3] != sent[21][3], "tables are what they were: of a buffer, an image, shared memory", sent[20:44])
check(len(set(sent[50:60])) == 1 and sent[50][1] == str(1 << 18) and read[10][2:4] == ("0", str(1 << 17)),
      "copies of shared memory are looked at on their way from the host, and to it", (sent[50:52], read[10]))
kinds = [line.split()[4] for line in printed_lines if " queued copy" in line and "SVMMemcpy" in line]
check([kinds.count(kind) for kind in ("copy_h2d", "copy_d2h", "copy_d2d")] == [10, 1, 1], "and told apart", kinds)
check([row[:2] for row in sent[60:]] == 10 * [(str(1 << 16), "4096")] and len(set(sent[60:])) == 10,
      "parts have their places, and are new", sent[60:])
LOOKS = re.compile(r"\b(content_mapped\(|clEnqueue(?:SVM)?Unmap\w*\(|content\()")
order = [match[1] for match in map(LOOKS.search, printed_lines) if match]
check(all(order[i + 1].startswith("clEnqueue") and order[i + 2] == "content("
          for i, what in enumerate(order) if what == "content_mapped("), "looked at before its call", order[:12])
# Three times it may be chance, of a buffer that had other data ten times.
said = json.loads(tandem("findings", "--format", "json", "--all", "mapped").stdout)["findings"]
said = {row["cause"]: (row["count"], row["object"]) for row in said if row["name"] == "copies"}
check(said.get("by-host") == (10, "clEnqueueUnmapMemObject") and said.get("unchanged", (0,))[0] == 4 * 9 - 3,
      "and said of it as of what is written", said)
check(record("mapped-basic", [MAPPED], "--args", "basic", env=STUB) == 0 and
      not re.search("content", tandem("print", "mapped-basic").stdout), "nothing of that without --args full")
finish()
