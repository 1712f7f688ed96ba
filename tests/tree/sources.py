#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What holds of every source file: its licence line."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish  # noqa: E402

SOURCE = os.environ["TANDEM_SOURCE"]
LINE = "SPDX-License-Identifier: MIT"
NAMED = ("meson.build", "meson_options.txt", "Makefile", ".clang-format", ".editorconfig")
ENDS = (".c", ".h", ".cpp", ".hpp", ".def", ".map", ".cu", ".py", ".sh", ".js", ".css", ".html",
        ".rules", ".events")


def sources():
    """Paths below SOURCE: what git knows, or all there is where this is no checkout."""
    listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z"], capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        names = [name for name in listed.stdout.split("\0") if name]
    else:
        names = [os.path.relpath(os.path.join(folder, file), SOURCE)
                 for folder, folders, files in os.walk(SOURCE) for file in files
                 if not re.search(r"/(build[^/]*|\.git|\.cache)(/|$)", folder[len(SOURCE):])]
    return sorted(name for name in names if os.path.isfile(os.path.join(SOURCE, name)) and
                  not name.startswith("tests/data/"))


def head(name, lines=3):
    with open(os.path.join(SOURCE, name), encoding="utf-8", errors="replace") as file:
        return [file.readline(200) for _ in range(lines)]


def is_source(name):
    return (os.path.basename(name) in NAMED or name.endswith(ENDS) or
            ("." not in os.path.basename(name) and head(name, 1)[0].startswith("#!")))


FILES = [name for name in sources() if is_source(name)]
check(len(FILES) > 500, "there are source files", len(FILES))
missing = [name for name in FILES if not any(LINE in line for line in head(name))]
check(not missing, "each has its SPDX line", missing[:20])

finish()
