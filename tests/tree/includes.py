#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What may use what: the arrows between rooms (doc/INTERNALS.md, "What may use what"), and
no circle of files anywhere. A file's header and source are one: its noun."""
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish  # noqa: E402

ROOT = Path(os.environ.get("INCLUDES_ROOT") or os.environ["TANDEM_SOURCE"])
ENDS = (".c", ".h", ".cpp", ".hpp", ".def")

# A room: those that it may use, besides itself. Those of a traced process and those of the
# command share util, format and schema only.
ROOMS = {
    "include": set(),
    "util": set(),
    "format": {"util"},
    "schema": {"format", "util"},
    "core": {"schema", "format", "util"},
    "sinks": {"core", "schema", "format", "util", "include"},
    "domains": {"core", "setup", "schema", "format", "util", "include"},
    "tracer": {"core", "sinks", "schema", "format", "util", "include"},
    "trace": {"schema", "format", "util"},
    "analysis": {"trace", "schema", "format", "util"},
    "export": {"analysis", "trace", "schema", "format", "util"},
    "view": {"analysis", "trace", "schema", "format", "util"},
    "linux": {"schema", "format", "util"},
    "setup": {"schema", "format", "util"},
    "recorder": {"setup", "linux", "schema", "format", "util"},
    "cli": {"recorder", "setup", "export", "view", "analysis", "trace", "schema", "format", "util"},
    "xpti": {"include"},
}


def room(noun):
    return noun.split("/")[0]


def nouns(root):
    """Every file below src/ and include/, by its path there."""
    found = {}
    for top in ("src", "include"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in ENDS:
                name = str(path.relative_to(root / "src" if top == "src" else root))
                found[name] = path
    return found


def uses(files):
    """Noun -> the nouns that it includes -> the file in which it does."""
    graph = {}
    for name, path in files.items():
        noun = name.rsplit(".", 1)[0]
        graph.setdefault(noun, {})
        for included in re.findall(r'^\s*#\s*include\s+["<]([^">]+)[">]', path.read_text(), re.M):
            beside = os.path.normpath(os.path.join(os.path.dirname(name), included))
            for candidate in (beside, included, "include/" + included):
                if candidate in files:
                    other = candidate.rsplit(".", 1)[0]
                    if other != noun:
                        graph[noun].setdefault(other, name)
                    break
    return graph


def circles(graph):
    """Strongly connected components of several nouns (Tarjan 1972)."""
    number, low, stack, on_stack, found = {}, {}, [], set(), []

    def visit(noun):
        number[noun] = low[noun] = len(number)
        stack.append(noun)
        on_stack.add(noun)
        for other in graph.get(noun, ()):
            if other not in number:
                visit(other)
                low[noun] = min(low[noun], low[other])
            elif other in on_stack:
                low[noun] = min(low[noun], number[other])
        if low[noun] == number[noun]:
            members = []
            while not members or members[-1] != noun:
                members.append(stack.pop())
                on_stack.discard(members[-1])
            if len(members) > 1:
                found.append(sorted(members))

    sys.setrecursionlimit(10000)
    for noun in sorted(graph):
        if noun not in number:
            visit(noun)
    return sorted(found)


FILES = nouns(ROOT)
GRAPH = uses(FILES)
check(len(FILES) > 500 and sum(map(len, GRAPH.values())) > 1000, "there are files that use others",
      len(FILES))

unknown = sorted({room(noun) for noun in GRAPH} - set(ROOMS))
check(not unknown, "every room has its arrows", unknown)
for name in sorted(ROOMS):
    wrong = sorted(f"{file}: {other}" for noun, used in GRAPH.items() if room(noun) == name
                   for other, file in used.items()
                   if room(other) not in ROOMS[name] | {name})
    check(not wrong, f"{name} uses {', '.join(sorted(ROOMS[name])) or 'no other'}", wrong)

# What a domain has for `tandem doctor` is compiled into the command, and nothing else of it is.
wrong = sorted(f"{file}: {other}" for noun, used in GRAPH.items() if room(noun) == "domains"
               for other, file in used.items()
               if (noun.split("/")[-1] == "doctor") != (room(other) == "setup")
               and (room(other) == "setup" or room(other) == "core"))
check(not wrong, "of a domain, doctor.c alone uses setup, and no core", wrong)

# A domain knows no other: what two share is core's.
wrong = sorted(f"{file}: {other}" for noun, used in GRAPH.items() if room(noun) == "domains"
               for other, file in used.items()
               if room(other) == "domains" and noun.split("/")[1] != other.split("/")[1])
check(not wrong, "a domain uses no other domain", wrong)

for members in circles(GRAPH):
    edges = [f"{GRAPH[noun][other]} includes {other}" for noun in members
             for other in members if other in GRAPH[noun]]
    check(False, "no circle: " + " ".join(members), edges)
check(not circles(GRAPH), "no files depend on each other in a circle")
finish()
