#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""MatrixTranspose on the stub's HIP, traced by ROCTracer's sample, TAU, APEX, Caliper and rocprof's
tool in their order of calls (hip_clients.c), with each version's runtime."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import rocm  # noqa: E402
from recording import SANITIZED  # noqa: E402
from tap import check, finish, skip  # noqa: E402

# Nobody's: checks of the program's own.
LEAST = {"matrix": 12, "tau": 11, "apex": 9, "caliper": 18, "rocprof": 9}

for version in ("5.2", "5.7", "6.3", "7.2"):
    program = os.path.join(rocm.BUILD, "tests", "tracer", "hip-clients-" + version[0])
    for client, least in LEAST.items():
        for recorded in (False, True):
            title = "%s on HIP %s%s" % (client, version, ", recorded" if recorded else "")
            done = rocm.record("%s-%s" % (client, version), version, command=[program, client]) \
                if recorded else rocm.run([program, client], version)
            failed = [line for line in done.stdout.splitlines() if line.startswith(("not ok", "#"))]
            check(done.returncode == 0 and not failed and done.stdout.count("ok ") >= least, title,
                  (done.returncode, failed, done.stdout.count("ok "), done.stderr[-400:]))
# Functions' numbers are those of the headers of the runtime's version: 6.0 and 6.2 have some of their own.
for version, numbers in (("6.0", "365 406"), ("6.2", "379 399"), ("6.3", "379 406")):
    done = rocm.run([os.path.join(rocm.BUILD, "tests", "tracer", "hip-clients-6"), "numbers"], version,
                    HIP_NUMBERS=numbers)
    failed = [line for line in done.stdout.splitlines() if line.startswith(("not ok", "#"))]
    check(done.returncode == 0 and not failed and done.stdout.count("ok ") == 9,
          "numbers of HIP %s" % version, (done.returncode, failed, done.stdout, done.stderr[-400:]))
for version in ("5.7", "7.2"):
    if "thread" in (SANITIZED or ""):
        skip("signals in calls of HIP %s" % version, "the thread sanitizer puts signals off to the next system call")
        continue
    done = rocm.run([os.path.join(rocm.BUILD, "tests", "tracer", "hip-steps-" + version[0]), "97"], version)
    failed = [line for line in done.stdout.splitlines() if line.startswith(("not ok", "#"))]
    check(done.returncode == 0 and not failed and done.stdout.count("ok ") >= 9,
          "signals in calls of HIP %s" % version, (done.returncode, failed, done.stderr[-400:]))
finish()
