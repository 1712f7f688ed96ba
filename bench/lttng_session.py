# SPDX-License-Identifier: MIT
"""Sessions of LTTng's own for measurements, by daemons of the program that measures (tests/lib/lttng.py)."""
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "tests", "lib"))
import lttng  # noqa: E402


def begin(session, events):
    lttng.need(lttng.run("create", session, "--output=" + os.path.abspath(session)))
    lttng.need(lttng.run("enable-channel", "-u", "large", "--subbuf-size=8M", "--num-subbuf=4"))
    lttng.need(lttng.run("enable-event", "-u", "-c", "large", events))
    lttng.need(lttng.run("add-context", "-u", "-c", "large", "-t", "vpid", "-t", "vtid", "-t", "procname"))
    lttng.need(lttng.run("start"))


def end(session):
    """Whether everything was kept: what is discarded costs less."""
    said = lttng.need(lttng.run("destroy", session))
    shutil.rmtree(session, ignore_errors=True)
    return "iscarded" not in said.stdout + said.stderr


def output(bench, program):
    """What `program` prints last, which measures with daemons of its own; None: they can't be had here."""
    done = subprocess.run([sys.executable, os.path.abspath(program), bench.build, str(bench.rounds)], text=True,
                          cwd=bench.sessions, stdout=subprocess.PIPE,
                          env={**bench.environment, "TANDEM_BUILD": bench.build})
    if done.returncode:
        print(done.stdout)
        return None
    return json.loads(done.stdout.splitlines()[-1])
