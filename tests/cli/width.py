#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is printed on a terminal fits it: 80 columns, and wider ones. Names are
cut in the middle, columns that are left out are named, and what is one thing in all rows of
a table (the device, the process) stands in its heading. Where stdout is no terminal nothing
is cut to a width, unless COLUMNS asks for one."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import DRIVERS, PROGRAMS  # noqa: E402
from onterminal import on_terminal  # noqa: E402
from tap import TANDEM, check, finish, skip  # noqa: E402

REPLAY = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "cuda", "replay")
DATA = os.path.join(os.environ["TANDEM_SOURCE"], "tests", "data", "cuda")


def plain(*arguments):
    return subprocess.run(arguments, text=True, capture_output=True).stdout.split("\n")


subprocess.run([TANDEM, "record", "-q", "-o", "s", REPLAY, os.path.join(DATA, "overlap.replay"),
                "1", "return", *["a-very-long-argument"] * 100], check=True)
subprocess.run([TANDEM, "record", "-q", "-o", "t", REPLAY, os.path.join(DATA, "overlap.replay")],
               check=True)
subprocess.run([TANDEM, "record", "-q", "-o", "lines", "sh", "-c", ":\n" * 80], check=True)
lines = on_terminal(80, TANDEM, "report", "lines")
check(len(lines[0]) == 80 and "…" in lines[0], "a command of many lines is cut to one", lines[0])
subprocess.run([TANDEM, "record", "-q", "-o", "queues", PROGRAMS / "threads", "4", "5", "16384"], check=True,
               env=dict(os.environ, **DRIVERS["stub"]), capture_output=True)
subprocess.run([TANDEM, "record", "-q", "-o", "pipeline", "sh", "-c", "seq 1 20000 | sort -r | tail -1"], check=True,
               capture_output=True)
for width in (60, 80, 120):
    for command in (("report", "s"), ("report", "queues"), ("report", "pipeline"), ("findings", "--all", "queues"), ("findings", "--all", "s"), ("diff", "s", "t"), ("diff", "queues", "s"),
                    ("report", "--metrics", "s")):
        lines = on_terminal(width, TANDEM, *command)
        check(len(lines) > 5 and all(len(line) <= width for line in lines),
              f"{' '.join(command)} fits {width} columns",
              "\n".join(line for line in lines if len(line) > width))
# Paths without a blank, as long as they come.
long_name = "a-session-of-a-very-long-name/" * 4 + "s"
subprocess.run([TANDEM, "record", "-q", "--snapshot", "-o", long_name, "sh", "-c",
                f"exec '{TANDEM}' snapshot -o saved '{long_name}' >/dev/null 2>&1"], check=False)
if os.path.isdir("saved"):
    lines = on_terminal(80, TANDEM, "report", "saved")
    check(any("snapshot of" in line for line in lines) and all(len(line) <= 80 for line in lines[:6]),
          "the path of what it is a snapshot of is cut", lines[:6])
else:
    skip("the path of what it is a snapshot of is cut", "no snapshot was made")
lines = on_terminal(80, TANDEM, "report", "s")
narrow = on_terminal(60, TANDEM, "report", "queues")
left_out = [line for line in narrow if "not shown at this width" in line]
check(left_out and not any("…" in line for line in left_out), "and their names are not cut", left_out)
calls = next(i for i, line in enumerate(narrow) if line.startswith("API calls"))
check("mean" in narrow[calls + 1] and "calls" in narrow[calls + 1], "a call's mean is shown to the last", narrow[calls + 1])
for width in (60, 80, 100):
    headings = [line.split() for line in on_terminal(width, TANDEM, "diff", "queues", "s") if "difference" in line.split()]
    check(len(headings) > 2 and all(line.count("A") == line.count("B") for line in headings),
          f"diff at {width} columns has both sides or none", headings)
check("…" in lines[0], "the command is cut in the middle", lines[0])
check(any("not shown at this width: " in line for line in lines), "columns left out are named")
heading = next(line for line in lines if line.startswith("Device operations"))
check(heading.endswith(", NVIDIA_H200"), "one device is in the heading", heading)
# COLUMNS is what the user asks for, wherever the output goes.
for width in (60, 100):
    for command in (("report", "s"), ("findings", "--all", "s"), ("diff", "s", "t"), ("report", "--metrics", "s")):
        asked = dict(os.environ, COLUMNS=str(width), NO_COLOR="1")
        piped = subprocess.run([TANDEM, *command], text=True, capture_output=True, env=asked).stdout.split("\n")
        check(piped == on_terminal(width, TANDEM, *command), f"{' '.join(command)} into a pipe with COLUMNS={width}", piped)
os.environ["COLUMNS"] = "60"
check(on_terminal(120, TANDEM, "report", "s") == on_terminal(60, TANDEM, "report", "s"), "COLUMNS goes before the terminal's width")
unlike = plain(TANDEM, "report", "-f", "csv", "s")
del os.environ["COLUMNS"]
check(unlike == plain(TANDEM, "report", "-f", "csv", "s"), "COLUMNS changes no CSV")
for nonsense in ("", "0", "-1", "12x", "99999999999"):
    asked = dict(os.environ, COLUMNS=nonsense)
    piped = subprocess.run([TANDEM, "report", "s"], text=True, capture_output=True, env=asked).stdout.split("\n")
    check(piped == plain(TANDEM, "report", "s"), f"COLUMNS={nonsense!r} is passed over", piped[:5])
wide = plain(TANDEM, "report", "s")
check(not any("not shown at this width" in line for line in wide),
      "without a terminal nothing is left out")
latency = next(i for i, line in enumerate(wide) if line.startswith("Command latency by queue"))
check("submit→start" in wide[latency + 1] and "in device queue" not in "".join(wide),
      "what a command waits is a mean, not a sum over all", wide[latency:latency + 3])
finish()
