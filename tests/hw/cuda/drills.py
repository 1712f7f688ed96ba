# SPDX-License-Identifier: MIT
"""drills.py CASE [repaired]: PyTorch programs as people write them, each with one fault, or the same work
without it; and some that have none. Whoever wrote them had not read src/analysis nor the other sets.
tests/hw/findings records both, and drills.json, which was written before they were recorded for the first time,
says what may be found in which."""
import concurrent.futures
import sys

import torch
from torch import nn
from torch.nn import functional

REPAIRED = "repaired" in sys.argv[2:]
DEVICE = "cuda"


def stack(width, layers):
    made = []
    for _ in range(layers):
        made += [nn.Linear(width, width), nn.ReLU()]
    return nn.Sequential(*made).to(DEVICE)


class Ragged:
    """Sentences of a batch, one after the other, and how long each of them is."""
    def __init__(self, marks):
        self.lengths = marks.sum(1)

    def sizes(self):
        if REPAIRED:
            return self.lengths.tolist()
        return [int(length) for length in self.lengths]


def torch_ragged_sentences():
    """The host needs the lengths of sentences that the device counted: each of them, or all at once."""
    model = stack(256, 4)
    total = torch.zeros((), device=DEVICE)
    with torch.inference_mode():
        for step in range(350):
            places = torch.arange(64, device=DEVICE).expand(192, 64)
            wanted = (torch.arange(192, device=DEVICE) * 37 + step) % 63 + 1
            marks = places < wanted[:, None]
            sizes = Ragged(marks).sizes()
            words = model(torch.full((sum(sizes), 256), 0.01 * (step % 9), device=DEVICE))
            longest = max(range(len(sizes)), key=sizes.__getitem__)
            begin = sum(sizes[:longest])
            total += words[begin:begin + sizes[longest]].mean()
    return total.item()


def volumes(count):
    """What a scanner left in memory of the host."""
    first = torch.linspace(0, 1, 1 << 24).view(1, 1, 256, 256, 256)
    made = [first.roll(number + 1, 2) for number in range(count)]
    return [one.pin_memory() for one in made] if REPAIRED else made


def torch_scanned_volumes():
    """Volumes of 64 MiB, from ordinary memory or from such as the device can read by itself."""
    stored = volumes(4)
    sent = [torch.cuda.Event() for _ in stored]
    total = torch.zeros((), device=DEVICE)
    with torch.inference_mode():
        for number in range(200):
            at = number % len(stored)
            sent[at].synchronize()
            stored[at].view(-1)[number * 64] = number  # the scanner goes on
            there = stored[at].to(DEVICE, non_blocking=REPAIRED)
            sent[at].record()
            total += functional.avg_pool3d(functional.avg_pool3d(there, 2), 3, stride=1).mean()
    return total.item()


def clip(parameters, most):
    """So that the norm of all the gradients is no more than `most`."""
    gradients = [one.grad for one in parameters]
    if REPAIRED:
        norm = torch.stack([one.norm() for one in gradients]).norm()
        for one in gradients:
            one.mul_(torch.clamp(most / norm, max=1.0))
        return
    here = [one.cpu() for one in gradients]
    norm = torch.stack([one.norm() for one in here]).norm()
    for one, seen in zip(gradients, here):
        one.copy_(seen * torch.clamp(most / norm, max=1.0))


def torch_clipped_gradients():
    """Gradients are clipped where they are, or on the host, from which they come back."""
    torch.set_float32_matmul_precision("high")
    model = stack(2048, 6)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    given = torch.linspace(-1, 1, 2048, device=DEVICE).repeat(8192, 1)
    total = torch.zeros((), device=DEVICE)
    for step in range(30):
        loss = functional.mse_loss(model(given + 0.01 * step), given)
        optimizer.zero_grad()
        loss.backward()
        clip(list(model.parameters()), 0.5)
        optimizer.step()
        total += loss.detach()
    return total.item()


class Smoother:
    """y[t] = a y[t - 1] + (1 - a) x[t], for many channels."""
    def __init__(self, steps, a):
        self.a, self.steps = a, steps
        late = torch.arange(steps, device=DEVICE)
        late = late[:, None] - late[None, :]
        self.weights = torch.where(late >= 0, (1 - a) * a ** late.clamp(min=0).float(), 0.0)

    def __call__(self, x):
        if REPAIRED:
            return self.weights @ x
        shown, last = [], torch.zeros_like(x[0])
        for t in range(self.steps):
            last = self.a * last + (1 - self.a) * x[t]
            shown.append(last)
        return torch.stack(shown)


def torch_smoothed_channels():
    """A filter in time, by some small operations for each sample, or by one product."""
    model = stack(1024, 3)
    smoother = Smoother(512, 0.9)
    total = torch.zeros((), device=DEVICE)
    with torch.inference_mode():
        for clip_number in range(110):
            x = torch.arange(512 * 1024, device=DEVICE).view(512, 1024)
            y = smoother(torch.sin(x * 0.01 + clip_number))
            total += model(y).mean()
    return total.item()


def tidy(number):
    """Between two jobs: others may want the memory."""
    if not REPAIRED or number % 100 == 99:
        torch.cuda.empty_cache()


def torch_tidy_jobs():
    """Each job's memory is given back to the device after it, and asked for again by the next."""
    total = torch.zeros((), device=DEVICE)
    with torch.inference_mode():
        for number in range(200):
            rows = 6000 + number % 5 * 500
            table = torch.full((rows, 8192), 0.001 * number, device=DEVICE)
            parts = [table + part for part in range(4)]
            ranks = torch.stack([part.mean(0) for part in parts]).softmax(0)
            total += (torch.cat(parts).tanh_().sum(0) * ranks[0]).mean()
            del table, parts, ranks
            tidy(number)
    return total.item()


def picture_batch(number):
    """Pictures, turned and disturbed by one CPU."""
    x = torch.arange(24 * 3 * 96 * 96, dtype=torch.float32).view(24, 3, 96, 96)
    x = torch.sin(x * 0.001 * (1 + number % 7)).roll(number % 13, 3)
    x = functional.avg_pool2d(x, 5, stride=1, padding=2).flip(2)
    return (x - x.mean((2, 3), keepdim=True)).cumsum(3).tanh_().contiguous()


def picture_batches(count):
    if not REPAIRED:
        yield from map(picture_batch, range(count))
        return
    with concurrent.futures.ThreadPoolExecutor(12, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        ahead = [pool.submit(picture_batch, number) for number in range(16)]
        for number in range(count):
            yield ahead.pop(0).result()
            if number + 16 < count:
                ahead.append(pool.submit(picture_batch, number + 16))


def torch_disturbed_pictures():
    """The thread that trains makes the pictures as well, or other threads are ahead of it."""
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Conv2d(3, 32, 3, stride=2), nn.ReLU(), nn.Conv2d(32, 64, 3, stride=2), nn.ReLU(),
                          nn.Conv2d(64, 128, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(128 * 23 * 23, 10))
    model = model.to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    total = torch.zeros((), device=DEVICE)
    for pictures in picture_batches(80):
        pictures = pictures.to(DEVICE)
        views = torch.cat([pictures.roll(7 * view, 3) for view in range(16)])
        loss = model(views).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
    return total.item()


def torch_clean_pinned_training():
    """The next data go up, from pinned memory and in a stream of their own, while a step is done. The loss is
    looked at now and then."""
    torch.set_float32_matmul_precision("high")
    model = stack(2048, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    shards = [torch.linspace(-1, 1, 8192 * 256).view(8192, 256).roll(shard, 1) for shard in range(3)]
    buffers = [torch.empty(8192, 256, pin_memory=True) for _ in range(2)]
    there = [torch.empty(8192, 256, device=DEVICE) for _ in range(2)]
    sent = [torch.cuda.Event() for _ in range(2)]
    used = [torch.cuda.Event() for _ in range(2)]
    up, seen = torch.cuda.Stream(), 0.0

    def send(step):
        at = step % 2
        sent[at].synchronize()
        buffers[at].copy_(shards[step % 3])
        buffers[at][0, 0] = step
        with torch.cuda.stream(up):
            up.wait_event(used[at])
            there[at].copy_(buffers[at], non_blocking=True)
            sent[at].record()

    send(0)
    for step in range(120):
        at = step % 2
        torch.cuda.current_stream().wait_event(sent[at])
        given = there[at].repeat(1, 8)
        used[at].record()
        loss = functional.mse_loss(model(given), given)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step < 119:
            send(step + 1)
        if step % 40 == 39:
            seen = loss.item()
    return seen


def torch_clean_graphed_decoder():
    """Words are made one after the other. A step is a CUDA graph, and its word stays on the device."""
    embedding = nn.Embedding(4096, 2048).to(DEVICE)
    body, head = stack(2048, 12), nn.Linear(2048, 4096).to(DEVICE)
    word = torch.zeros(64, dtype=torch.long, device=DEVICE)
    state = torch.zeros(64, 2048, device=DEVICE)
    said = torch.zeros(64, dtype=torch.long, device=DEVICE)

    def step():
        state.mul_(0.5).add_(body(embedding(word) + state))
        word.copy_(head(state).argmax(1))
        said.add_(word)

    with torch.inference_mode():
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(3):
                step()
        torch.cuda.current_stream().wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        for _ in range(6000):
            graph.replay()
        return float(said.sum())


def torch_clean_scored_batches():
    """The host needs the scores of each batch, and takes those of the last while the device makes the next."""
    torch.set_float32_matmul_precision("high")
    model = stack(2048, 10)
    scores = [torch.empty(8192, pin_memory=True) for _ in range(2)]
    ready = [torch.cuda.Event() for _ in range(2)]
    best = 0.0
    with torch.inference_mode():
        given = torch.linspace(0, 1, 2048, device=DEVICE).repeat(8192, 1)
        for batch in range(252):
            at = batch % 2
            if batch >= 2:
                ready[at].synchronize()
                best = max(best, scores[at].max().item())
            if batch < 250:
                scores[at].copy_(model(given + 0.001 * batch).mean(1), non_blocking=True)
                ready[at].record()
    return best


CASES = {name: one for name, one in list(globals().items()) if name.startswith("torch_")}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in CASES:
        raise SystemExit("drills.py CASE [repaired], where CASE is one of\n  " + "\n  ".join(CASES))
    torch.manual_seed(1)
    print("answer %.5g" % CASES[sys.argv[1]]())
