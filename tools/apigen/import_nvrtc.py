#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Imports the API of CUDA's runtime compiler, NVRTC, into the table that apigen.py reads.

    tools/apigen/import_nvrtc.py VERSIONS INCLUDE... > src/domains/nvrtc/nvrtc.api

Each INCLUDE holds nvrtc.h of one version, the newest first: a function that a newer one has lost
comes from an older one. Functions that have a number (nvrtc.ids) come first, in that order. Run by
hand when a new version is out; the output is committed."""

import os
import re
import sys

from c_headers import Compiler, enum_lines, enumerations, parameters, place

HEAD = """\
# NVRTC: the functions of libnvrtc, CUDA's runtime compiler, and the named values of their types.
# Imported, not edited: see tools/apigen/import_nvrtc.py. What these headers can't know is in
# nvrtc.rules.
# Names, types and values only, of nvrtc.h of CUDA %s for 64-bit Linux (NVIDIA's
# licence). Functions that a newer version has lost stand last: nvrtcGetNVVM* of 12.8.
# Left out: nvrtcGetErrorString, which returns a text, no status, and is no call of interest; and
# nvrtcGetTypeName, which is a template.
#
# enum TYPE                   then its words, one a line: \\tVALUE WORD
# function 0 NAME             then its arguments, one a line: \\tOFFSET BYTES KIND NAME TYPE
# KIND  int uint float (values), pointer, text (const char *), struct
"""
RESULTS = "nvrtcResult"
IDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/domains/nvrtc/nvrtc.ids")


def declared(text):
    """{function: parameters} of preprocessed text. An argument that is const itself is no other type."""
    return {name: [(re.sub(r"\* *const$", "*", type_name), argument)
                   for type_name, argument in parameters(given)]
            for name, given in re.findall(r"\b%s\s+(nvrtc\w+)\s*\(([^;{]*?)\)\s*;" % RESULTS, text)}


def numbered():
    if not os.path.exists(IDS):
        return []
    with open(IDS, encoding="utf-8") as file:
        return re.findall(r"^\d+ (nvrtc\w+)", file.read(), re.M)


def measured(folder):
    """What one version's header declares: ({function: lines}, the lines of its results)."""
    compiler = Compiler([folder], "#include \"nvrtc.h\"\n")
    text = compiler.preprocess()
    functions = declared(text)
    types = compiler.types(type_name for given in functions.values() for type_name, _ in given)
    lines = {}
    for name, given in functions.items():
        lines[name] = ["function 0 " + name]
        for at, (type_name, argument) in zip(place([types[t] for t, _ in given]), given):
            lines[name].append("\t%d %d %s %s %s" % (at, *types[type_name], argument, type_name))
    return lines, enum_lines(compiler, enumerations(text), [RESULTS])


def main():
    functions, results = {}, None
    for folder in sys.argv[2:]:
        lines, named = measured(folder)
        results = results or named
        for name, given in lines.items():
            known = functions.setdefault(name, given)
            if [line.split()[:3] for line in known[1:]] != [line.split()[:3] for line in given[1:]]:
                sys.stderr.write("%s: %s was declared otherwise\n" % (folder, name))
    print(HEAD % sys.argv[1], end="")
    print("\n".join(results))
    first = [name for name in numbered() if name in functions]
    for name in first + [name for name in functions if name not in first]:
        print("\n".join(functions[name]))
    missing = [name for name in numbered() if name not in functions]
    if missing:
        sys.stderr.write("not declared: %s\n" % " ".join(missing))


if __name__ == "__main__":
    main()
