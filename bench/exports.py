# SPDX-License-Identifier: MIT
"""What exports cost: events a second, memory that must not grow with the trace, size."""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

SMALL, LARGE = 1, 10  # million events

# Format, suffix, million events. SQLite writes 200 bytes of rows and indices for each, and is
# measured with fewer; whether its memory grows shows all the same.
FORMATS = (("perfetto", ".pftrace", LARGE), ("chrome", ".json", LARGE), ("csv", "-csv", LARGE),
           ("ctf", "-ctf", LARGE), ("folded", ".folded", LARGE), ("otf2", "-otf2", LARGE),
           ("sqlite", ".sqlite", 3))

# OTF2's library keeps an archive's definitions, and SQLite its cache.
GROWS = ("otf2", "sqlite")


def size(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name))
               for folder, _, names in os.walk(path) for name in names)


def peak_of(pid):
    """The most that a running process has had, in KiB. Not what wait4() says: there what
    Python had before it became that program counts, which is more."""
    try:
        with open("/proc/%d/status" % pid, encoding="utf-8") as file:
            return next((int(line.split()[1]) for line in file if line.startswith("VmHWM")), 0)
    except OSError:
        return 0


def measure(bench, arguments, out=None):
    """Seconds of CPU time, by the clock, peak memory in MiB, size of what was written; None
    where it is not in this build."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin, peak = time.perf_counter(), 0
    with tempfile.TemporaryFile("w+") as complaints:
        done = subprocess.Popen([bench.tandem, *arguments], stdout=subprocess.DEVNULL,
                                stderr=complaints, env=bench.environment)
        ended = 0
        while not ended:
            peak = max(peak, peak_of(done.pid))
            ended, status, usage = os.wait4(done.pid, os.WNOHANG)
            time.sleep(0 if ended else 0.02)
        done.returncode = status
        seconds = time.perf_counter() - begin
        complaints.seek(0)
        said = complaints.read()
    if "built without" in said:
        return None
    if status:
        sys.exit("bench: tandem %s: %s" % (" ".join(arguments), said))
    # That of a child's (OTF2's library is in one) is seen only here.
    if usage.ru_maxrss > own:
        peak = max(peak, usage.ru_maxrss)
    bytes_out = size(out) if out else 0
    if out:
        shutil.rmtree(out, ignore_errors=True)
        if os.path.exists(out):
            os.remove(out)
    return usage.ru_utime + usage.ru_stime, seconds, peak / 1024, bytes_out


def make(bench, form, millions):
    """A session of so many events, kept until all formats had it. Stacks were sampled in that
    for folded, and the scheduler is in it."""
    name = "samples" if form == "folded" else "calls"
    folder = bench.session("%s-%d" % (name, millions))
    if not os.path.isdir(folder):
        count = str(millions * 10 ** 6)
        bench.run("base", [bench.program("bench", "gen_machine"), "-n", count, "-p", "2", "-t", "2",
                           "-s", folder] if form == "folded" else
                  [bench.program("bench", "gen_trace"), "-n", count, "-p", "2", "-t", "2", folder])
    return folder


def add(bench, name, case, small, large, millions, events):
    if not small or not large:
        print("%s is not in this build" % case)
        return
    bench.add(name, "%s, %d M events" % (case, millions), "M/s", {"traced": [events / large[0]]},
              cpu_seconds=round(large[0], 1), seconds=round(large[1], 1),
              size_mb=round(large[3] / 1e6))
    target = {} if case in GROWS else {
        "target": "does not grow", "passed": lambda row: row["traced"] <= 1.1 * row["base"] + 4}
    bench.add(name, "%s, peak memory (base: %d M)" % (case, SMALL), "MiB",
              {"base": [small[2]], "traced": [large[2]]}, **target)


def exports(bench):
    print("\nExports and diff: millions of events a second of CPU time, and memory", flush=True)
    for form, suffix, millions in FORMATS:
        rows = []
        for size_in in (SMALL, millions):
            folder, out = make(bench, form, size_in), bench.session("out") + suffix
            rows.append(measure(bench, ["export", "--quiet", "--format", form, "--output", out,
                                        folder], out))
        add(bench, "export", form, *rows, millions, millions)
    rows = [measure(bench, ["diff", folder, folder])
            for folder in (make(bench, "", SMALL), make(bench, "", LARGE))]
    add(bench, "diff", "diff", *rows, LARGE, 2 * LARGE)
    for name in ("samples", "calls"):
        for millions in (SMALL, 3, LARGE):
            shutil.rmtree(bench.session("%s-%d" % (name, millions)), ignore_errors=True)
