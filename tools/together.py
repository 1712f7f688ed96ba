#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sources that are compiled together: OUTPUT... are C files that include all of SOURCE...

    together.py OUTPUT... -- SOURCE...

Half of the time of compiling one of our files goes into starting the compiler and reading
headers that its neighbours read too. What a file defines for itself (static functions and
variables, types, macros) keeps its name: a file is put where no other one defines or, for a
macro, mentions that name, so files need not know of each other. The build runs this again when a
source changes, and outputs that stay as they are are not compiled.
"""
import os
import re
import sys

COMMENT = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
ATTRIBUTE = re.compile(r"__attribute__\(\(.*?\)\)")
STATIC = re.compile(r"^static\b[^;={(\[]*?\b(\w+)\s*(?:[;={(\[]|$)", re.M)
TAG = re.compile(r"^(?:static (?:const )?)?(?:struct|union|enum) (\w+)\s*\{", re.M)
BLOCK = re.compile(r"^\} (\w+)", re.M)
ENUM = re.compile(r"^(?:static )?enum\b[^;(]*?\{(.*?)\}", re.M | re.S)
CONSTANT = re.compile(r"\b([A-Za-z_]\w*)\s*(?==|,|$)", re.M)
TYPEDEF = re.compile(r"^typedef\b[^;]*?\(?\*?\b(\w+)\)?(?:\([^;]*\))?;", re.M)
DEFINE = re.compile(r"^#\s*define\s+(\w+)", re.M)
UNDEF = re.compile(r"^#\s*undef\s+(\w+)", re.M)
INCLUDE = re.compile(r"^#\s*include\b", re.M)
# A macro that defines what a file has for itself: OPTIONS(PRINT_OPTIONS).
MAKER = re.compile(r"^([A-Z_]{3,})\(", re.M)
WORD = re.compile(r"\w+")


class Source:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        bare = ATTRIBUTE.sub("", COMMENT.sub(" ", text))
        self.path = path
        self.macros = set(DEFINE.findall(bare)) - set(UNDEF.findall(bare))
        self.names = set(STATIC.findall(bare)) | set(TAG.findall(bare)) | set(TYPEDEF.findall(bare))
        self.names |= set(BLOCK.findall(bare))
        self.names |= set(MAKER.findall(bare))
        for body in ENUM.findall(bare):
            self.names |= set(CONSTANT.findall(body))
        self.words = set(WORD.findall(bare))
        # A macro that steers what is included: headers that others have read would not see it.
        first = [match.start() for match in DEFINE.finditer(bare) if match[1] in self.macros][:1]
        last = [match.start() for match in INCLUDE.finditer(bare)][-1:]
        self.alone = first < last if first and last else False


class Unit:
    def __init__(self):
        self.sources = []
        self.names = set()
        self.macros = set()
        self.words = set()
        self.closed = False

    def takes(self, source):
        if source.alone or self.closed:
            return not self.sources
        return not (self.names & source.names or self.macros & source.words
                    or self.words & source.macros)

    def add(self, source):
        self.sources.append(source)
        self.names |= source.names
        self.macros |= source.macros
        self.words |= source.words
        self.closed = source.alone


def share_out(sources, count):
    """Neighbours come together, as they include the same; units are about equally large."""
    units = [Unit() for _ in range(count)]
    most = -(-len(sources) // count)
    for source in sorted(sources, key=lambda source: not source.alone):
        begun = [unit for unit in units if unit.sources]
        free = [unit for unit in units if not unit.sources][:1]
        roomy = [unit for unit in reversed(begun) if len(unit.sources) < most]
        for unit in roomy + free + begun:
            if unit.takes(source):
                unit.add(source)
                break
        else:
            sys.exit(f"{source.path}: each unit has one of its names already: make them longer")
    return units


def main():
    split = sys.argv.index("--")
    outputs, paths = sys.argv[1:split], sys.argv[split + 1:]
    for output, unit in zip(outputs, share_out([Source(path) for path in paths], len(outputs))):
        lines = "".join(f'#include "{os.path.relpath(source.path, os.path.dirname(output) or ".")}"\n'
                        for source in unit.sources)
        try:
            with open(output, encoding="utf-8") as file:
                if file.read() == lines:
                    continue
        except OSError:
            pass
        with open(output, "w", encoding="utf-8") as file:
            file.write(lines)


main()
