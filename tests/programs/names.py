#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs kernels of the names that are given, one after the other (stub driver, which
takes any name without a bracket)."""
import ctypes
import sys

cl = ctypes.CDLL("libOpenCL.so.1")
p, u, s = ctypes.c_void_p, ctypes.c_uint, ctypes.c_size_t
for name in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource", "clCreateKernel"):
    getattr(cl, name).restype = p
platform, device = p(), p()
assert not cl.clGetPlatformIDs(1, ctypes.byref(platform), None)
assert not cl.clGetDeviceIDs(platform, ctypes.c_ulong(0xFFFFFFFF), 1, ctypes.byref(device), None)
error = ctypes.c_int()
context = p(cl.clCreateContext(None, 1, ctypes.byref(device), None, None, ctypes.byref(error)))
queue = p(cl.clCreateCommandQueue(context, device, ctypes.c_ulong(0), ctypes.byref(error)))
names = [name.encode("utf-8", "surrogateescape") for name in sys.argv[1:]]
source = ctypes.c_char_p(b"\n".join(b"kernel void " + name + b"() { }" for name in names))
program = p(cl.clCreateProgramWithSource(context, 1, ctypes.byref(source), None, ctypes.byref(error)))
assert not cl.clBuildProgram(program, 0, None, None, None, None)
size = s(64)
for name in names:
    kernel = p(cl.clCreateKernel(program, ctypes.c_char_p(name), ctypes.byref(error)))
    assert not error.value, (name, error.value)
    assert not cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, ctypes.byref(size), None, 0, None, None)
    assert not cl.clFinish(queue)
