#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page in one file answers as tests/data/view wants it, as the server does
(tests/unit/view_corpus.c): in Node.js where that is, else in headless Chromium.

tandem-test: timeout=300
"""
import base64
import glob
import gzip
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import BUILD
from tap import check, finish
from webdriver import Browser

SOURCE = os.environ["TANDEM_SOURCE"]
CORPUS = sorted(glob.glob(os.path.join(SOURCE, "tests", "data", "view", "*.txt")))
UNIT = str(BUILD / "tests" / "unit" / "unit-view_corpus")
# The page's files that answer in place of the server, and what they use; then ours.
SCRIPTS = [os.path.join(SOURCE, "src", "view", "web", name) for name in
           ("words.js", "kinds.js", "timeline/tiles.js", "local/local_tiles.js", "local/local_search.js",
            "local/local_select.js", "local/local.js")] + [os.path.join(SOURCE, "tests", "view", "corpus.js")]

if not os.access(UNIT, os.X_OK):
    print("skipped: built without the timeline")
    sys.exit(77)
NODE = shutil.which("node")
if not NODE and Browser.missing():
    print("skipped: neither Node.js nor Chromium is installed")
    sys.exit(77)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


CODE = "\n".join(read(path) for path in SCRIPTS)


def packed(folder):
    """The data elements of a page, by their ids."""
    data = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            data[name] = base64.b64encode(gzip.compress(file.read())).decode()
    return data


def in_node(data, text):
    with open("run.js", "w", encoding="utf-8") as file:
        file.write("const data = %s;\nglobalThis.document = {getElementById: (id) => "
                   "data[id] && {textContent: data[id]}};\n%s\nrunCorpus(%s, new LocalSource())"
                   ".then((found) => console.log(JSON.stringify(found)));\n"
                   % (json.dumps(data), CODE, json.dumps(text)))
    done = subprocess.run([NODE, "run.js"], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {"asked": 0, "wrong": [[done.stderr]]}


def in_browser(data, text):
    elements = "".join(f'<script type="text/plain" id="{name}">{value}</script>\n'
                       for name, value in data.items())
    with open("run.html", "w", encoding="utf-8") as file:
        file.write(f"<!DOCTYPE html><meta charset=utf-8>{elements}<script>{CODE}\n"
                   "window.runCorpus = runCorpus; window.LocalSource = LocalSource;</script>")
    browser.open("file://" + os.path.abspath("run.html"))
    return browser.run("return await window.runCorpus(arguments[0], new window.LocalSource())", text)


def differing(question, wanted=None, given=None):
    """The lines of an answer that differ."""
    if wanted is None:
        return question
    left, right = wanted.split("\n"), given.split("\n")
    return (question, [line for line in left if line not in right][:4],
            [line for line in right if line not in left][:4])


WAYS = [("node", in_node)] if NODE else []
if not Browser.missing() and (not NODE or os.environ.get("TANDEM_TEST_BROWSER")):
    browser = Browser.start(prefix=os.environ["TANDEM_TMP"])
    WAYS.append(("chromium", in_browser))

for path in CORPUS:
    name, text = os.path.basename(path)[:-4], read(path)
    # Everything, and an overview of it.
    for words, most in (("whole", 10 ** 6), ("overview", 60)):
        folder = f"{name}-{words}"
        os.mkdir(folder)
        done = subprocess.run([UNIT, "--bundle", path, str(most), folder], capture_output=True, text=True)
        if not check(done.returncode == 0, f"{name}, {words}: is written", done.stderr):
            continue
        with open(os.path.join(folder, "data-model"), encoding="utf-8") as file:
            gathered = json.load(file)["level"]
        if words == "overview" and not gathered:
            continue
        data = packed(folder)
        for way, run in WAYS:
            found = run(data, text)
            wanted = text.count("\nask ") if words == "whole" else 1
            check(found["asked"] >= wanted and not found["wrong"],
                  f"{name}, {words}, {way}: {found['asked']} answers are right", [differing(*one) for one in found["wrong"][:3]])
finish()
