#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes files into a C source, so that they are part of the executable.

  tools/embed.py OUTPUT.c FILE...

Each is known by its name without its folder. The source defines what src/view/serve/pages.h declares. Beside the files themselves it has served.html and
page.js: index.html with one script in place of its many, so that a browser asks once.
"""
import os
import re
import sys

TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


SCRIPT = re.compile(rb'<script src="([^"]*)"></script>\n')


def served(pages):
    """served.html and page.js, of the scripts that index.html names, in its order."""
    index = pages["index.html"]
    names = [name.decode() for name in SCRIPT.findall(index)]
    one = b'<script src="page.js"></script>\n'
    # What the page asks first comes along with the script.
    early = b'<link rel="preload" href="model" as="fetch" crossorigin>\n</head>'
    html = SCRIPT.sub(b"", index).replace(b"</body>", one + b"</body>").replace(b"</head>", early)
    return {"served.html": html, "page.js": b"\n".join(pages[name] for name in names)}


def main():
    output, files = sys.argv[1], sys.argv[2:]
    pages = {}
    for path in files:
        with open(path, "rb") as file:
            pages[os.path.basename(path)] = file.read()
    pages.update(served(pages))
    lines = ["/* Written by tools/embed.py: do not edit. */",
             "#include <string.h>", "", '#include "view/serve/pages.h"', ""]
    rows = []
    for number, (name, data) in enumerate(pages.items()):
        lines.append(f"static const unsigned char page_{number}[] = {{")
        for at in range(0, len(data), 20):
            lines.append("\t" + "".join(f"{byte}," for byte in data[at:at + 20]))
        lines.append("\t0\n};\n")
        kind = TYPES[os.path.splitext(name)[1]]
        rows.append(f'\t{{"{name}", "{kind}", page_{number}, {len(data)}}},')
    lines += ["const struct view_page view_pages[] = {", *rows, "};", "",
              f"const size_t view_page_count = {len(rows)};", "",
              "const struct view_page *view_page_find(const char *name)", "{",
              "\tfor (size_t i = 0; i < view_page_count; i++)",
              "\t\tif (!strcmp(view_pages[i].name, name))",
              "\t\t\treturn &view_pages[i];", "\treturn NULL;", "}", ""]
    with open(output, "w") as file:
        file.write("\n".join(lines))


if __name__ == "__main__":
    main()
