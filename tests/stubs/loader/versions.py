#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the version script of the stub loader: each function has the version that
programs which were linked to the real one ask for.

  versions.py CL/cl.h CL/cl_gl.h OUTPUT
"""
import re
import sys

versions = {}
for path in sys.argv[1:-1]:
    text = open(path).read()
    for name, version, old in re.findall(
            r"^(cl[A-Z]\w+)\([^;]*?CL_\w+_SUFFIX__VERSION_(\d_\d)(_DEPRECATED)?", text, re.M):
        # What was deprecated says when, and came with 1.0.
        if old and name != "clSetProgramReleaseCallback":
            version = "1_0"
        versions.setdefault(version.replace("_", "."), set()).add(name)
before = ""
with open(sys.argv[-1], "w") as out:
    for version in sorted(versions):
        out.write(f"OPENCL_{version} {{\nglobal:\n")
        out.writelines(f"\t{name};\n" for name in sorted(versions[version]))
        out.write(f"}}{before};\n")
        before = f" OPENCL_{version}"
    out.write(f"TEST {{\nglobal:\n\tloader_deinit;\nlocal:\n\t*;\n}}{before};\n")
