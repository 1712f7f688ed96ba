# SPDX-License-Identifier: MIT
"""A PyTorch program whose kernels can be counted two ways: by PyTorch's own profiler
(argument `profiler`: prints the kernels' number and time) and by a recording."""
import sys

import torch


def work():
    a = torch.ones(2048, 2048, device="cuda")
    for _ in range(20):
        a = (a @ a).softmax(dim=1)
    a.sum().item()
    torch.cuda.synchronize()


torch.zeros(1, device="cuda")
work()
torch.cuda.synchronize()
if "profiler" in sys.argv:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        work()
    kernels = [e for e in profile.events() if e.device_type == torch.autograd.DeviceType.CUDA
               and not e.name.startswith(("Mem", "Context", "Activity"))]
    print("profiler kernels %d ns %d" % (len(kernels),
                                         sum(e.device_time_total for e in kernels) * 1000))
else:
    torch.cuda.profiler.start()
    work()
    torch.cuda.profiler.stop()
