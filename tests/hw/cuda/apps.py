# SPDX-License-Identifier: MIT
"""apps.py CASE [repaired]: parts of PyTorch programs for which no rule was changed, each with one fault,
or the same work without it; and some that have none. tests/hw/findings records both, and apps.json,
which was written before they were recorded for the first time, says what may be found in which."""
import sys
import time

import torch
from torch import nn
from torch.nn import functional

REPAIRED = "repaired" in sys.argv[2:]


def perceptron(width, layers):
    parts = []
    for _ in range(layers):
        parts += [nn.Linear(width, width), nn.GELU()]
    return nn.Sequential(*parts).cuda()


def torch_grad_norms():
    """The norm of all gradients is summed up by the host, from one number for each parameter."""
    model = perceptron(256, 60)
    parameters = list(model.parameters())
    optimizer = torch.optim.SGD(parameters, lr=1e-6)
    data = torch.randn(1024, 256, device="cuda")
    for _ in range(250):
        loss = model(data).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        if REPAIRED:
            nn.utils.clip_grad_norm_(parameters, 1.0)
        else:
            norm = sum(one.grad.norm().item() ** 2 for one in parameters) ** 0.5
            for one in parameters:
                one.grad.mul_(min(1.0, 1.0 / (norm + 1e-6)))
        optimizer.step()
    torch.cuda.synchronize()


def causal_mask(length):
    return torch.triu(torch.full((length, length), float("-inf")), 1).cuda()


def torch_mask_each():
    """Each layer makes the mask of its attention on the CPU, always the same."""
    heads, length, width = 8, 2048, 64
    project = nn.Linear(heads * width, 3 * heads * width).cuda()
    kept = causal_mask(length)
    data = torch.randn(2, length, heads * width, device="cuda")
    with torch.inference_mode():
        for _ in range(200):
            query, key, value = (one.view(2, length, heads, width).transpose(1, 2)
                                 for one in project(data).chunk(3, dim=-1))
            scores = query @ key.transpose(-1, -2) / width ** 0.5
            scores = scores + (kept if REPAIRED else causal_mask(length))
            shown = scores.softmax(-1) @ value
            data = functional.layer_norm(data + shown.transpose(1, 2).reshape(data.shape),
                                         data.shape[-1:])
    torch.cuda.synchronize()


def torch_timed_layers():
    """How long each layer takes was measured once, and the hooks that did are still there."""
    model = perceptron(1024, 60)
    times = dict.fromkeys(model, 0.0)
    last = time.perf_counter()

    def measure(layer, _given, _shown):
        nonlocal last
        torch.cuda.synchronize()
        now = time.perf_counter()
        times[layer] += now - last
        last = now

    if not REPAIRED:
        for layer in model:
            layer.register_forward_hook(measure)
    data = torch.randn(1024, 1024, device="cuda")
    with torch.inference_mode():
        for _ in range(250):
            model(data)
    torch.cuda.synchronize()


def torch_decode():
    """After each token it is asked whether it is the last one."""
    words, width = 4096, 1024
    embedding = nn.Embedding(words, width).cuda()
    model = perceptron(width, 2)
    head = nn.Linear(width, words).cuda()
    token = torch.zeros(1, dtype=torch.long, device="cuda")
    state = torch.zeros(1, width, device="cuda")
    tokens = []
    with torch.inference_mode():
        for step in range(20000):
            state = model(embedding(token) + 0.5 * state)
            token = head(state).argmax(-1)
            tokens.append(token)
            if (not REPAIRED or step % 64 == 63) and token.item() == -1:
                break
    return torch.cat(tokens).cpu()


def torch_in_order():
    """Batches are uploaded on the stream of the kernels, or on one of their own."""
    model = perceptron(2048, 1)
    host = [torch.full((16384, 2048), float(i)).pin_memory() for i in range(4)]
    batches = [torch.empty(16384, 2048, device="cuda") for _ in range(2)]
    kernels = torch.cuda.current_stream()
    copies = torch.cuda.Stream() if REPAIRED else kernels
    full, free = ([torch.cuda.Event() for _ in batches] for _ in range(2))
    torch.cuda.synchronize()
    with torch.inference_mode():
        for step in range(350):
            at = step % 2
            with torch.cuda.stream(copies):
                copies.wait_event(free[at])  # the first time nothing was recorded: no wait
                batches[at].copy_(host[step % 4], non_blocking=True)
                full[at].record()
            kernels.wait_event(full[at])
            model(batches[at])
            free[at].record()
    torch.cuda.synchronize()


def torch_clean_accumulate():
    """Gradients of eight small batches for each step, and the loss now and then."""
    model = perceptron(2048, 6)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    data = torch.randn(8192, 2048, device="cuda")
    total = torch.zeros((), device="cuda")
    for step in range(30):
        optimizer.zero_grad(set_to_none=True)
        for part in data.split(1024):
            loss = model(part).square().mean()
            loss.backward()
            total += loss.detach()
        optimizer.step()
        if step % 10 == 9:
            total.item()


def torch_clean_lstm():
    model = nn.LSTM(1024, 1024, num_layers=2).cuda().eval()
    data = torch.randn(64, 512, 1024, device="cuda")
    with torch.inference_mode():
        for _ in range(40):
            model(data)
    torch.cuda.synchronize()


def torch_clean_attention():
    """Training, with the attention that PyTorch brings."""
    layer = nn.TransformerEncoderLayer(512, 8, 2048, dropout=0.0, batch_first=True).cuda()
    optimizer = torch.optim.SGD(layer.parameters(), lr=1e-6)
    data = torch.randn(16, 1024, 512, device="cuda")
    for _ in range(60):
        optimizer.zero_grad(set_to_none=True)
        layer(data).square().mean().backward()
        optimizer.step()
    torch.cuda.synchronize()


CASES = {name: one for name, one in list(globals().items()) if name.startswith("torch_")}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in CASES:
        raise SystemExit("apps.py CASE [repaired], where CASE is one of\n  " + "\n  ".join(CASES))
    CASES[sys.argv[1]]()
