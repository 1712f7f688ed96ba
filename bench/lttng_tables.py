# SPDX-License-Identifier: MIT
"""The CLUST paper's Tables 2 to 5 with LTTng beside our files: the same programs, on the same machine,
in turn in every round, with our kernel events off and on. As a program it measures, with daemons of
its own (tests/lib/lttng.py); 77: they can't be had here."""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys

import lttng_session

# Of the columns: who records the calls, and whether our kernel side does beside it.
COLUMNS = {"base": (None, False), "ours": ("files", False), "ours, kernel": ("files", True),
           "LTTng idle": ("idle", False), "LTTng": ("lttng", False), "LTTng, kernel": ("lttng", True)}
# What LTTng's buffers hold, so that nothing is discarded, which would cost less.
CALLS_MOST, ITERATIONS_MOST = 2 * 10 ** 5, 4000
IMAGES = ((1, 1), (10, 1), (10, 10), (10, 100), (100, 100), (1000, 100), (1280, 720), (1920, 1080))
OURS = ("TANDEM_SESSION", "TANDEM_SINK", "LD_PRELOAD", "OPENCL_LAYERS")


def cases(build):
    """(table, case, unit, command)"""
    for power in range(6):
        calls = 10 ** power
        yield ("2", f"{calls} calls", "ns",
               [os.path.join(build, "bench", "bench-sync"), str(calls), str(min(1001, CALLS_MOST // calls))])
    for size in (4, 40, 400, 4000, 40000, 400000):
        yield "3", f"{size} B", "ns", [os.path.join(build, "bench", "bench-read"), str(size), "3"]
    for width, height in IMAGES:
        count = max(20, min(ITERATIONS_MOST, 2 * 10 ** 7 // (width * height)))
        yield ("4, 5", f"{width}x{height}", "us",
               [os.path.join(build, "examples", "opencl", "mandelbrot", "mandelbrot"), "-w", str(width), "-h",
                str(height), "-n", str(count)])


def measured(words):
    """What a program prints: a figure a line, or the image program's ns for an iteration."""
    found = re.search(r"([\d.]+) ns each", words)
    return float(found[1]) / 1000 if found else statistics.median(float(line) for line in words.split())


def command(build, who, kernel, program):
    """`program` in that state. LTTng's session is nobody's: our recorder sees the kernel's side only."""
    sink = ["env", *(word for name in OURS for word in ("-u", name)), "TANDEM_SINK=lttng",
            "LD_PRELOAD=" + os.path.join(build, "libtandem.so.0"),
            "OPENCL_LAYERS=" + os.path.join(build, "libtandem-opencl.so")]
    record = [os.path.join(build, "tandem"), "record", "-q", "--force", "-o", "cost", "--kernel",
              "sched" if kernel else "off", "--"]
    return [*(record if kernel or who == "files" else []), *(sink if who in ("idle", "lttng") else []), *program]


def figures(build, rounds):
    """A row for each case: its table, name, unit, and the samples by column."""
    rows = [(*case, {name: [] for name in COLUMNS}) for case in cases(build)]
    for _ in range(rounds):
        for _, _, _, program, samples in rows:
            for name, (who, kernel) in COLUMNS.items():
                if who == "lttng":
                    lttng_session.begin("columns", "tandem_*")
                done = subprocess.run(command(build, who, kernel, program), capture_output=True, text=True,
                                      check=True, env=dict(os.environ, POCL_DEVICES="basic"))
                if who != "lttng" or lttng_session.end("columns"):
                    samples[name].append(measured(done.stdout))
                shutil.rmtree("cost", ignore_errors=True)
    return [(table, case, unit, samples) for table, case, unit, _, samples in rows]


def show(table, rows):
    print(f"\nThe paper's Table {table}, LTTng beside our files; kernel: with our kernel events\n" +
          "%-14s %-4s" % ("case", "unit") + "".join("%14s" % name for name in COLUMNS))
    for row in rows:
        print("%-14s %-4s" % (row["case"], row["unit"]) +
              "".join("%14s" % ("-" if row.get(name) is None else f"{row[name]:.4g}") for name in COLUMNS), flush=True)


def lttng_tables(bench):
    if not os.path.exists(bench.program("libtandem-lttng.so")):
        print("\nbuilt without LTTng-UST: no columns of LTTng's")
        return
    found = lttng_session.output(bench, __file__)
    if found is None:
        return
    for table in dict.fromkeys(row[0] for row in found):
        rows = [{"bench": "lttng-tables", "title": f"The paper's Table {table}, LTTng beside our files", "case": case,
                 "unit": unit, "spread": {name: [min(values), max(values)] for name, values in samples.items() if values},
                 **{name: round(statistics.median(values), 3) if values else None
                    for name, values in samples.items()}}
                for which, case, unit, samples in found if which == table]
        bench.results += rows
        show(table, rows)


if __name__ == "__main__":
    lttng_session.lttng.start()
    print(json.dumps(figures(sys.argv[1], int(sys.argv[2]))))
