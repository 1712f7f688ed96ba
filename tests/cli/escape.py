#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names that would act on a terminal: of threads, processes, the machine, the session itself.
None of what tandem prints has the escape character in it, unless it is its own colours."""
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import TANDEM, check, finish
from traces import BUILD, synthetic

ESCAPE = b"\x1b"
COMMANDS = [("report",), ("report", "-f", "csv"), ("report", "-f", "json"), ("report", "--metrics"), ("report", "--clocks"),
            ("print",), ("print", "--raw"), ("print", "-f", "json"), ("findings",), ("findings", "-f", "json"),
            ("status",), ("diff", "{}"), ("export", "-f", "folded", "-o", "-"), ("pause",), ("export", "-f", "csv", "-o", "csv"),
            ("export", "-f", "chrome", "-o", "chrome.json"), ("sql",)]


def poison(session):
    """An escape sequence into every name. Returns the session's new name, with one too."""
    def odd(match):
        return match[0][:1] + b"\x1b[" + match[0][3:]

    for where, _, files in os.walk(session):
        for name in files:
            path = os.path.join(where, name)
            with open(path, "rb") as file:
                data = file.read()
            if name.startswith(("stream-", "window-")):
                data = re.sub(rb"[A-Za-z0-9_./ -]{6,}", odd, data)
            elif name == "metadata":
                data = re.sub(rb'(procname|command|hostname) = "', rb'\g<0>\\033[1m', data)
            elif name == "session.json":
                said = json.loads(data)
                for key in "program", "host", "cwd":
                    said[key] = "\x1b[1m" + said.get(key, "")
                said["command"] = ["\x1b[2m", *said["command"]]
                data = json.dumps(said).encode()
            with open(path, "wb") as file:
                file.write(data)
    made = session + "\x1b[5m"
    os.rename(session, made)
    return made


synthetic("calls", records=5000, threads=2)
subprocess.run([os.path.join(BUILD, "bench", "gen_machine"), "-n", "5000", "machine"], check=True, stdout=subprocess.DEVNULL)
for session in "calls", "machine":
    odd = poison(session)
    seen = b""
    for command in COMMANDS:
        words = [TANDEM, *[word.replace("{}", odd) for word in command], odd]
        if command == ("sql",):
            words.append("SELECT name FROM threads UNION SELECT name FROM processes")
        done = subprocess.run(words, capture_output=True, check=False)
        out = done.stdout + done.stderr
        if command[-1] == "csv" and command[0] == "export":
            for name in os.listdir("csv"):
                with open(os.path.join("csv", name), "rb") as file:
                    out += file.read()
            shutil.rmtree("csv")
        seen += out
        at = out.find(ESCAPE)
        check(at < 0 and done.returncode in (0, 1), f"{session}: {' '.join(command).replace(odd, session)}",
              (done.returncode, out[max(0, at - 80):at + 40] if at >= 0 else out[-200:]))
    check(rb"\x1b[" in seen, f"{session}: they are shown, escaped")
for words in (("report", "no\x1b[1msuch"), ("record", "--args", "\x1b[1m", "true"), ("record", "no\x1b[1msuch"), ("\x1b[1m",)):
    done = subprocess.run([TANDEM, *words], capture_output=True, check=False)
    check(ESCAPE not in done.stderr and done.returncode, f"{words[0]!r} of what is not there", done.stderr)
finish()
