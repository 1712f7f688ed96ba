#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""An OpenCL program in Python: pyopencl loads the library by itself."""
import os
import sys

os.environ.setdefault("PYOPENCL_NO_CACHE", "1")
try:
    import numpy
    import pyopencl
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

device = pyopencl.get_platforms()[0].get_devices()[0]
context = pyopencl.Context([device])
queue = pyopencl.CommandQueue(context)
numbers = numpy.arange(1000, dtype=numpy.int32)
buffer = pyopencl.Buffer(context, pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.COPY_HOST_PTR,
                         hostbuf=numbers)
program = pyopencl.Program(
    context, "__kernel void add(__global int *a, int n) { a[get_global_id(0)] += n; }").build()
kernel = pyopencl.Kernel(program, "add")
for _ in range(5):
    kernel(queue, numbers.shape, None, buffer, numpy.int32(2))
back = numpy.empty_like(numbers)
pyopencl.enqueue_copy(queue, back, buffer)
queue.finish()
assert (back == numbers + 10).all()
print("done", back[:3].tolist())
