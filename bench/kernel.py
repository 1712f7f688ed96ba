"""What it costs to record the kernel's scheduler beside the calls: the image
program with `--kernel sched` and with `--kernel off`, and the recorder's own share
of the machine. A part of bench/run."""
import json
import os
import re
import resource
import statistics
import subprocess
import sys

# A run takes half a second and varies by some percent, so that it takes many.
ROUNDS = 21
SIZES = ((640, 360, 300), (1280, 720, 120), (1920, 1080, 60))
LIMIT = 1.02
LIMIT_FROM = 1280


def scheduler(bench):
    print("\nThe scheduler recorded beside the calls: an iteration of the image program\n"
          "%-24s %10s %10s %8s %8s %10s %10s %9s" % (
              "case", "off (us)", "sched (us)", "ratio", "CPU", "recorder", "wake-ups/s",
              "events/s"))
    for driver in ("basic", "pthread"):
        for width, height, frames in SIZES:
            case(bench, driver, width, height, frames)


def case(bench, driver, width, height, frames):
    draw = [bench.program("examples", "opencl", "mandelbrot", "mandelbrot"),
            "-w", str(width), "-h", str(height), "-n", str(frames)]
    times = {"off": [], "sched": []}
    cpu = {"off": [], "sched": []}
    shares, rates, wakeups = [], [], []
    for turn in range(max(bench.rounds, ROUNDS)):
        # Whoever comes second finds the machine as the first has left it.
        for level in (("off", "sched") if turn % 2 else ("sched", "off")):
            said, taken = record(bench, level, driver, draw)
            cpu[level].append(taken)
            times[level].append(float(re.search(r"([\d.]+) ns each", said)[1]) / 1000)
            if level == "sched":
                share, rate, woken = recorder(bench)
                shares.append(share)
                rates.append(rate)
                wakeups.append(woken)
            bench.drop()
    ratio = statistics.median(sched / off for sched, off in zip(times["sched"], times["off"]))
    row = {"bench": "kernel", "case": f"{width}x{height} on {driver}", "unit": "us",
           "base": round(statistics.median(times["off"]), 3), "loaded": None,
           "traced": round(statistics.median(times["sched"]), 3), "floor": None,
           "ratio": round(ratio, 4),
           # Of everybody: program, kernel on its behalf, recorder. Others' load does not
           # change it.
           "cpu_ratio": round(statistics.median(s / o for s, o in zip(cpu["sched"], cpu["off"])), 4),
           "recorder_wakeups_per_s": round(statistics.median(wakeups), 1),
           "recorder_cpu_percent": round(statistics.median(shares), 3),
           "events_per_s": round(statistics.median(rates))}
    if width >= LIMIT_FROM:
        row["target"] = f"<= {LIMIT} x"
        row["pass"] = ratio <= LIMIT
    bench.results.append(row)
    print("%-24s %10.1f %10.1f %8.4f %8.4f %8.3f %% %10.1f %9d  %s" % (
        row["case"], row["base"], row["traced"], ratio, row["cpu_ratio"],
        row["recorder_cpu_percent"], row["recorder_wakeups_per_s"], row["events_per_s"], "" if "pass" not in row else "ok" if row["pass"] else "MISSED"),
        flush=True)


def record(bench, level, driver, command):
    """What the program says, and the CPU time that the run took of the machine, in s."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([bench.tandem, "record", "--quiet", "--force", "--kernel", level, "-o",
                           bench.session(), "--", *command], text=True, capture_output=True,
                          env=dict(bench.environment, POCL_DEVICES=driver))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit("bench: %s\n%s" % (" ".join(command), done.stderr))
    return done.stdout, (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def recorder(bench):
    """Percent of one CPU that the recorder took; of the kernel's events, and of the
    recorder's wake-ups, how many there were in a second."""
    with open(os.path.join(bench.session(), "session.json"), encoding="utf-8") as file:
        run = json.load(file)
    seconds = (run["end"]["monotonic_ns"] - run["start_monotonic_ns"]) / 1e9
    report = subprocess.run([bench.tandem, "report", "--format", "json", bench.session()],
                            stdout=subprocess.PIPE, check=True)
    events = json.loads(report.stdout)["session"]["kernel_events"]
    return (run["recorder_cpu_ns"] / seconds / 1e7, events / seconds,
            run["recorder_wakeups"] / seconds)
