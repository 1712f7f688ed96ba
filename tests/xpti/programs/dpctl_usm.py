# SPDX-License-Identifier: MIT
"""A dpctl program: USM of each kind, copies, a kernel from OpenCL C, events it depends on, waits.
Checks its results; prints the same in every run of either generation."""

import ctypes
import sys

import dpctl
import dpctl.memory as memory
import dpctl.program as program
import numpy

rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
count = 64

queue = dpctl.SyclQueue("opencl:cpu")
source = "kernel void add(global int *data, int value) { data[get_global_id(0)] += value; }"
kernel = program.create_program_from_source(queue, source).get_sycl_kernel("add")

shared = memory.MemoryUSMShared(4 * count, queue=queue)
device = memory.MemoryUSMDevice(4 * count, queue=queue)
host = memory.MemoryUSMHost(4 * count, queue=queue)
view = numpy.ndarray((count,), dtype=numpy.int32, buffer=shared)
view[:] = 0

last = []
for _ in range(rounds):
    event = queue.submit(kernel, [shared, ctypes.c_int(2)], [count], [8], dEvents=last)
    last = [event]
    event.wait()
device.copy_from_device(shared)
host.copy_from_device(device)
queue.memcpy(shared, host, 4 * count)
queue.wait()
result = numpy.ndarray((count,), dtype=numpy.int32, buffer=host)
assert (result == 2 * rounds).all() and (view == 2 * rounds).all(), result
print("ok")
