#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Commands that the driver keeps back until their queue is flushed, while the host is busy. The
program has a real-time priority, as a thread of the driver's without a CPU keeps them back too.

tandem-test: timeout=120
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from corpus import CORPUS, STUB
from tap import check, finish, skip
from traces import record, tandem

FLUSH = dict(STUB, STUB_FLUSH="1")
PRIORITY = ["chrt", "-r", "1"]


def found(path, command):
    status = record(path, command, env=FLUSH)
    said = tandem("findings", "--all", "--format", "json", path)
    check(status == 0 and said.returncode == 0, f"{path} is recorded", said.stderr)
    return json.loads(said.stdout)["findings"]


def is_unflushed(one):
    return (one["name"], one["cause"]) == ("idle-device", "unflushed")


if subprocess.run([*PRIORITY, "true"], stderr=subprocess.DEVNULL).returncode:
    skip("kept back", "a real-time priority is for root")
else:
    said = found("planted", [*PRIORITY, CORPUS, "unflushed"])
    ours = [one for one in said if is_unflushed(one)]
    check(len(ours) == 1 and ours[0]["count"] >= 30, "kept back", said)
    check(not any(one["cause"] == "synchronisation" for one in said), "and nothing else", said)
said = found("repaired", [CORPUS, "unflushed", "repaired"])
check(not any(map(is_unflushed, said)), "flushed: not kept back", said)
finish()
