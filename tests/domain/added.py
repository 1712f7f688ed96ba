#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tandem-test: timeout=600
"""A runtime is a row and a folder: a made-up one (runtime/) is added to a copy of the source
tree by its folder and tables (tree/) and one row (row.def), as doc/HOWTO_ADD_DOMAIN.md says, and
nothing else is changed. Then everything that the command does knows it.

The copy and its build are kept in the build folder, so that only what has changed is built
again. It is built without libtraceevent and jansson, and looked at for that as well (lib/without.py)."""
import csv
import filecmp
import io
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import urllib.request

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import without  # noqa: E402
from tap import TANDEM, check, finish, skip  # noqa: E402

SOURCE = os.environ["TANDEM_SOURCE"]
HERE = os.path.join(SOURCE, "tests", "domain")
CACHE = os.path.join(os.environ["TANDEM_BUILD"], "added-domain")
TREE, BUILD = os.path.join(CACHE, "tree"), os.path.join(CACHE, "reduced")
DEF = "src/schema/domains.def"
# What is copied: the rest is of no use to a build without tests.
PARTS = ("src", "include", "tools", "man", "completions", "tests/gen", "meson.build",
         "meson_options.txt")
GENERATED = re.compile(r"src/schema/gen/(hash|core_schema|acme_schema)\.c$|"
                       r"src/schema/gen/(acme_records|objects)\.h$|src/schema/events/acme\.ids$")


def files_of(root, *parts):
    """Paths below root."""
    for part in parts or (".",):
        top = os.path.join(root, part)
        if os.path.isfile(top):
            yield part
        for folder, folders, names in os.walk(top):
            folders[:] = [name for name in folders if name != "__pycache__"]
            for name in names:
                yield os.path.relpath(os.path.join(folder, name), root)


def text_of(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def write(path, text):
    """Only if it is another text: what is as it was is not built again."""
    if os.path.exists(path) and text_of(path) == text:
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def run(*command, **more):
    more.setdefault("capture_output", True)
    return subprocess.run(command, text=True, **more)


missing = [tool for tool in ("meson", "ninja", "cc") if not shutil.which(tool)]
if missing:
    print("skipped: builds a copy of the tree, and there is no " + " and no ".join(missing))
    sys.exit(77)

# --- the copy: the source tree, the folder, the tables, the row

wanted = {name: os.path.join(SOURCE, name) for name in files_of(SOURCE, *PARTS)}
added = {name: os.path.join(HERE, "tree", name) for name in files_of(os.path.join(HERE, "tree"))}
check(added and not set(added) & set(wanted), "the folder and the tables are new files",
      sorted(set(added) & set(wanted)))
for name, path in {**wanted, **added}.items():
    to = os.path.join(TREE, name)
    # What make gen has written there is as it was.
    if name == DEF or (GENERATED.match(name) and os.path.exists(to)):
        continue
    if not os.path.exists(to) or not filecmp.cmp(path, to, shallow=False):
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy(path, to)
for name in list(files_of(TREE)):
    if name not in wanted and name not in added and not GENERATED.match(name):
        os.unlink(os.path.join(TREE, name))
# Its numbers begin at the end of a page of ids: some of its functions are on the next one.
IDS = os.path.join(TREE, "src/schema/events/acme.ids")
if not os.path.exists(IDS) or "own 1021" not in text_of(IDS):
    write(IDS, "own 1021\n")
rows = text_of(SOURCE, DEF)
head, end = rows.rsplit("#endif\n", 1) if rows.count("#endif\n") == 1 else (None, None)
check(head is not None, "the list of rows has one place for the headers of domains")
write(os.path.join(TREE, DEF), head + '#include "schema/domain/acme.h"\n#endif\n' + end + "\n" +
      text_of(HERE, "row.def").split("\n", 1)[1])

# --- make gen, and what differs now

done = run(sys.executable, os.path.join(TREE, "tools/apigen/apigen.py"))
check(done.returncode == 0, "make gen", done.stderr)
differ = {name for name in set(files_of(TREE)) | set(wanted)
          if name not in wanted or not os.path.exists(os.path.join(TREE, name)) or
          not filecmp.cmp(wanted[name], os.path.join(TREE, name), shallow=False)}
left = {name for name in differ if not GENERATED.match(name)}
check(left == set(added) | {DEF}, "nothing else is changed", sorted(left ^ (set(added) | {DEF})))
was, now = text_of(SOURCE, DEF).splitlines(), text_of(TREE, DEF).splitlines()
more = [line for line in now if line not in was]
check([line for line in now if line in was] == was + [""] and
      len([line for line in more if line.startswith("DOMAIN(")]) == 1,
      "the list of rows has one row more, and its header", more)

# --- the build

if not os.path.exists(os.path.join(BUILD, "build.ninja")):
    shutil.rmtree(BUILD, ignore_errors=True)
    done = run("meson", "setup", BUILD, TREE, "-Dtests=false", "-Dopencl=disabled",
               *without.WITHOUT, "-Dbuildtype=plain", env=dict(os.environ, CFLAGS="-O0 -g0"))
    if not check(done.returncode == 0, "meson setup", done.stdout[-2000:] + done.stderr[-2000:]):
        shutil.rmtree(BUILD, ignore_errors=True)
        finish()
done = run("meson", "setup", "untested", TREE, "-Dtests=false")
check(done.returncode == 0, "it is set up without tests, with OpenCL", done.stdout[-2000:])
done = run("ninja", "-C", BUILD)
if not check(done.returncode == 0, "it builds", done.stdout[-3000:]):
    finish()
flags = ["cc", "-O1", "-Wall", "-I" + os.path.join(HERE, "runtime"),
         "-I" + os.path.join(HERE, "tree/src")]
done = run(*flags, "-fPIC", "-shared", "-Wl,-soname,libacme.so.1", "-o", "libacme.so.1",
           os.path.join(HERE, "runtime/acme.c"), "-lpthread")
linked = run(*flags, "-o", "program", os.path.join(HERE, "runtime/program.c"), "./libacme.so.1")
if not check(done.returncode == 0 and linked.returncode == 0, "the made-up runtime, and a program",
             done.stderr + linked.stderr):
    finish()

os.environ["LD_LIBRARY_PATH"] = os.getcwd()
TANDEM_ADDED = os.path.join(BUILD, "tandem")
ROUNDS = 20


def tandem(*words, command=TANDEM_ADDED, **more):
    return run(command, *words, **more)


# --- record

alone = run("./program", str(ROUNDS))
recorded = tandem("record", "--kernel", "off", "-o", "session", "./program", str(ROUNDS))
check(recorded.returncode == 0 and recorded.stdout == alone.stdout and alone.returncode == 0,
      "record: the program's results", (alone, recorded))
check("nothing lost" in recorded.stderr and "recorded nothing" not in recorded.stderr,
      "record: events", recorded.stderr)
events = [json.loads(line) for line in
          tandem("print", "--raw", "--format", "json", "session").stdout.splitlines()]
calls = {}
for event in events:
    if event["domain"] == "acme":
        calls[event["name"]] = calls.get(event["name"], 0) + 1
check(calls == {"acmInit": 1, "acmQueueCreate": 2, "acmAlloc": 3, "acmCopy": 2 * ROUNDS,
                "acmLaunch": 2 * ROUNDS + 2, "acmQueueWait": 2, "acmFree": 2,
                "acmQueueDestroy": 2}, "print: every call, and no query", calls)
said = tandem("print", "session").stdout
check(re.search(r'acmLaunch\(queue 1, kernel "scale", items=200000\)', said) and
      "acmQueueWait(queue NULL) = ACM_BAD_HANDLE" in said and
      re.search(r"device\(.*domain=acme", said) and "acmInit(engine 1) = ACM_OK" in said, "print: fields and words of values",
      said[-3000:])
ops = [event for event in events if event["name"] == "operation"]
check(len(ops) == 4 * ROUNDS + 2, "print: every operation", len(ops))
tandem("record", "--kernel", "off", "-q", "--acme", "queries", "-o", "queries", "./program", "2")
said = tandem("print", "queries").stdout
check("acmQueueQuery" in said and "acmErrorName" in said, "record --acme queries")
tandem("record", "--kernel", "off", "--domains", "opencl", "-o", "other", "./program", "2")
check("acmInit" not in tandem("print", "other").stdout, "record --domains without it")
only = tandem("record", "--kernel", "off", "--domains", "acme", "-o", "only", "./program", "2")
check("acmInit" in tandem("print", "only").stdout, "record --domains acme", only.stderr)
paused = tandem("record", "--kernel", "off", "--start-paused", "-o", "paused", "./program", "2")
check("acmInit" not in tandem("print", "paused").stdout, "record --start-paused", paused.stderr)
named = json.loads(text_of("only", "session.json"))["options"]["domains"]
check(named == ["acme"], "the session's description", named)
wrong = tandem("record", "--acme", "nothing", "./program")
check(wrong.returncode == 2 and "--acme" in wrong.stderr, "a wrong choice", wrong.stderr)

# --- a sink in the program sees it under its number, on whichever page the ids are

numbers = {name: int(number) for number, name in
           re.findall(r"^(\d+) (\w+)$", text_of(IDS), re.M)}
check(numbers["acmInit"] < 1024 < numbers["acmLaunch"], "its events are on two pages", numbers)
done = run(*flags, "-D_GNU_SOURCE", "-I" + os.path.join(TREE, "src"), "-I" + os.path.join(BUILD, "src"),
           "-o", "watched", os.path.join(HERE, "runtime/program.c"), os.path.join(HERE, "runtime/sink.c"),
           "./libacme.so.1", os.path.join(BUILD, "libtandem.so.0"))
check(done.returncode == 0, "a program with a sink", done.stderr)
with_library = dict(os.environ, LD_LIBRARY_PATH=os.getcwd() + ":" + BUILD)
for event, count, later in ((None, sum(calls.values()), sum(calls.values()) - 5),
                            (numbers["acmLaunch"], calls["acmLaunch"], calls["acmLaunch"]),
                            (numbers["acmInit"], 1, 0)):
    more = {} if event is None else {"ACME_EVENT": str(event)}
    said = tandem("record", "--kernel", "off", "-q", "--force", "-o", "watched.session", "./watched", str(ROUNDS),
                  env={**with_library, **more}).stderr
    seen = re.search(r"sink: (\d+) begun, (\d+) ended, (\d+) of later pages, domain bit 1", said)
    seen = [int(number) for number in seen.groups()] if seen else []
    # Queries are not recorded, and how many there are is up to the time.
    check(seen == [count, count, later] if event else
          seen and seen[0] == seen[1] >= count and seen[2] >= later,
          f"a sink that wants {'all of it' if event is None else event}", (count, later, said))

# --- a tool in the program, by the tracer, on whichever page the ids are

done = run(*flags, "-I" + os.path.join(TREE, "include"), "-o", "tooled",
           os.path.join(HERE, "runtime/program.c"), os.path.join(HERE, "runtime/tool.c"),
           "./libacme.so.1", os.path.join(BUILD, "libtandem-tracer.so.0"),
           "-Wl,--allow-shlib-undefined")
check(done.returncode == 0, "a program with a tool", done.stderr)
for function in ("acmLaunch", "acmInit"):
    said = tandem("record", "--kernel", "off", "-q", "--force", "-o", "tooled.session", "./tooled",
                  str(ROUNDS), env=dict(with_library, ACME_FUNCTION=function)).stderr
    count = calls[function]
    check(f"tool: {count} entered, {count} returned, {count} filed, 0 others" in said,
          f"a tool that enables {function}", said)

# --- help, completions, doctor

help_ = tandem("record", "--help").stdout
check("--acme LIST" in help_ and re.search(r"--domains LIST.*\bacme\b", help_, re.S),
      "help names it", help_)
options = run(os.path.join(BUILD, "tandem-options"), "bash").stdout
check("--acme" in options or not options, "completions name it", options[-500:])
doctor = tandem("doctor")
said = json.loads(tandem("doctor", "--format", "json").stdout)
check(said.get("acme") is True and re.search(r"Acme.* programs can be recorded", doctor.stdout),
      "doctor finds it", doctor.stdout)
os.environ["LD_LIBRARY_PATH"] = "/nowhere"
said = json.loads(tandem("doctor", "--format", "json").stdout)
check(said.get("acme") is False, "doctor does not where it is not", said.get("acme"))
os.environ["LD_LIBRARY_PATH"] = os.getcwd()

# --- report, metrics, findings, status, diff, sql

report = json.loads(tandem("report", "--format", "json", "session").stdout)
by_name = {row["name"]: row for row in report["api"] if row["domain"] == "acme"}
check({name: row["calls"] for name, row in by_name.items()} == calls and
      by_name["acmQueueWait"]["errors"] == 1, "report: calls", report["api"])
kernels = {row["name"]: row for row in report["device"] if row["kind"] == "kernel"}
check(set(kernels) == {"scale", "sum", "last"} and kernels["scale"]["count"] == ROUNDS and
      kernels["scale"]["untimed"] == 0, "report: kernels", report["device"])
check(kernels["scale"]["min_ns"] > 199000, "report: their times", kernels["scale"])
check([row["name"] for row in report["devices"]] == ["made-up device"] and
      report["operations"] == dict(report["operations"], total=4 * ROUNDS + 2, unfinished=0),
      "report: the device", (report["devices"], report["operations"]))
check(report["memory"][0]["frees"] == 2 and report["memory"][0]["allocations"] == 3,
      "report: memory", report["memory"])
(clock,) = [row for row in report["clocks"] if row["domain"] == "acme"] or [None]
# What the bound leaves open over a run as short as this.
open_ppm = 2e6 * clock["bound_ns"] / report["session"]["duration_ns"] if clock else 0
check(clock and abs(clock["drift_ppm"] + 250) < 200 + open_ppm and not clock["outliers"] and
      abs(clock["offset_ns"]) > 10 ** 12, "report: its clock is fitted to the host's", clock)
text = tandem("report", "session").stdout
check("acmQueueWait" in text and "scale" in text and "made-up device" in text, "report: text", text)
metrics = tandem("report", "--metrics", "session")
check(metrics.returncode == 0 and "GKER" in metrics.stdout, "report --metrics", metrics.stdout)
findings = tandem("findings", "session")
check(findings.returncode == 0 and "made-up device" in findings.stdout and
      "acmQueueWait failed with ACM_BAD_HANDLE" in findings.stdout and
      "acmCopy to acmCopy" in findings.stdout, "findings are about it",
      findings.stdout + findings.stderr)
status = tandem("status", "session")
check(status.returncode == 0, "status", status.stderr)
tandem("record", "--kernel", "off", "-q", "-o", "second", "./program", str(2 * ROUNDS))
diff = tandem("diff", "session", "second")
check(diff.returncode in (0, 1) and "scale" in diff.stdout and not diff.stderr, "diff",
      (diff.returncode, diff.stdout, diff.stderr))
sql = tandem("sql", "session", "select count(*) from calls where domain = 'acme'")
if "built without" in sql.stderr:
    skip("sql", sql.stderr.strip())
else:
    check(str(sum(calls.values())) in sql.stdout, "sql", sql)

# --- exports, each that this build has

formats = re.findall(r"^ {20,26}(\w+) {2,}\S", tandem("export", "--help").stdout, re.M)
check({"perfetto", "chrome", "ctf", "csv", "html"} <= set(formats), "formats", formats)
for format_ in formats:
    out = "out-" + format_
    done = tandem("export", "-q", "--format", format_, "-o", out, "session")
    # What the session has nothing of: sampled stacks, a task graph.
    if format_ in ("speedscope", "folded", "dot"):
        check(re.search(r"has no \w+", done.stderr), f"export {format_}: has nothing", done)
        continue
    if done.returncode and "built without" in done.stderr:
        skip(f"export {format_}", done.stderr.strip())
        continue
    data = b"".join(open(os.path.join(out, name), "rb").read() for name in files_of(out)) \
        if os.path.isdir(out) else open(out, "rb").read() if os.path.exists(out) else b""
    # The page's data are packed.
    known = format_ == "html" or (b"acmLaunch" in data and b"scale" in data)
    check(done.returncode == 0 and data and known, f"export {format_}", (done.stderr, len(data)))
if os.path.exists("out-sqlite"):
    base = sqlite3.connect("out-sqlite")
    rows = dict(base.execute("select name, count(*) from calls where domain = 'acme' group by name"))
    check(rows == calls, "export sqlite: every call", rows)
if os.path.isdir("out-csv"):
    table = list(csv.DictReader(io.StringIO(text_of("out-csv", "api_calls.csv"))))
    check(len([row for row in table if row["domain"] == "acme"]) == sum(calls.values()),
          "export csv: every call", len(table))

# --- view

server = subprocess.Popen([TANDEM_ADDED, "view", "--no-open", "session"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
address = server.stdout.readline().strip()
if not address:
    skip("view", server.communicate()[1].strip())
else:
    with urllib.request.urlopen(address + "model", timeout=60) as answer:
        (shown,) = json.load(answer)["sessions"]
    server.send_signal(signal.SIGINT)
    server.communicate()
    labels = {label[0] for label in shown["labels"]}
    check(set(calls) <= labels and {"scale", "sum", "last"} <= labels, "view: calls and kernels",
          labels)
    rows = [(row["kind"], row["name"]) for row in shown["rows"]]
    check(("device", "made-up device") in rows and sum(kind == "queue" for kind, _ in rows) == 2,
          "view: the device and its queues", rows)

# --- the same build, without some libraries

without.look(TANDEM_ADDED)

# --- a session of a domain that another build does not know

print_old = tandem("print", "session", command=TANDEM)
check(print_old.returncode == 0 and "acmLaunch" in print_old.stdout,
      "a build without it reads the session by what it says itself", print_old.stderr)
report_old = tandem("report", "--format", "json", "session", command=TANDEM)
old = json.loads(report_old.stdout or "{}")
check({"scale", "sum", "last"} <= {row["name"] for row in old.get("device", [])} and
      {row["name"] for row in old.get("api", [])} == set(calls),
      "and reports it", report_old.stderr)
check("domain acme, which this tandem does not have" in print_old.stderr, "and says so",
      print_old.stderr)
finish()
