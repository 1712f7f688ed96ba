# SPDX-License-Identifier: MIT
"""What LTTng's sink costs a synchronous call, next to our files and to two bare tracepoints of
LTTng-UST's with the same fields and contexts, in turn in every round. As a program it measures, with
daemons of its own (tests/lib/lttng.py); 77: they can't be had here."""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys

import lttng_session

CALLS, REPEATS = "20000", "5"


def quickest(build, command, **environment):
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    return min(float(line) for line in done.stdout.split())


def sink(build):
    return {"TANDEM_SINK": "lttng", "LD_PRELOAD": os.path.join(build, "libtandem.so.0"),
            "OPENCL_LAYERS": os.path.join(build, "libtandem-opencl.so"), "POCL_DEVICES": "basic"}


def counted(command, calls, environment):
    """Instructions of the whole program, by callgrind; None: it does not run here."""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command, calls, "1"],
                          env={**os.environ, **environment}, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    return int(found[1]) if found else None


def instructions(build):
    """Of a call by state, by the difference of 20,000 calls; LTTng's own threads are in it, some ten a call."""
    sync, bare = [os.path.join(build, "bench", name) for name in ("bench-sync", "bench-lttng-bare")]
    found = {}
    for state, program, environment in (("base", sync, {}), ("none", sync, sink(build)), ("lttng", sync, sink(build)),
                                        ("bare", bare, {})):
        totals = []
        for calls in ("1000", "21000"):
            session = f"count-{state}-{calls}" if state in ("lttng", "bare") else None
            if session:
                lttng_session.begin(session, "tandem_*,bare:*")
            totals.append(counted([program], calls, environment) if shutil.which("valgrind") else None)
            if session and not lttng_session.end(session):
                totals[-1] = None
        if None in totals:
            return {}
        found[state] = (totals[1] - totals[0]) / 20000
    return found


def figures(build, rounds):
    """By state: the samples of all rounds."""
    sync = [os.path.join(build, "bench", "bench-sync"), CALLS, REPEATS]
    record = [os.path.join(build, "tandem"), "record", "-q", "--kernel", "off", "--force", "-o", "cost"]
    states = {"base": (sync, {}), "loaded": ([*record, "--start-paused", "--", *sync], {}),
              "traced": ([*record, "--", *sync], {}), "none": (sync, sink(build)), "lttng": (sync, sink(build)),
              "bare": ([os.path.join(build, "bench", "bench-lttng-bare"), CALLS, REPEATS], {})}
    samples = {state: [] for state in states}
    for number in range(rounds):
        for state, (command, environment) in states.items():
            session = f"{state}-{number}" if state in ("lttng", "bare") else None
            if session:
                lttng_session.begin(session, "tandem_*,bare:*")
            samples[state].append(quickest(build, command, **environment))
            if session and not lttng_session.end(session):
                samples[state].pop()
    return samples


def lttng_cost(bench):
    bench.title("LTTng's sink: a synchronous call, and two bare tracepoints of LTTng-UST's")
    if not os.path.exists(bench.program("bench", "bench-lttng-bare")):
        print("built without LTTng-UST")
        return
    measured = lttng_session.output(bench, __file__)
    if measured is None:
        return
    found, counts = measured
    middle = {state: statistics.median(values) for state, values in found.items()}
    bench.add("lttng", "our files", "ns", {state: found[state] for state in ("base", "loaded", "traced")})
    bench.add("lttng", "LTTng's sink, no session", "ns", {"base": found["base"], "loaded": found["none"]},
              target="loaded <= ours loaded + 1 ns", passed=middle["none"] <= middle["loaded"] + 1)
    bench.add("lttng", "LTTng's sink, recording", "ns",
              {"base": found["base"], "traced": found["lttng"], "floor": found["bare"]},
              target="traced - base <= 1.15 x floor",
              passed=middle["lttng"] - middle["base"] <= 1.15 * middle["bare"])
    if counts:
        bench.add("lttng", "LTTng's sink, recording, instructions", "",
                  {"base": [counts["base"]], "loaded": [counts["none"]], "traced": [counts["lttng"]],
                   "floor": [counts["bare"]]})
    else:
        print("instructions are not counted: no valgrind, or not everything was kept")


if __name__ == "__main__":
    lttng_session.lttng.start()
    print(json.dumps((figures(sys.argv[1], int(sys.argv[2])), instructions(sys.argv[1]))))
