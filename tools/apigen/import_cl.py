#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Imports the OpenCL registry into the text table that apigen.py reads.

    tools/apigen/import_cl.py cl.xml cl_icd.h > src/domains/opencl/opencl.api

cl.xml: github.com/KhronosGroup/OpenCL-Docs, xml/cl.xml. cl_icd.h: the header
of a loader, for the order of the dispatch table (struct _cl_icd_dispatch).
Run by hand when either changes; the output is committed."""

import re
import sys
import xml.etree.ElementTree as ET

HEAD = """\
# OpenCL: functions, types and named values. Imported, not edited: see
# tools/apigen/import_cl.py. What these tables can't know stands in opencl.rules.
#
# Source: the OpenCL API registry, github.com/KhronosGroup/OpenCL-Docs, file
# xml/cl.xml, commit 1fb076bc; (c) 2013-2026 The Khronos Group Inc., Apache
# License 2.0 with Khronos' exception for generated code. Names, types and
# values only. Dispatch table: CL/cl_icd.h of the OpenCL headers (Apache 2.0).
#
# Left out: Direct3D and DX9 sharing (their types exist on Windows only), and
# the functions that a layer gives to its loader (clInitLayer and its like),
# which no program calls.
#
# type NAME BASE              typedef; `handle` is an opaque pointer
# struct NAME: TYPE MEMBER; ...
# enum NAME | flags NAME      then its words, one a line
# fn RETURN NAME(TYPE PARAMETER, ...): core VERSION | ext EXTENSION [experimental]
# icd NAME                    one slot of the dispatch table, in its order
"""

LEFT_OUT = re.compile(r"D3D1[01]|DX9|^cl(Init|Deinit)Layer|^clGetLayerInfo")

# Groups whose comment in the registry is not the name of the type that has them.
GROUP_TYPES = {
    "Error codes": "cl_error",
    "command execution status": "cl_command_execution_status",
    "cl_mem_alloc_info_intel": "cl_mem_info_intel",
}
ALWAYS = ["cl_error", "cl_command_type", "cl_command_execution_status"]
C_TYPES = ["void", "char", "unsigned char", "int", "unsigned int", "size_t", "intptr_t", "float",
           "double", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t",
           "uint32_t", "uint64_t"]


def words(element):
    return " ".join("".join(element.itertext()).split())


def types_read(root):
    types, structs = {}, {}
    for element in root.find("types"):
        name = element.get("name") or (element.findtext("name") or "")
        if element.get("category") == "struct":
            structs[name] = [words(member) for member in element.findall("member")]
        elif element.get("category") == "define" and words(element).startswith("typedef"):
            match = re.match(r"typedef (.*?)\s*(\w+)( __attribute__.*)?;$", words(element))
            base = match.group(1).strip()
            types[name] = "handle" if "*" in base else base
        elif element.get("category") == "include" and element.get("requires") == "va/va.h":
            types[name] = "unsigned int" if name == "VASurfaceID" else "opaque"
    return types, structs


def values_read(root):
    values = {}
    for enum in root.iter("enum"):
        if enum.get("bitpos"):
            values[enum.get("name")] = 1 << int(enum.get("bitpos"))
        elif enum.get("value"):
            text = re.sub(r"[uUlL]+$", "", enum.get("value"))
            shift = re.match(r"\(?(\w+) << (\d+)\)?$", text)
            try:
                values[enum.get("name")] = (int(shift.group(1), 0) << int(shift.group(2)) if shift
                                            else int(text.strip("()"), 0))
            except ValueError:
                pass  # an expression, of a group that nothing here uses
    return values


def groups_read(root, values):
    """{type: {value: word}}: the first word of a value stays, core before extensions."""
    groups, where = {}, {}
    for part in root.findall("feature") + root.findall("./extensions/extension"):
        core = part.tag == "feature"
        for require in part.findall("require"):
            for command in require.findall("command"):
                source = "core " + part.get("number") if core else "ext " + part.get("name")
                if part.get("experimental") == "true":
                    source += " experimental"
                where.setdefault(command.get("name"), source)
            comment = require.get("comment") or ""
            comment = GROUP_TYPES.get(comment, comment)
            match = re.match(r"(cl_\w+)(?: (?:and|or) (cl_\w+))?", comment)
            for name in match.groups() if match else ():
                if name == "cl_uint":  # names the member of a struct
                    continue
                for enum in require.findall("enum"):
                    word = enum.get("name")
                    if name and word in values:
                        groups.setdefault(name, {}).setdefault(values[word], word)
    return groups, where


def functions_read(root, where):
    for command in root.iter("command"):
        proto = command.find("proto")
        if proto is None:
            continue
        name = proto.findtext("name")
        if LEFT_OUT.search(name):
            continue
        result = words(proto)[:-len(name)].strip()
        parameters = []
        for param in command.findall("param"):
            text = words(param)
            word = param.findtext("name")
            if "CL_CALLBACK" in text:
                text = "callback " + word
            elif text.endswith("[]"):
                text = text.replace(" %s[]" % word, "* %s" % word)
            parameters.append(re.sub(r"\s*\*", "*", text))
        yield result, name, parameters, where[name]


def main():
    root = ET.parse(sys.argv[1]).getroot()
    types, structs = types_read(root)
    values = values_read(root)
    groups, where = groups_read(root, values)
    functions = list(functions_read(root, where))

    used, by_value = set(), set(ALWAYS)

    def use(declaration):
        base = re.sub(r"\bconst\b", "", declaration).strip()
        name = re.match(r"\w+( char| int)?", base).group(0)
        while name in types:
            if "*" not in base:
                by_value.add(name)
            used.add(name)
            name = types[name]
        if name in structs and name not in used:
            used.add(name)
            for member in structs[name]:
                if not member.startswith("union"):
                    use(member.rsplit(" ", 1)[0])
        elif name not in structs and name not in C_TYPES + ["handle", "opaque", "callback"]:
            sys.exit("import_cl: what is %s?" % declaration)

    for result, _, parameters, _ in functions:
        use(result)
        for parameter in parameters:
            use(parameter.rsplit(" ", 1)[0])

    print(HEAD)
    for name in sorted(types):
        if name in used:
            print("type %s %s" % (name, types[name]))
    print()
    for name in sorted(structs):
        if name in used:
            # A union of equal handles at the end is written as its first member.
            members = [re.sub(r"union { (\w+ \w+);.*}", r"\1", member) for member in structs[name]]
            print("struct %s: %s" % (name, "; ".join(members)))
    for name in sorted(by_value):
        if name not in groups:
            continue
        base = name
        while base in types and base != "cl_bitfield":
            base = types[base]
        flags = base == "cl_bitfield"
        print("\n%s %s" % ("flags" if flags else "enum", name))
        for value, word in sorted(groups[name].items()):
            print("\t%s %s" % (word, "%#x" % value if flags or value > 999 else value))
    print()
    for result, name, parameters, source in functions:
        print("fn %s %s(%s): %s" % (result, name, ", ".join(parameters), source))
    print()
    table = open(sys.argv[2], encoding="utf-8").read()
    table = table[table.index("struct _cl_icd_dispatch {"):table.index("} cl_icd_dispatch;")]
    for name in re.findall(r"\bcl_api_\w+\s+(\w+);", table):
        print("icd %s" % name)


if __name__ == "__main__":
    main()
