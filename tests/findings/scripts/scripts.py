# SPDX-License-Identifier: MIT
"""Programs as scientists write them, with pyopencl and numpy: one fault each, planted or repaired, or
none. `bench/run findings` scores them by table.json.

    scripts.py NAME [repaired]
"""
import multiprocessing
import sys
import threading

import numpy as np
import pyopencl as cl
import pyopencl.array
import pyopencl.tools

N = 1 << 16
SOURCE = """
kernel void step_forward(global float *u, float dt, int rounds) {
  size_t i = get_global_id(0);
  float x = u[i];
  for (int r = 0; r < rounds; r++) x += dt * (0.5f - x);
  u[i] = x;
}
"""


class Solver:
    def __init__(self):
        device = cl.get_platforms()[0].get_devices()[0]
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context)
        self.build()
        self.field = self.buffer(4 * N)
        self.host = np.linspace(0, 1, N, dtype=np.float32)
        cl.enqueue_copy(self.queue, self.field, self.host)
        self.step(1)
        self.queue.finish()

    def build(self):
        self.program = cl.Program(self.context, SOURCE).build(cache_dir=False)
        self.kernel = cl.Kernel(self.program, "step_forward")

    def buffer(self, size):
        return cl.Buffer(self.context, cl.mem_flags.READ_WRITE, size)

    def step(self, rounds=60, field=None, queue=None, kernel=None):
        kernel = kernel or self.kernel
        kernel.set_args(field or self.field, np.float32(0.01), np.int32(rounds))
        return cl.enqueue_nd_range_kernel(queue or self.queue, kernel, (N,), None)


def march(repaired):
    """Each step is waited for by its event."""
    solver = Solver()
    for _ in range(2000):
        event = solver.step(20)
        if not repaired:
            event.wait()
    solver.queue.finish()


def threads(repaired):
    """Two threads, each with its queue, wait for each step."""
    solver = Solver()

    def work():
        queue = cl.CommandQueue(solver.context)
        kernel = cl.Kernel(solver.program, "step_forward")
        field = solver.buffer(4 * N)
        for _ in range(800):
            solver.step(20, field, queue, kernel)
            if not repaired:
                queue.finish()
        queue.finish()

    both = [threading.Thread(target=work) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()


def _child(repaired):
    solver = Solver()
    for _ in range(1200):
        solver.step(20)
        if not repaired:
            solver.queue.finish()
    solver.queue.finish()


def pool(repaired):
    """Two processes at a time do the same."""
    spawn = multiprocessing.get_context("spawn")
    both = [spawn.Process(target=_child, args=(repaired,)) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()


def spin(repaired):
    """Asks in a loop whether it is done."""
    solver = Solver()
    for _ in range(60):
        event = solver.step(150)
        solver.queue.flush()
        while not repaired and event.command_execution_status != cl.command_execution_status.COMPLETE:
            pass
        event.wait()


def whole_field(repaired):
    """All of it comes back in each step, for its first value."""
    solver = Solver()
    field = solver.buffer(16 << 20)
    host = np.zeros(4 << 20, dtype=np.float32)
    cl.enqueue_copy(solver.queue, field, host)
    for _ in range(120):
        solver.step(20, field)
        cl.enqueue_copy(solver.queue, host[:16] if repaired else host, field)


def constants(repaired):
    """A table of constants goes to the device before each step."""
    solver = Solver()
    table = np.arange(2 << 20, dtype=np.float32)
    device = solver.buffer(table.nbytes)
    for step in range(150):
        if not repaired or not step:
            cl.enqueue_copy(solver.queue, device, table, is_blocking=False)
        solver.step(20)
    solver.queue.finish()


def parameters(repaired):
    """Parameters one by one."""
    solver = Solver()
    values = np.zeros(32, dtype=np.float32)
    device = solver.buffer(values.nbytes)
    for step in range(400):
        values[:] = step + np.arange(32)
        if repaired:
            cl.enqueue_copy(solver.queue, device, values)
        for i in range(0 if repaired else 32):
            cl.enqueue_copy(solver.queue, device, values[i:i + 1], dst_offset=4 * i)
        solver.step(20)
    solver.queue.finish()


def by_numpy(repaired):
    """From one buffer to the next by way of an array."""
    solver = Solver()
    a, b = solver.buffer(8 << 20), solver.buffer(8 << 20)
    between = np.ones(2 << 20, dtype=np.float32)
    cl.enqueue_copy(solver.queue, a, between)
    for _ in range(80):
        solver.step(20, a)
        if repaired:
            cl.enqueue_copy(solver.queue, b, a)
        else:
            cl.enqueue_copy(solver.queue, between, a)
            cl.enqueue_copy(solver.queue, b, between)
        solver.step(20, b)
    solver.queue.finish()


def rebuild(repaired):
    """A function that builds what it needs."""
    solver = Solver()
    for _ in range(10):
        if not repaired:
            solver.build()
        for _ in range(20):
            solver.step()
        solver.queue.finish()


def fresh(repaired):
    """A new array for each step's result."""
    solver = Solver()
    kept = solver.buffer(32 << 20)
    for _ in range(60):
        field = kept if repaired else solver.buffer(32 << 20)
        cl.enqueue_fill_buffer(solver.queue, field, np.float32(1), 0, 32 << 20)
        solver.step(20, field)
        solver.queue.finish()
        if not repaired:
            field.release()


def attribute(repaired):
    """program.NAME makes a kernel each time that it is said."""
    solver = Solver()
    for _ in range(4000):
        kernel = solver.kernel if repaired else cl.Kernel(solver.program, "step_forward")
        solver.step(1, kernel=kernel)
    solver.queue.finish()


def clean_pipeline(_):
    solver = Solver()
    for _ in range(600):
        solver.step()
    solver.queue.finish()


def clean_result(_):
    """Now and then a small result."""
    solver = Solver()
    result = np.zeros(16, dtype=np.float32)
    for _ in range(20):
        for _ in range(50):
            solver.step()
        cl.enqueue_copy(solver.queue, result, solver.field)


def clean_numpy(_):
    """Mostly numpy's work."""
    solver = Solver()
    matrix = np.random.default_rng(1).random((300, 300))
    for _ in range(20):
        matrix = np.tanh(matrix @ matrix / 300)
    cl.enqueue_copy(solver.queue, solver.host, solver.field)


def clean_pool(_):
    pool(True)


def clean_threads(_):
    threads(True)


def clean_upload(_):
    """New data in each step, of which there are few."""
    solver = Solver()
    for step in range(10):
        solver.host[:] = step
        cl.enqueue_copy(solver.queue, solver.field, solver.host)
        for _ in range(60):
            solver.step()
    cl.enqueue_copy(solver.queue, solver.host, solver.field)


# What follows was written later, and run before findings were changed for it.


def _iterate(solver, steps, allocator):
    """x = x * 0.5 + y, as numpy has it: two new arrays for each."""
    ones = np.ones(4 << 20, dtype=np.float32)
    x = cl.array.to_device(solver.queue, ones, allocator=allocator)
    y = cl.array.to_device(solver.queue, ones, allocator=allocator)
    for _ in range(steps):
        x = x * np.float32(0.5) + y
        solver.queue.finish()


def _pool(solver):
    return cl.tools.MemoryPool(cl.tools.ImmediateAllocator(solver.queue))


def temporaries(repaired):
    """Arrays that live for one line; or a pool has their memory."""
    solver = Solver()
    _iterate(solver, 30, _pool(solver) if repaired else None)


def clean_in_pool(_):
    solver = Solver()
    _iterate(solver, 30, _pool(solver))


def _converge(every):
    """Asks how far it is after so many steps."""
    solver = Solver()
    result = np.zeros(1, dtype=np.float32)
    for step in range(1500):
        solver.step(20)
        if step % every == every - 1:
            cl.enqueue_copy(solver.queue, result, solver.field)
    solver.queue.finish()


def converged(repaired):
    """Is it done? After each step."""
    _converge(100 if repaired else 1)


def clean_checked(_):
    _converge(100)


def context_each(repaired):
    """A function that makes all that it needs, each time that it is called."""
    solver = Solver()
    for _ in range(12):
        if not repaired:
            solver = Solver()
        for _ in range(30):
            solver.step()
        solver.queue.finish()


def rows(repaired):
    """The left half of a matrix, row by row."""
    solver = Solver()
    matrix = np.ones((1024, 64), dtype=np.float32)
    device = solver.buffer(1024 * 32 * 4)
    for step in range(60):
        matrix[:, :] = step
        if repaired:
            cl.enqueue_copy(solver.queue, device, np.ascontiguousarray(matrix[:, :32]))
        for i in range(0 if repaired else 1024):
            cl.enqueue_copy(solver.queue, device, matrix[i, :32], dst_offset=128 * i)
        solver.step(20)
    solver.queue.finish()


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2:] == ["repaired"])
