# SPDX-License-Identifier: MIT
"""A tandem that was built without libtraceevent and jansson: `record` says nothing of either,
`doctor` says once what is missing and what to install, and a session is read whole: without
jansson nothing is missing.

    WITHOUT = ("-Dkernel=disabled", "-Djson=disabled")	what `meson setup` is given
    look(tandem)
"""
import json
import subprocess

from tap import check

WITHOUT = ("-Dkernel=disabled", "-Djson=disabled")


def look(tandem):
    def run(*words):
        return subprocess.run([tandem, *words], capture_output=True, text=True, timeout=300)

    for number in ("first", "second"):
        done = run("record", "-o", f"without-{number}", "sh", "-c", "exit 3")
        check(done.returncode == 3 and "libtraceevent" not in done.stderr and "jansson" not in done.stderr,
              f"{number}: record says nothing of them", done.stderr)
    text = run("doctor").stdout
    check(text.count("absent   libtraceevent-dev") == text.count("apt-get install libtraceevent-dev") == 1 and
          "jansson" not in text, "doctor says once what is missing, and the fix", text)
    done = run("report", "without-second")
    check("exit status 3" in done.stdout and "sh -c 'exit 3'" in done.stdout.replace('"', "'") and
          "damaged" not in done.stdout + done.stderr, "the report has the program and its status",
          done.stdout + done.stderr)
    said = json.loads(run("status", "--format", "json", "without-second").stdout)
    check(said.get("processes") == 1, "and a process", said)
