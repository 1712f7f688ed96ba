# SPDX-License-Identifier: MIT
"""How much a PyTorch program slows down. For each line that it reads it measures once and
answers with a line: ns of an add_ in a loop of 5,000, ns of one in a loop of 500, which
the device's queue takes whole so that the CPU alone is seen, and us of a training step of
a small transformer. Its first line says that it is ready. The argument `profiler` puts
PyTorch's own profiler around it."""
import contextlib
import sys
import time

import torch


def adds(tensor, count):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(count):
        tensor.add_(1)
    end = time.perf_counter()
    torch.cuda.synchronize()
    return (end - begin) / count * 1e9


def steps(count):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(count):
        optimizer.zero_grad(set_to_none=True)
        model(batch).square().mean().backward()
        optimizer.step()
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) / count * 1e6


torch.manual_seed(0)
layer = torch.nn.TransformerEncoderLayer(128, 4, 256, batch_first=True, dropout=0.0)
model = torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=False)
batch = torch.randn(8, 32, 128, device="cuda")
tensor = torch.zeros(16, device="cuda")
around = contextlib.nullcontext()
if "profiler" in sys.argv:
    kinds = torch.profiler.ProfilerActivity
    around = torch.profiler.profile(activities=[kinds.CUDA])
adds(tensor, 5000)
steps(10)
with around:
    adds(tensor, 500)
    print("torch_bench ready", flush=True)
    for _ in sys.stdin:
        print("torch_bench %.0f %.0f %.1f" % (adds(tensor, 5000), adds(tensor, 500), steps(4)),
              flush=True)
