#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Imports the API of AMD's kernel driver, libhsakmt's, into the table that apigen.py reads.

    tools/apigen/import_kfd.py VERSIONS INCLUDE... > src/domains/kfd/kfd.api

Each INCLUDE holds hsakmt.h and hsakmttypes.h of one version, the newest first: a function that a
newer one has lost comes from an older one. Functions that have a number (kfd.ids) come first, in
that order. Run by hand when a new version is out; the output is committed."""

import os
import re
import sys

from c_headers import Compiler, enum_lines, enumerations, parameters, place

HEAD = """\
# KFD: the functions of libhsakmt, by which runtimes call AMD's kernel driver, and the named
# values of their types. Imported, not edited: see tools/apigen/import_kfd.py. What these
# headers can't know is in kfd.rules.
# Names and types only, of %s for 64-bit Linux (headers licensed MIT).
#
# enum TYPE                   then its words, one a line: \\tVALUE WORD
# function 0 NAME             then its arguments, one a line: \\tOFFSET BYTES KIND NAME TYPE
#   ... returns void          where it returns no status (HSAKMT_STATUS)
# KIND  int uint float (values), pointer, text (const char *), struct
"""
RESULTS = "HSAKMT_STATUS"
IDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/domains/kfd/kfd.ids")


def declared(text):
    """{function: (return type, parameters)} of preprocessed text."""
    return {name: (returned, parameters(given)) for returned, name, given in
            re.findall(r"\b(%s|void)\s+(hsaKmt\w+)\s*\(([^;]*?)\)\s*;" % RESULTS, text)}


def numbered():
    if not os.path.exists(IDS):
        return []
    with open(IDS, encoding="utf-8") as file:
        return re.findall(r"^\d+ (hsaKmt\w+)", file.read(), re.M)


def measured(folder):
    """What one version's headers declare: ({function: lines}, {enum: lines})."""
    compiler = Compiler([folder], "#include <cstdint>\n#include \"hsakmt.h\"\n", ["-fpermissive"])
    text = compiler.preprocess()
    functions, enums = declared(text), enumerations(text)
    types = compiler.types(type_name for _, given in functions.values() for type_name, _ in given)
    lines = {}
    for name, (returned, given) in functions.items():
        lines[name] = ["function 0 " + name + ("" if returned == RESULTS else " returns " + returned)]
        for at, (type_name, argument) in zip(place([types[t] for t, _ in given]), given):
            lines[name].append("\t%d %d %s %s %s" % (at, *types[type_name], argument, type_name))
    used = {t for _, given in functions.values() for t, _ in given if t in enums} | {RESULTS}
    return lines, {name: enum_lines(compiler, enums, [name]) for name in used if name in enums}


def main():
    functions, enums = {}, {}
    for folder in sys.argv[2:]:
        lines, named = measured(folder)
        for name, given in lines.items():
            known = functions.setdefault(name, given)
            if [line.split()[:3] for line in known[1:]] != [line.split()[:3] for line in given[1:]]:
                sys.stderr.write("%s: %s was declared otherwise\n" % (folder, name))
        for name, words in named.items():
            enums.setdefault(name, words)
    print(HEAD % sys.argv[1], end="")
    for name in sorted(enums):
        print("\n".join(enums[name]))
    first = [name for name in numbered() if name in functions]
    for name in first + [name for name in functions if name not in first]:
        print("\n".join(functions[name]))
    missing = [name for name in numbered() if name not in functions]
    if missing:
        sys.stderr.write("not declared: %s\n" % " ".join(missing))


if __name__ == "__main__":
    main()
