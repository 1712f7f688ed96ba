#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Imports HSA's API into the table that apigen.py reads.

    tools/apigen/import_hsa.py INCLUDE VERSION > src/domains/hsa/hsa.api

INCLUDE holds the headers of AMD's HSA runtime in a folder hsa/ (hsa.h, hsa_ext_amd.h,
hsa_api_trace.h with the dispatch tables that a tool gets). Run by hand when a new runtime
is out; the output is committed."""

import os
import re
import sys

from c_headers import Compiler, enum_lines, enumerations, parameters, place

HEAD = """\
# HSA: the functions of the core API and of AMD's extensions, their places in the
# dispatch tables that a tool gets, and the named values of their types. Imported, not
# edited: see tools/apigen/import_hsa.py. What these tables can't know is in hsa.rules.
# Names, numbers and places only, of HSA runtime %s for 64-bit Linux (headers licensed NCSA).
#
# enum TYPE                   then its words, one a line: \\tVALUE WORD
# function 0 NAME             then its arguments, one a line: \\tOFFSET BYTES KIND NAME TYPE
#   ... returns TYPE          where it returns no status (hsa_status_t)
# core | amd PLACE NAME       in that dispatch table, counted in words
# KIND  int uint float (values), pointer, text (const char *), struct
"""
INCLUDES = """\
#define HSA_LARGE_MODEL 1
#define AMD_INTERNAL_BUILD 1
#include "hsa.h"
#include "hsa_ext_amd.h"
#include "hsa_api_trace.h"
"""
TABLES = (("core", "CoreApiTable"), ("amd", "AmdExtTable"))
HEADERS = ("hsa.h", "hsa_ext_amd.h", "hsa_api_trace.h", "hsa_ext_image.h", "hsa_amd_tool.h")


def text_of(folder, name):
    with open(os.path.join(folder, "hsa", name), encoding="utf-8") as file:
        return re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read(), flags=re.S)


def declared(text):
    """{function: (return type, parameters)} of preprocessed text."""
    functions = {}
    for returned, name in re.findall(r"\n\s*((?:const\s+)?\w+(?:\s*\*)?)\s+(?:__attribute__\S*\s*)?(hsa_\w+)\s*\(",
                                     text):
        start = re.search(r"\b%s\s*\(" % name, text).end()
        depth, end = 1, start
        while depth:
            depth += (text[end] == "(") - (text[end] == ")")
            end += 1
        if returned not in ("return", "typedef"):
            functions.setdefault(name, (returned.strip(), parameters(text[start:end - 1])))
    return functions


def main():
    folder, version = sys.argv[1:3]
    compiler = Compiler([folder, os.path.join(folder, "hsa")], INCLUDES)
    text = compiler.preprocess()
    enums, functions = enumerations(text), declared(re.sub(r"\bHSA_API\b|\bHSA_DEPRECATED\b", "", text))
    trace, tables = text_of(folder, "hsa_api_trace.h"), {}
    for which, struct in TABLES:
        body = re.search(r"struct %s \{(.*?)\n\};" % struct, trace, re.S)[1]
        tables[which] = re.findall(r"\b(hsa_\w+)_fn\s*;", body)
    wanted = list(dict.fromkeys(name for names in tables.values() for name in names))
    missing = [name for name in wanted if name not in functions]
    types = compiler.types(type_name for name in wanted if name in functions
                           for type_name, _ in functions[name][1])
    used = {type_name for name in wanted if name in functions for type_name, _ in functions[name][1]
            if type_name in enums}
    print(HEAD % version, end="")
    print("\n".join(enum_lines(compiler, enums, used | {"hsa_status_t"})))
    for name in wanted:
        if name in missing:
            continue
        returned, given = functions[name]
        print("function 0 %s%s" % (name, "" if returned == "hsa_status_t" else " returns " + returned))
        for at, (type_name, argument) in zip(place([types[type_name] for type_name, _ in given]), given):
            print("\t%d %d %s %s %s" % (at, *types[type_name], argument, type_name))
    for which, names in tables.items():
        # Behind the table's version, of two words.
        for number, name in enumerate(names, 2):
            if name not in missing:
                print("%s %d %s" % (which, number, name))
    if missing:
        sys.stderr.write("not declared: %s\n" % " ".join(missing))


if __name__ == "__main__":
    main()
