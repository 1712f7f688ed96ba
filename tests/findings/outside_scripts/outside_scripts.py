# SPDX-License-Identifier: MIT
"""More programs with pyopencl, by somebody who has not read the rules: one fault each, planted or
repaired. `bench/run findings` scores them by table.json.

    outside_scripts.py NAME [repaired]
"""
import queue as queues
import sys
import threading
import time

import numpy as np
import pyopencl as cl
import pyopencl.array
import pyopencl.clrandom
import pyopencl.elementwise
import pyopencl.tools

SOURCE = """
kernel void diffuse(global const float *from, global float *to, int width) {
  int x = get_global_id(0), y = get_global_id(1), h = get_global_size(1);
  int left = max(x - 1, 0), right = min(x + 1, (int)get_global_size(0) - 1);
  to[y * width + x] = 0.25f * (from[y * width + left] + from[y * width + right] +
                               from[max(y - 1, 0) * width + x] + from[min(y + 1, h - 1) * width + x]);
}
kernel void masked(global float *x, global const float *mask) {
  x[get_global_id(0)] *= mask[get_global_id(0)];
}
kernel void decay(global float *u, int rounds) {
  size_t i = get_global_id(0);
  float x = u[i];
  for (int r = 0; r < rounds; r++) x = x * 0.99f + 0.001f;
  u[i] = x;
}
"""


def start():
    """A context and its queue."""
    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    return context, cl.CommandQueue(context)


def kernel(context, name):
    return cl.Kernel(cl.Program(context, SOURCE).build(), name)


def decay(queue, step, array, rounds):
    step.set_args(array.data, np.int32(rounds))
    return cl.enqueue_nd_range_kernel(queue, step, (array.size,), (64,))


def elementwise_each(repaired):
    """A function makes the element-wise kernel of its formula each time that it is called."""
    context, queue = start()
    x = cl.array.zeros(queue, 1 << 14, np.float32)
    y = cl.array.zeros(queue, 1 << 14, np.float32)

    def make():
        return cl.elementwise.ElementwiseKernel(
            context, "float a, float *x, float *y", "y[i] = a * x[i] + 0.5f * y[i]", "axpby")

    kept = make()
    for step in range(60):
        axpby = kept if repaired else make()
        for part in range(4):
            axpby(np.float32(step + part), x, y)
        queue.finish()


def generator_each(repaired):
    """Noise for each frame, from a new generator."""
    context, queue = start()
    noise = cl.array.zeros(queue, 1 << 16, np.float32)
    field = cl.array.zeros(queue, 1 << 16, np.float32)
    step = kernel(context, "decay")
    generator = None
    for _ in range(40):
        if generator is None or not repaired:
            generator = cl.clrandom.PhiloxGenerator(context)
        generator.fill_uniform(noise)
        field += noise
        for _ in range(5):
            decay(queue, step, field, 40)
        queue.finish()


def mask_each(repaired):
    """The mask is an array of numpy's, and goes to the device for each picture."""
    context, queue = start()
    pool = cl.tools.MemoryPool(cl.tools.ImmediateAllocator(queue))
    mask = (np.arange(2 << 20) % 3 > 0).astype(np.float32)
    picture = cl.array.to_device(queue, np.ones(2 << 20, dtype=np.float32), allocator=pool)
    masked = kernel(context, "masked")
    on_device = None
    for _ in range(120):
        if on_device is None or not repaired:
            on_device = cl.array.to_device(queue, mask, allocator=pool)
        masked.set_args(picture.data, on_device.data)
        cl.enqueue_nd_range_kernel(queue, masked, (picture.size,), (64,))
    queue.finish()


def nap_until(repaired):
    """A thread hands in steps, and another one looks every few milliseconds if they are over."""
    context, queue = start()
    field = cl.array.zeros(queue, 1 << 18, np.float32)
    step = kernel(context, "decay")
    under_way, over = queues.Queue(), queues.Queue()

    def watch():
        for event in iter(under_way.get, None):
            while (not repaired and
                   event.command_execution_status != cl.command_execution_status.COMPLETE):
                time.sleep(0.004)
            event.wait()
            over.put(True)

    watcher = threading.Thread(target=watch)
    watcher.start()
    for _ in range(80):
        event = decay(queue, step, field, 8)
        queue.flush()
        under_way.put(event)
        over.get()
    under_way.put(None)
    watcher.join()


def joined_by_numpy(repaired):
    """Two halves are joined by numpy, on their way from the device and back."""
    context, queue = start()
    halves = [cl.array.to_device(queue, np.full(1 << 20, i, dtype=np.float32)) for i in range(2)]
    whole = cl.array.zeros(queue, 2 << 20, np.float32)
    step = kernel(context, "decay")
    for _ in range(120):
        for half in halves:
            decay(queue, step, half, 4)
        if repaired:
            for i, half in enumerate(halves):
                cl.enqueue_copy(queue, whole.data, half.data, dst_offset=i * half.nbytes,
                                byte_count=half.nbytes)
        else:
            for i, half in enumerate(halves):
                cl.enqueue_copy(queue, whole.data, half.get(), dst_offset=i * half.nbytes)
        decay(queue, step, whole, 4)
    queue.finish()


def probes_each(repaired):
    """Forty values of a field, element by element."""
    context, queue = start()
    pool = cl.tools.MemoryPool(cl.tools.ImmediateAllocator(queue))
    field = cl.array.zeros(queue, 1 << 16, np.float32, allocator=pool)
    step = kernel(context, "decay")
    seen = []
    for _ in range(100):
        for _ in range(5):
            decay(queue, step, field, 10)
        if repaired:
            seen.append(field[:40].get())
        else:
            seen.append([float(field[i].get()) for i in range(40)])
    assert len(seen) == 100


def single_items(repaired):
    """The work-group has one item, as in the example that was the beginning of it."""
    context, queue = start()
    width, height = 768, 512
    fields = [cl.array.zeros(queue, width * height, np.float32) for _ in range(2)]
    step = kernel(context, "diffuse")
    cool = kernel(context, "decay")
    for i in range(250):
        step.set_args(fields[i % 2].data, fields[1 - i % 2].data, np.int32(width))
        cl.enqueue_nd_range_kernel(queue, step, (width, height), (64, 4) if repaired else (1, 1))
        decay(queue, cool, fields[1 - i % 2], 4)
        if i % 20 == 19:
            queue.finish()


def sorted_first(repaired):
    """numpy sorts a batch while the device does nothing, or while it has the batch before."""
    context, queue = start()
    random = np.random.default_rng(3)
    batches = [random.random(1 << 16, dtype=np.float32) for _ in range(100)]
    step = kernel(context, "decay")
    slots = [cl.array.zeros(queue, 1 << 16, np.float32) for _ in range(2)]
    last = None
    for i, batch in enumerate(batches):
        batch = np.sort(batch)
        if last is not None and repaired:
            last.wait()
        cl.enqueue_copy(queue, slots[i % 2].data, batch, is_blocking=False)
        for _ in range(4):
            last = decay(queue, step, slots[i % 2], 24)
        queue.flush()
        batches[i] = batch
        if not repaired:
            last.wait()
    queue.finish()


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2:] == ["repaired"])
