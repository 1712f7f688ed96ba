# SPDX-License-Identifier: MIT
"""How fast sessions are read, and in how much memory: `tandem report`, and of a machine's session
`tandem findings`, over what the generators made. Times are those of the CPU (user and system), so that other work on the
machine does not count; what the clock on the wall said is listed next to them. One row is by the wall, with all CPUs.
Parts of bench/run."""
import json
import os
import shutil
import subprocess
import sys
import time

LEAST_RATE = 10  # million events a second, on one core
LEAST_WALL_RATE = 15  # of a machine's session, on two cores or more
MOST_MIB = 256
MOST_FINDINGS_S = 10  # all findings of 10 M events, CPU time
MOST_FINDINGS_WALL_S = 60  # of 100 M, by the wall, on the cores that there are
YARDSTICK = 10  # times as fast as babeltrace2
BYTES_AN_EVENT = 60  # on disk, with some room


def run_on_one_core(bench, words):
    """CPU seconds, wall seconds, peak MiB, and what it printed."""
    return run(bench, ["taskset", "-c", str(min(os.sched_getaffinity(0))), *words])


def run(bench, words):
    begin = time.perf_counter()
    done = subprocess.Popen(words, stdout=subprocess.PIPE, env=bench.environment)
    words_out = done.stdout.read()
    _, status, usage = os.wait4(done.pid, 0)
    done.returncode = status
    if status:
        sys.exit("bench: %s: status %d" % (" ".join(words), status))
    return (usage.ru_utime + usage.ru_stime, time.perf_counter() - begin,
            usage.ru_maxrss / 1024, words_out)


def measure(bench, folder, rounds=3, how=run_on_one_core):
    """Rates in million events a second, by the CPU and by the wall; MiB; the report."""
    rates, walls, peak = [], [], 0
    for _ in range(rounds):
        cpu, wall, mib, said = how(bench, [bench.tandem, "report", "--format", "json", folder])
        session = json.loads(said)["session"]
        events = (session["events"] + session["kernel_events"]) / 1e6
        rates.append(events / cpu)
        walls.append(events / wall)
        peak = max(peak, mib)
    return rates, walls, peak, json.loads(said)


def calls(bench):
    """Threads of one process that call and compute, nothing of the kernel's."""
    peaks = {}
    for millions in (2, 20):
        folder = bench.session("synthetic")
        shutil.rmtree(folder, ignore_errors=True)
        bench.run("base", [bench.program("bench", "gen_trace"), "-n", str(millions * 10 ** 6),
                           folder])
        rates, walls, peaks[millions], _ = measure(bench, folder)
        bench.add("report", "%d M events" % millions, "M/s", {"traced": rates},
                  peak_mib=round(peaks[millions], 1), wall_rate=round(max(walls), 2),
                  target=">= %d M events/s" % LEAST_RATE,
                  passed=lambda row: row["traced"] >= LEAST_RATE)
        shutil.rmtree(folder, ignore_errors=True)
    bench.add("report", "peak memory at 20 M (base: 2 M)", "MiB",
              {"base": [peaks[2]], "traced": [peaks[20]]}, target="does not grow",
              passed=lambda row: row["traced"] <= 1.1 * row["base"] + 1)


def right(report, made):
    """The figures are of the whole trace, and those that its maker knows."""
    session = report["session"]
    return (session["events"] + session["kernel_events"] == made["records"] and
            session["kernel_events"] == made["kernel_records"] and
            report["operations"]["total"] == made["operations"] and
            not report["damage"]["places"] and
            len(report["threads"]) == len(made["threads"]))


def machine(bench):
    """Processes that share CPUs and a device, with the kernel's side: merged, the device's
    clock fitted, states and waits found. 100 M events with --full, if the disk has room."""
    millions = 100 if bench.full else 10
    room = shutil.disk_usage(bench.sessions).free
    if room < 2 * millions * 1e6 * BYTES_AN_EVENT:
        print("\nnot enough room on the disk for %d M events: 10 M are taken" % millions)
        millions = 10
    folder = bench.session("machine")
    made = json.loads(bench.run("base", [bench.program("bench", "gen_machine"),
                                         "-n", str(millions * 10 ** 6), folder]))
    rates, walls, peak, report = measure(bench, folder, rounds=3 if millions == 10 else 2)
    bench.add("machine", "%d M events, kernel's side too" % millions, "M/s", {"traced": rates},
              peak_mib=round(peak, 1), wall_rate=round(max(walls), 2),
              right=right(report, made), target=">= %d M events/s, all of them" % LEAST_RATE,
              passed=lambda row: row["right"] and row["traced"] >= LEAST_RATE)
    wall(bench, folder, made, millions)
    bench.add("machine", "peak memory", "MiB", {"traced": [peak]},
              target="<= %d MiB" % MOST_MIB, passed=lambda row: row["traced"] <= MOST_MIB)
    findings(bench, folder, millions)
    yardstick(bench, folder, made, millions, rates)
    shutil.rmtree(folder, ignore_errors=True)


def findings(bench, folder, millions):
    """All kinds, of the same session."""
    runs = [run(bench, [bench.tandem, "findings", "--all", "--format", "json", folder])
            for _ in range(3 if millions == 10 else 1)]
    of_wall = millions > 10
    most = MOST_FINDINGS_WALL_S if of_wall else MOST_FINDINGS_S
    bench.add("machine", "all findings, %d M events" % millions, "s",
              {"traced": [one[of_wall] for one in runs]},
              peak_mib=round(max(one[2] for one in runs), 1),
              target="<= %d s %s" % (most, "by the wall" if of_wall else "of CPU time"),
              passed=lambda row: row["traced"] <= most)


FLOORS = (("decode", "decoded and merged, one thread"),
          ("ahead", "the same in a thread that reads ahead"),
          ("match", "calls and operations matched as well"))


def wall(bench, folder, made, millions):
    """How long a user waits: a second thread reads ahead where there are two cores. Other work
    on the machine counts; the CPU time of both threads is listed next to it, and the floors, each
    of which does more of what a report has to: in turn, as the machine's pace changes."""
    cores = len(os.sched_getaffinity(0))
    walls, rates, peak = [], [], 0
    floors, floor_rates = ({mode: [] for mode, _ in FLOORS} for _ in range(2))
    for _ in range(5):
        cpu_rates, wall_rates, mib, report = measure(bench, folder, rounds=1, how=run)
        walls += wall_rates
        rates += cpu_rates
        peak = max(peak, mib)
        for mode, _ in FLOORS:
            cpu, seconds, _, said = run(bench, [bench.program("bench", "bench-floor"), mode,
                                                folder])
            floors[mode].append(int(said) / 1e6 / seconds)
            floor_rates[mode].append(int(said) / 1e6 / cpu)
    bench.add("machine", "%d M events, wall time, %d cores" % (millions, cores), "M/s",
              {"traced": walls, "floor": floors["match"]}, peak_mib=round(peak, 1),
              cpu_rate=round(max(rates), 2), right=right(report, made),
              target=">= %d M events/s with two cores" % LEAST_WALL_RATE,
              passed=lambda row: row["right"] and (cores < 2 or row["traced"] >= LEAST_WALL_RATE))
    for mode, words in FLOORS:
        bench.add("machine", "floor: %s" % words, "M/s", {"floor": floors[mode]},
                  cpu_rate=round(max(floor_rates[mode]), 2))


def yardstick(bench, folder, made, millions, rates):
    """babeltrace2 merges the same streams and throws the events away."""
    if not shutil.which("babeltrace2"):
        print("no babeltrace2: nothing to compare with")
        return
    if millions > 10:
        # Its rate does not depend on the length, and ten times as much takes minutes.
        shutil.rmtree(folder, ignore_errors=True)
        made = json.loads(bench.run("base", [bench.program("bench", "gen_machine"),
                                             "-n", "1e7", folder]))
    cpu, _, _, _ = run_on_one_core(bench, ["babeltrace2", "--output-format=dummy", folder])
    theirs = made["records"] / 1e6 / cpu
    bench.add("machine", "babeltrace2 on %s (base)" % ("the same" if millions == 10 else "10 M"),
              "M/s", {"base": [theirs], "traced": rates},
              target="traced >= %d x base" % YARDSTICK,
              passed=lambda row: row["traced"] >= YARDSTICK * row["base"])
