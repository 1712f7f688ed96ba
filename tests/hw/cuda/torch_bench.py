"""How much a PyTorch program slows down: ns of an add_ and us of a training step of
a small transformer. The argument `profiler` puts PyTorch's own profiler around it."""
import contextlib
import sys
import time

import torch


def median(values):
    return sorted(values)[len(values) // 2]


def adds(tensor, count=5000):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(count):
        tensor.add_(1)
    end = time.perf_counter()
    torch.cuda.synchronize()
    return (end - begin) / count * 1e9


def steps(count=20):
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
adds(tensor)
steps(10)
with around:
    print("add_ns %.0f" % median([adds(tensor) for _ in range(5)]))
    print("step_us %.1f" % median([steps() for _ in range(5)]))
