#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Numbers of events are never changed: those in sessions of older versions are today's, and the
generator appends, keeps what an API has lost, and refuses a file in which a number changed."""
import os
import pathlib
import re
import sys
import tarfile

root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(root, "tools", "apigen"))
import domains  # noqa: E402
import ids  # noqa: E402
from model import SourceError  # noqa: E402

done = bad = 0
FILES = {path.stem: str(path.relative_to(root))
         for path in pathlib.Path(root, "src").glob("**/*.ids")}


def check(good, words):
    global done, bad
    done += 1
    bad += not good
    print("%sok %d - %s" % ("" if good else "not ", done, words))


class Event:
    def __init__(self, number, name):
        self.id, self.name = number, name

    def retired(self, number, name):
        return Event(number, "lost " + name)


rows = domains.read(root)
now = {}
for row in rows:
    for name, number in ids.Ids(root, FILES[row.name], row.name).numbers.items():
        now[domains.event_id(row.name, number)] = name
check(len(now) > 1000, "%d events have numbers" % len(now))

folder = os.path.join(root, "tests", "data", "sessions")
old = {}
for archive in sorted(os.listdir(folder)):
    if archive.endswith(".tar.xz"):
        with tarfile.open(os.path.join(folder, archive)) as session:
            for member in session.getmembers():
                if member.name.endswith("/metadata"):
                    text = session.extractfile(member).read().decode()
                    old.update((int(number), name) for name, number in
                               re.findall(r'^event \{ name = "(\w+)"; id = (\d+);', text, re.M))
# A name may change, if the reader knows the former one: the number may not.
with open(os.path.join(root, "src/trace/schema/former_names.c"), encoding="utf-8") as source:
    former = dict(re.findall(r'NULL, "(\w+)", "(\w+)"', source.read().split("fields[]")[0]))
check(len(former) > 1, "former names are known %s" % former)
moved = [(number, name) for number, name in old.items()
         if name != "none" and now.get(number) != former.get(name, name)]
check(len(old) > 1000 and not moved, "the %d of older sessions are today's %s" % (len(old), moved[:3]))

# HIP's calls have ROCm's numbers of them, HIP_API_ID_*.
hip = ids.Ids(root, FILES["hip"], "hip")
table = open(os.path.join(root, "src/domains/hip/hip.api"), encoding="utf-8").read()
rocm = {name: int(number) for number, name in re.findall(r"^function ([1-9]\d*) (\w+)", table, re.M)}
known = {"hipLaunchKernel": 107, "hipMalloc": 108, "hipMemcpy": 125, "hipExtHostAlloc": 407}
check(len(rocm) == 483 and known.items() <= rocm.items() <= hip.numbers.items() and
      all(number >= hip.own for name, number in hip.numbers.items() if name not in rocm),
      "HIP's functions have ROCm's numbers, and what is ours has others")

# As looked up in the sources of ROCm's releases, which have some by their names before HIP's macros.
MACROS = {"hipChooseDevice": "hipChooseDeviceR0600"}
lines = [line.split() for line in open(os.path.join(root, "tests/data/hip/numbers.txt"), encoding="utf-8")
         if line[0] != "#"]
facts = [words for words in lines if "." not in words[0]]
places = {name: int(place) - 1 for place, name in re.findall(r"^runtime (\d+) (\w+)", table, re.M)}
for what, column, have, count in (("number", 1, rocm, 396), ("place in the table", 2, places, 477)):
    looked_up = {MACROS.get(words[0], words[0]): int(words[column]) for words in facts
                 if words[column] != "-"}
    check(len(looked_up) == count and looked_up.items() <= have.items(),
          "HIP's functions have the %s that ROCm's sources say %s" %
          (what, sorted(looked_up.items() - have.items())[:5]))

# Those of two versions, by which ROCTracer's clients of that time go.
with open(os.path.join(root, "src/tracer/roctracer/hip_number.c"), encoding="utf-8") as source:
    tables = dict(re.findall(r"rocm_(\d_\d)\[\] = \{(.*?)\};", source.read(), re.S))
for version in ("6.0", "6.2"):
    pairs = {(int(a), int(b)) for a, b in re.findall(r"\{(\d+), (\d+)\}", tables[version.replace(".", "_")])}
    own = {(int(words[2]), rocm[words[1]]) for words in lines if words[0] == version}
    check(own and own <= pairs and {a for a, _ in pairs} == {b for _, b in pairs},
          "functions of ROCm %s have its numbers in ROCTracer's interface %s" % (version, own - pairs))

work = os.environ.get("TANDEM_TMP", ".")


def write(text):
    with open(os.path.join(work, "made.ids"), "w", encoding="utf-8") as file:
        file.write(text)


def read():
    return ids.Ids(work, "made.ids", "made")


write("1 first\n2 second\n3 third\n")
made = read()
check([made.number(name) for name in ("third", "new", "first", "newer")] == [3, 4, 1, 5],
      "what is new comes last, whatever its place in the API")
ordered = made.order([Event(0, "none"), Event(1, "first"), Event(3, "third"), Event(4, "new"),
                      Event(5, "newer")])
check([event.id for event in ordered] == list(range(6)) and ordered[2].name == "lost second",
      "what the API has lost keeps its number")
write(made.text())
check(read().numbers == made.numbers, "it reads what it writes")
write("own 5\n1 a\n3 b\n5 ours\n")
made = read()
check((made.fixed("c", 4), made.number("more"), made.fixed("a", 1)) == (4, 6, 1),
      "a vendor's numbers have gaps, and ours follow them")
for number, name in ((2, "a"), (5, "d")):
    try:
        made.fixed(name, number)
        check(False, "a vendor's number can't be another, or one of ours")
    except SourceError:
        check(True, "a vendor's number can't be another, or one of ours")
for text, words in (("1 a\n3 b\n", "left out"), ("2 a\n", "not from the start"),
                    ("1 a\n1 b\n", "given twice"), ("1 a\n2 a\n", "of one name"), ("x y\n", "none")):
    write(text)
    try:
        read()
        check(False, "numbers %s are refused" % words)
    except SourceError:
        check(True, "numbers %s are refused" % words)
write("".join("%d e%d\n" % (number, number) for number in range(1, 1024)))
check(read().number("next") == 1025, "the first number of a page is no event's")
try:
    domains.event_id("opencl", 1025)
    check(False, "a domain without a second page has no more")
except SourceError:
    check(True, "a domain without a second page has no more")
domains._rows["big"] = domains.Domain(20, "big", "big", (20, 62))
check(domains.event_id("big", 1025) == 62 * 1024 + 1 and domains.event_id("big", 1) == 20 * 1024 + 1,
      "one with a second page goes on there")
sys.exit(bad != 0)
