#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs without a GPU call are programs: their processes, threads, states, waits and
samples are there, and what the commands say of them is true."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import perfetto  # noqa: E402
from tap import TANDEM, check, finish, skip  # noqa: E402


def tandem(*arguments, status=0):
    done = subprocess.run([TANDEM, *arguments], text=True, capture_output=True)
    check(done.returncode == status, " ".join(arguments), done)
    return done


def report(session):
    return json.loads(tandem("report", "--format", "json", session).stdout)


# A pipeline of the shell, and a thread that runs for some time.
SCRIPT = "ls / | wc -l; %s -c 'sum(range(10**6))'" % sys.executable
done = tandem("record", "-o", "pipe", "sh", "-c", SCRIPT)
last = done.stderr.splitlines()[-1]
kernel = "kernel events" in last
# On a busy machine the kernel's own buffers may be full.
check("no GPU API calls" in last and "OpenCL" not in last and
      re.search(r"; (nothing lost|lost [\d,]+: per-CPU kernel buffer overflow)$", last),
      "the last line says that there were no calls", last)
made = report("pipe")
rows = {row["name"]: row for row in made["processes"]} if kernel else {}
listed = json.loads(tandem("sql", "--format", "json", "pipe",
                           "SELECT pid, ppid, name, command FROM processes").stdout)
by_name = {row["name"]: row for row in listed}
check("sh" in by_name and "ls / | wc -l" in by_name["sh"]["command"], "the program has its row",
      listed)
text = tandem("report", "pipe").stdout
check("Nothing was recorded" not in text and "No GPU API calls" in text, "report says so", text)
check(tandem("findings", "pipe").stdout.strip() != "Nothing found.",
      "findings say that there was nothing to examine")
check(not made["findings"] or "Findings" in text and "worker thread" not in text,
      "findings come first, and do not speak of the threads of others' calls", text)
if kernel:
    check({"sh", "ls", "wc"} <= set(by_name) and by_name["ls"]["ppid"] == by_name["sh"]["pid"],
          "so have those that it started", listed)
    check({"sh", "ls", "wc"} <= set(rows) and rows["sh"]["threads"] == 1 and
          rows["sh"]["running_ns"] > 0, "they ran", rows)
    check(made["session"]["processes"] == len(listed) and made["session"]["kernel_events"] > 0,
          "the session counts them", made["session"])
    check(re.search(r"%d processes, %d threads, 0 events, [\d,]+ kernel events" %
                    (len(listed), len(made["threads"])), text), "and so does the title", text)
    said = tandem("status", "pipe").stdout
    counted = re.search(r"([\d,]+) kernel events of", last)[1]
    check(f"of         {len(listed)} processes, 0 threads with events" in said and "pipe" in said,
          "status has the report's processes", said)
    made = json.loads(tandem("status", "--format", "json", "pipe").stdout)
    session = report("pipe")["session"]
    check(all(made[name] == session[name] for name in ("processes", "threads_with_events")),
          "in JSON, too", (made, session))
    made = report("pipe")
    check(f"0 events, {counted} kernel events" in said, "record and status count alike",
          (last, said))
    said = tandem("diff", "pipe", "pipe").stdout
    check("pipe: no GPU API calls" in said and "nothing was recorded" not in said,
          "so does diff", said)
    states = json.loads(tandem("sql", "--format", "json", "pipe",
                               "SELECT DISTINCT p.name FROM thread_states s JOIN processes p ON "
                               "p.id = s.process").stdout)
    check({"sh", "ls", "wc"} <= {row["name"] for row in states}, "their states are in SQL", states)
    check(any(row["pid"] == by_name["sh"]["pid"] for row in made["waits"]) or
          made["session"]["scheduling"] == "program", "and whom they waited for", made["waits"])
    tandem("export", "--format", "perfetto", "-o", "pipe.pftrace", "pipe")
    trace = perfetto.read("pipe.pftrace")
    pids = {track.pid: track.name for track in trace.tracks.values() if track.kind == "process"}
    check({row["pid"] for row in listed} <= set(pids), "Perfetto has the processes", pids)
    tandem("export", "--format", "chrome", "-o", "pipe.json", "pipe")
    with open("pipe.json") as file:
        names = {e["args"]["name"] for e in json.load(file)["traceEvents"]
                 if e["name"] == "process_name"}
    check({"sh", "ls", "wc"} <= names, "so has Chrome's format", names)
    sampled = tandem("record", "-o", "samples", "--sample", "999", sys.executable, "-c",
                     "sum(range(3 * 10**7))")
    made = report("samples")
    text = tandem("report", "samples").stdout
    if made["session"]["samples"]:
        check("Nothing was recorded" not in text and
              made["functions"], "samples of a program without calls are shown", text)
    else:
        skip("samples of a program without calls", sampled.stderr)
else:
    skip("processes and threads of programs without calls", "no kernel events here: " + last)

# Without the kernel's side the program itself is known.
last = tandem("record", "-o", "off", "--kernel", "off", "sh", "-c", ":").stderr
check("no GPU API calls" in last, "without kernel events, too", last)
listed = json.loads(tandem("sql", "--format", "json", "off", "SELECT * FROM processes").stdout)
check(len(listed) == 1 and listed[0]["command"] == "sh -c :", "the program is one process", listed)

# Files of at most 512 bytes: nothing can be written, and nobody gave a limit.
caller = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "annotation", "annotate")
with open("limited.sh", "w") as file:
    file.write("ulimit -f 1\nexec %s\n" % caller)
last = tandem("record", "-o", "limited", "--kernel", "off", "sh", "limited.sh").stderr
check("--limit-size" not in last and "could not be written" in last,
      "what could not be written is said so", last)

# The same of kernel events: 100 kB are some thousand turns of two processes.
with open("turns.py", "w") as file:
    file.write("""import os
(a, b), (c, d) = os.pipe(), os.pipe()
if os.fork() == 0:
    for _ in range(20000):
        os.write(d, os.read(a, 1))
    os._exit(0)
for _ in range(20000):
    os.write(b, b"x")
    os.read(c, 1)
""")
done = subprocess.run(["sh", "-c", f"ulimit -f 200; "
                       f"exec {TANDEM} record -o small {sys.executable} turns.py"], capture_output=True, text=True)
last = done.stderr.strip().splitlines()[-1]
if " lost " in last:
    check("ulimit -f" in last and "--limit-size" not in last and "no space left" not in last,
          "kernel events beyond a limit of file size are lost to that", done.stderr)
else:
    skip("kernel events beyond a limit of file size", last)

# Few descriptors: kernel events go first, then nothing else does.
for files in 7, 8, 10, 12, 16, 20, 24:
    done = subprocess.run(["sh", "-c", f"ulimit -n {files}; exec {TANDEM} record -o few{files} sh -c 'ulimit -n'"],
                          capture_output=True, text=True)
    check(done.returncode == 0 and done.stdout == f"{files}\n" and "cannot" not in done.stderr
          and " lost " not in done.stderr, f"{files} descriptors are enough", done)
done = subprocess.run(["sh", "-c", f"ulimit -Sn 12; exec {TANDEM} record -o soft sh -c 'ulimit -n'"],
                      capture_output=True, text=True)
check(done.returncode == 0 and done.stdout == "12\n" and "descriptors" not in done.stderr,
      "the recorder has as many as it may, the program its own", done)
finish()
