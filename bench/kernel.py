"""What it costs to record the kernel's scheduler beside the calls: the image
program with `--kernel sched` and with `--kernel off`, and the recorder's own share
of the machine. A part of bench/run."""
import json
import os
import re
import statistics
import subprocess
import sys

SIZES = ((640, 360, 300), (1280, 720, 120), (1920, 1080, 60))
LIMIT = 1.02
LIMIT_FROM = 1280


def scheduler(bench):
    print("\nThe scheduler recorded beside the calls: an iteration of the image program\n"
          "%-34s %10s %10s %8s %12s %12s" % ("case", "off (us)", "sched (us)", "ratio",
                                             "recorder", "events/s"))
    for driver in ("basic", "pthread"):
        for width, height, frames in SIZES:
            case(bench, driver, width, height, frames)


def case(bench, driver, width, height, frames):
    draw = [bench.program("examples", "opencl", "mandelbrot", "mandelbrot"),
            "-w", str(width), "-h", str(height), "-n", str(frames)]
    times = {"off": [], "sched": []}
    shares, rates = [], []
    for turn in range(bench.rounds):
        # Whoever comes second finds the machine as the first has left it.
        for level in (("off", "sched") if turn % 2 else ("sched", "off")):
            said = record(bench, level, driver, draw)
            times[level].append(float(re.search(r"([\d.]+) ns each", said)[1]) / 1000)
            if level == "sched":
                share, rate = recorder(bench)
                shares.append(share)
                rates.append(rate)
            bench.drop()
    ratio = statistics.median(sched / off for sched, off in zip(times["sched"], times["off"]))
    row = {"bench": "kernel", "case": f"{width}x{height} on {driver}", "unit": "us",
           "base": round(statistics.median(times["off"]), 3), "loaded": None,
           "traced": round(statistics.median(times["sched"]), 3), "floor": None,
           "ratio": round(ratio, 4),
           "recorder_cpu_percent": round(statistics.median(shares), 3),
           "events_per_s": round(statistics.median(rates))}
    if width >= LIMIT_FROM:
        row["target"] = f"<= {LIMIT} x"
        row["pass"] = ratio <= LIMIT
    bench.results.append(row)
    print("%-34s %10.1f %10.1f %8.4f %10.3f %% %12d  %s" % (
        row["case"], row["base"], row["traced"], ratio, row["recorder_cpu_percent"],
        row["events_per_s"], "" if "pass" not in row else "ok" if row["pass"] else "MISSED"),
        flush=True)


def record(bench, level, driver, command):
    done = subprocess.run([bench.tandem, "record", "--quiet", "--force", "--kernel", level, "-o",
                           bench.session(), "--", *command], text=True, capture_output=True,
                          env=dict(bench.environment, POCL_DEVICES=driver))
    if done.returncode:
        sys.exit("bench: %s\n%s" % (" ".join(command), done.stderr))
    return done.stdout


def recorder(bench):
    """Percent of one CPU that the recorder took, and how many of the kernel's events there were in a second."""
    with open(os.path.join(bench.session(), "session.json"), encoding="utf-8") as file:
        run = json.load(file)
    seconds = (run["end"]["monotonic_ns"] - run["start_monotonic_ns"]) / 1e9
    report = subprocess.run([bench.tandem, "report", "--format", "json", bench.session()],
                            stdout=subprocess.PIPE, check=True)
    events = json.loads(report.stdout)["session"]["kernel_events"]
    return run["recorder_cpu_ns"] / seconds / 1e7, events / seconds
