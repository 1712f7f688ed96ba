#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tandem-test: timeout=300 waits
"""Sessions that are looked at while they are recorded: our own, by their directory, and LTTng's,
from its relay daemon."""
import json
import os
import re
import subprocess
import sys
import threading
import urllib.request

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import lttng
from recording import DRIVERS, PROGRAMS
from tap import check, finish, skip, wait_for, TANDEM
from viewing import View

# First, as this program begins again in namespaces.
try:
    lttng.start()
    daemons = True
except SystemExit as error:
    if error.code != 77:
        raise
    daemons = False
ENV = {**os.environ, **DRIVERS["stub"]}


def documents(text):
    """The JSON objects that come one after another."""
    decoder, found, at = json.JSONDecoder(), [], 0
    text = text.strip()
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError:  # the last one, which is being written
            break
        found.append(value)
        at += len(text[at:]) - len(text[at:].lstrip())
    return found


def calls(report):
    return sum(row["calls"] for row in report["api"] if row["name"] == "clGetPlatformIDs")


def look(session, words, *more, shows=("report", "print")):
    """A program that makes calls now and then while somebody looks at it."""
    program = subprocess.Popen([TANDEM, "record", "-q", "--kernel", "off", "-o", words, *more, "--",
                                PROGRAMS / "steps"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               env=ENV)

    def tell(line):
        program.stdin.write(line + "\n")
        program.stdin.flush()
        program.stdout.readline()

    tell("calls 1")
    arguments = {"report": ["--table", "api"], "print": ["--name", "clGetPlatformIDs"], "findings": ["--all"]}
    looking = {}
    for show in shows:
        with open(f"{words}.{show}", "w") as out, open(f"{words}.{show}.err", "w") as err:
            looking[show] = subprocess.Popen([TANDEM, show, "--live", "--format", "json", *arguments[show], session],
                                             stdout=out, stderr=err)

    def text(name):
        with open(f"{words}.{name}") as file:
            return file.read()

    def reports():
        return [calls(document) for document in documents(text("report"))]

    # Whoever attaches to a relay gets what comes after it.
    subprocess.run(["sleep", "3"], check=True)
    for _ in range(5):
        before = reports()[-1:] if "report" in shows else []
        tell("calls 20")
        if "report" not in shows:
            subprocess.run(["sleep", "1"], check=True)
        else:  # as fast as the machine is
            wait_for(lambda: reports()[-1:] > before, 40)
    tell("calls 1")
    early = all(show.poll() is None for show in looking.values())
    program.stdin.close()
    program.wait(60)
    for show in looking.values():
        show.wait(120)
    said = {name: (text(name), text(name + ".err")) for name in looking}
    check(early and not any(show.returncode for show in looking.values()), f"{words}: until it ends", said)
    if "report" in said:
        counts = reports()
        check(len(counts) > 3 and counts == sorted(counts) and counts[-1] > counts[0],
              f"{words}: report --live again and again, with more each time", counts)
        check(counts[-1] >= 101, f"{words}: to the end", counts)
    if "findings" in said:
        lasted = [document["duration_ns"] for document in documents(said["findings"][0])]
        check(len(set(lasted)) > 3 and lasted == sorted(lasted), f"{words}: findings --live, of more each time", lasted)
    if "print" in said:
        times = [json.loads(line)["time_ns"] for line in said["print"][0].splitlines()]
        check(len(times) in (101, 102, 103), f"{words}: print --live has each once", (len(times), said["print"][1]))
        check(times == sorted(times), f"{words}: in the order of time")


look("own", "own", shows=("report", "print", "findings"))

# A session that has ended is shown once.
said = subprocess.run([TANDEM, "report", "--live", "--table", "api", "--format", "json", "own"],
                      capture_output=True, text=True)
check(said.returncode == 0 and len(documents(said.stdout)) == 1, "one that has ended", said)
for words in (["report", "--live", "--metrics", "own"], ["report", "--live", "--critical-path", "own"]):
    said = subprocess.run([TANDEM, *words], capture_output=True, text=True)
    check(said.returncode == 2 and "--live" in said.stderr, " ".join(words), said)
said = subprocess.run([TANDEM, "findings", "--live", "--with", "own", "own"], capture_output=True, text=True)
check(said.returncode == 2 and "--live" in said.stderr, "findings --live --with", said)
said = subprocess.run([TANDEM, "print", "--live", "--limit", "7", "own"], capture_output=True, text=True)
check(said.returncode == 0 and len(said.stdout.splitlines()) == 8, "--limit", said)

# On a terminal it stays within its lines.
shown = subprocess.run(["script", "-qec", f"stty rows 10 cols 80; {TANDEM} report --live own", "/dev/null"],
                       capture_output=True, text=True)
check(re.match("\x1b\\[H\x1b\\[J", shown.stdout), "a terminal is cleared before", shown.stdout[:80])

if not daemons:
    skip("LTTng's relay", "its daemons can't be had here")
    finish()
relay = lttng.daemon("lttng-relayd", "-o", os.path.abspath("relayed"))
if wait_for(lambda: relay.poll() is not None, 1):
    skip("LTTng's relay", "no lttng-relayd")
    finish()
# One viewer at a time.
for show in ("report", "print"):
    look(f"net://localhost/host/{os.uname().nodename}/follow-{show}", f"relay-{show}", "--sink", "lttng", "--live",
         "net://localhost", "--lttng-session", f"follow-{show}", shows=(show,))


def follow_by_view(name):
    """The timeline of a live session: more each time that it is asked for, until it ends."""
    program = subprocess.Popen([TANDEM, "record", "-q", "--kernel", "off", "-o", name, "--sink", "lttng", "--live",
                                "net://localhost", "--lttng-session", name, "--", PROGRAMS / "steps"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENV)
    enough = threading.Event()

    def call():
        while not enough.wait(0.3):
            program.stdin.write("calls 20\n")
            program.stdin.flush()
            program.stdout.readline()
        program.stdin.close()

    caller = threading.Thread(target=call, daemon=True)
    caller.start()
    address = f"net://localhost/host/{os.uname().nodename}/{name}"
    wait_for(lambda: any(os.path.getsize(os.path.join(folder, file)) for folder, _, files in os.walk("relayed")
                         for file in files if name in folder and "index" not in folder and
                         re.search(r"_\d+$", file)), 60)
    with View("--no-open", "--follow", address) as view:
        def ask(what):
            with urllib.request.urlopen(view.address + what) as answer:
                return json.load(answer)

        def events():
            return ask("model")["sessions"][0]["events"]

        if check(view.address.startswith("http"), f"{name}: the timeline of a live session is served", view.end()
                 if not view.address else view.address):
            first = events()
            check(wait_for(lambda: events() > first + 100, 60), f"{name}: it has what has come since", first)
            second = events()
            check(ask("follow")["runs"] and wait_for(lambda: events() > second + 100, 60), f"{name}: and again", second)
            enough.set()
            caller.join(30)
            check(wait_for(lambda: not ask("follow")["runs"], 60), f"{name}: until it ends", ask("follow"))
            status, said = view.end()
            check(status == 0, f"{name}: Ctrl-C ends it", said)
    enough.set()
    caller.join(30)
    program.wait(60)


follow_by_view("follow-view")
said = subprocess.run([TANDEM, "report", "--live", f"net://localhost/host/{os.uname().nodename}/nobody"],
                      capture_output=True, text=True, timeout=60)
check(said.returncode == 1 and said.stderr.startswith("tandem:"), "no such session", said)
finish()
