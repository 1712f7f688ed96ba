#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A HIP runtime over OpenCL that offers tools nothing (the stub of tests/stubs/chip, on PoCL): each
call of a program that is linked to it, loads a library that is, or looks its functions up; what
devices did comes from OpenCL. The program sees what it sees untraced."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from cuda import Trace  # noqa: E402
from tap import TANDEM, check, finish, skip  # noqa: E402

STUBS = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "chip")
LINKED = [os.path.join(STUBS, "chip-program")]
LATE = [os.path.join(STUBS, "chip-program-late"), os.path.join(STUBS, "libchip-work.so")]
LOOKUP = [os.path.join(STUBS, "chip-program-lookup")]
os.environ["LOOKUP_LIBRARY"] = os.path.join(STUBS, "libCHIP.so")


def run(command):
    return subprocess.run(command, text=True, capture_output=True, check=False)


def called(stdout):
    """(name, status) of each call that the program printed, and of the runtime's own."""
    for line in stdout.splitlines():
        status, _, call = line.partition(" ")
        if call.startswith("hip"):
            yield call.split("(")[0], int(status)
            if "hipMemcpyHostToDevice" in call:
                yield "hipMemcpyHtoD", int(status)


if not os.path.exists(LINKED[0]):
    skip("HIP over OpenCL", "built without OpenCL")
else:
    untraced = run(LINKED)
    wanted = list(called(untraced.stdout))
    check(untraced.returncode == 0 and len(wanted) == 18, "the program runs", untraced)
    for title, command in (("linked", LINKED), ("late", LATE), ("lookup", LOOKUP)):
        done = run([TANDEM, "record", "--kernel", "off", "-o", title, "--hip", "all,api", *command])
        check(done.returncode == 0 and done.stdout == untraced.stdout and
              "nothing lost" in done.stderr and len(done.stderr.splitlines()) == 1,
              "%s: the program does what it does untraced" % title, (done, untraced))
        trace = Trace(title)
        seen = [(e["name"], e["result"]) for e in trace.events
                if e["domain"] == "hip" and "result" in e and e["name"] != "hipGetErrorName"]
        check(seen == wanted, "%s: each call, in its order, and what it returned" % title, (seen, wanted))
        check(len(trace.by_name["hipGetErrorName"]) == 1, "%s: also one that returns no status" % title,
              trace.by_name["hipGetErrorName"])
        runtime = [(e["args"]["generation"], os.path.basename(e["args"]["path"]))
                   for e in trace.by_name["runtime"]]
        check(runtime == [("symbols", "libCHIP.so")], "%s: by symbols" % title, runtime)
        kinds = trace.kinds()
        check((kinds["kernel"], kinds["copy_h2d"], kinds["copy_d2h"]) == (5, 1, 1) and
              {e["args"]["domain"] for e in trace.operations} == {"opencl"},
              "%s: kernels and copies are OpenCL's" % title, kinds)
    done = run([TANDEM, "record", "-o", "basic", *LINKED])
    names = {e["name"] for e in Trace("basic").events if e["domain"] == "hip"}
    check(done.returncode == 0 and "hipModuleLaunchKernel" in names,
          "and without an option", names)
    done = run([TANDEM, "record", "-o", "without", "--domains", "opencl", *LINKED])
    check(done.returncode == 0 and not [e for e in Trace("without").events if e["domain"] == "hip"],
          "none where the domain is not recorded", done)
done = run([TANDEM, "record", "-q", "--kernel", "off", "-o", "plain", "env", "LD_DEBUG=symbols", "/bin/true"])
if os.environ.get("TANDEM_SANITIZE"):
    skip("a search for HIP in who has the C library alone", "a sanitizer brings libraries of its own")
else:
    check(done.returncode == 0 and "symbol=malloc;" in done.stderr and "symbol=hip" not in done.stderr,
          "who has the C library alone is not searched for HIP", done.stderr[:200])
finish()
