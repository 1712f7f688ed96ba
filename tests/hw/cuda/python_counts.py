# SPDX-License-Identifier: MIT
"""A program in Python that says how many kernels it launched, by the framework of
its argument: cupy, triton, jax, numba, processes (PyTorch in processes of its own)."""
import sys


def expect(what, number):
    print("expect", what, number, flush=True)


def cupy():
    import cupy as cp
    kernel = cp.RawKernel('extern "C" __global__ void twice(float *x) '
                          '{ x[threadIdx.x] *= 2; }', "twice")
    data = cp.ones(64, dtype=cp.float32)
    for _ in range(50):
        kernel((1,), (64,), (data,))
    cp.cuda.Device().synchronize()
    expect("kernel:twice", 50)


def triton():
    import torch
    import triton as tr
    import triton.language as tl

    @tr.jit
    def plus_one(data, count, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = at < count
        tl.store(data + at, tl.load(data + at, mask=mask) + 1, mask=mask)

    data = torch.zeros(1000, device="cuda")
    for _ in range(30):
        plus_one[(8,)](data, 1000, BLOCK=128)
    torch.cuda.synchronize()
    assert data.sum().item() == 30000
    expect("kernel:plus_one", 30)


def jax():
    import jax as j
    import jax.numpy as jnp
    step = j.jit(lambda x: jnp.tanh(x @ x) + 1)
    data = jnp.ones((256, 256))
    for _ in range(20):
        data = step(data)
    data.block_until_ready()
    expect("some:kernels", 20)


def numba():
    from numba import cuda
    import numpy as np

    @cuda.jit
    def fill(data):
        data[cuda.grid(1)] = 1

    data = cuda.to_device(np.zeros(64, dtype=np.float32))
    for _ in range(10):
        fill[1, 64](data)
    cuda.synchronize()
    expect("some:kernels", 10)


def work(rank):
    import torch
    data = torch.zeros(64, device="cuda")
    torch.cuda.synchronize()
    for _ in range(100):
        torch._foreach_add_([data], 1)
        data.sin_()
    torch.cuda.synchronize()


def processes():
    import torch.multiprocessing as mp
    mp.spawn(work, nprocs=2)
    expect("kernel:sin", 200)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
