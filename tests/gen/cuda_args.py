#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The structs of CUDA's arguments against CUPTI's headers of this machine: compiles
the static asserts of cuda_args.c for every struct that they have."""
import os
import re
import shlex
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
source = os.path.join(here, "cuda_args.c")
compiler = shlex.split(os.environ.get("CC", "cc"))
work = os.environ.get("TANDEM_TMP", ".")
includes = ["-I", "/usr/local/cuda/include", "-I", "/usr/local/cuda/extras/CUPTI/include",
            "-I", os.path.join(here, "../../src")]

headers = subprocess.run(compiler + ["-E", "-P"] + includes + [source], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
if headers.returncode:
    if "No such file" in headers.stderr:
        print("no headers of CUDA and CUPTI")
        sys.exit(77)
    sys.exit(headers.stderr)
known = set(re.findall(r"#ifdef DECLARED_(\w+)", open(source).read()))
declared = known & set(re.findall(r"\}\s*(\w+)_params;", headers.stdout))
print("%d of %d structs are in the headers" % (len(declared), len(known)))
if len(declared) < 500:
    sys.exit("too few")
path = os.path.join(work, "declared.h")
with open(path, "w") as file:
    file.writelines("#define DECLARED_%s\n" % name for name in sorted(declared))
sys.exit(subprocess.run(compiler + [
    "-std=gnu11", "-fsyntax-only", "-Werror", "-Wno-deprecated-declarations",
    '-DDECLARED="%s"' % os.path.abspath(path)] + includes + [source]).returncode)
