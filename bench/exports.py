"""What exports cost: events a second, memory that must not grow with the trace, size."""
import os
import shutil
import subprocess
import sys
import time

FORMATS = {"perfetto": ".pftrace", "chrome": ".json", "ctf": "-ctf", "sqlite": ".sqlite",
           "csv": "-csv", "otf2": "-otf2"}
SMALL, LARGE = 1, 10  # million events


def size(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name))
               for folder, _, names in os.walk(path) for name in names)


def measure(bench, arguments, out=None):
    """Seconds, peak memory in MiB, size of what was written; None where it is not in
    this build."""
    begin = time.perf_counter()
    done = subprocess.Popen([bench.tandem, *arguments], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, env=bench.environment, text=True)
    said = done.stderr.read()
    _, status, usage = os.wait4(done.pid, 0)
    done.returncode = status
    seconds = time.perf_counter() - begin
    if "built without" in said:
        return None
    if status:
        sys.exit("bench: tandem %s: %s" % (" ".join(arguments), said))
    bytes_out = size(out) if out else 0
    if out:
        shutil.rmtree(out, ignore_errors=True)
        if os.path.exists(out):
            os.remove(out)
    return seconds, usage.ru_maxrss / 1024, bytes_out


def exports(bench):
    print("\nExports and diff: millions of events a second, and memory")
    rows = {}
    for millions in (SMALL, LARGE):
        folder = bench.session("synthetic")
        shutil.rmtree(folder, ignore_errors=True)
        bench.run("base", [bench.program("bench", "gen_trace"), "-n", str(millions * 10 ** 6),
                           "-p", "2", "-t", "2", folder])
        for form, suffix in FORMATS.items():
            out = bench.session("out") + suffix
            rows[form, millions] = measure(
                bench, ["export", "--quiet", "--format", form, "--output", out, folder], out)
        rows["diff", millions] = measure(bench, ["diff", folder, folder])
        shutil.rmtree(folder, ignore_errors=True)
    for form in [*FORMATS, "diff"]:
        small, large = rows[form, SMALL], rows[form, LARGE]
        if not large:
            print("%s is not in this build" % form)
            continue
        events = LARGE * (2 if form == "diff" else 1)
        bench.add("export" if form != "diff" else "diff", "%s, %d M events" % (form, LARGE), "M/s",
                  {"traced": [events / large[0]]}, seconds=round(large[0], 1),
                  size_mb=round(large[2] / 1e6))
        bench.add("export" if form != "diff" else "diff",
                  "%s, peak memory at %d M (base: %d M)" % (form, LARGE, SMALL), "MiB",
                  {"base": [small[1]], "traced": [large[1]]}, target="does not grow",
                  passed=lambda row: row["traced"] <= 1.1 * row["base"] + 4)
