#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""doc/EXPORTS.md has a row for each format that `tandem export` knows, and `tandem`'s man page
names the runtimes that it records."""
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import TANDEM, check, finish  # noqa: E402

SOURCE = Path(os.environ["TANDEM_SOURCE"])
said = subprocess.run([TANDEM, "export", "--format", "none", "x"], text=True, capture_output=True)
formats = re.search(r"accepted: ([\w, ]+)\)", said.stderr)[1].split(", ")
rows = re.findall(r"^\| `(\w+)` \|", (SOURCE / "doc/EXPORTS.md").read_text(), re.M)
check(len(formats) > 5 and set(formats) <= set(rows), "each format has its row",
      set(formats) - set(rows))
check(set(rows) <= set(formats), "and no other", set(rows) - set(formats))
page = (SOURCE / "man/tandem.1").read_text()
check("OpenCL" in page and "CUDA" in page, "tandem(1) names CUDA")
finish()
