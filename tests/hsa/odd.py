#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What HSA's runtime may hand over that is absent, short, without an end, twice or backwards
(the stub's STUB_HSA_ODD): the program does what it does untraced, and what is recorded of it
is read without a complaint."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from cuda import Trace  # noqa: E402
from tap import TANDEM, check, finish  # noqa: E402

PROGRAM = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "hsa", "hsa-program")
# Of each whether operations have device times then, and whether there are any.
CASES = {
    "ends_twice": (True, 6), "no_packets": (True, 6), "times_reversed": (False, 6),
    "times_without_bounds": (True, 6), "tables_null": (True, 6), "tables_empty": (True, 6),
    "tables_short": (True, 6), "tables_of_no_functions": (True, 6), "tables_twice": (True, 6),
    "clock_stopped": (True, 6), "clock_backwards": (True, 6), "clock_fast": (True, 6),
    "clock_refused": (True, 6), "agent_names": (True, 6), "agent_refused": (True, 6),
    "symbol_names": (True, 6), "symbol_lengths": (True, 6), "symbol_empty": (True, 6),
    "no_loader": (True, 6), "descriptor_null": (True, 6), "descriptor_refused": (True, 6),
    "no_signal": (True, None), "no_handler": (True, 0),
}


def run(command, **more):
    return subprocess.run(command, text=True, capture_output=True, timeout=60, check=False,
                          env=dict(os.environ, **more))


for case, (timed, operations) in CASES.items():
    for options in ([], ["--args", "full", "--hsa", "all,kernels,memory"]):
        session = case + ("-full" if options else "")
        untraced = run([PROGRAM], STUB_HSA_ODD=case)
        try:
            done = run([TANDEM, "record", "-o", session, "--exit-wait", "100", *options, PROGRAM],
                       STUB_HSA_ODD=case)
        except subprocess.TimeoutExpired:
            check(False, case + ": the program comes to its end")
            continue
        check(done.returncode == 0 == untraced.returncode and done.stdout == untraced.stdout,
              case + ": the program does what it does untraced", (done, untraced))
        trace = Trace(session)
        check(not trace.complaints, case + ": the trace is read without a complaint",
              trace.complaints)
        found = [e for e in trace.operations if e["domain"] in ("core", "hsa")]
        if operations is not None:
            check(len(found) == operations, case + ": each operation once", found)
        if not timed:
            check({e["args"]["time_domain"] for e in found} == {"no"},
                  case + ": what is no time is not written as one", found[:1])
        for words in ("report", "findings"):
            said = run([TANDEM, words, "--format", "json", session])
            check(said.returncode == 0, "%s: %s" % (case, words), said.stderr)
            json.loads(said.stdout)
    if case == "symbol_names":
        said = run([TANDEM, "report", session]).stdout
        check("\033" not in said and "\r" not in said,
              case + ": no control character reaches the terminal", said)
finish()
