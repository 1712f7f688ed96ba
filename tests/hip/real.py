#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tandem-test: timeout=400
"""AMD's own HIP runtimes, as Debian has them, on a machine without a GPU: 5.7.1 calls back and
its calls are recorded, and handed to a client of ROCTracer's; 5.2.3 takes the registration and never calls back. Either way the
program sees what it sees untraced, errors included."""
import collections
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import debroot  # noqa: E402
from cuda import Trace  # noqa: E402
from tap import TANDEM, check, finish, skip  # noqa: E402

BARE = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "hip", "hip-bare-5")


CLIENT = os.path.join(os.environ["TANDEM_BUILD"], "tests", "tracer", "tracer-amd-client.so")


def run(command, **more):
    return subprocess.run(command, text=True, capture_output=True, check=False,
                          env=dict(os.environ, **more))


def client_got(suite, command, untraced):
    """tests/tracer/amd_client.c: it checks arguments, ids and phase_data itself."""
    done = run(command, LD_PRELOAD=CLIENT, AMD_CLIENT="hip", STUB_HIP_NO_DEVICE="1",
               AMD_PHASE_DATA="832" if suite == "trixie" else "0")
    check(done.returncode == 0 and done.stdout == untraced.stdout,
          "%s: a program with a client does what it does without" % suite, done)
    lines = [line.split() for line in done.stderr.splitlines() if line.startswith("got ")]
    return {words[1]: int(words[-1]) for words in lines}


def calls(words):
    """(function, status) of what the program printed."""
    return [(line.split()[1].split("(")[0], int(line.split()[0])) for line in words.splitlines()]


for suite, version, generation in (("trixie", 507, "tracer"), ("bookworm", 502, "activity")):
    root, why = debroot.made(suite, "libamdhip64-5")
    if not root:
        skip("HIP of Debian's %s" % suite, why)
        continue
    command = debroot.command(root, [BARE])
    untraced = run(command)
    done = run([TANDEM, "record", "-o", suite, *command])
    check(untraced.returncode == done.returncode == 0 and untraced.stdout == done.stdout and
          untraced.stdout, "%s: the program does what it does untraced" % suite, (untraced, done))
    if not untraced.stdout:
        continue
    if os.environ.get("TANDEM_SANITIZE"):
        skip("%s: a client of ROCTracer's" % suite, "nothing puts the sanitizer's runtime before it")
    else:
        found = client_got(suite, command, untraced)
        called = collections.Counter("calls:" + name for name, _ in calls(untraced.stdout))
        got = {what: count for what, count in found.items() if what.startswith("calls:")}
        check(got == (dict(called) if generation == "tracer" else {}) and found.get("wrong") == 0,
              "%s: a client of ROCTracer's gets each call that the runtime reports" % suite, found)
    trace = Trace(suite)
    seen = [(e["name"], e["result"]) for e in trace.events
            if e["domain"] == "hip" and "result" in e]
    runtime = [(e["args"]["version"], e["args"]["generation"]) for e in trace.by_name["runtime"]]
    if generation == "tracer":
        said = [(name, status) for name, status in calls(done.stdout)
                if name not in ("hipGetLastError", "hipPeekAtLastError")]
        check(seen == said, "%s: each call and what it returned" % suite, (seen, said))
        check(runtime == [(version, generation)], "%s: by %s" % (suite, generation), runtime)
        check(not trace.operations and not trace.by_name["device"], "%s: and no device" % suite,
              trace.by_name["device"])
    else:
        check(not seen and not done.stderr.count("refused"),
              "%s: it registers, and calls nothing back without a device" % suite, (seen, done.stderr))
finish()
