#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Our dispatcher against Intel's of two generations: the same questions, the same answers, but for
those where ours is meant to be better; and our own programs and subscribers under each.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from sycl import (COUNT, differences, dispatcher, EXAMPLES, GENERATION, need_dispatcher, OURS,
                  PRINTER, PROGRAMS, releases, run, runtime)
from tap import check, finish

need_dispatcher()

# Question: Intel's answer, ours. doc/XPTI.md says why.
INTENDED = {
    "2024.2": {
        "stashed after unstash": ("SUCCESS", "NOTFOUND"),
        "unknown ID": ("null found", "null null"),
        "released": ("null found", "null null"),
    },
    "2026.2": {
        "stashed after unstash": ("SUCCESS", "NOTFOUND"),
        # The address that a payload has is kept.
        "  name f file f.cpp line 10 code null": (None, None),
        "  name f file f.cpp line 10 code there": (None, None),
        "  name h file <unknown-file> line -1 code null": (None, None),
        "  name h file <unknown-file> line -1 code there": (None, None),
    },
}


def answers(path, generation, env=None):
    done = run([PROGRAMS / "xpti-probe", path, generation], enable=None, env=env)
    return done, done.out.splitlines()


for generation in ("earlier", "later"):
    done, lines = answers(OURS, generation)
    check(done.status == 0 and lines[-1] == "end" and done.err == "", f"ours answers, {generation}",
          done.shown())

for release in releases("Intel's dispatcher"):
    generation = GENERATION[release]
    theirs, their_lines = answers(dispatcher(release), generation, runtime(release))
    ours, our_lines = answers(OURS, generation)
    check(theirs.status == 0 and their_lines[-1] == "end", f"Intel's of {release} answers",
          theirs.shown())
    check(len(their_lines) == len(our_lines) > 100, f"{release}: as many answers",
          f"{len(their_lines)}, {len(our_lines)}")
    other = []
    for a, b in zip(their_lines, our_lines):
        intended = INTENDED[release].get(a.partition(": ")[0])
        if intended == (None, None) and INTENDED[release].get(b) == (None, None):
            continue
        if intended and (a.partition(": ")[2], b.partition(": ")[2]) == intended:
            continue
        if a != b:
            other.append(f"Intel's: {a}\nours:    {b}")
    check(not other, f"{release}: the same answers", "\n".join(other))

    for program in ("pipeline", "pipeline-cpp"):
        command = [EXAMPLES / program, "3"]
        theirs = run(command, dispatcher(release), [COUNT], env=runtime(release))
        ours = run(command, OURS, [COUNT])
        # The stream of the framework itself is of the later generation, which our proxy asks for.
        found = differences(theirs.counts, ours.counts, ["xpti.framework"])
        check(theirs.status == ours.status == 0 and theirs.out == ours.out == "ok\n" and not found and
              ours.counts["example.pipeline task_begin"] == 9,
              f"{program} counts the same under ours and Intel's of {release}", found)
        both = run(command, dispatcher(release), [PRINTER, COUNT], env=runtime(release))
        check(not differences(theirs.counts, both.counts) and both.err.count("task_begin") == 9,
              f"{program}: two subscribers of ours under Intel's of {release}", both.shown())
finish()
