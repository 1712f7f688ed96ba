#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Imports what CUPTI's callbacks hand out into the table that apigen.py reads.

    tools/apigen/import_cuda.py /usr/local/cuda/include > src/domains/cuda/cuda.api

The folder holds CUPTI's headers beside CUDA's: the ids of the functions
(cupti_driver_cbid.h, cupti_runtime_cbid.h) and, for each id, the struct of its
arguments (generated_*_meta.h). CUDA's own headers declare what each returns. A C
compiler says where each argument lies and what the words of the enumerations are
worth. Run by hand when a new CUDA is out; the output is committed."""

import os
import re
import subprocess
import sys
import tempfile

HEAD = """\
# CUDA: the functions of its driver and runtime API by the ids of their callbacks,
# with the place of each argument, and the named values of their types. Imported,
# not edited: see tools/apigen/import_cuda.py. What these tables can't know stands
# in cuda.rules. Names, numbers and places only, of CUDA %d.%d for 64-bit Linux.
# Left out: Direct3D and WGL, which exist on Windows only.
#
# enum TYPE                   then its words, one a line: \\tVALUE WORD
# driver | runtime ID NAME    then its arguments, one a line:
#                             \\tOFFSET BYTES KIND NAME TYPE
#   ... returns TYPE          where it returns no status (CUresult, cudaError_t);
#                             TYPE is ? where no header declares it
# KIND  int uint float (values), pointer, text (const char *), struct
"""

METAS = ("generated_cuda_meta.h", "generated_cuda_runtime_api_meta.h")
# The enumerations' own ends, and functions that exist on Windows only.
LEFT_OUT = re.compile(r"^(INVALID|SIZE|FORCE_INT)$|D3D(9|10|11)|WGLGetDevice")
# Result types, and what a record needs beside the arguments' own types.
ALWAYS = ("CUresult", "cudaError")


def text_of(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)


def ids_read(folder, api):
    text = text_of(folder, "cupti_%s_cbid.h" % api)
    ids = [(int(value), name) for name, value in
           re.findall(r"CUPTI_%s_TRACE_CBID_(\w+)\s*=\s*(\d+)" % api.upper(), text)]
    return [(value, name) for value, name in ids if not LEFT_OUT.search(name)]


def structs_read(folder):
    """{function: [(type, argument)]}"""
    structs = {}
    for meta in METAS:
        for body, name in re.findall(r"typedef struct \w+_st \{(.*?)\} (\w+)_params;",
                                     text_of(folder, meta), flags=re.S):
            structs[name] = [member_read(line) for line in body.split(";") if line.strip()]
    return structs


def member_read(line):
    line = " ".join(line.split())
    match = re.match(r"(.*?)(\w+)$", line)
    if not match or "(" in line or "[" in line:
        raise SystemExit("import_cuda: not understood: " + line)
    return match.group(1).strip(), match.group(2)


DECLARING = ("cuda.h", "cuda_runtime_api.h", "cudaGL.h", "cuda_gl_interop.h", "cudaEGL.h",
             "cuda_egl_interop.h", "cudaVDPAU.h", "cuda_vdpau_interop.h", "cudaProfiler.h",
             "cuda_profiler_api.h", "crt/host_runtime.h", "crt/device_functions.h")
STATUS = re.compile(r"\b(CUresult|cudaError_t)$")
NO_TYPE = re.compile(r'extern|"C"|static|inline|\b__\w+__\b|\b[A-Z]+API\b')
VERSION = re.compile(r"(_ptds|_ptsz|_v\d+)+$")


def returns_read(folder):
    """{function: type that it returns}"""
    returns = {}
    for header in DECLARING:
        text = re.sub(r"//[^\n]*", "", text_of(folder, header))
        text = re.sub(r"^[ \t]*#([^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
        for before, name in re.findall(r'([\w\s*"]*?)\b((?:__)?cu\w+)\s*\(', text):
            declared = " ".join(NO_TYPE.sub(" ", before).split())
            if declared and declared != "return":
                returns.setdefault(name, declared)
    return returns


def no_status(name, returns):
    """What the function returns, or "" for a status. One that no header declares is an old one
    of the API, whose functions all return it, or an entry for the compiler's own code."""
    declared = returns.get(name) or returns.get(VERSION.sub("", name))
    if not declared:
        return "?" if name.startswith("__") else ""
    return "" if STATUS.search(declared) else declared


def enums_read(folder):
    """{type: [word]}: `typedef enum X_enum {..} X;` and `enum X {..};`"""
    enums = {}
    for header in ("cuda.h", "driver_types.h", "surface_types.h", "texture_types.h",
                   "library_types.h"):
        text = re.sub(r"//[^\n]*", "", text_of(folder, header))
        text = re.sub(r"^\s*#[^\n]*(\\\n[^\n]*)*", "", text, flags=re.M)
        for tag, body, name in re.findall(r"enum\s+(?:__device_builtin__\s+)?(\w+)\s*\{(.*?)\}\s*(\w*)\s*;",
                                          text, flags=re.S):
            words = [re.match(r"\s*(\w+)", part) for part in body.split(",")]
            enums[name or tag] = [word.group(1) for word in words if word]
    return enums


# C's own view of an argument: its class, signedness, place and size.
PROGRAM = """\
#include <stddef.h>
#include <stdio.h>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cupti.h>
#define CLASS(e) __builtin_classify_type(e)
#define TEXT(e) __builtin_types_compatible_p(__typeof__(e), const char *)
#define KIND(e) (CLASS(e) == 5 ? (TEXT(e) ? "text" : "pointer") : CLASS(e) == 8 ? "float" : \\
                 CLASS(e) == 12 || CLASS(e) == 13 ? "struct" : SIGN(e))
#define SIGN(e) _Generic((e), signed char: "int", short: "int", int: "int", long: "int", \\
                         long long: "int", default: "uint")
#define MEMBER(t, m) do { t v; printf("\\t%%zu %%zu %%s %%s\\n", offsetof(t, m), sizeof(v.m), \\
                                      KIND(v.m), #m); } while (0)
int main(void)
{
	printf("version %%d %%d\\n", CUDA_VERSION / 1000, CUDA_VERSION %% 1000 / 10);
%s	return 0;
}
"""


def compile_and_run(folder, lines):
    with tempfile.TemporaryDirectory() as place:
        source = os.path.join(place, "look.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM % "".join("\t%s\n" % line for line in lines))
        command = ["cc", "-w", "-I" + folder, source, "-o", source[:-2]]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise SystemExit("import_cuda: %s\n%s" % (" ".join(command), done.stderr[:4000]))
        return subprocess.run([source[:-2]], capture_output=True, text=True, check=True).stdout


# A struct's member is an int where the API says an enumeration: that is the same.
def enum_of(type_name, enums):
    name = re.sub(r"^(const|enum) ", "", type_name).replace("enum ", "")
    name = {"cudaError_t": "cudaError"}.get(name, name)
    return name if name in enums else None


def main():
    folder = sys.argv[1]
    structs, enums, returns = structs_read(folder), enums_read(folder), returns_read(folder)
    functions = [(api, number, name) for api in ("driver", "runtime")
                 for number, name in ids_read(folder, api)]
    used = set(ALWAYS)
    lines = []
    for api, number, name in functions:
        other = no_status(name, returns)
        lines.append("puts(\"%s %d %s%s\");" % (api, number, name, other and " returns " + other))
        for type_name, member in structs.get(name, []):
            lines.append("MEMBER(%s_params, %s);" % (name, member))
            if enum_of(type_name, enums):
                used.add(enum_of(type_name, enums))
    words = []
    for name in sorted(used):
        words.append("printf(\"enum %s\\n\");" % name)
        words += ["printf(\"\\t%%lld %s\\n\", (long long)%s);" % (word, word) for word in enums[name]]
    out = compile_and_run(folder, words + lines).splitlines()
    _, major, minor = out[0].split()
    print(HEAD % (int(major), int(minor)), end="")
    current = ()
    for line in out[1:]:
        if line.startswith("\t") and current[0] != "enum":
            types = {member: type_name for type_name, member in structs[current[2]]}
            member = line.split()[3]
            print(line + " " + (enum_of(types[member], enums) or types[member]))
            continue
        if not line.startswith("\t"):
            current = line.split()
        print(line)


if __name__ == "__main__":
    main()
