#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The lowered OpenCL types against the headers of this machine: compiles the
static asserts of opencl_types.c for every function that the headers declare."""
import os
import re
import shlex
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
source = os.path.join(here, "opencl_types.c")
compiler = shlex.split(os.environ.get("CC", "cc"))
work = os.environ.get("TANDEM_TMP", ".")

text = open(source).read()
known = set(re.findall(r"#ifdef DECLARED_(\w+)", text))
headers = subprocess.run(compiler + ["-E", "-P", source], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
if headers.returncode:
    if "No such file" in headers.stderr:
        print("no OpenCL headers")
        sys.exit(77)
    sys.exit(headers.stderr)
declared = known & set(re.findall(r"\bextern\b[^;()]*(?:\([^()]*\)[^;()]*)*?\b(cl\w+)\s*\(", headers.stdout))

# The dispatch table's functions stand in every header since OpenCL 3.0's.
next_h = open(os.path.join(here, "../../src/domains/opencl/gen/next.h")).read()
table = [name for name in re.findall(r"OPENCL_FN_(\w+),", next_h)]
table = table[:table.index(re.search(r"OPENCL_FN_FIRST_EXTENSION = OPENCL_FN_(\w+)", next_h)[1])]
missing = set(table) - declared
if missing:
    sys.exit("the headers do not declare " + " ".join(sorted(missing)))

path = os.path.join(work, "declared.h")
with open(path, "w") as file:
    file.writelines("#define DECLARED_%s\n" % name for name in sorted(declared))
sys.exit(subprocess.run(compiler + [
    "-std=gnu11", "-fsyntax-only", "-Werror", "-Wno-deprecated-declarations", "-Wno-type-limits",
    '-DDECLARED="%s"' % os.path.abspath(path), "-I", os.path.join(here, "../../src"),
    source]).returncode)
