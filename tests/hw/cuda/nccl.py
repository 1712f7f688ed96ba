# SPDX-License-Identifier: MIT
"""All-reduces over the GPUs there are, a process for each: NCCL's kernels must be
recognisable. Says `expect nccl N` with the number of collective calls of all."""
import os
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

COUNT = 20


def work(rank, size):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29517")
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=size)
    data = torch.ones(1 << 20, device="cuda")
    for _ in range(COUNT):
        dist.all_reduce(data)
    torch.cuda.synchronize()
    assert data[0].item() == float(size) ** COUNT
    dist.destroy_process_group()


if __name__ == "__main__":
    size = torch.cuda.device_count()
    if size < 2:
        print("skipped: one device only")
        sys.exit(77)
    mp.spawn(work, args=(size,), nprocs=size)
    print("expect nccl", COUNT * size)
    print("expect devices", size)
