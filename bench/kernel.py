# SPDX-License-Identifier: MIT
"""What it costs to record the kernel's scheduler beside the calls: the image
program with `--kernel sched` and with `--kernel off`, the recorder's own share of the
machine, and the floor: with `--kernel off`, while `perf record` has the same tracepoints
and throws them away. Each round has `--kernel off` twice: their mean is what the others
are compared with, and by as much as the second (the control) is off the first do runs of
the same differ. A part of bench/run."""
import json
import math
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time

# A run takes half a second and varies by some percent, so that it takes many.
ROUNDS = 21
SIZES = ((640, 360, 300), (1280, 720, 120), (1920, 1080, 60))
LIMIT = 1.02
LIMIT_FROM = 1280
# Of one CPU, in a run: with more for other work, a round says more of that than of us.
OTHERS = 0.05
TRACEPOINTS = ("sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new",
               "sched_migrate_task")


def scheduler(bench):
    print("\nThe scheduler recorded beside the calls: an iteration of the image program\n"
          "%-20s %9s %9s %7s %15s %7s %7s %7s %7s %9s %10s %9s %6s" % (
              "case", "off (us)", "sched", "ratio", "95 % of it", "control", "floor", "CPU",
              "floor", "recorder", "wake-ups/s", "events/s", "quiet"))
    states = ["off", "sched", "control"]
    if can_perf():
        states.append("floor")
    else:
        print("perf record cannot have the tracepoints: no floor")
    for driver in ("basic", "pthread"):
        for width, height, frames in SIZES:
            case(bench, states, driver, width, height, frames)


def case(bench, states, driver, width, height, frames):
    draw = [bench.program("examples", "opencl", "mandelbrot", "mandelbrot"),
            "-w", str(width), "-h", str(height), "-n", str(frames)]
    rounds, recorders = [], []
    wanted = max(bench.rounds, ROUNDS)
    while sum(quiet(a_round) for a_round in rounds) < wanted and len(rounds) < 2 * wanted:
        a_round = {}
        # Whoever comes second finds the machine as the first has left it.
        for state in random.sample(states, len(states)):
            a_round[state] = run(bench, state, driver, draw)
            if state == "sched":
                recorders.append(recorder(bench))
            bench.drop()
        rounds.append(a_round)
    add(bench, f"{width}x{height} on {driver}", width >= LIMIT_FROM, rounds, recorders)


def quiet(a_round):
    return max(run["others"] for run in a_round.values()) <= OTHERS


def add(bench, name, limited, rounds, recorders):
    """The medians of the quiet rounds; of all, where hardly any was."""
    number = sum(quiet(a_round) for a_round in rounds)
    if number >= ROUNDS // 2:
        rounds = [a_round for a_round in rounds if quiet(a_round)]

    def median(state, key):
        return statistics.median(r[state][key] for r in rounds) if state in rounds[0] else None

    def ratio(state, key):
        return round(statistics.median(r[state][key] / without(r, key) for r in rounds), 4) \
            if state in rounds[0] else None

    low, high = interval([r["sched"]["us"] / without(r, "us") for r in rounds])
    share, rate, woken = (statistics.median(values) for values in zip(*recorders))
    row = {"bench": "kernel", "case": name, "unit": "us", "base": round(median("off", "us"), 3),
           "loaded": None, "traced": round(median("sched", "us"), 3),
           "floor": median("floor", "us"), "ratio": ratio("sched", "us"),
           "ratio_low": low, "ratio_high": high, "control_ratio": round(statistics.median(
               r["control"]["us"] / r["off"]["us"] for r in rounds), 4),
           "floor_ratio": ratio("floor", "us"),
           # Of everybody: program, kernel on its behalf, recorder. Others' load does not
           # change it much.
           "cpu_ratio": ratio("sched", "cpu"), "floor_cpu_ratio": ratio("floor", "cpu"),
           "recorder_wakeups_per_s": round(woken, 1), "recorder_cpu_percent": round(share, 3),
           "events_per_s": round(rate), "rounds": len(rounds), "quiet_rounds": number}
    if limited:
        row["target"] = f"<= {LIMIT} x"
        row["pass"] = row["ratio"] <= LIMIT
    bench.results.append(row)
    print("%-20s %9.1f %9.1f %7.4f %6.4f - %6.4f %7.4f %7s %7.4f %7s %7.3f %% "
          "%10.1f %9d %6d  %s" % (
              name, row["base"], row["traced"], row["ratio"], low, high, row["control_ratio"],
              row["floor_ratio"] or "-", row["cpu_ratio"], row["floor_cpu_ratio"] or "-", share,
              woken, rate, number,
              "" if "pass" not in row else "ok" if row["pass"] else "MISSED"), flush=True)


def without(a_round, key):
    return (a_round["off"][key] + a_round["control"][key]) / 2


def interval(values):
    """Between these the median lies with 95 % certainty, whatever the distribution: by
    ranks (the binomial's normal approximation)."""
    values = sorted(values)
    half = 0.98 * math.sqrt(len(values))
    first = max(math.floor(len(values) / 2 - half), 0)
    last = min(math.ceil(len(values) / 2 + half), len(values) - 1)
    return round(values[first], 4), round(values[last], 4)


def floor_command():
    events = ",".join("sched:" + name for name in TRACEPOINTS)
    return ["perf", "record", "--quiet", "--all-cpus", "--output", "/dev/null", "--event", events,
            "--"]


def can_perf():
    return shutil.which("perf") and not subprocess.run([*floor_command(), "true"],
                                                       capture_output=True).returncode


def busy_seconds():
    """Of all CPUs, since the machine started; what the host took away counts too."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def run(bench, state, driver, command):
    """An iteration in us, the CPU time that the run took of the machine in s, and that of
    all others meanwhile, in CPUs."""
    level = "sched" if state == "sched" else "off"
    before, busy, begin = resource.getrusage(resource.RUSAGE_CHILDREN), busy_seconds(), time.time()
    done = subprocess.run([*(floor_command() if state == "floor" else []), bench.tandem, "record",
                           "--quiet", "--force", "--kernel", level, "-o", bench.session(), "--",
                           *command], text=True, capture_output=True,
                          env=dict(bench.environment, POCL_DEVICES=driver))
    seconds = time.time() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit("bench: %s\n%s" % (" ".join(command), done.stderr))
    cpu = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
    return {"us": float(re.search(r"([\d.]+) ns each", done.stdout)[1]) / 1000, "cpu": cpu,
            "others": (busy_seconds() - busy - cpu) / seconds}


def recorder(bench):
    """Percent of one CPU that the recorder took; of the kernel's events, and of the
    recorder's wake-ups, how many there were in a second."""
    with open(os.path.join(bench.session(), "session.json"), encoding="utf-8") as file:
        session = json.load(file)
    seconds = (session["end"]["monotonic_ns"] - session["start_monotonic_ns"]) / 1e9
    report = subprocess.run([bench.tandem, "report", "--format", "json", bench.session()],
                            stdout=subprocess.PIPE, check=True)
    events = json.loads(report.stdout)["session"]["kernel_events"]
    return (session["recorder_cpu_ns"] / seconds / 1e7, events / seconds,
            session["recorder_wakeups"] / seconds)
