#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Intel's public sample collectors, built against the headers of Intel's wheel:
they print the same under our dispatcher as under Intel's.

The sources are looked for in ~/.cache/tandem/xpti-samples (or under $TANDEM_CACHE), which is a copy
of xptifw/samples of intel/llvm; nothing is downloaded.

tandem-test: timeout=300
"""
import collections
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from sycl import (CACHE, OURS, SOURCES, built, dispatcher, folder,  # noqa: E402
                  need_dispatcher, python, run, runtime)
from tap import check, finish  # noqa: E402

need_dispatcher()
SAMPLES = CACHE / "xpti-samples"
RELEASE = "2026.2"  # the first whose wheels have headers
if os.environ.get("TANDEM_SANITIZE"):
    print("Intel's Python and runtime are not built with the sanitizer, and can't load what is")
    sys.exit(77)
for needed, words in ((SAMPLES.is_dir(), f"no {SAMPLES}: a copy of xptifw/samples of intel/llvm"),
                      ((folder(RELEASE) / "complete").exists(),
                       f"no runtime {RELEASE}: tests/xpti/environment {RELEASE} brings it"),
                      (shutil.which("g++"), "no g++ here")):
    if not needed:
        print(words)
        sys.exit(77)


def build(name):
    home = folder(RELEASE)
    library = os.path.abspath(f"lib{name}.so")
    done = subprocess.run(["g++", "-std=c++17", "-w", "-shared", "-fPIC", f"-I{SAMPLES}/include",
                           f"-I{home}/include", f"-I{home}/include/xpti", SAMPLES / name / (name + ".cpp"),
                           f"-L{home}/lib", "-l:libxptifw.so.1", "-o", library], text=True,
                          capture_output=True)
    check(done.returncode == 0, f"{name} is built from its source", done.stderr[-3000:])
    return library if done.returncode == 0 else None


def printed(done):
    """The lines with their counts: times, threads, IDs and addresses differ between runs, an event's
    metadata come in the order of a hash table. The sample prints a metadata's value as if it were
    the ID of a string, as it was until 2022: another word in each run, so only its key counts."""
    lines = (re.sub(r"^\d{15,} *:", "TIME:", line) for line in done.out.splitlines())
    lines = (re.sub(r"(cpu|event_id)= *\d+|0x[0-9a-f]+|\b\d{5,}\b", r"\1N", line) for line in lines)
    lines = (re.sub(r"\[[0-9a-f]{6,}\]", "[N]", line) for line in lines)
    lines = (re.sub(r"^ +(\w+) *:.*", r"\1:", line) for line in lines)
    return collections.Counter(re.sub(r" +", " ", line) for line in lines)


programs = {"dpctl": [python(RELEASE), SOURCES / "dpctl_usm.py", "5"]}
program = built(RELEASE)
if program:
    programs["C++"] = [program, "4"]
for collector, least, env in (("basic_collector", 40, {}),
                              ("syclur_collector", 10, {"UR_ENABLE_LAYERS": "UR_LAYER_TRACING"})):
    library = build(collector)
    for name, command in programs.items() if library else ():
        env = dict(runtime(RELEASE), **env)
        theirs = run(command, dispatcher(RELEASE), [library], env=env)
        ours = run(command, OURS, [library], env=env)
        check(theirs.status == ours.status == 0 and "ok" in ours.out.splitlines() and ours.err == theirs.err,
              f"{collector}, {name}: the program runs to its end", theirs.shown()[-1500:] + ours.shown()[-1500:])
        a, b = printed(theirs), printed(ours)
        # How often a wait finds something to wait for differs from run to run, and the sample does
        # not print what kind of event it is: of the program that waits, every line, not how often.
        found = {line: (a[line], b[line]) for line in a | b
                 if (a[line] != b[line] if name == "dpctl" else bool(a[line]) != bool(b[line]))}
        check(sum(b.values()) > least and not found, f"{collector}, {name}: {sum(b.values())} lines as under Intel's",
              "\n".join(f"{line}: {count}" for line, count in sorted(found.items()))[:3000])
finish()
