# SPDX-License-Identifier: MIT
"""What torchrun starts, a process a rank: kernels of each, and an all-reduce, by NCCL
where each rank has a device of its own, else by Gloo. The first says what is expected
of all."""
import os

import torch
import torch.distributed as dist

COUNT = 50

rank, size = int(os.environ["LOCAL_RANK"]), int(os.environ["WORLD_SIZE"])
devices = torch.cuda.device_count()
torch.cuda.set_device(rank % devices)
dist.init_process_group("nccl" if devices >= size else "gloo")
data = torch.zeros(64, device="cuda")
for _ in range(COUNT):
    data.sin_()
dist.all_reduce(data)
torch.cuda.synchronize()
if rank == 0:
    print("expect kernel:sin", COUNT * size)
    print("expect devices", min(devices, size), flush=True)
dist.destroy_process_group()
