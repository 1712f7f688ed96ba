# SPDX-License-Identifier: MIT
"""The estimate of what several queues would bring, beside what they bring: the image
program, divided as in the CLUST paper's section 4.8.1, is recorded on one queue,
`tandem findings` replays that over N, and N are run."""
import json
import os
import re
import statistics
import subprocess

QUEUES = (1, 2, 3, 4, 6, 8, 12, 16)

# Where, frames, environment. The stub driver's units take a known time for each item and
# byte, and do nothing else; 1000 items are 8000 pixels, which are 32 kB.
CASES = (
    ("reads as long as kernels", 15, dict(STUB_KITEM_US="200", STUB_KBYTE_US="6")),
    ("kernels 3 times as long", 15, dict(STUB_KITEM_US="300", STUB_KBYTE_US="3")),
    ("PoCL pthread", 60, dict(POCL_DEVICES="pthread")),
)


def own_cpus():
    """The device is the CPU: whatever else runs would take some of it from one queue, and
    less from many, so nothing else gets it while these programs want it."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


def may_own_cpus():
    try:
        subprocess.run(["true"], preexec_fn=own_cpus, check=True)
    except (subprocess.SubprocessError, OSError):
        return False
    return True


def estimates(bench, program, environment, first=None):
    """Estimated ns for each number of queues, from a run with one; how sure."""
    session = bench.session()
    bench.drop()
    subprocess.run([bench.tandem, "record", "--quiet", "--force", "-o", session, "--", *program],
                   env=environment, check=True, stdout=subprocess.DEVNULL, preexec_fn=first)
    said = subprocess.run([bench.tandem, "findings", "--kind", "overlap", "--format", "json", session],
                          env=environment, check=True, stdout=subprocess.PIPE)
    bench.drop()
    rows = json.loads(said.stdout)["replays"]
    # The thread and queue that drive the device; others only prepare.
    row = max(rows, key=lambda row: row["cycles"])
    return {one["queues"]: one["ns"] / row["cycles"] for one in row["estimate"]}


def measured(command, environment, first=None, tries=3):
    """Its ns a frame. PoCL 3.1 now and then ends a program whose threads launch kernels at
    the same time (an assertion about its cache of kernels): then once more."""
    for left in reversed(range(tries)):
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.PIPE, preexec_fn=first)
        if done.returncode == 0:
            return float(re.search(r"([\d.]+) ns each", done.stdout)[1])
        if not left or "pocl" not in done.stderr:
            raise SystemExit("bench: %s: %s" % (" ".join(command), done.stderr))
    return 0.0


def replay(bench):
    print("\nThe image program over N queues: ms a frame, estimated from a run with one, and measured")
    print("%-26s %7s %10s %10s %8s" % ("case", "queues", "estimated", "measured", "off"), flush=True)
    image = bench.program("examples", "opencl", "mandelbrot", "mandelbrot")
    stub = bench.program("tests", "stubs", "libstubcl.so")
    for case, frames, settings in CASES:
        environment = dict(bench.environment, **settings)
        if "STUB_KITEM_US" in settings:
            environment.update(OCL_ICD_VENDORS=stub, STUB_ENGINE="units")
        program = [image, "-w", "1280", "-h", "720", "-n", str(frames)]
        samples = {queues: [] for queues in QUEUES}
        on_cpu = "STUB_KITEM_US" not in settings
        first = own_cpus if on_cpu and may_own_cpus() else None
        # In turn, so that a change of the machine's pace meets all of them.
        recorded = []
        for _ in range(3):
            recorded.append(estimates(bench, program, environment, first))
            for queues in QUEUES:
                samples[queues].append(measured([*program, "-q", str(queues)], environment, first))
        wanted = {queues: statistics.median(one[queues] for one in recorded) for queues in QUEUES}
        for queues in QUEUES:
            took = statistics.median(samples[queues])
            off = wanted[queues] / took - 1
            row = {"bench": "replay", "case": "%s, %d queues" % (case, queues), "unit": "ms",
                   "estimated": round(wanted[queues] / 1e6, 3), "measured": round(took / 1e6, 3),
                   "spread": [round(value / 1e6, 3) for value in
                              (min(samples[queues]), max(samples[queues]))],
                   "target": "within 20 %"}
            # Without that a device that is the CPU is as fast as whatever else runs lets it be.
            judged = not on_cpu or first or os.getloadavg()[0] <= 1.5 * os.cpu_count()
            if judged:
                row["pass"] = abs(off) <= 0.2
            bench.results.append(row)
            print("%-26s %7d %10.2f %10.2f %+7.1f %%  %s" % (
                case, queues, wanted[queues] / 1e6, took / 1e6, 100 * off,
                {True: "met", False: "MISSED"}.get(row.get("pass"), "not judged: the machine is busy")),
                flush=True)
