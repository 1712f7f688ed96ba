# SPDX-License-Identifier: MIT
"""How right findings are: the programs of tests/findings/corpus, styles, scripts, outside,
outside_scripts, workloads, practice, trials, exams, finals, drills, resits, orals, vivas, essays,
colloquia, theses, panels, lectures, sittings, soundings, briefings, fittings, debates, reviews, interviews, audits,
inquests, symposia, tutorials, hearings and surveys, each with a fault and without, and some that
have none, on several devices, CUDA programs on the stub's device (tests/stubs/cuda/faulty.c),
packaged programs, as far as they are installed (tests/findings/packages), and programs of yours. What may be said of each
stands in table.json beside them, which is written before it is run.

Of `planted_also` it is acceptable what the fault brings with it, in the planted program only.

A row of the table with `command` is that program; its twin is the same one where drivers and the
program find what they kept of the run before (`cache`), or there is none, and the cost is not
judged. `status` is what it exits with.

Of a run that has a fault: recall, whether an acceptable finding is said; rank, whether it is
the first of those with a cost; culprit, whether it names what the table names; cost error, how
far its cost in per cent of the run is off what the repaired twin saved. Precision: of all
findings that are said, on all runs, how many are acceptable. A fault whose repair saves less
than 3 % of the run is none there: nothing need be said. First builds that are a tenth of a run
and a second or more may be told of in any program: they hang on the driver's cache.

A program and its twin run RUNS times in turn, and as often without being recorded: these pairs say
what the repair saves. The findings of the planted program's run of median length are judged, and
their cost, in per cent of that run, is compared with it. What is saved is the
median; where the middle half of the pairs is wider than 15 % of it, a cost within that half is
right. `another pair` is how often what one pair saves is right by the others, and `recorded twin`
how often the difference of the recorded runs is, without what recording took: what a cost's error
is where nothing is estimated. The programs have a real-time priority where that is permitted, so that what else the
machine does is in neither of the two.

TANDEM_CORPUS_ELSEWHERE=FOLDER[:FOLDER...] judges programs that are no part of this project instead. A
folder has table.json, and programs.json: of each case, for planted and repaired, the directory (in
that folder) and the words by which it is run there.

TANDEM_CORPUS (a regular expression of programs), TANDEM_CORPUS_SETS (their names) and
TANDEM_CORPUS_DEVICES (names, with commas) choose; Intel's driver for CPUs is one where it is installed
(doc/HOWTO_TEST.md).
TANDEM_CORPUS_RUNS is how often; TANDEM_CORPUS_BUSY=1 leaves the priority as it is, and
TANDEM_CORPUS_COSTS=1 prints what each fault costs. TANDEM_CORPUS_KEEP=DIR keeps the sessions, and
TANDEM_CORPUS_KEPT=DIR judges such ones again instead of recording; TANDEM_CORPUS_TIMES=1 runs what
they were recorded of as well, without recording: where no such times are kept, the recorded runs'
serve.
"""
import collections
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time

TESTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests")

# Where the programs and their table are.
SETS = {"corpus": "findings/corpus", "styles": "findings/styles", "scripts": "findings/scripts",
        "outside": "findings/outside", "outside_scripts": "findings/outside_scripts",
        "workloads": "findings/workloads", "practice": "findings/practice",
        "trials": "findings/trials", "exams": "findings/exams", "finals": "findings/finals",
        "drills": "findings/drills", "resits": "findings/resits", "orals": "findings/orals",
        "vivas": "findings/vivas", "essays": "findings/essays",
        "colloquia": "findings/colloquia", "theses": "findings/theses",
        "panels": "findings/panels", "lectures": "findings/lectures",
        "sittings": "findings/sittings", "surveys": "findings/surveys",
        "soundings": "findings/soundings",
        "briefings": "findings/briefings",
        "fittings": "findings/fittings",
        "debates": "findings/debates",
        "reviews": "findings/reviews",
        "interviews": "findings/interviews",
        "audits": "findings/audits",
        "inquests": "findings/inquests", "symposia": "findings/symposia",
        "tutorials": "findings/tutorials", "hearings": "findings/hearings",
        "cuda": "stubs/cuda", "packages": "findings/packages"}
INTEL = os.path.join(os.environ.get("TANDEM_OPENCL_RT") or
                     os.path.expanduser("~/.cache/tandem/opencl-rt"), "lib")
LEAST = 0.03  # of the run, that a repair saves
MOST_S = 60  # that a program may take: one that hangs in its driver is not judged
RUNS = int(os.environ.get("TANDEM_CORPUS_RUNS", "5"))
KEEP = os.environ.get("TANDEM_CORPUS_KEEP")
KEPT = os.environ.get("TANDEM_CORPUS_KEPT")
AGAIN = KEPT and os.environ.get("TANDEM_CORPUS_TIMES")
turns = collections.Counter()  # of each program and twin on each device
runs = []  # what was found in each session


def devices(bench, name):
    """Those of a set, by what the environment has of them."""
    found = {"CUDA stub": dict(STUB_HOST_MEMORY="ordinary")} if name == "cuda" else opencl(bench)
    chosen = os.environ.get("TANDEM_CORPUS_DEVICES")
    return {name: one for name, one in found.items() if not chosen or name in chosen.split(",")}


def opencl(bench):
    stub = dict(OCL_ICD_VENDORS=bench.program("tests", "stubs", "libstubcl.so"),
                STUB_ENGINE="units", STUB_KITEM_US="3", STUB_KBYTE_US="1", STUB_DELAY_US="20")
    found = {"stub": stub}
    if os.path.exists("/etc/OpenCL/vendors/pocl.icd"):
        found["basic"] = dict(POCL_DEVICES="basic")
        found["pthread"] = dict(POCL_DEVICES="pthread")
    if os.path.exists(os.path.join(INTEL, "libintelocl.so")):
        found["intel"] = dict(OCL_ICD_VENDORS="/nonexistent", LD_LIBRARY_PATH=INTEL,
                              OCL_ICD_FILENAMES=os.path.join(INTEL, "libintelocl.so"))
    return found


def own_cpus():
    """So that what else runs takes none of the program's time, as far as that is permitted."""
    if os.environ.get("TANDEM_CORPUS_BUSY"):
        return
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except PermissionError:
        pass


class Program:
    """One whose first word is a case, and the second `repaired`."""
    def __init__(self, *words):
        self.words = words

    def command(self, case, row, version):
        """(words, the folder to run in or None); None: it is not there."""
        words = row.get("command") or [*self.words, case]
        if (not KEPT or AGAIN) and not shutil.which(words[0]):
            return None
        return words if version == "planted" or "command" in row else [*words, "repaired"], None


class Elsewhere:
    """Programs that are no part of this project, as their folder's programs.json says."""
    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "programs.json"), encoding="utf-8") as file:
            self.programs = json.load(file)

    def command(self, case, row, version):
        program = self.programs[case][version]
        folder = os.path.join(self.folder, program["directory"])
        if (not KEPT or AGAIN) and not os.access(os.path.join(folder, program["words"][0]), os.X_OK):
            return None
        return program["words"], folder


def record(bench, environment, row, command, session):
    """None, or why there is no session."""
    words, folder = command
    home = bench.session("home")
    if "command" in row:
        environment = dict(environment, HOME=home, XDG_CACHE_HOME=home, PYOPENCL_CTX="0")
        os.makedirs(home, exist_ok=True)
    subprocess.run(["rm", "-rf", session], check=True)
    done = subprocess.run(["timeout", str(MOST_S), bench.tandem, "record", "--quiet", "--force",
                           "--args", "full", "-o", session, "--", *words], cwd=folder,
                          env=dict(bench.environment, **environment), stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                          preexec_fn=own_cpus)
    return done.stderr.strip() if done.returncode != row.get("status", 0) else None


def timed(bench, environment, row, command):
    """How long it takes without being recorded, in ns; None: it did not end as it should."""
    words, folder = command
    begun, ours = os.pipe()

    def begin():
        own_cpus()
        os.write(ours, b"%d" % time.monotonic_ns())

    process = subprocess.Popen(words, cwd=folder, env=dict(bench.environment, **environment),
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, preexec_fn=begin)
    # With a limit, wait() would look each 50 ms whether it has ended.
    limit = threading.Timer(MOST_S, process.kill)
    limit.start()
    status = process.wait()
    end = time.monotonic_ns()
    limit.cancel()
    duration = end - int(os.read(begun, 32)) if status == row.get("status", 0) else None
    os.close(begun)
    os.close(ours)
    return duration


def time_pairs(bench, row, name, *sides):
    """[durations of planted, of repaired] without recording, or None. `sides`: of each its
    environment and its command."""
    path = KEEP or KEPT
    path = path and os.path.join(path, name + ".times")
    if KEPT and not AGAIN:
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    if "command" in row:  # what the driver keeps is what it is about
        return None
    pairs = [[timed(bench, environment, row, command) for environment, command in sides]
             for _ in range(RUNS)]
    if any(None in pair for pair in pairs):
        return None
    durations = list(zip(*pairs))
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(durations, file)
    return durations


def said(bench, environment, row, command, name):
    """What is found in the next session of that name: DEVICE/CASE-planted or -repaired."""
    name = "%s-%d" % (name, turns[name])
    turns[name.rsplit("-", 1)[0]] += 1
    session = os.path.join(KEPT, name) if KEPT else bench.session("findings")
    failed = None
    if not KEPT:
        failed = record(bench, environment, row, command, session)
    elif not os.path.isdir(session):
        failed = "no session of it is kept"
    if failed is not None:
        return None, failed
    text = subprocess.run([bench.tandem, "findings", "--format", "json", session],
                          env=bench.environment, check=True, stdout=subprocess.PIPE).stdout
    shown = json.loads(text)
    runs.append({"run": name, "duration_ns": shown["duration_ns"], "findings": shown["findings"]})
    if KEEP:
        kept = os.path.join(KEEP, name)
        shutil.rmtree(kept, ignore_errors=True)
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        shutil.move(session, kept)
    return shown, ""


def key(finding):
    return "%s/%s" % (finding["name"], finding["cause"])


def is_judged(finding, accept=()):
    """What recording cost, and who took CPUs from outside, is no fault of the program's, unless that
    is what is wrong with it."""
    if finding["name"] == "trace" or finding.get("symptom_of"):
        return False
    if matches(finding, accept):
        return True
    most = finding["culprits"].split(",")[0]
    return (finding["name"] != "preemption" or finding["cause"] == "placement" or
            "the program itself" in most)


def matches(finding, patterns):
    return any(re.fullmatch(pattern, key(finding)) for pattern in patterns)


class Saved:
    """What a repair saves, in parts of the run, by each pair of runs."""
    def __init__(self, parts):
        parts = sorted(parts)
        self.median = statistics.median(parts)
        self.low = parts[(len(parts) - 1) // 4]
        self.high = parts[len(parts) - 1 - (len(parts) - 1) // 4]

    def varies(self):
        return self.high - self.low > 0.15 * self.median

    def agrees(self, part):
        """Whether a cost of `part` of the run is right."""
        return (abs(part - self.median) <= 0.15 * self.median or
                self.varies() and self.low <= part <= self.high)

    def __str__(self):
        return "%.1f %% (%.1f to %.1f)" % (100 * self.median, 100 * self.low, 100 * self.high)


def pair_parts(planted, repaired):
    """What each pair says that the repair saves, in parts of the run."""
    return [max(0, 1 - b / a) for a, b in zip(planted, repaired)]


class Score:
    def __init__(self):
        self.right = self.wrong = 0
        self.faults = self.seen = self.first = self.ranked = 0
        self.named = self.nameable = 0
        self.errors = []
        self.close = 0
        self.pairs_close = self.pairs = 0
        self.recorded_close = 0
        self.clean = self.clean_wrong = 0
        self.notes = []

    def judge_false(self, where, findings, patterns):
        wrong = [f for f in findings if is_judged(f) and not matches(f, patterns)]
        self.wrong += len(wrong)
        self.right += sum(is_judged(f) and matches(f, patterns) for f in findings)
        for f in wrong:
            self.notes.append("%s: false: %s %.1f %%: %s" % (where, key(f), f["percent"],
                                                             f["description"][:110]))
        return wrong

    def judge_fault(self, where, row, shown, parts, recorded=0):
        """`parts`: what the repair saves in each pair; `recorded`: what it saves in recorded runs."""
        saved = Saved(parts) if parts else None
        findings = [f for f in shown["findings"] if is_judged(f, row["accept"])]
        hits = [f for f in findings if matches(f, row["accept"])]
        self.faults += 1
        self.ranked += saved is not None
        if not hits:
            self.notes.append("%s: missed%s" % (where, " (the repair saves %s)" % saved if saved else ""))
            return
        self.seen += 1
        costly = [f for f in findings if f["cost_ns"]] or findings
        rank = next((i for i, f in enumerate(costly) if matches(f, row["accept"])), 0)
        if not saved:  # of a program with many things to be said nothing says which is the largest
            rank = 0
        self.first += rank == 0 and saved is not None
        if rank:
            self.notes.append("%s: rank %d, behind %s" % (where, rank + 1, key(costly[0])))
        if "culprit" in row:
            self.nameable += 1
            named = any(re.search(row["culprit"], f["object"] + " " + f["culprits"] + " " + f["description"])
                        for f in hits)
            self.named += named
            if not named:
                self.notes.append("%s: does not name %s" % (where, row["culprit"]))
        if not row.get("always"):
            best = max(hits, key=lambda f: f["cost_ns"])
            cost = best["percent"] / 100
            off = cost - saved.median
            self.errors.append((abs(off), abs(off) / saved.median, where))
            close = saved.agrees(cost)
            self.close += close
            self.recorded_close += saved.agrees(recorded)
            for i, one in enumerate(parts):
                if len(parts) > 2:
                    self.pairs += 1
                    self.pairs_close += Saved(parts[:i] + parts[i + 1:]).agrees(one)
            if not close or os.environ.get("TANDEM_CORPUS_COSTS"):
                self.notes.append("%s: %s says %.1f %%, the repair saves %s%s" % (
                    where, key(best), best["percent"], saved, "" if close else ": off"))


def run_planted(bench, environment, row, command, name):
    if row.get("cache") == "cold":
        shutil.rmtree(bench.session("home"), ignore_errors=True)
    return said(bench, environment, row, command, name + "-planted")


def judge(score, bench, device, environment, program, case, row):
    where, name = "%s on %s" % (case, device), "%s/%s" % (device, case)
    environment = dict(environment, **row.get("environment", {}))
    patterns = row.get("accept", []) + row.get("also", []) + row.get("planted_also", [])
    command = program.command(case, row, "planted")
    if not command:
        score.notes.append("%s: not installed" % where)
        return
    shown, failed = run_planted(bench, environment, row, command, name)
    if not shown:
        score.notes.append("%s: not run: %s" % (where, failed[:100]))
        return
    if not row.get("accept"):
        score.clean += 1
        score.clean_wrong += bool(score.judge_false(where, shown["findings"], patterns))
        return
    if "command" in row and "cache" not in row:
        score.judge_false(where, shown["findings"], patterns)
        score.judge_fault(where, row, shown, [])
        return
    repaired = program.command(case, row, "repaired")
    planted, environment = environment, dict(environment, **row.get("repaired", {}))
    pairs = []
    while len(pairs) < RUNS:
        twin, failed = said(bench, environment, row, repaired, name + "-repaired")
        if not twin or not shown:
            score.notes.append("%s: repaired: not run: %s" % (where, failed[:100]))
            return
        pairs.append((shown, twin))
        if len(pairs) < RUNS:
            shown, failed = run_planted(bench, planted, row, command, name)
    alone = time_pairs(bench, row, name, (planted, command), (environment, repaired))
    parts = pair_parts(*(alone or ([one["duration_ns"] for one in side] for side in zip(*pairs))))
    shown, twin = sorted(pairs, key=lambda pair: pair[0]["duration_ns"])[(len(pairs) - 1) // 2]
    score.judge_false(where, shown["findings"], patterns)
    score.judge_false(where + ", repaired", twin["findings"], row.get("also", []))
    if row.get("always") or Saved(parts).median >= LEAST:
        score.judge_fault(where, row, shown, parts, statistics.median(
            pair_parts(*([one["duration_ns"] - one["recording_ns"] for one in side]
                         for side in zip(*pairs)))))


def part(of, all_of):
    """With Wilson's interval of 95 %."""
    if not all_of:
        return "-"
    p, z = of / all_of, 1.96
    middle = (p + z * z / (2 * all_of)) / (1 + z * z / all_of)
    half = z / (1 + z * z / all_of) * (p * (1 - p) / all_of + z * z / (4 * all_of ** 2)) ** 0.5
    return "%5.1f %%  (%d of %d; %.0f to %.0f)" % (100 * p, of, all_of, 100 * (middle - half),
                                                100 * (middle + half))


def show(bench, name, score):
    for note in score.notes:
        print("  " + note)
    points = [100 * error for error, _, _ in score.errors]
    relative = [100 * error for _, error, _ in score.errors]
    print("recall              %s" % part(score.seen, score.faults))
    print("precision           %s" % part(score.right, score.right + score.wrong))
    print("true cause first    %s" % part(score.first, score.ranked))
    print("culprit named       %s" % part(score.named, score.nameable))
    print("clean told false    %s" % part(score.clean_wrong, score.clean))
    print("cost within 15 %%    %s" % part(score.close, len(relative)))
    print("recorded twin       %s" % part(score.recorded_close, len(relative)))
    if score.pairs:
        print("another pair        %s" % part(score.pairs_close, score.pairs))
    if points:
        print("cost off by         %.1f points of the run in the median, %.0f %% of the saving" % (
            statistics.median(points), statistics.median(relative)), flush=True)
    bench.results.append({
        "bench": "findings", "case": name, "unit": "%",
        "recall": [score.seen, score.faults], "precision": [score.right, score.right + score.wrong],
        "first": [score.first, score.ranked], "culprit": [score.named, score.nameable],
        "clean_wrong": [score.clean_wrong, score.clean],
        "cost": [score.close, len(relative)],
        "recorded_twin": [score.recorded_close, len(relative)], "another_pair": [score.pairs_close, score.pairs],
        "points": statistics.median(points) if points else None,
        "pass": score.faults > 0 and score.seen >= 0.98 * score.faults and not score.clean_wrong})


def program(bench, name):
    """What runs a set's programs; None: it is not there. Scripts need an interpreter with pyopencl."""
    if name in ("scripts", "outside_scripts"):
        for python in ("python3", "/usr/bin/python3"):
            if not subprocess.run([python, "-c", "import numpy, pyopencl"], check=False,
                                  stderr=subprocess.DEVNULL).returncode:
                return Program(python, os.path.join(TESTS, SETS[name], name + ".py"))
        return None
    if name == "packages":
        return Program()
    path = bench.program("tests", SETS[name], "faulty" if name == "cuda" else name)
    return Program(path) if os.access(path, os.X_OK) else None


def judge_set(bench, name, folder, programs):
    only = os.environ.get("TANDEM_CORPUS")
    with open(os.path.join(folder, "table.json"), encoding="utf-8") as file:
        table = json.load(file)
    score = Score()
    for device, environment in devices(bench, name).items():
        for case, row in table.items():
            if device in row.get("devices", [device]) and (not only or re.search(only, case)):
                judge(score, bench, device, environment, programs, case, row)
    show(bench, name, score)


def findings(bench):
    elsewhere = os.environ.get("TANDEM_CORPUS_ELSEWHERE")
    for folder in elsewhere.split(":") if elsewhere else []:
        folder = os.path.abspath(folder)
        print("\nFindings on %s" % folder, flush=True)
        judge_set(bench, os.path.basename(folder), folder, Elsewhere(folder))
    for name in os.environ.get("TANDEM_CORPUS_SETS", "" if elsewhere else " ".join(SETS)).split():
        programs = program(bench, name)
        if programs is None:
            print("\nFindings on tests/%s: not built, or no pyopencl" % SETS[name], flush=True)
            continue
        print("\nFindings on tests/%s" % SETS[name], flush=True)
        judge_set(bench, name, os.path.join(TESTS, SETS[name]), programs)
