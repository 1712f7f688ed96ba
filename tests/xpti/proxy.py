#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The proxy of XPTI: what it takes for on and off, and dispatchers that it refuses."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from sycl import COUNT, EXAMPLES, need_dispatcher, OURS, PRINTER, PROGRAMS, run
from tap import check, finish

need_dispatcher()
pipeline = [EXAMPLES / "pipeline", "2"]

alone = run(pipeline, enable=None)
check((alone.status, alone.out, alone.err) == (0, "ok\n", ""), "without a dispatcher: not a word",
      alone.shown())

for value in (None, "", "1", "true"):
    done = run(pipeline, OURS, [PRINTER], enable=value)
    check(done.status == 0 and done.out == "ok\n" and done.err.count("task_begin") == 6,
          f"XPTI_TRACE_ENABLE={value!r} is on", done.shown())
for value in ("0", "false", "2", "yes", "TRUE", " 1", "1 ", "true\n", "\xff"):
    done = run(pipeline, OURS, [PRINTER], enable=value)
    check((done.status, done.out, done.err) == (0, "ok\n", ""),
          f"XPTI_TRACE_ENABLE={value!r} is off", done.shown())


def refused(words, path, why):
    done = run(pipeline, path, [PRINTER])
    lines = done.err.splitlines()
    check(done.status == 0 and done.out == "ok\n", f"{words}: the program runs", done.shown())
    check(len(lines) == 1 and lines[0].startswith("xpti: not tracing: ") and why in lines[0],
          f"{words}: one line says why", done.err)


with open("text.so", "w") as file:
    file.write("no library\n")
refused("no such dispatcher", "/nonexistent/libxptifw.so", "/nonexistent/libxptifw.so")
refused("a dispatcher that is a text", os.path.abspath("text.so"), "text.so")
refused("a dispatcher that lacks a function", PROGRAMS / "xpti-lacking.so", "xptiFindEvent")
refused("a library that is no dispatcher", PRINTER, "xptiInitialize")
done = run(pipeline, "/nonexistent/libxptifw.so", enable="0")
check(done.err == "", "off: a dispatcher that is not there is no error", done.err)
done = run(pipeline, "", [PRINTER])
check(done.err == "" and done.out == "ok\n", "an empty name is none", done.shown())

os.makedirs("a folder, with a comma")
for name in ("libxptifw.so", "libxptifw.so.1"):
    shutil.copy(OURS.parent / name, "a folder, with a comma")
os.makedirs("link")
os.symlink(OURS, "link/dispatcher")
for path in ("a folder, with a comma/libxptifw.so", os.path.abspath("link/dispatcher"),
             OURS.parent / "libxptifw.so.1"):
    done = run(pipeline, path, [PRINTER])
    check(done.err.count("task_begin") == 6, f"loaded as {os.path.basename(os.path.dirname(path))}/"
          f"{os.path.basename(path)}", done.shown())

# The program's copy of the proxy, and one in each subscriber, are users of one dispatcher.
done = run(pipeline, OURS, [PRINTER, COUNT])
check(done.err.count("task_begin") == 6 and done.counts.get("example.pipeline task_begin") == 6 and
      done.counts.get("faults") == 0, "three copies of the proxy in one process",
      f"{done.shown()}\n{done.counts}")
check(done.counts.get("example.pipeline edge_create") == 4 and
      done.counts.get("edges of known nodes") == 4, "edges between known nodes", done.counts)
check(done.counts.get("example.pipeline bytes") == 2 * 4000, "bytes allocated", done.counts)

done = run([EXAMPLES / "pipeline-cpp", "2"], OURS, [PRINTER])
check(done.out == "ok\n" and done.err.count("task_begin") == 6 and "pipeline.cpp:" in done.err,
      "scopes of C++ report begin, end and where they are", done.shown())
check(done.err.count("task_end") == 6 and "factor=2" in done.err and "what=iota" in done.err,
      "scopes of C++ have metadata", done.err)
done = run([EXAMPLES / "pipeline-cpp", "2"], enable=None)
check((done.out, done.err) == ("ok\n", ""), "scopes of C++ without a dispatcher: not a word",
      done.shown())
finish()
