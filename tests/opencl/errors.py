#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A driver that fails at every call in turn, that lacks functions, whose commands
fail or never end: the program gets the very same errors, recorded or not."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ["TANDEM_SOURCE"], "tests", "lib"))
from recording import compare, DRIVERS, PROGRAMS, run, Session
from tap import check, finish

STUB = DRIVERS["stub"]
report = os.path.abspath("report")


def account():
    """The stub's own: dead objects used, and the calls of each function."""
    with open(report) as file:
        last = json.loads(file.readlines()[-1])
    os.unlink(report)
    return last["misused"], last["calls"]


# Each function that `tolerant` calls fails always, and at its first and second
# call: the latter only where the recorder makes no such call of its own.
tolerant = [PROGRAMS / "tolerant"]
env = dict(STUB, STUB_REPORT=report, STUB_REUSE="0")
alone = run(tolerant, env=env)
driver_calls = account()[1]
run(tolerant, "full", env=env)
driver_calls_recorded = account()[1]
tried, wrong, wrong_errors, unsafe = 0, [], [], []
for function in sorted(run(tolerant, env=STUB, calls=True).calls):
    if function in ("clGetEventProfilingInfo", "clGetEventInfo"):
        continue  # the former is answered by way of the latter: the queue has no profiling
    # A queue that can't be made with profiling is tried again without.
    once = (driver_calls.get(function) == driver_calls_recorded.get(function)
            and function != "clCreateCommandQueue")
    for nth in ("", ":1", ":2") if once else ("",):
        env["STUB_FAIL"] = f"{function}:-6{nth}"
        alone = run(tolerant, env=env)
        misused = account()[0]
        recorded = run(tolerant, "full", env=env)
        tried += 1
        if (alone.stdout, alone.status) != (recorded.stdout, recorded.status):
            wrong.append((function, nth, alone.stdout, recorded.stdout, recorded.status))
        if account()[0] > misused:
            unsafe.append((function, nth))
        shown = {r["name"] for r in recorded.session.report().get("api", []) if r["errors"]}
        expected = set(re.findall(r"^(cl\w+) -", recorded.stdout, re.M))
        if shown != expected:
            wrong_errors.append((function, nth, expected ^ shown))
check(tried > 50 and not wrong, f"{tried} calls fail in turn: as it is alone", wrong)
check(not wrong_errors, "the errors are recorded", wrong_errors)
check(not unsafe, "and no dead object is used", unsafe)

# What a recorder calls behind the program's back may fail as well.
for function in ("clSetEventCallback", "clGetEventProfilingInfo", "clGetEventInfo", "clRetainEvent",
                 "clGetDeviceInfo", "clGetContextInfo", "clGetCommandQueueInfo", "clGetKernelInfo",
                 "clGetProgramInfo", "clGetProgramBuildInfo", "clGetMemObjectInfo",
                 "clGetKernelWorkGroupInfo", "clGetPlatformInfo:-6:3", "clWaitForEvents"):
    env = dict(STUB, STUB_FAIL=function if ":" in function else f"{function}:-6")
    for program in ("linked", "transfers", "tolerant"):
        if program == "tolerant" and function in ("clGetEventProfilingInfo", "clGetEventInfo"):
            continue  # see above; the queue is found through clGetEventInfo
        if run([PROGRAMS / program], env=env).status:
            continue  # the program itself needs it
        alone, recorded = run([PROGRAMS / program], env=env), run([PROGRAMS / program], "full", env=env)
        compare(f"{program}, {function} fails", alone, recorded)
        # Commands whose times can't be had are still counted.
        recorded.session.verify(f"{program}, {function} fails", unfinished=None, lost=None)

# Functions that are not there: in an old driver, all that came after its time.
later = {
    "1.0": """clSetEventCallback clCreateSubBuffer clSetMemObjectDestructorCallback clCreateUserEvent
        clSetUserEventStatus clEnqueueReadBufferRect clEnqueueWriteBufferRect
        clEnqueueCopyBufferRect""",
    "1.1": """clCreateSubDevices clRetainDevice clReleaseDevice clCreateImage
        clCreateProgramWithBuiltInKernels clCompileProgram clLinkProgram clUnloadPlatformCompiler
        clGetKernelArgInfo clEnqueueFillBuffer clEnqueueFillImage clEnqueueMigrateMemObjects
        clEnqueueMarkerWithWaitList clEnqueueBarrierWithWaitList
        clGetExtensionFunctionAddressForPlatform""",
    "1.2": """clCreateCommandQueueWithProperties clCreatePipe clGetPipeInfo clSVMAlloc clSVMFree
        clEnqueueSVMFree clEnqueueSVMMemcpy clEnqueueSVMMemFill clEnqueueSVMMap clEnqueueSVMUnmap
        clCreateSamplerWithProperties clSetKernelArgSVMPointer clSetKernelExecInfo clCloneKernel
        clCreateProgramWithIL clEnqueueSVMMigrateMem clGetDeviceAndHostTimer clGetHostTimer
        clGetKernelSubGroupInfo clSetDefaultDeviceCommandQueue clCreateBufferWithProperties
        clCreateImageWithProperties""",
}
for version in later:
    missing = ",".join(" ".join(later[v] for v in later if v >= version).split())
    for engine in ("inline", "deferred", "thread"):
        env = dict(STUB, STUB_VERSION=version, STUB_MISSING=missing, STUB_ENGINE=engine)
        for program in (["linked"], ["threads"], ["ending", "release"]):
            command = [PROGRAMS / program[0], *program[1:]]
            words = f"{' '.join(program)} on OpenCL {version}, {engine}"
            alone, recorded = run(command, env=env), run(command, "full", env=env)
            compare(words, alone, recorded)
            recorded.session.verify(words, run(command, env=env, calls=True).calls,
                                    unfinished=None if "release" in program else 0)

# Commands that end with an error.
env = dict(STUB, STUB_STATUS="-5:3")
alone, recorded = run(tolerant, env=env), run(tolerant, "basic", env=env)
compare("every third command fails", alone, recorded)
recorded.session.verify("every third command fails")
failed = [o for o in recorded.session.operations() if o["status"] < 0]
check(failed and all(o["status"] in (-5, -14) for o in failed), "and its record says so",
      recorded.session.operations())

# Commands that never end: not waited for longer than was asked.
env = dict(STUB, STUB_ENGINE="thread", STUB_HANG="200")
command = [PROGRAMS / "ending", "busy"]
alone = run(command, env=env)
recorded = run(command, "basic", env=env, options=["--exit-wait", "200"], timeout=20)
compare("a command never ends", alone, recorded)
left = recorded.session.report()["operations"]["unfinished"]
missing = len(recorded.session.enqueued()) - len(recorded.session.operations())
check(left == missing and left >= 1, "and is reported as unfinished", f"{left}, {missing}")
finish()
