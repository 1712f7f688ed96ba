#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Outside of the domains' own folders nothing knows a runtime: no string or comment there has a name
of a runtime's function, no string one of its values, of a domain, or of what its row has (title, libraries, variables of
the environment), no file is named after one, and no domain's number or records are used. What
events mean is in their traits, and words are in the domain's row (src/schema/domains.def)."""
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import check, finish

ROOT = Path(os.environ.get("SEAM_ROOT") or os.environ["TANDEM_SOURCE"])
ROOMS = ("src/analysis", "src/cli", "src/core", "src/export", "src/format", "src/linux",
         "src/recorder", "src/sinks", "src/trace", "src/util", "src/view")

# Examples of what a column holds, in its description.
EXAMPLES = {"src/export/tables/tables.h": {"opencl", "cuda", "clFinish", "CL_SUCCESS"}}


def api_names():
    """Of all functions, enumerators and flags of the imported tables."""
    names = set()
    for table in sorted(ROOT.glob("src/domains/*/*.api")):
        for line in table.read_text().splitlines():
            function = re.match(r"(?:fn .*?\b(?=\w+\()|driver \d+ |runtime \d+ )(\w+)", line)
            value = re.match(r"\s+([A-Z]\w+)\b", line)
            if function:
                names.update((function[1], re.sub(r"_v\d+$", "", function[1])))
            elif value and "_" in value[1]:
                names.add(value[1])
    return names


def rows():
    """The text of each row that something of the program's is behind, by name."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / "src/schema/domains.def").read_text(), flags=re.S)
    found = {re.match(r"DOMAIN\(\d+, (\w+)", row)[1]: row
             for row in re.split(r"^(?=DOMAIN\()", text, flags=re.M)[1:]}
    return {name: row for name, row in found.items()
            if ".runtime = 0" not in row or ".variables" in row}


def row_words():
    """Titles, and names of libraries and variables."""
    words = set()
    for row in rows().values():
        for member in ("title", "entry_library", "name", "library", "others"):
            for value in re.findall(rf"\.{member} = \"([^\"]+)\"", row):
                words.update(re.findall(r"\w+", value))
    return words - {"annotations", "tandem", "libtandem", "so", "1", "lib", "src"}


def tokens(text):
    """The comments and string literals of C or JavaScript."""
    token = r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"""
    return [found[0] for found in re.finditer(token, text, re.S)]


def strings(text):
    return [token[1:-1] for token in tokens(text) if token[0] in "\"'`"]


def comments(text):
    return [token for token in tokens(text) if token[0] == "/"]



functions = api_names()
domains = {name for name, row in rows().items() if ".runtime = 0" not in row}
check(len(functions) > 2000 and {"clFinish", "cudaDeviceSynchronize"} <= functions,
      "the names of functions are known", len(functions))
check({"opencl", "cuda"} <= domains, "the domains are known", domains)

words_of_rows = row_words()
check({"OpenCL", "CUDA", "libcuda", "OPENCL_LAYERS"} <= words_of_rows, "words of the rows",
      words_of_rows)
known = functions | domains | words_of_rows

for room in ROOMS:
    found = []
    files = [path for path in sorted((ROOT / room).rglob("*"))
             if path.suffix in (".c", ".h", ".js", ".html")]
    check(files, f"{room} has files")
    for path in files:
        where = str(path.relative_to(ROOT))
        text = path.read_text()
        allowed = EXAMPLES.get(where, set())
        for string in strings(text):
            words = set(re.findall(r"\w+", string))
            for word in sorted(words & known - allowed):
                found.append(f'{where}: "{word}" in a string')
        # An example that is one runtime's reads as if the file knew it.
        for comment in comments(text):
            for word in sorted(set(re.findall(r"\w+", comment)) & functions - allowed):
                found.append(f'{where}: "{word}" in a comment')
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        for domain in sorted(domains):
            if domain in re.split(r"[_.]", path.name):
                found.append(f"{where}: named after {domain}")
            if re.search(rf"\bTANDEM_DOMAIN_{domain}\b|\bTANDEM_{domain.upper()}_EVENT_"
                         rf"|\b{domain}_(records|schema)\.h\b", text):
                found.append(f"{where}: {domain}'s number, events or records")
    check(not found, f"{room} names no function, value or domain", "\n".join(found))

finish()
