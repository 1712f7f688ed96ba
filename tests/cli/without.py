#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tandem-test: timeout=600
"""A tandem that was built without libtraceevent and jansson: `record` says nothing of either,
`doctor` says once what is missing and what to install, and a session is read whole: without
jansson nothing is missing."""
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish

if os.environ.get("TANDEM_SANITIZE"):
    print("a build of its own, without the sanitizer")
    sys.exit(77)
missing = [tool for tool in ("meson", "ninja", "cc") if not shutil.which(tool)]
if missing:
    print("not installed:", ", ".join(missing))
    sys.exit(77)
OFF = ("kernel", "json", "opencl", "sqlite", "otf2", "symbols", "ctf")


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=500, **more)


done = run("meson", "setup", "built", os.environ["TANDEM_SOURCE"], "-Dtests=false", "-Dbuildtype=plain",
           *(f"-D{name}=disabled" for name in OFF), env=dict(os.environ, CFLAGS="-O0 -g0"))
check(done.returncode == 0, "meson setup", done.stdout[-2000:] + done.stderr[-2000:])
done = run("ninja", "-C", "built")
if not check(done.returncode == 0, "it builds", done.stdout[-2000:]):
    finish()
tandem = os.path.abspath("built/tandem")
for number in ("first", "second"):
    done = run(tandem, "record", "-o", number, "sh", "-c", "exit 3")
    check(done.returncode == 3 and "libtraceevent" not in done.stderr and "jansson" not in done.stderr,
          f"{number}: record says nothing of them", done.stderr)
text = run(tandem, "doctor").stdout
check(text.count("absent   libtraceevent-dev") == text.count("apt-get install libtraceevent-dev") == 1 and
      "jansson" not in text, "doctor says once what is missing, and the fix", text)
done = run(tandem, "report", "second")
check("exit status 3" in done.stdout and "sh -c 'exit 3'" in done.stdout.replace('"', "'") and
      "damaged" not in done.stdout + done.stderr, "the report has the program and its status", done.stdout + done.stderr)
said = json.loads(run(tandem, "status", "--format", "json", "second").stdout)
check(said.get("processes") == 1, "and a process", said)
finish()
