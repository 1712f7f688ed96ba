# SPDX-License-Identifier: MIT
"""What `tandem record --snapshot-when` said and saved, for its tests with either sink."""
import glob
import json
import re
import subprocess

from tap import TANDEM


def times_true(said):
    """Of each condition: how often it was true, and its snapshots."""
    return {text: (int(true.replace(",", "")), int(saved))
            for text, true, saved in re.findall(r"`(.*)` was true ([\d,]+) times?: (\d+) snapshots?", said)}


def snapshots(folder):
    return sorted(glob.glob(folder + "-snapshot-*[0-9]"), key=lambda name: int(name.rsplit("-", 1)[1]))


def description(session):
    with open(session + "/session.json", encoding="utf-8") as file:
        return json.load(file)


def lines(session, name):
    """The events of that name, which may end in *."""
    said = subprocess.run([TANDEM, "print", "--raw", "--format", "json", "--name", name, session],
                          capture_output=True, text=True, timeout=100)
    return [line for line in map(json.loads, said.stdout.splitlines()) if line["name"].startswith(name.rstrip("*"))]
