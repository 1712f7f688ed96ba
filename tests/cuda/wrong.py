#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What can go wrong with CUPTI: it is not there, too old, taken, or fails halfway;
buffers come late, out of order, or not at all; programs are killed. The program
never notices, and its user is told.

tandem-test: alone
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from cuda import Trace  # noqa: E402
from tap import TANDEM, check, finish  # noqa: E402

STUBS = os.path.join(os.environ["TANDEM_BUILD"], "tests", "stubs", "cuda")
REPLAY = os.path.join(STUBS, "replay")
OVERLAP = os.path.join(os.environ["TANDEM_SOURCE"], "tests", "data", "cuda", "overlap.replay")
LIBRARY = os.path.join(os.environ["TANDEM_BUILD"], "libtandem.so.0")
_count = 0


def record(env=None, options=(), program=(REPLAY, OVERLAP), status=0):
    global _count
    _count += 1
    session = "session-%d" % _count
    done = subprocess.run([TANDEM, "record", "-o", session, "--exit-wait", "100", *options,
                           *program], text=True, capture_output=True, timeout=60,
                          env=dict(os.environ, **(env or {})))
    check(done.returncode == status and not done.stdout,
          "%s: the program runs as always" % str(env or program[2:] or "alone"),
          (done.returncode, done.stderr))
    return Trace(session), done.stderr


def wrong(words):
    return {"STUB_CUPTI": words}


for words, said in (("busy", "another tool holds CUPTI"), ("old", "older than CUDA 12.0"),
                    ("fail=cuptiSubscribe", "refused to start")):
    trace, stderr = record(wrong(words))
    check(said in stderr and not trace.events, words + " is said", stderr)
trace, stderr = record({"TANDEM_CUPTI": "/nonexistent/libcupti.so"})
check("CUPTI was not found" in stderr and not trace.events, "no CUPTI is said", stderr)

# One refusal does not stop the rest.
whole, _ = record()
calls = len(whole.launches)
for function in ("cuptiActivityEnable", "cuptiActivityRegisterCallbacks", "cuptiGetStreamIdEx",
                 "cuptiGetContextId", "cuptiGetDeviceId", "cuptiActivityFlushAll",
                 "cuptiEnableDomain", "cuptiEnableCallback"):
    trace, stderr = record(wrong("fail=" + function))
    if function not in ("cuptiEnableDomain",):
        check(len(trace.launches) == calls, function + " fails: the calls are there")
    refused = trace.by_name["refused"]
    if function.startswith("cuptiActivityE") or function.startswith("cuptiActivityR"):
        said = ("CUDA's kernels", "CUDA's copies", "CUDA's fills", "its overhead") \
            if function == "cuptiActivityEnable" else ("something",)
        check(refused and refused[0]["args"]["words"] == "STUB_REFUSED" and
              all(re.search("refused (to record )?" + words, stderr) for words in said),
              "and it is said by name", stderr)

trace, stderr = record(wrong("noclock"))
check("would not take the session's clock" in stderr, "another clock is said", stderr)
check({e["args"]["time_domain"] for e in trace.operations} == {"device_ns"}, "and stands in the records")

for words in ("small=1000", "late", "reverse", "small=3000,reverse"):
    trace, stderr = record(wrong(words))
    check(trace.kinds() == whole.kinds() and all(h for h, *_ in trace.sound()),
          words + ": every operation, with its call", trace.kinds())
trace, stderr = record(wrong("drop=10"))
check(sum(trace.kinds().values()) < sum(whole.kinds().values()) and
      "device operations whose times could not be followed" in stderr,
      "dropped activity is counted", stderr)
trace, stderr = record(wrong("fatal"))
check("fatal error" in stderr and 0 < len(trace.launches) < calls,
      "a fatal error ends the recording, not the program", (len(trace.launches), stderr))

# Finished work is written at intervals.
for end, status in (("_exit", 0), ("kill", -9)):
    trace, stderr = record(options=("--drain-interval", "50"), program=(REPLAY, OVERLAP, "1", end),
                           status=status)
    check(trace.kinds() == whole.kinds(), end + ": what was finished is there", trace.kinds())
trace, _ = record(options=("--drain-interval", "0"), program=(REPLAY, OVERLAP, "1", "_exit"))
check(not trace.operations, "without an interval it is not")

# The way in.
trace, stderr = record({"CUDA_INJECTION64_PATH": "/nonexistent.so"})
check("could not be loaded next to ours" in stderr and len(trace.launches) == calls,
      "another injected library that is missing is said", stderr)
done = subprocess.run([REPLAY, OVERLAP], text=True, capture_output=True,
                      env=dict(os.environ, CUDA_INJECTION64_PATH=LIBRARY))
check(done.returncode == 0 and not done.stderr, "injected without a session it does nothing",
      done.stderr)
script = """import ctypes, os, sys
threads = lambda: len(os.listdir("/proc/self/task"))
before = threads()
for path, name in zip(sys.argv[1::2], sys.argv[2::2]):
    getattr(ctypes.CDLL(path), name)(0)
    print(name, threads() - before, file=sys.stderr)
"""
stubs = {"TANDEM_CUPTI": os.path.join(STUBS, "libcupti.so.13")}
trace, stderr = record(stubs, program=(
    sys.executable, "-c", script, os.path.join(STUBS, "libstub-opencl.so"), "stub_opencl_start",
    os.path.join(STUBS, "libcuda.so.1"), "cuInit"))
# The thread sanitizer starts one of its own with a process's first.
threads = 2 if "thread" in os.environ.get("TANDEM_SANITIZE", "") else 1
check("stub_opencl_start 0" in stderr and f"cuInit {threads}" in stderr and
      len(trace.by_name["cupti"]) == 1,
      "an OpenCL driver that injects too gets no thread, CUDA after it is recorded", stderr)
check("found no device" in stderr, "and that it has no device is said", stderr)
rounds, _ = record(program=(REPLAY, OVERLAP, "50"))
check(rounds.kinds()["kernel"] == 50 * whole.kinds()["kernel"], "fifty times as much",
      rounds.kinds())
finish()
