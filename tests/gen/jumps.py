#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a call costs while nothing is recorded: each wrapper of libtandem.so is a
test and a jump, without a frame and without touching the stack."""
import json
import os
import platform
import re
import shutil
import subprocess
import sys

build = os.environ.get("TANDEM_BUILD", "build")
library = os.path.join(build, "libtandem.so.0")
if platform.machine() != "x86_64" or not shutil.which("objdump"):
    print("reads x86-64 code with objdump")
    sys.exit(77)
with open(os.path.join(build, "meson-info/intro-buildoptions.json")) as file:
    options = {option["name"]: option["value"] for option in json.load(file)}
if options["b_sanitize"] != "none":
    print("a build with a sanitizer")
    sys.exit(77)

MOST = 9  # test, jump out, select, jump; and what a second word to test takes
text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", library], check=True, text=True,
                      stdout=subprocess.PIPE).stdout
bodies = re.findall(r"^[0-9a-f]+ <((?:wrap_)?cl[A-Z]\w*)>:\n((?:.+\n)*)", text, re.M)
seen = bad = 0
for name, body in bodies:
    if name.startswith("clInit") or name.startswith("clGetLayer") or name.startswith("clDeinit"):
        continue
    lines = [line.split("\t")[1] for line in body.splitlines() if "\t" in line]
    code = [line for line in lines if not re.match(r"(data16 |cs |nop|xchg +%ax,%ax)", line)]
    seen += 1
    touches = [line for line in code if re.match(r"(push|pop|call|ret)", line) or "(%rsp" in line]
    if touches or len(code) > MOST or not any(line.startswith("jmp") for line in code):
        bad += 1
        print("%s:\n\t%s" % (name, "\n\t".join(code)))
print("%d wrappers, %d of them too long" % (seen, bad))
sys.exit(bad != 0 or seen < 400)
