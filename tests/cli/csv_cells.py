#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Text that a spreadsheet would compute, and text with escapes, is only text in each CSV that
is written: report, sql, export and diff. (Findings are text or JSON; in CSV they are a table of
export and a table of diff.)"""
import csv
import io
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import TANDEM, check, finish  # noqa: E402
from traces import synthetic  # noqa: E402


def run(*words):
    done = subprocess.run([TANDEM, *words], capture_output=True, check=False)
    check(done.returncode == 0, " ".join(words), done.stderr)
    return done.stdout.decode()


def cells(text):
    return [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]


def rename(session, old, new):
    """A kernel's name, in every stream; of the same length."""
    count = 0
    for where, _, names in os.walk(session):
        for name in names:
            path = os.path.join(where, name)
            with open(path, "rb") as file:
                data = file.read()
            if name.startswith(("stream-", "window-")) and old in data:
                count += data.count(old)
                with open(path, "wb") as file:
                    file.write(data.replace(old, new))
    return count


made = synthetic("plain", records=3000)
kernel = next(row["name"] for row in json.loads(run("report", "--format", "json", "plain"))["device"]
              if row["kind"] == "kernel").encode()
for i, start in enumerate((b"=", b"+", b"-", b"@", b"\t", b"\x1b")):
    session = f"odd{i}"
    synthetic(session, records=3000)
    odd = start + kernel[1:]
    check(rename(session, kernel, odd) > 0, f"{odd}: there is such a kernel")
    name = odd.decode()
    run("export", "-q", "-f", "csv", "-o", session + "-csv", session)
    with open(f"{session}-csv/device_ops.csv", newline="", encoding="utf-8") as file:
        exported = file.read()
    for writer, text in (("report", run("report", "--format", "csv", "--table", "device", session)),
                         ("sql", run("sql", "--format", "csv", session, "SELECT name FROM device_ops")),
                         ("export", exported),
                         ("diff", run("diff", "--format", "csv", "--table", "device", "plain", session))):
        found = {cell for cell in cells(text) if cell.endswith(name[1:]) and cell != kernel.decode()}
        if start in b"=+-@":
            check(found == {"'" + name}, f"{writer}: {odd} is text", found)
        else:
            check(found and "\x1b" not in text and not any(cell[0] in "\t\x1b" for cell in found),
                  f"{writer}: {odd} is written out", found)
finish()
