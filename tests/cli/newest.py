#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Commands without a session take the newest one here; what -o may say; a recording that
begins later and ends earlier than the program; the report at its end."""
import glob
import os
import re
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import TANDEM, check, finish  # noqa: E402

ANNOTATE = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "annotation", "annotate")


def tandem(*arguments, **more):
    env = dict(os.environ, **more.pop("env", {}))
    return subprocess.run([TANDEM, *arguments], text=True, capture_output=True, env=env, **more)


COMMANDS = (["report"], ["findings"], ["print"], ["export", "--format", "chrome", "-o", "out.json"],
            ["sql"], ["sql", "SELECT count(*) FROM ranges"], ["status"])
for command in COMMANDS:
    said = tandem(*command)
    check(said.returncode == 2 and "no session given" in said.stderr,
          f"{command[0]}: where there is none", said.stderr)
tandem("record", "-q", "-o", "z-older", ANNOTATE)
tandem("record", "-q", "-o", "a-newer", ANNOTATE)
os.mkdir("other")
for command in COMMANDS:
    said = tandem(*command)
    check(said.returncode == 0 and "the newest session here: a-newer" in said.stderr,
          f"{command[0]} takes the newest", said.stderr)

said = tandem("pause")
check(said.returncode == 1 and "a-newer" in said.stderr.splitlines()[0] and
      "nothing records into" in said.stderr, "pause takes the newest", said.stderr)
said = tandem("export", "z-older")
check(said.returncode == 2 and "accepted: perfetto, chrome" in said.stderr,
      "export says which formats there are", said.stderr)
said = tandem("report", "--no-such")
check(said.returncode == 2 and said.stderr.startswith("tandem: unrecognized option '--no-such'"),
      "each complaint begins alike", said.stderr)

# -o
said = tandem("record", "-o", "runs/deep/%p-%q{LANE}-100%%-%h", ANNOTATE, env={"LANE": "a/b"})
made = "runs/deep/annotate-a_b-100%-" + socket.gethostname()
check(said.returncode == 0 and os.path.exists(made + "/session.json"), "-o: signs and parents",
      (said.stderr, glob.glob("runs/deep/*")))
tandem("record", "-q", "-o", "at-%t", ANNOTATE)
check([n for n in os.listdir(".") if re.fullmatch(r"at-\d{8}-\d{6}", n)], "-o: date and time",
      os.listdir("."))
for name, words in (("%x", "after a % there is p, t, h"), ("%q{TANDEM_NO_SUCH}", "no variable"),
                    ("%q{open", "after a %")):
    said = tandem("record", "-o", name, ANNOTATE)
    check(said.returncode == 1 and words in said.stderr and not glob.glob("%*"), "-o " + name,
          said.stderr)

# A later begin: calls until one is recorded. An earlier end: calls once it has stopped.
LATE = """%s; n=0
until ls late/process-* >/dev/null 2>&1 || [ $n = 500 ]; do n=$((n + 1)); sleep 0.1; %s; done
echo $n""" % (ANNOTATE, ANNOTATE)
said = tandem("record", "-o", "late", "--delay", "3s", "sh", "-c", LATE)
check(0 < int(said.stdout.split()[-1]) < 500 and len(glob.glob("late/process-*")) == 1,
      "--delay: what came first is not recorded, what comes later is", said)
EARLY = """%s; n=0
until %s status early | grep -q stopped || [ $n = 500 ]; do n=$((n + 1)); sleep 0.1; done
%s; echo $n""" % (ANNOTATE, TANDEM, ANNOTATE)
said = tandem("record", "-o", "early", "--duration", "3s", "sh", "-c", EARLY)
check(int(said.stdout.split()[-1]) < 500 and len(glob.glob("early/process-*")) == 1,
      "--duration: what came first is recorded, what comes later is not", said)
check(tandem("record", "--delay", "soon", "true").returncode == 2, "--delay takes a time")
said = tandem("record", "-o", "never", "--delay", "1h", ANNOTATE)
check("never resumed" in said.stderr, "a delay that was too long is said", said.stderr)

# The report.
said = tandem("record", "-o", "shown", "--report", ANNOTATE)
check(said.returncode == 0 and "Ranges (annotated by the program)" in said.stderr and
      not said.stdout, "--report shows it on standard error", said.stderr)
said = tandem("record", "-o", "fails", "--report", "sh", "-c", "exit 3")
check(said.returncode == 3, "and the status is the program's", said)
finish()
