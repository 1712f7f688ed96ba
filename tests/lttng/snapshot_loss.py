#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tandem-test: timeout=180
"""`record --snapshot-when loss` where something is lost in the run, with either sink: CUPTI (a stub) drops
activity records and counts them. The loss saves a snapshot; without one nothing is saved."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import lttng  # noqa: E402
from conditions import description, snapshots, times_true  # noqa: E402
from tap import TANDEM, check, finish  # noqa: E402

if os.environ.get("TANDEM_SANITIZE"):
    print("LTTng's library is not built with a sanitizer")
    sys.exit(77)
lttng.start()
REPLAY = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "cuda", "replay")
OVERLAP = os.path.join(os.environ["TANDEM_SOURCE"], "tests", "data", "cuda", "overlap.replay")


def record(folder, stub, *sink):
    # The recording goes on for a while, as it does with most programs that lose something. Of the kernel
    # more can be lost on a busy machine.
    done = subprocess.run([TANDEM, "record", "-o", folder, "--kernel", "off", "--exit-wait", "100", *sink,
                           "--snapshot-when", "loss", "--", "sh", "-c", f"'{REPLAY}' '{OVERLAP}' && sleep 2"],
                          text=True, capture_output=True, timeout=80, env=dict(os.environ, STUB_CUPTI=stub))
    check(done.returncode == 0, f"{folder}: the program is unharmed", done)
    return done.stderr


for name, sink in (("ours", ()), ("lttng", ("--sink", "lttng"))):
    said = record(name, "drop=10", *sink)
    true, saved = times_true(said).get("loss", (0, 0))
    check(true >= 1 and 1 <= saved <= true, f"{name}: a loss is seen, and saved", said)
    check("nothing lost" not in said and "could not be followed" in said, f"{name}: and it is said", said)
    found = snapshots(name)
    check(len(found) == saved, f"{name}: as many snapshots as it says", (found, said))
    for session in found:
        reason = description(session)["snapshot"]["reason"]
        check(reason.startswith("loss"), f"{name}: the snapshot says why", reason)
        report = subprocess.run([TANDEM, "report", session], capture_output=True, text=True)
        check(report.returncode == 0 and f"snapshot of {name}: loss" in report.stdout, f"{name}: it is read",
              report.stdout[:500] + report.stderr)
    said = record(f"{name}-whole", "late", *sink)
    check(times_true(said).get("loss") == (0, 0) and not snapshots(f"{name}-whole"),
          f"{name}: where nothing is lost, nothing is saved", said)
finish()
