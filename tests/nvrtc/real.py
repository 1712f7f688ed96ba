#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""NVRTC itself, which needs no GPU: a kernel that is compiled twenty times, builds that fail, what it
rejects. The program prints the same with Tandem and without: results, PTX, logs. Each version that is
installed, or that TANDEM_TEST_NVRTC names (files, separated by colons)."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from cuda import Trace  # noqa: E402
from tap import TANDEM, check, finish, skip  # noqa: E402

STUB = os.path.join(os.environ["TANDEM_SOURCE"], "tests", "stubs", "nvrtc")
PLACES = ("/usr/local/cuda*/lib", "/usr/local/cuda*/lib64", "/usr/lib/x86_64-linux-gnu")


def libraries():
    """The file of each, once."""
    named = os.environ.get("TANDEM_TEST_NVRTC")
    found = named.split(":") if named else \
        [path for place in PLACES for path in glob.glob(place + "/libnvrtc.so.*[0-9]")]
    return sorted({os.path.realpath(path) for path in found})


def run(command, **more):
    return subprocess.run(command, text=True, capture_output=True, check=False,
                          env=dict(os.environ, LC_ALL="C", **more))


def build(name, library, sources, *flags):
    """Links it to the real library, by the declarations of the stub's header."""
    return run([shutil.which("cc"), "-I", STUB, "-w", *flags, "-o", name, *sources, library,
                "-Wl,-rpath," + os.path.dirname(library), "-ldl"])


def findings(session, name, cause):
    done = run([TANDEM, "findings", "--all", "--format", "json", session])
    return [f for f in json.loads(done.stdout)["findings"] if f["name"] == name and f["cause"] == cause]


def recorded(session, command, **more):
    """Records it, and compares what it printed with what it prints untraced."""
    untraced = run(command, **more)
    done = run([TANDEM, "record", "--kernel", "off", "-o", session, *command], **more)
    check(untraced.returncode == 0 and done.returncode == 0 and done.stdout == untraced.stdout and
          "nothing lost" in done.stderr, "%s: it does what it does untraced" % session, (done, untraced))
    check(not re.search(r"^\D", done.stderr.replace("tandem: recorded", "0"), re.M),
          "%s: and says nothing else" % session, done.stderr)
    wanted = len(re.findall(r"^\d+ \d+ nvrtc\w+\(", untraced.stdout, re.M))
    seen = [e for e in Trace(session).events if e["domain"] == "nvrtc"]
    check(wanted and len(seen) == wanted, "%s: each call is recorded" % session, (len(seen), wanted))
    return Trace(session)


def version(library):
    late = os.path.join(os.path.dirname(STUB), "late.c")
    name = re.search(r"libnvrtc.*?\.so\.(.*)", library)[1]
    program, plugin = os.path.abspath("program-" + name), os.path.abspath("plugin-%s.so" % name)
    work = os.path.join(STUB, "work.c")
    old = ["-DOLD"] if name.startswith("11.") else []
    os.environ["LOOKUP_LIBRARY"] = library
    done = [build(program, library, [late, work], "-DWORK=nvrtc_work", *old),
            build(program + "-lookup", library, [late, work], "-DWORK=nvrtc_work", "-DLOOKUP", *old),
            build(plugin, library, [work], "-shared", "-fPIC", *old),
            run([shutil.which("cc"), "-DWORK=nvrtc_work", "-DLATE", "-o", program + "-late", late, "-ldl"])]
    check(not any(d.returncode for d in done), "%s: a program of it is built" % name, done)

    same = recorded(name + "-same", [program], NVRTC_WORK="same")
    repeated = findings(name + "-same", "builds", "repeated")
    check(len(repeated) == 1 and repeated[0]["count"] == 20, "%s: twenty builds of one program" % name, repeated)
    check(all(e["args"]["status"] == 0 and e["args"]["end"] > e["args"]["begin"] for e in same.by_name["build"]),
          "%s: each takes time" % name)
    recorded(name + "-different", [program], NVRTC_WORK="different")
    check(not findings(name + "-different", "builds", "repeated"), "%s: others are not the same" % name)
    first = findings(name + "-different", "builds", "first")
    check(len(first) == 1 and first[0]["count"] == 12 and "nvrtcGetCUBIN" in first[0]["suggestion"],
          "%s: and that each run builds them is said" % name, first)

    failing = recorded(name + "-failing", [program], NVRTC_WORK="failing")
    log = failing.by_name["build"][0]["args"]["log"]
    errors = findings(name + "-failing", "errors", "call")
    check("#error" in log and any("NVRTC_ERROR_COMPILATION" in f["description"] and "#error" in f["evidence"]
                                  for f in errors), "%s: a build that fails, and why" % name, (log, errors))
    recorded(name + "-all", [program])
    late_trace = recorded(name + "-late", [program + "-late", plugin])
    check(len(late_trace.by_name["build"]) > 20, "%s: its builds, loaded late" % name)
    looked_up = recorded(name + "-lookup", [program + "-lookup"])
    check(len(looked_up.by_name["build"]) > 20, "%s: its builds, by functions that are looked up" % name)


if not shutil.which("cc"):
    skip("NVRTC", "there is no compiler (cc)")
elif not libraries():
    skip("NVRTC", "it is not installed")
else:
    for path in libraries():
        version(path)
finish()
