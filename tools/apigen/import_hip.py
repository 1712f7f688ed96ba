#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Imports HIP's API into the table that apigen.py reads.

    tools/apigen/import_hip.py INCLUDE VERSION 5/INCLUDE 6/INCLUDE > src/domains/hip/hip.api

INCLUDE holds HIP's headers (hip/hip_runtime_api.h) beside those of its AMD runtime
(hip/amd_detail/): hip_prof_str.h has the numbers HIP_API_ID_* and the struct of each
function's arguments that a callback gets, hip_api_trace.hpp the dispatch tables that
rocprofiler-register hands out. 5 and 6 have the same of the last HIP 5, before the callback's
structs changed, and of the last HIP 6. A number that a newer HIP has taken back from its function
(RESERVED_N) stays that function's, as hip.ids has it. Run by hand when a new HIP is out; the
output is committed."""

import os
import re
import sys

from c_headers import Compiler, enum_lines, enumerations, parameters, place

HEAD = """\
# HIP: the functions of AMD's runtime by ROCm's numbers of them (HIP_API_ID_*), with the
# place of each argument in the struct that a callback gets (hip_api_data_t), their
# places in the dispatch tables, and the named values of their types. Imported, not
# edited: see tools/apigen/import_hip.py. What these tables can't know is in hip.rules.
# Names, numbers and places only, of HIP %s for 64-bit Linux (headers licensed MIT).
#
# enum TYPE                   then its words, one a line: \\tVALUE WORD
# data VERSION BYTES          hip_api_data_t up to HIP's major VERSION
# function ID NAME            then its arguments, one a line: \\tOFFSET BYTES KIND NAME TYPE
#   ... returns TYPE          where it returns no status (hipError_t). ID 0: it has none,
#                             and the offsets are our own
# hip5 ID NAME                the same, where HIP 5 has the arguments elsewhere
# runtime | compiler PLACE NAME   in that dispatch table, counted in words
# KIND  int uint float (values), pointer, text (const char *), struct
"""
INCLUDES = """\
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_PLATFORM_HCC__ 1
#include <hip/hip_runtime_api.h>
%s#include <hip/amd_detail/hip_prof_str.h>
"""
DEPRECATED = "#include <hip/hip_deprecated.h>\n"
ALWAYS = ("hipError_t",)
KNOWN_IDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/domains/hip/hip.ids")


def text_of(folder, name):
    with open(os.path.join(folder, "hip/amd_detail", name), encoding="utf-8") as file:
        return re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read(), flags=re.S)


def compiler_of(folder):
    deprecated = os.path.exists(os.path.join(folder, "hip/hip_deprecated.h"))
    return Compiler([folder], INCLUDES % (DEPRECATED if deprecated else ""))


def known_ids():
    with open(KNOWN_IDS, encoding="utf-8") as file:
        return dict(line.split() for line in file if re.match(r"\d+ \w+$", line))


def ids_of(folder):
    known = known_ids()
    return {known[number] if name == "RESERVED_" + number else name: int(number) for name, number in
            re.findall(r"HIP_API_ID_(\w+) = (\d+)", text_of(folder, "hip_prof_str.h"))
            if name not in ("NONE", "FIRST", "LAST")}


def members_of(folder):
    """{function: [member]} of the callback's union, without the copies behind pointers."""
    text = text_of(folder, "hip_prof_str.h")
    text = text[text.index("typedef struct hip_api_data_s"):text.index("} hip_api_data_t;")]
    return {name: [re.search(r"(\w+)$", line.strip())[1] for line in body.split(";")
                   if line.strip() and not line.strip().endswith("__val")]
            for body, name in re.findall(r"\n    struct \{\n(.*?)\n    \} (\w+);", text, re.S)}


def offsets_of(compiler, members):
    """{function: [offset]} from the start of hip_api_data_t's union."""
    lines = ["hip_api_data_t *d = nullptr; auto at = (size_t)&d->args;"]
    lines += ["std::printf(\"%%zu\\n\", (size_t)&d->args.%s.%s - at);" % (name, member)
              for name in members for member in members[name]]
    answers = iter(compiler.ask(lines))
    return {name: [int(next(answers)) for _ in members[name]] for name in members}


def tables_of(folder):
    """({function: (return type, parameters)}, {table: [function]})"""
    text = text_of(folder, "hip_api_trace.hpp")
    text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
    functions = {}
    for returned, name, given in re.findall(r"typedef\s+([\w\s\*]+?)\(\*t_(\w+)\)\((.*?)\);", text, re.S):
        functions[name] = (re.sub(r"\s*\*", " *", returned.strip()), parameters(given))
    tables = {}
    for which, struct in (("compiler", "HipCompilerDispatchTable"), ("runtime", "HipDispatchTable")):
        body = re.search(r"struct %s \{(.*?)\};" % struct, text, re.S)[1]
        tables[which] = re.findall(r"\bt_\w+\s+(\w+)_fn\s*;", body)
    return functions, tables


def renamed(functions, tables, ids):
    """HIP 6's headers call the new version of a function by the old name, with a macro."""
    new = {name: name + "R0600" for name in functions
           if name not in ids and name + "R0600" in ids and name + "R0600" not in functions}
    return ({new.get(name, name): function for name, function in functions.items()},
            {table: [new.get(name, name) for name in names] for table, names in tables.items()})


def enum_of(type_name, enums):
    name = re.sub(r"^(const|enum) ", "", type_name)
    return name if name in enums else None


def function_lines(kind, number, name, functions, offsets, types, enums):
    returned, given = functions[name]
    yield "%s %d %s%s" % (kind, number, name,
                          "" if returned == "hipError_t" else " returns " + returned)
    for at, (type_name, argument) in zip(offsets, given):
        yield "\t%d %d %s %s %s" % (at, *types[type_name], argument,
                                    enum_of(type_name, enums) or type_name)


def main():
    folder, version, older, six = sys.argv[1:5]
    compiler, compiler_before = compiler_of(folder), compiler_of(older)
    enums = enumerations(compiler.preprocess())
    functions, tables = renamed(*tables_of(folder), ids_of(folder))
    members, members_before = members_of(folder), members_of(older)
    offsets = offsets_of(compiler, members)
    offsets_before = offsets_of(compiler_before, members_before)
    types = compiler.types(type_name for _, given in functions.values() for type_name, _ in given)
    used = {enum_of(type_name, enums) for _, given in functions.values() for type_name, _ in given}
    print(HEAD % version, end="")
    print("\n".join(enum_lines(compiler, enums, (used - {None}) | set(ALWAYS))))
    for major, asked in ((5, compiler_before), (6, compiler_of(six)),
                         (int(version.split(".")[0]), compiler)):
        print("data %d %s" % (major, asked.ask(["std::printf(\"%zu\\n\", sizeof(hip_api_data_t));"])[0]))
    ids = {number: name for name, number in ids_of(folder).items()}
    for number in sorted(ids):
        name = ids[number]
        if name not in functions:
            print("function %d %s" % (number, name))
            continue
        given = functions[name][1]
        known = name in members and len(members[name]) == len(given)
        at = offsets[name] if known else place([types[type_name] for type_name, _ in given])
        print("\n".join(function_lines("function", number, name, functions, at, types, enums)))
        before = offsets_before.get(name)
        if known and before and before != at and len(before) == len(at):
            print("\n".join(function_lines("hip5", number, name, functions, before, types, enums)))
    for name in sorted({name for names in tables.values() for name in names} - set(ids.values())):
        at = place([types[type_name] for type_name, _ in functions[name][1]])
        print("\n".join(function_lines("function", 0, name, functions, at, types, enums)))
    for which, names in tables.items():
        for number, name in enumerate(names, 1):
            print("%s %d %s" % (which, number, name))


if __name__ == "__main__":
    main()
