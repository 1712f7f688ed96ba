#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tandem-test: timeout=400
"""The tracer's programs, which print TAP themselves: without `tandem record` and with it."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from cuda import Trace  # noqa: E402
from recording import DRIVERS, SANITIZED, has_pocl, run  # noqa: E402
from tap import check, finish, skip  # noqa: E402

FOLDER = pathlib.Path(os.environ["TANDEM_BUILD"], "tests", "tracer")


def failures(text):
    return "\n".join(line for line in text.splitlines() if line.startswith(("not ok", "#")))


def program(name, arguments=(), least=0, says=None, records=True):
    path = FOLDER / ("tracer-" + name)
    if not path.exists():
        skip(name, "no C++ compiler")
        return
    command = [path, *arguments]
    env = dict(os.environ, **DRIVERS["basic"])
    env.pop("TANDEM_SESSION", None)
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=500 if SANITIZED else 100)
    check(done.returncode == 0 and done.stdout.count("ok ") >= least, name + " alone",
          (done.returncode, failures(done.stdout), done.stderr[-500:]))
    if not records:
        return None
    recorded = run(command, "basic", env=DRIVERS["basic"], timeout=500 if SANITIZED else 100)
    check(recorded.status == 0 and recorded.stdout.count("ok ") >= least, name + " recorded",
          (recorded.status, failures(recorded.stdout), recorded.stderr[-500:]))
    if says:
        check(says in done.stdout and says in recorded.stdout, "%s says %r" % (name, says),
              (done.stdout, recorded.stdout))
    return recorded


if not has_pocl():
    skip("programs of OpenCL", "no PoCL")
    finish()
program("edges", [FOLDER / "tracer-client.so"], least=75)
program("forks", least=2)
program("limits", least=1 if SANITIZED else 3)
program("storm", least=26)
program("promises", [FOLDER / "tracer-client.so"], least=40)
recorded = program("sentences", [FOLDER / "tracer-client.so"], least=48)
texts = [event["args"]["text"] for event in Trace(recorded.session.folder).events
         if event["domain"] == "annotation" and "text" in event["args"]]
check("for tools, and for a session" in texts and "nobody's" not in texts,
      "a session has a tool's annotations, but for those of its callbacks", texts)
if "thread" in (SANITIZED or ""):
    skip("steps", "the thread sanitizer puts signals off to the next system call")
else:
    # Where a stream grows all signals are held back, and a step in there ends the program: with the
    # address sanitizer there are enough steps to come there.
    program("steps", ["11"], least=38, records=not SANITIZED)
program("roctracer", least=75)
program("roctracer-edges", [FOLDER / "tracer-face-client.so"], least=49)
program("clients", least=20)
program("sample", says="1 entries, 1 exits, 1 calls, 1 kernels, one id")
# Its pool is delivered at the exit, while what the callback uses is still there.
program("atexit", says="300 records\n")
finish()
