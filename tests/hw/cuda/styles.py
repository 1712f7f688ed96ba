# SPDX-License-Identifier: MIT
"""styles.py CASE [repaired]: parts of PyTorch programs as people write them, each with one fault, or
the same work without it; and some that have none. tests/hw/findings records both, and styles.json
says what may be found in which."""
import sys
import time

import torch
from torch import nn

REPAIRED = "repaired" in sys.argv[2:]


def convolutions(width=64):
    parts, channels = [], 3
    for _ in range(6):
        parts += [nn.Conv2d(channels, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU()]
        channels = width
    return nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 10)).cuda()


def learn(model, batches, after=lambda step, loss, shown: None, optimizer=None):
    optimizer = optimizer or torch.optim.SGD(model.parameters(), lr=1e-6)
    for step, (data, label) in enumerate(batches):
        shown = model(data)
        loss = nn.functional.cross_entropy(shown, label)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        after(step, loss, shown)
    torch.cuda.synchronize()


def images(count, batch=128, device="cuda"):
    data = torch.randn(batch, 3, 64, 64, device=device)
    label = torch.randint(10, (batch,), device=device)
    for _ in range(count):
        yield data, label


class Pictures(torch.utils.data.Dataset):
    """Each takes the host some time to decode."""
    def __len__(self):
        return 64 * 60

    def __getitem__(self, index):
        end = time.perf_counter() + 0.0004
        while time.perf_counter() < end:
            pass
        return torch.full((3, 64, 64), float(index)), index % 10


def torch_loader():
    """The pictures of a batch are decoded while the device waits, or by workers beforehand."""
    loader = torch.utils.data.DataLoader(Pictures(), 64, pin_memory=REPAIRED,
                                         num_workers=8 if REPAIRED else 0)
    learn(convolutions(), ((data.cuda(non_blocking=REPAIRED), label.cuda(non_blocking=REPAIRED))
                           for data, label in loader))


def torch_checks():
    """After each step it is asked whether the loss is a number."""
    def look(step, loss, shown):
        if (not REPAIRED or step % 100 == 99) and torch.isnan(loss):
            raise SystemExit("not a number")
    learn(convolutions(16), images(1200, 16), look)


def torch_metrics():
    """What was predicted goes to the host in each step, to be counted there."""
    right = 0

    def count(step, loss, shown):
        nonlocal right
        if REPAIRED:
            right = right + (shown.argmax(1) == 3).sum()
        else:
            right += int((shown.cpu().argmax(1) == 3).sum())
    learn(convolutions(32), images(800, 32), count)


def torch_singly():
    """Pictures go through a model one by one."""
    model = convolutions(32).eval()
    data = torch.randn(1024, 3, 64, 64, device="cuda")
    with torch.inference_mode():
        for _ in range(4):
            for one in data.split(256 if REPAIRED else 1):
                model(one)
    torch.cuda.synchronize()


def torch_masked():
    """Numbers that are too large are picked by a mask, whose count the host has to know."""
    data = torch.randn(1 << 20, device="cuda")
    for _ in range(3000):
        if REPAIRED:
            data = torch.where(data > 3, 3.0, data) * 0.999
        else:
            data[data > 3] = data[data > 3].clamp(max=3)
            data = data * 0.999
    torch.cuda.synchronize()


def torch_one_by_one():
    """Rows go to the device one by one."""
    rows = [torch.randn(256) for _ in range(2000)]
    weights = torch.randn(256, 256, device="cuda")
    for _ in range(20):
        if REPAIRED:
            table = torch.stack(rows).cuda()
        else:
            table = torch.stack([row.cuda() for row in rows])
        for _ in range(5):
            table = table @ weights
    torch.cuda.synchronize()


def torch_keeps():
    """All of the model is copied to the host every few steps."""
    model = nn.Sequential(*[nn.Linear(4096, 4096) for _ in range(6)]).cuda()
    data = torch.randn(2048, 4096, device="cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    for step in range(120):
        loss = model(data).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % (100 if REPAIRED else 4) == 0:
            kept = {name: one.cpu() for name, one in model.state_dict().items()}
    torch.cuda.synchronize()
    return kept


def torch_one_optimizer_each():
    """Each of many parameters is updated by kernels of its own."""
    model = nn.Sequential(*[nn.Linear(64, 64) for _ in range(200)]).cuda()
    data = torch.randn(64, 64, device="cuda")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-6, foreach=False, fused=REPAIRED)
    for _ in range(60):
        loss = model(data).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    torch.cuda.synchronize()


def torch_clean_convolutions():
    learn(convolutions(), images(200, 256))


def torch_clean_mixed():
    model = convolutions(128)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    for data, label in images(200, 256):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(model(data), label)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    torch.cuda.synchronize()


def torch_clean_graph():
    model = nn.Sequential(*[nn.Linear(512, 512) for _ in range(20)]).cuda()
    data = torch.randn(64, 512, device="cuda")
    with torch.inference_mode():
        model(data)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            model(data)
        for _ in range(3000):
            graph.replay()
    torch.cuda.synchronize()


CASES = {name: one for name, one in list(globals().items()) if name.startswith("torch_")}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in CASES:
        raise SystemExit("styles.py CASE [repaired], where CASE is one of\n  " + "\n  ".join(CASES))
    CASES[sys.argv[1]]()
