# SPDX-License-Identifier: MIT
"""Runs of a CUDA program by the stub, with ranges (NVTX) around what it enqueues.

    record("nested", "overlap", {2: ["push outer"], 9: ["pop"]})
"""
import os
import re
import subprocess

from tap import TANDEM, check

REPLAY = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "cuda", "replay")
DATA = os.path.join(os.environ["TANDEM_SOURCE"], "tests", "data", "cuda")


def annotated(name, source, lines):
    """The recorded run, with lines `nvtx` before the Nth launch of the program's own."""
    launches = 0
    with open(os.path.join(DATA, source + ".replay")) as file, open(name, "w") as out:
        for line in file:
            if re.match(r"call 0 2 \d+ cudaLaunchKernel ", line):
                for text in lines.get(launches, ()):
                    out.write("nvtx " + text + "\n")
                launches += 1
            out.write(line)
        for text in lines.get("end", ()):
            out.write("nvtx " + text + "\n")
    return launches


def record(name, source, lines, *options):
    annotated(name + ".replay", source, lines)
    done = subprocess.run([TANDEM, "record", "-o", name, *options, REPLAY, name + ".replay"],
                          text=True, capture_output=True)
    check(done.returncode == 0 and "nothing lost" in done.stderr, name + " is recorded",
          done.stderr)
