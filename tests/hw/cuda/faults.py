# SPDX-License-Identifier: MIT
"""faults.py CASE [repaired]: a PyTorch program with one fault as people make it, or the same
work without it; and two that have none. tests/hw/findings records both, and faults.json
says what may be found in which."""
import sys

import torch
from torch import nn

REPAIRED = "repaired" in sys.argv[2:]


def network(width=2048, layers=6):
    parts = []
    for _ in range(layers):
        parts += [nn.Linear(width, width), nn.GELU()]
    return nn.Sequential(*parts, nn.Linear(width, 1)).cuda()


def train(steps, batch, after=lambda step, loss: None, give=None):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    data = torch.randn(batch, 2048, device="cuda")
    for step in range(steps):
        loss = model(give(step) if give else data).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        after(step, loss)
    torch.cuda.synchronize()


def torch_item():
    """The loss is looked at after every step, of a model whose step takes the device as long as
    the host."""
    total = []
    train(400, 4096, lambda step, loss: total.append(
        loss.detach() if REPAIRED else loss.item()))


def torch_pageable():
    """Each batch comes from pageable memory, and is waited for."""
    host = [torch.randn(16384, 2048) for _ in range(2)]
    host = [one.pin_memory() if REPAIRED else one for one in host]
    train(200, 16384, give=lambda step: host[step % 2].to("cuda", non_blocking=REPAIRED))


def torch_cpu_step():
    """A step of the work is done on the CPU."""
    def mend(step, loss):
        nonlocal data
        if REPAIRED:
            data = data.clamp(-3, 3)
        else:
            data = data.cpu().clamp(-3, 3).cuda()
    data = torch.randn(4096, 2048, device="cuda")
    train(300, 4096, mend, lambda step: data)


def torch_small_ops():
    """A sum of many small tensors, one by one."""
    parts = [torch.randn(64, device="cuda") for _ in range(500)]
    for _ in range(300):
        if REPAIRED:
            torch.stack(parts).sum(0)
        else:
            total = parts[0]
            for part in parts[1:]:
                total = total + part
    torch.cuda.synchronize()


def torch_empty_cache():
    """Memory is given back to the driver in each step."""
    train(200, 4096, lambda step, loss: None if REPAIRED else torch.cuda.empty_cache())


def torch_host():
    """The next batch is made by the host while the device waits."""
    import time

    def load(step):
        if not REPAIRED:
            torch.cuda.synchronize()
        end = time.perf_counter() + 0.012  # decoding, say
        while time.perf_counter() < end:
            pass
        return data
    data = torch.randn(8192, 2048, device="cuda")
    train(150, 8192, give=load)


def torch_clean_train():
    train(250, 16384)


def torch_clean_infer():
    model = network().half().eval()
    data = torch.randn(16384, 2048, device="cuda", dtype=torch.half)
    with torch.inference_mode():
        for _ in range(400):
            model(data)
    torch.cuda.synchronize()


CASES = {name: one for name, one in list(globals().items()) if name.startswith("torch_")}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in CASES:
        raise SystemExit("faults.py CASE [repaired], where CASE is one of\n  " + "\n  ".join(CASES))
    CASES[sys.argv[1]]()
