#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One list of options for each command: the parser takes what --help names, the man
page has a heading for each and no others, the completions offer them."""
import collections
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish, TANDEM

SOURCE = pathlib.Path(os.environ["TANDEM_SOURCE"])
BUILD = pathlib.Path(os.environ["TANDEM_BUILD"])
PAGES = {"status": "pause"}  # described together


def run(*words):
    return subprocess.run([TANDEM, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)


headings = collections.defaultdict(list)
printed = subprocess.run([BUILD / "tandem-options", "man"], capture_output=True, text=True)
for line in printed.stdout.splitlines():
    command, heading = line.split("\t")
    headings[command].append(heading)
check(len(headings) > 8 and "record" in headings, "the lists are there", printed)

for command, expected in sorted(headings.items()):
    page = (SOURCE / "man" / f"tandem-{PAGES.get(command, command)}.1").read_text().splitlines()
    found = [line for before, line in zip(page, page[1:])
             if before in (".TP", ".TQ") and re.match(r"\.BR? \\-", line) and "help" not in line]
    check(sorted(found) == sorted(expected), f"{command}: the man page has each option",
          f"missing {set(expected) - set(found)}, or too many {set(found) - set(expected)}")

bash = (BUILD / "completions" / "tandem").read_text()
zsh = (BUILD / "completions" / "_tandem").read_text()
for command in sorted([*headings, "pause", "resume", "stop"]):
    text = run(command, "--help").stdout
    options = re.findall(r"^  (?:-(\w), |    )--([\w-]+)(?: (\S+))?", text, re.M)
    check(("h", "help", "this") in options or any(o[1] == "help" for o in options),
          f"{command}: --help names itself", text)
    offered = re.search(rf'^\t{command}\) echo "(.*)" ;;$', bash, re.M)[1].split()
    for letter, name, value in options:
        check(f"--{name}" in offered and (not letter or f"-{letter}" in offered),
              f"{command} --{name}: bash offers it", offered)
        check(f"--{name}" in zsh, f"{command} --{name}: zsh offers it")
        if name == "help" or not re.fullmatch(r"[A-Z]+|[a-z]+(?:\|[a-z]+)+", value or "-"):
            continue
        # One that takes a value wants it; wherever it is one of a few, another is refused.
        said = run(command, f"--{name}")
        check(said.returncode == 2 and "requires an argument" in said.stderr,
              f"{command} --{name}: wants a value", said)
    check(max(map(len, text.splitlines())) <= 80, f"{command}: --help fits 80 columns",
          [line for line in text.splitlines() if len(line) > 80])
    check("%%" not in text and "%s" not in text, f"{command}: --help holds no format", text)

# What a value must be is the same for all who take it.
for words, right in ((("record", "-o", "", "true"), "the name of a directory"),
                     (("snapshot", "-o", "", "none"), "the name of a directory"),
                     (("system", "record", "-o", ""), "the name of a directory"),
                     (("record", "--delay", "0", "true"), "1.5s, 20ms, 5m"),
                     (("record", "--duration", "-1s", "true"), "1.5s, 20ms, 5m"),
                     (("system", "record", "--for", "soon"), "1.5s, 20ms, 5m"),
                     (("record", "--exit-wait", "1s", "true"), "a time in ms")):
    said = run(*words)
    check(said.returncode == 2 and right in said.stderr, f"{' '.join(words)}: what is right", said)

text = run("--help").stdout
check(max(map(len, text.splitlines())) <= 80, "--help fits 80 columns", text)

# What is not filled in a man page: its lines are indented by 7 columns.
for page in sorted((SOURCE / "man").glob("*.[1-9]")):
    blocks = re.findall(r"^\.(?:nf|EX)\n(.*?)^\.(?:fi|EE)$", page.read_text() + "\n.fi", re.M | re.S)
    lines = [re.sub(r"\\\(..", "x", line).replace("\\-", "-").replace("\\e", "/") for block in blocks
             for line in block.splitlines() if not line.startswith(".")]
    check(all(len(line) <= 73 for line in lines), f"{page.name}: examples fit 80 columns",
          [line for line in lines if len(line) > 73])

# A word that is none of those accepted: the line says which are.
for command, option, accepted in (
        ("record", "args", "none, basic, full"), ("record", "kernel", "off, sched, syscalls"),
        ("report", "format", "text, json, csv"), ("report", "table", "api, ranges, tasks, device"),
        ("print", "format", "text, json"), ("findings", "kind", "preemption, "),
        ("diff", "table", "total, api, device, findings"), ("export", "format", "perfetto, chrome"),
        ("sql", "format", "text, json, csv"), ("status", "format", "text, json"),
        ("doctor", "format", "text, json"), ("record", "sample", "1 to 20000"),
        ("record", "limit-size", "500M"), ("print", "from", "1.5s"), ("view", "port", "1 to 65535"),
        ("findings", "min", "a percentage"), ("diff", "p", "a number from 0 to 1")):
    said = run(command, f"--{option}", "foo", "x")
    check(said.returncode == 2 and said.stderr.startswith(
        f"tandem: --{option}: invalid value 'foo' (accepted: {accepted}"),
          f"{command} --{option} foo: is refused", said.stderr)
said = run("record", "--domains", "opencl,foo", "true")
check(said.returncode == 2 and "unknown domain 'foo'" in said.stderr, "record --domains foo", said.stderr)
listed = re.search(r"what to record: ([^(]*) \(", run("record", "--help").stdout)[1]
for domain in re.sub(r"\s+", " ", listed).split(", "):
    said = run("record", "--domains", domain)
    check("no program given" in said.stderr, f"record --domains {domain}: is known", said.stderr)
finish()
