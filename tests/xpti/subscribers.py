#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Subscribers that can't be loaded, that throw, that end the thread or unload themselves; several
at once; and what happens after the end, in a forked child, and in exit handlers."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from sycl import COUNT, EXAMPLES, need_dispatcher, OURS, PRINTER, PROGRAMS, run
from tap import check, finish, skip

need_dispatcher()
ODD = PROGRAMS / "xpti-odd.so"
pipeline = [EXAMPLES / "pipeline", "2"]
STREAM = "example.pipeline"
TASKS = f"{STREAM} task_begin"


def counted(words, done, tasks=6):
    return check(done.status == 0 and done.out == "ok\n" and done.counts.get(TASKS) == tasks and
                 done.counts.get("faults") == 0, words, f"{done.shown()}\n{done.counts}")


with open("text.so", "w") as file:
    file.write("no library\n")
for path, why in (("/nonexistent/tool.so", "/nonexistent/tool.so"), (os.path.abspath("text.so"), "text.so"),
                  (PROGRAMS / "xptiTraceInit.so", "it has no xptiTraceFinish"),
                  (PROGRAMS / "xptiTraceFinish.so", "it has no xptiTraceInit")):
    done = run(pipeline, OURS, [path, COUNT])
    counted(f"beside a bad subscriber ({os.path.basename(path)}) the other is served", done)
    check(len(done.err.splitlines()) == 1 and done.err.startswith("xpti: subscriber ") and
          why in done.err, "one line names it", done.err)

counted("empty names in the list are nothing", run(pipeline, OURS, ["", COUNT, "", ""]))
done = run(pipeline, OURS, [""])
check((done.out, done.err) == ("ok\n", ""), "an empty list", done.shown())

os.symlink(COUNT, "again.so")
done = run(pipeline, OURS, [COUNT, COUNT, os.path.abspath("again.so")])
counted("named three times, called once", done)
check(done.counts.get(f"{STREAM} finished") == 1, "and finished once", done.counts)

done = run(pipeline, OURS, [PRINTER, COUNT, ODD])
counted("three at once", done)
check(done.err.count("task_begin ") == 6 and done.err.count("odd was called") == 6,
      "each has every event", done.err)

for moment, calls in (("init", 6), ("finish", 6), ("level", 6), ("task", 1)):
    done = run(pipeline, OURS, [ODD, COUNT], env={"ODD": moment})
    counted(f"one that throws ({moment}): the program runs, the other is served", done)
    check("xpti-odd.so threw an exception" in done.err, "a line names it", done.err)
    check(done.err.count("odd was called") == calls,
          "a callback that threw is not called again" if calls == 1 else "callbacks are called",
          done.err)

done = run(pipeline, OURS, [ODD, COUNT], env={"ODD": "close"})
counted("one that unloads itself", done)
check(done.err.count("odd was called") == 6, "its callbacks are still there", done.err)

if "thread" in os.environ.get("TANDEM_SANITIZE", ""):
    skip("one that ends the thread ends it", "the thread sanitizer hangs when a child's last one ends")
else:
    done = run([PROGRAMS / "xpti-threads"], OURS, [ODD], env={"ODD": "exit"})
    check(done.out.count(": 7\n") == 4, "one that ends the thread ends it", done.shown())

done = run([PROGRAMS / "xpti-threads"], OURS, [COUNT])
expected = "".join(f"thread {i}: 1\n" for i in range(4)) + "child: 3\n"
check(done.status == 0 and done.out == expected and done.err == "",
      "threads, a child, exit handlers", done.shown())
check(done.counts.get("test.threads task_begin") == 4 and done.counts.get("test.threads task_end") == 4,
      "nothing is reported after the end", done.counts)
alone = run([PROGRAMS / "xpti-threads"], enable=None)
check(alone.out == expected.replace("child: 3", "child: 4") and alone.err == "",
      "the same without a dispatcher", alone.shown())
finish()
