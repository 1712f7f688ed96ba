#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the tracer's libraries export: ROCTracer's names in its version nodes, and nothing else.
Headers compile by themselves, as C and as C++."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from tap import check, finish, skip  # noqa: E402

BUILD = pathlib.Path(os.environ["TANDEM_BUILD"])
SOURCE = pathlib.Path(os.environ["TANDEM_SOURCE"])


def exported(library):
    said = subprocess.run(["readelf", "--dyn-syms", "-W", BUILD / library], check=True,
                          capture_output=True, text=True).stdout
    found = {}
    for line in said.splitlines():
        match = re.search(r" (FUNC|OBJECT) +GLOBAL +DEFAULT +\d+ (\S+?)@@?(\S+)$", line)
        if match and match[2] != match[3]:
            found[match[2]] = match[3]
    return found


def soname(library):
    said = subprocess.run(["readelf", "-d", BUILD / library], check=True, capture_output=True,
                          text=True).stdout
    return re.search(r"SONAME.*\[(.*)\]", said)[1]


names = exported("libroctracer64.so.4")
check(len(names) == 42, "libroctracer64.so.4 exports 42 names", sorted(names))
check(sum(node == "ROCTRACER_4.0" for node in names.values()) == 33, "33 of ROCTRACER_4.0", names)
check(sum(node == "ROCTRACER_4.1" for node in names.values()) == 9, "9 of ROCTRACER_4.1", names)
names = exported("libroctx64.so.4")
check(len(names) == 8 and set(names.values()) == {"ROCTX_4.1"}, "libroctx64.so.4 exports 8", names)
names = exported("libtandem-tracer.so.0")
check(names and all(name.startswith("tandem_tracer_") for name in names),
      "libtandem-tracer.so.0 exports tandem_tracer_*", sorted(names))
header = (SOURCE / "include/tandem/tracer.h").read_text()
declared = set(re.findall(r"\b(tandem_tracer_\w+)\(", header)) - {
    name for name in re.findall(r"\(\*(tandem_tracer_\w+)\)", header)}
check(declared == set(names), "which its header declares", declared ^ set(names))
page = (SOURCE / "man/tandem-tracer.3").read_text()
bare = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", header, flags=re.S))
prototypes = re.findall(r"(?:int|uint32_t|void|const char \*) ?tandem_tracer_\w+\([^()]*\);", bare)
plain = re.sub(r"\s+", " ", page)
missing = [prototype for prototype in prototypes if prototype not in plain]
check(len(prototypes) == len(names) and not missing, "and whose prototypes its man page has", missing)
check(soname("libroctracer64.so.4") == "libroctracer64.so.4"
      and soname("libroctx64.so.4") == "libroctx64.so.4"
      and soname("libtandem-tracer.so.0") == "libtandem-tracer.so.0", "sonames")

headers = [("", "tandem/tracer.h")]
# As they are installed: what is generated is next to the others.
installed = pathlib.Path("installed")
shutil.copytree(SOURCE / "include", installed)
for path in (installed / "roctracer" / "gen").iterdir():
    path.rename(installed / "roctracer" / path.name)
named = [path.name for path in (installed / "roctracer").glob("*.h")]
check("hsa_prof_str.h" in named, "hsa_prof_str.h is installed where ROCTracer has it", named)
headers += [("roctracer", name) for name in named] + [("", "roctracer/" + name) for name in named]
for compiler, language in (("cc", "c"), ("c++", "c++")):
    if not shutil.which(compiler):
        skip("headers in " + language, "no compiler")
        continue
    bad = []
    for folder, name in headers:
        done = subprocess.run([compiler, "-x", language, "-fsyntax-only", "-Wall", "-Wextra",
                               "-Werror", "-I", installed / folder, "-"], text=True,
                              input="#include <%s>\n#include <%s>\n" % (name, name),
                              capture_output=True)
        if done.returncode:
            bad.append((name, done.stderr[:300]))
    check(not bad, "%d headers compile as %s" % (len(headers), language), bad)
finish()
