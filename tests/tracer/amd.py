#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A client of ROCTracer's in programs of HIP, of each of its versions, and of HSA (the stub
runtimes): every call at entry and exit with its arguments, the word of phase_data, an id that is
nobody else's; every operation with its call's id; without `tandem record` and with it."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from cuda import Trace  # noqa: E402
import rocm  # noqa: E402
from tap import TANDEM, check, finish, preload  # noqa: E402

CLIENT = os.path.join(rocm.BUILD, "tests", "tracer", "tracer-amd-client.so")
HSA_PROGRAM = os.path.join(rocm.BUILD, "tests", "stubs", "hsa", "hsa-program")
# Where the version's hip_api_data_t has phase_data (hip_prof_str.h); HIP 5.2 has none.
PHASE_DATA = {"5.2": "0", "5.7": "832", "6.3": "1512", "7.2": "1512"}


def got(text):
    lines = [line.split() for line in text.splitlines() if line.startswith("got ")]
    return {" ".join(words[1:-1]): int(words[-1]) for words in lines}


def expected(text):
    lines = [line.split() for line in text.splitlines() if line.startswith("expect ")]
    return {words[1]: int(words[2]) for words in lines}


def total(found, what):
    return sum(count for name, count in found.items() if name.startswith(what))


def compare(title, wanted, found, stderr, but=()):
    for what, count in wanted.items():
        if what.split(":")[0] in ("calls", "kernels", "copy_h2d", "copy_d2h", "fill", "barrier", "bytes"):
            if what not in but:
                check(found.get(what, 0) == count, "%s: %s %d" % (title, what, count),
                      (found.get(what), stderr[-600:]))
    check(found.get("wrong") == 0, "%s: arguments, phases, times, names" % title, stderr[-1500:])
    check(found.get("strays") == 0, "%s: what devices did has the id of its call" % title, found)
    check(total(found, "records:") == total(found, "calls:") > 20,
          "%s: a record of each call" % title, found)


def hip(version, mode, recorded=None, words=(), **more):
    env = dict(LD_PRELOAD=preload(CLIENT), AMD_CLIENT=mode, AMD_PHASE_DATA=PHASE_DATA[version], **more)
    command = [rocm.program(version), *words]
    if recorded:
        return rocm.record(recorded, version, "--hip", "all,kernels,memory", command=command, **env)
    return rocm.run(command, version, **env)


for version in PHASE_DATA:
    untraced = rocm.run([rocm.program(version)], version)
    done = hip(version, "hip")
    check(done.returncode == 0 and done.stdout == untraced.stdout,
          "%s: the program does what it does untraced" % version, done)
    # hipGetLastError only asks: a session leaves it out, a tool chooses by function.
    compare(version, dict(expected(done.stdout), **{"calls:hipGetLastError": 2}), got(done.stderr),
            done.stderr)
    done = hip(version, "hip-domain")
    compare("%s, all domains at once" % version, expected(done.stdout), got(done.stderr), done.stderr,
            ("calls:hipGetLastError",))
    done = hip(version, "hip-op")
    found = got(done.stderr)
    check(total(found, "calls:") == found.get("calls:hipMalloc") == found.get("records:hipMalloc") == 1
          and found["copies"] == (5 if version == "7.2" else 4) and not found["kernels"] and not found["barrier"] and
          not found["wrong"], "%s: one function, one operation" % version, (found, done.stderr[-500:]))
    done = hip(version, "hip-stop")
    found = got(done.stderr)
    check(done.returncode == 0 and not total(found, "calls:") and not found["kernels"] and
          not found["copies"] and not found["wrong"], "%s: nothing while it is stopped" % version, found)
    done = hip(version, "hip", words=["no-device"], STUB_HIP_NO_DEVICE="1")
    found = got(done.stderr)
    check(done.returncode == 0 and found.get("calls:hipMalloc") == found.get("calls:hipGetLastError") == 1
          and not found["wrong"], "%s: calls where there is no device" % version, done.stderr[-500:])

    session = "both" + version
    done = hip(version, "hip", recorded=session)
    found, trace = got(done.stderr), Trace(session)
    check(done.returncode == 0 and not found.get("wrong", 1), "%s: next to a recording" % version,
          done.stderr[-1500:])
    same = [what for what in expected(done.stdout)
            if what.startswith("calls:") and what != "calls:hipGetLastError" and
            found.get(what) != trace.count(what)]
    check(not same and found["kernels"] == trace.count("kernels") == int(expected(done.stdout)["kernels"]),
          "%s: both have the same calls and kernels" % version, (same, found))

env = dict(os.environ, AMD_CLIENT="hsa")
untraced = subprocess.run([HSA_PROGRAM], text=True, capture_output=True)
# As rocprof does: the tool is what HSA loads. Then next to Tandem's own library.
for title, command in (("HSA", [HSA_PROGRAM]),
                       ("HSA, recorded", [TANDEM, "record", "-o", "hsa", "--hsa", "all,kernels,memory",
                                          HSA_PROGRAM])):
    done = subprocess.run(command, text=True, capture_output=True, env=dict(env, HSA_TOOLS_LIB=CLIENT))
    check(done.returncode == 0 and done.stdout == untraced.stdout,
          "%s: the program does what it does untraced" % title, done)
    found = got(done.stderr)
    compare(title, expected(done.stdout), found, done.stderr,
            ("calls:hsa_signal_store_relaxed", "calls:dispatch", "calls:memory_pool"))
    check(found.get("calls:hsa_signal_store_screlease") == 5 and
          found.get("failed:hsa_amd_memory_async_copy") == 1 and found.get("written") == 2,
          "%s: stores, what failed, what was written back at the exit" % title, found)
check(Trace("hsa").count("kernels") == 4, "the session has each kernel once", None)
finish()
