#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""soname.py COMPILER... LIBRARY: the name by which a program that is linked to it loads it."""
import os
import re
import subprocess
import sys
import tempfile

*compiler, library = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    out = os.path.join(folder, "out.so")
    subprocess.run([*compiler, "-shared", "-nostdlib", "-Wl,--no-as-needed", "-o", out,
                    "-l" + library], check=True)
    found = subprocess.run(["readelf", "-d", out], env=dict(os.environ, LC_ALL="C"), check=True,
                           capture_output=True, text=True).stdout
print(re.search(r"NEEDED.*\[(.*)\]", found)[1])
