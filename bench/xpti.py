# SPDX-License-Identifier: MIT
"""What the XPTI dispatcher costs, against Intel's where it is installed (tests/xpti/environment),
in turn in every round."""
import os
import shutil
import subprocess

CACHE = os.environ.get("TANDEM_CACHE") or os.path.expanduser("~/.cache/tandem")
RELEASES = (("2026.2", "later"), ("2024.2", "earlier"))

# Figure of bench/xpti.c: what it is, most nanoseconds.
FIGURES = {
    "notify": ("notify, one subscriber that does nothing", 10),
    "notify two": ("notify, two subscribers", None),
    "notify nobody": ("notify, none of that type", None),
    "ask": ("is somebody subscribed?", None),
    "look up string": ("a string by its ID, of 10,000", 20),
    "register again": ("the ID of a string that is there", None),
    "find event": ("an event by its ID, of 10,000", 30),
    "unique ID": ("a unique ID", None),
    "visit": ("an event for a visit, and its end", None),
    "add metadata": ("an item of metadata", None),
    "create event": ("an event at a new place", 500),
    "create a million": ("a million of them, each", None),
}


def figures(bench, *arguments):
    done = subprocess.run([bench.program("bench", "bench-xpti"), *arguments], text=True, check=True,
                          stdout=subprocess.PIPE, env=bench.environment)
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
            for line in done.stdout.splitlines()}


def collect(bench, runs):
    """By (who, figure): the samples of all rounds."""
    samples = {}
    for _ in range(bench.rounds):
        for who, arguments in runs.items():
            for name, value in figures(bench, *arguments).items():
                samples.setdefault((who, name), []).append(value)
    return samples


def sycl(bench):
    """A real SYCL program: untraced, with a subscriber that does nothing, recorded; by dispatcher."""
    home = os.path.join(CACHE, "sycl-2026.2")
    lib, here = os.path.join(home, "lib"), os.path.dirname(os.path.abspath(__file__))
    program = bench.program("bench", "sycl-wait")
    if not os.path.isdir(os.path.join(home, "include", "sycl")) or not shutil.which("g++"):
        print("\nno SYCL runtime (tests/xpti/environment 2026.2), or no g++: not measured under one")
        return
    subprocess.run(["g++", "-std=c++17", "-O2", "-w", "-I" + os.path.join(home, "include"),
                    os.path.join(here, "sycl.cpp"), "-L" + lib, "-lsycl", "-Wl,-rpath," + lib,
                    "-o", program], check=True)
    plain = dict(bench.environment, OCL_ICD_FILENAMES=os.path.join(lib, "libintelocl.so"),
                 LD_LIBRARY_PATH=lib, OCL_ICD_VENDORS="/nonexistent", ONEAPI_DEVICE_SELECTOR="opencl:cpu")
    traced = dict(plain, XPTI_TRACE_ENABLE="1",
                  XPTI_SUBSCRIBERS=bench.program("bench", "xpti-nothing.so"))
    states = {"base": plain,
              "loaded": dict(traced, XPTI_FRAMEWORK_DISPATCHER=os.path.join(lib, "libxptifw.so")),
              "traced": dict(traced, XPTI_FRAMEWORK_DISPATCHER=bench.program("src", "xpti",
                                                                             "libxptifw.so"))}
    bench.title("SYCL 2026.2 on the CPU device (loaded: Intel's dispatcher; traced: ours)")
    samples = {}
    for _ in range(bench.rounds):
        for state, environment in states.items():
            done = subprocess.run([program], text=True, check=True, stdout=subprocess.PIPE,
                                  env=environment)
            for line in done.stdout.splitlines():
                name, _, value = line.rpartition(" ")
                samples.setdefault(name, {}).setdefault(state, []).append(float(value) / 1000)
    for name, found in samples.items():
        bench.add("sycl", name, "us", found, target="traced <= loaded",
                  passed=lambda row: row["traced"] <= row["loaded"])
    recorded(bench, program, plain, lib)


# Trace points of a kernel and its wait: node, task begin and end, signal, wait begin and end.
KERNEL_EVENTS = 6
EVENTS_A_SECOND = 65000  # of which 1 % of the time is the most


def record(bench, program, environment, domains):
    """Its figures in microseconds, recorded."""
    session = bench.program("bench", "sycl-session")
    done = subprocess.run([bench.program("tandem"), "record", "-q", "--force", "--kernel", "off",
                           "--domains", domains, "-o", session, program], text=True, check=True,
                          stdout=subprocess.PIPE, env=environment)
    shutil.rmtree(session, ignore_errors=True)
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) / 1000
            for line in done.stdout.splitlines()}


def recorded(bench, program, plain, lib):
    """The same program recorded: OpenCL alone, and with SYCL; by each dispatcher. And what
    recording an event of SYCL costs beyond a subscriber that does nothing."""
    for whose, dispatcher in (("Tandem's", bench.program("src", "xpti", "libxptifw.so")),
                              ("Intel's", os.path.join(lib, "libxptifw.so"))):
        samples, event = {}, {"traced": []}
        environment = dict(plain, XPTI_FRAMEWORK_DISPATCHER=dispatcher)
        nothing = dict(environment, XPTI_TRACE_ENABLE="1",
                       XPTI_SUBSCRIBERS=bench.program("bench", "xpti-nothing.so"))
        for _ in range(bench.rounds):
            done = subprocess.run([program], text=True, check=True, stdout=subprocess.PIPE, env=nothing)
            idle = {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) / 1000
                    for line in done.stdout.splitlines()}
            found = {"base": record(bench, program, plain, "opencl"),
                     "loaded": record(bench, program, environment, "sycl"),
                     "traced": record(bench, program, environment, "opencl,sycl")}
            for state, figures_of in found.items():
                for name, value in figures_of.items():
                    samples.setdefault(name, {}).setdefault(state, []).append(value)
            event["traced"].append((found["loaded"]["kernel and wait"] - idle["kernel and wait"]) *
                                   1000 / KERNEL_EVENTS)
        bench.title("SYCL 2026.2 recorded under %s dispatcher (base: OpenCL alone; loaded: SYCL alone; "
                    "traced: both)" % whose)
        for name, values in samples.items():
            bench.add("sycl", "%s: %s, recorded" % (whose, name), "us", values)
        most = 1e7 / EVENTS_A_SECOND
        bench.add("sycl", "%s: an event recorded, beyond one that nobody keeps" % whose, "ns", event,
                  target="<= %d ns: 1 %% at %d a second" % (most, EVENTS_A_SECOND),
                  passed=lambda row: row["traced"] <= most)


def xpti(bench):
    ours = bench.program("src", "xpti", "libxptifw.so")
    if not os.path.exists(ours):
        print("\nno XPTI dispatcher in this build (it needs a C++ compiler)")
        return
    for release, generation in RELEASES:
        lib = os.path.join(CACHE, "sycl-" + release, "lib")
        runs = {"traced": (ours, generation)}
        bench.environment["LD_LIBRARY_PATH"] = lib
        if os.path.exists(os.path.join(lib, "libxptifw.so")):
            runs["base"] = (os.path.join(lib, "libxptifw.so"), generation)
        bench.title("XPTI dispatcher, as proxies of %s use it (base: Intel's%s)" % (
            release, "" if "base" in runs else ", not here: tests/xpti/environment " + release))
        samples = collect(bench, runs)
        for name, (words, most) in FIGURES.items():
            mine = {who: samples[who, name] for who in runs}
            target = dict(target="<= %d ns" % most, passed=lambda row, most=most:
                          row["traced"] <= most) if most else {}
            bench.add("xpti", "%s: %s" % (generation, words), "ns", mine, **target)
        bench.add("xpti", generation + ": memory of an event, of a million", "B",
                  {who: samples[who, "bytes an event"] for who in runs}, target="<= 360 B",
                  passed=lambda row: row["traced"] <= 360)
    bench.environment.pop("LD_LIBRARY_PATH")

    bench.title("XPTI dispatcher, by threads at once (base: two of them; for one of all calls)")
    samples = collect(bench, {count: (ours, "later", count) for count in ("2", "8")})
    for name in ("notify", "look up string", "register again", "find event", "visit", "create event"):
        bench.add("xpti", "eight threads: " + FIGURES[name][0], "ns",
                  {"base": samples["2", name], "traced": samples["8", name]},
                  target="<= 1.5 x two threads", passed=lambda row: row["traced"] <= 1.5 * row["base"])

    bench.title("XPTI proxy without a dispatcher")
    samples = collect(bench, {"off": ("off",)})
    for name in ("notify", "ask"):
        bench.add("xpti", "off: " + FIGURES[name][0], "ns", {"traced": samples["off", name]},
                  target="<= 2 ns with the loop", passed=lambda row: row["traced"] <= 2)
