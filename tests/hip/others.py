#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""HIP that is loaded late, by a program that has taken LD_PRELOAD away, in a forked child, and
next to another tool of rocprofiler-register's: recorded where it can be, and never disturbed."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
import rocm  # noqa: E402
from cuda import Trace  # noqa: E402
from tap import check, finish, skip  # noqa: E402

TOOL = os.path.join(rocm.STUBS, "libstub-rocprofiler-tool.so")
LATE = """
import ctypes, os
hip = ctypes.CDLL("libamdhip64.so.%s")
count = ctypes.c_int()
print(hip.hipGetDeviceCount(ctypes.byref(count)), count.value)
memory = ctypes.c_void_p()
print(hip.hipMalloc(ctypes.byref(memory), ctypes.c_size_t(4096)))
%s
"""
FORK = """
if not os.fork():
    hip.hipGetDeviceCount(ctypes.byref(count))
    os._exit(count.value)
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""

if os.environ.get("TANDEM_SANITIZE"):
    skip("a runtime that is loaded late", "Python is not built with the sanitizer that the stub needs")
for version in ("5.7", "6.3") if not os.environ.get("TANDEM_SANITIZE") else ():
    for name, more in (("late", ""), ("forked", FORK)):
        command = [sys.executable, "-c", LATE % (version[0], more)]
        untraced = rocm.run(command, version)
        done = rocm.record(name + version, version, command=command)
        calls = [e for e in Trace(name + version).events if e["name"] == "hipGetDeviceCount"]
        check(done.returncode == 0 == untraced.returncode and done.stdout == untraced.stdout,
              "%s %s: the program does what it does untraced" % (version, name), (done, untraced))
        # HIP 5 without HSA offers nothing to hear of it by.
        check(len(calls) == (1 if version == "6.3" else 0),
              "%s %s: recorded once where the runtime hands out tables" % (version, name), calls)

command = ["env", "-u", "LD_PRELOAD", rocm.program("6.3")]
done = rocm.record("without", "6.3", command=command)
untraced = rocm.run(command, "6.3")
check(done.returncode == 0 == untraced.returncode and done.stdout == untraced.stdout,
      "a program that takes LD_PRELOAD away is undisturbed", done)
check(Trace("without").count("calls:hipLaunchKernel") == 10, "and recorded all the same", done.stderr)

untraced = rocm.run([rocm.program("6.3")], "6.3", ROCPROFILER_REGISTER_LIBRARY=TOOL)
done = rocm.record("chained", "6.3", ROCPROFILER_REGISTER_LIBRARY=TOOL)
check(done.returncode == 0 and done.stdout == untraced.stdout and
      done.stdout.startswith("tool: hip 60300 0 1\n"), "another tool gets the tables, too",
      (done, untraced))
check(Trace("chained").count("calls:hipLaunchKernel") == 10, "and the program is recorded", done.stderr)
done = rocm.record("missing", "6.3", ROCPROFILER_REGISTER_LIBRARY="/nowhere/tool.so")
check(done.returncode == 0 and "could not be loaded" in done.stderr,
      "one that can't be loaded is reported, and ends nobody", done)
finish()
