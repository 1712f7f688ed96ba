#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that hangs in a call, and is killed there: what it waited for was in that call, though
nobody knows how long the call would have been.
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from kernelside import need
from recording import has_pocl
from tap import check, finish, TANDEM

need("program")
if not has_pocl():
    print("skipped: PoCL is not installed")
    sys.exit(77)

HANGS = """
import ctypes, signal
cl = ctypes.CDLL("libOpenCL.so.1")
platform, device, status = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
cl.clCreateContext.restype = cl.clCreateUserEvent.restype = ctypes.c_void_p
assert not cl.clGetPlatformIDs(1, ctypes.byref(platform), None)
assert not cl.clGetDeviceIDs(platform, ctypes.c_uint64(0xffffffff), 1, ctypes.byref(device), None)
context = ctypes.c_void_p(cl.clCreateContext(None, 1, ctypes.byref(device), None, None, None))
event = ctypes.c_void_p(cl.clCreateUserEvent(context, ctypes.byref(status)))
signal.setitimer(signal.ITIMER_REAL, 0.5)
cl.clWaitForEvents(1, ctypes.byref(event))
"""
done = subprocess.run([TANDEM, "record", "-q", "-o", "hangs", sys.executable, "-c", HANGS],
                      env=dict(os.environ, POCL_DEVICES="basic"))
check(done.returncode == -14, "it is ended by the timer", done.returncode)
report = json.loads(subprocess.run([TANDEM, "report", "--format", "json", "hangs"], check=True, text=True,
                                   capture_output=True).stdout)
check([call["name"] for call in report["open_calls"]] == ["clWaitForEvents"], "in the call", report["open_calls"])
tid = report["open_calls"][0]["thread"]
waits = [row for row in report["waits"] if row["tid"] == tid and row["wait"] == "blocked"]
longest = max(waits, key=lambda row: row["total_ns"])
check(longest["function"] == "clWaitForEvents", "where it was blocked for longest", waits)
call = next(row for row in report["api"] if row["name"] == "clWaitForEvents")
check(call["total_ns"] == 0 == call["wait_blocked_ns"], "which has no length", call)
finish()
