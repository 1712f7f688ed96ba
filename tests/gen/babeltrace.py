#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""TSDL text and descriptors say the same: a trace with every event, written from
the descriptors (trace.c), is read by babeltrace2 without a warning and value for
value as the descriptors say, at each argument level."""
import os
import re
import shutil
import subprocess
import sys

if not shutil.which("babeltrace2"):
    print("no babeltrace2")
    sys.exit(77)
build = os.environ.get("TANDEM_BUILD", "build")
work = os.environ.get("TANDEM_TMP", ".")
writer = os.path.join(build, "tests/gen/gen-trace")
# [time] (delta) host:process NAME: { packet context }, { event context }, { fields }
line_of = re.compile(r"\[[^]]*\] \([^)]*\) \S+ (\w+): \{[^}]*\}, \{ size = \d+ \}, (\{.*\})$")
bad = 0


def check(good, words):
    global bad
    bad += not good
    print("%sok - %s" % ("" if good else "not ", words))


for level, name in enumerate(("none", "basic", "full")):
    folder = os.path.join(work, name)
    os.mkdir(folder)
    expected = subprocess.run([writer, str(level), folder], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.splitlines()
    read = subprocess.run(["babeltrace2", folder], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    check(read.returncode == 0 and not read.stderr, "%s: read without a warning" % name)
    print(read.stderr, end="")
    lines = [line_of.sub(r"\1: \2", line) for line in read.stdout.splitlines()]
    check(len(lines) == len(expected) > 600, "%s: %d events" % (name, len(lines)))
    differing = [pair for pair in zip(lines, expected) if pair[0] != pair[1]]
    check(not differing, "%s: the same values" % name)
    for got, wanted in differing[:3]:
        print("# babeltrace2: %s\n# descriptors: %s" % (got, wanted))
sys.exit(bad != 0)
