#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The report begins with the findings, and does not wait for those of a long trace."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish
from traces import synthetic, tandem

synthetic("short", records=20000, threads=2)
text = tandem("report", "short").stdout
said = json.loads(tandem("report", "--format", "json", "short").stdout)
found = json.loads(tandem("findings", "--format", "json", "--all", "short").stdout)["findings"]
head, _, rest = text.partition("\nFindings  ")
check(rest and "API calls" not in head, "they come before the tables", text[:400])
shown = rest.partition("\nAPI calls")[0]
most = max((f for f in found if f["percent"] >= 1), key=lambda f: f["cost_ns"])
check(f"{most['name']}: " in shown.splitlines()[1], "the most expensive first", shown)
check("`tandem findings short`" in shown, "and how to see more", shown)
check(all(len(line) <= 100 for line in shown.splitlines()), "in short lines", shown)
check(sum(f"{f['name']}: " in line for f in found for line in shown.splitlines()) >= 1 and
      len([line for line in shown.splitlines() if line[:10].strip().endswith("%")]) <= 5,
      "a few of them", shown)
check(said["findings_made"] and said["findings"] == found, "JSON has all of them")
for arguments in (["--table", "api"], ["--format", "csv"], ["--table", "api", "-f", "json"]):
    check("findings" not in tandem("report", *arguments, "short").stdout.lower(),
          f"not with {' '.join(arguments)}")

off = tandem("report", "--findings", "off", "short").stdout
check("`tandem findings short` examines them" in off and " transfers: " not in off and
      off.partition("\nAPI calls")[2] == rest.partition("\nAPI calls")[2],
      "--findings off leaves them out, and nothing else", off[:600])
said = json.loads(tandem("report", "--findings", "off", "-f", "json", "short").stdout)
check(said["findings_made"] is False and "findings" not in said, "in JSON, too")

synthetic("long", records=900000, threads=2)
text = tandem("report", "long").stdout
said = json.loads(tandem("report", "--format", "json", "long").stdout)
check("`tandem findings long` examines them" in text, "of a long trace it says how to get them",
      text[:400])
check(said["findings_made"] is False and "findings" not in said, "and JSON says so")
on = tandem("report", "--findings", "on", "long").stdout
found = json.loads(tandem("findings", "--format", "json", "--all", "long").stdout)["findings"]
said = json.loads(tandem("report", "--findings", "on", "-f", "json", "long").stdout)
check("`tandem findings long` details: location" in on and f" {found[0]['name']}: " in on,
      "--findings on makes them of any trace", on[:600])
check(said["findings_made"] and said["findings"] == found, "in JSON, too")
finish()
