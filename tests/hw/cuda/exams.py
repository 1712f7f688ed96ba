# SPDX-License-Identifier: MIT
"""exams.py CASE [repaired]: PyTorch programs as people write them, each with one fault, or the same work
without it; and some that have none. Whoever wrote them had not read src/analysis. tests/hw/findings
records both, and exams.json, which was written before they were recorded for the first time, says what may be
found in which."""
import concurrent.futures
import sys
import time

import torch
from torch import nn
from torch.nn import functional

REPAIRED = "repaired" in sys.argv[2:]
DEVICE = "cuda"


def network(*widths):
    layers = [nn.Linear(widths[0], widths[1])]
    for given, shown in zip(widths[1:], widths[2:]):
        layers += [nn.GELU(), nn.Linear(given, shown)]
    return nn.Sequential(*layers).to(DEVICE)


class Replay:
    """What an agent saw, in memory of the host, or of the device that learns from it."""
    def __init__(self, count, width, steps, size):
        samples = torch.randint(count - 1, (steps, size))
        table = torch.arange(count * width, dtype=torch.float32).view(count, width)
        self.table = torch.sin(table % 10007 * 0.37)
        if REPAIRED:
            self.table = self.table.to(DEVICE)
            samples = samples.to(DEVICE)
        self.samples = iter(samples)

    def sample(self):
        at = next(self.samples)
        return self.table[at].to(DEVICE), self.table[at + 1].to(DEVICE)


def torch_replay_memory():
    torch.set_num_threads(1)
    torch.set_float32_matmul_precision("high")
    steps = 200
    replay = Replay(20000, 512, steps, 4096)
    critic = network(512, 4096, 4096, 1)
    optimizer = torch.optim.SGD(critic.parameters(), lr=1e-3)
    total = torch.zeros((), device=DEVICE)
    for _ in range(steps):
        seen, after = replay.sample()
        with torch.no_grad():
            wanted = after[:, :1] + 0.9 * critic(after)
        loss = functional.mse_loss(critic(seen), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
    return total.item()


def shard_from_afar(number):
    """The store answers after 30 ms."""
    time.sleep(0.03)
    return torch.full((64, 1024), number / 100).cumsum(1).sin_()


def torch_remote_shards():
    """The next shard is asked for when the steps of this one are on their way, or three shards earlier."""
    torch.set_float32_matmul_precision("high")
    model = network(1024, 4096, 4096, 1024)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    total = torch.zeros((), device=DEVICE)
    shards = 60
    readers = concurrent.futures.ThreadPoolExecutor(3)
    asked = {}
    for number in range(shards):
        if REPAIRED:
            for ahead in range(number, min(number + 4, shards)):
                if ahead not in asked:
                    asked[ahead] = readers.submit(shard_from_afar, ahead)
            shard = asked.pop(number).result()
        else:
            shard = shard_from_afar(number)
        rows = shard.to(DEVICE).repeat(128, 1)
        for _ in range(3):
            loss = functional.mse_loss(model(rows), rows)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach()
    readers.shutdown()
    return total.item()


CLASSES = 40


def counts_one_by_one(shown, labels):
    rows = []
    for number in range(CLASSES):
        said, true = shown == number, labels == number
        rows.append([(said & true).sum().item(), (said & ~true).sum().item(), (~said & true).sum().item()])
    return rows


def counts_at_once(shown, labels):
    table = torch.zeros(CLASSES * CLASSES, dtype=torch.int64, device=DEVICE)
    table.index_add_(0, labels * CLASSES + shown, torch.ones_like(labels))
    table = table.view(CLASSES, CLASSES)
    right = table.diagonal()
    return torch.stack([right, table.sum(0) - right, table.sum(1) - right], 1).tolist()


def torch_class_counts():
    """Validation: what was right, too much and too little of each class. The host asks number by number, or
    for all that there are of a batch."""
    torch.set_float32_matmul_precision("high")
    model = network(1024, 4096, 4096, CLASSES)
    given = torch.randn(16384, 1024, device=DEVICE)
    labels = torch.randint(CLASSES, (16384,), device=DEVICE)
    count = counts_at_once if REPAIRED else counts_one_by_one
    score = 0.0
    with torch.inference_mode():
        for _ in range(220):
            for right, more, less in count(model(given).argmax(1), labels):
                score += 2 * right / max(2 * right + more + less, 1)
            given = given.roll(1, 1)
    return score


def torch_shadow_weights():
    """Three means of the weights over time. Each parameter is updated by itself, or all of them are at once."""
    model = network(*[64] * 49)
    weights = [one.detach() for one in model.parameters()]
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, foreach=True)
    shadows = {decay: [one.clone() for one in weights] for decay in (0.9, 0.99, 0.999)}
    given = torch.randn(256, 64, device=DEVICE)
    for _ in range(400):
        loss = functional.mse_loss(model(given), given)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for decay, shadow in shadows.items():
            if REPAIRED:
                torch._foreach_mul_(shadow, decay)
                torch._foreach_add_(shadow, weights, alpha=1 - decay)
                continue
            for mean, weight in zip(shadow, weights):
                mean.mul_(decay)
                mean.add_(weight, alpha=1 - decay)
    return sum(one.double().abs().sum() for shadow in shadows.values() for one in shadow).item()


class Matting(nn.Module):
    """How much of each pixel is foreground, and eleven things more."""
    def __init__(self):
        super().__init__()
        layers = [nn.Conv2d(3, 24, 3, padding=1), nn.ReLU()]
        for _ in range(7):
            layers += [nn.Conv2d(24, 24, 3, padding=1), nn.ReLU()]
        self.layers = nn.Sequential(*layers, nn.Conv2d(24, 12, 3, padding=1))

    def forward(self, frames):
        return torch.sigmoid(self.layers(frames))


def torch_matting():
    """Of all that a network finds out the host has a use for the foreground, whether it fetches all or not."""
    model = Matting().to(DEVICE)
    frame = torch.rand(1, 3, 1080, 1920, device=DEVICE)
    covered = 0.0
    with torch.inference_mode():
        for _ in range(40):
            found = model(frame)
            mask = found[:, 0].cpu() if REPAIRED else found.cpu()[:, 0]
            covered += mask[0, ::8, ::8].mean().item()
            frame = frame.roll(16, 3)
    return covered


class Quantiser(nn.Module):
    """A vector becomes the nearest one of a book, which is no parameter. It goes where the others are as a
    buffer, or is sent whenever it's needed."""
    def __init__(self, entries, width):
        super().__init__()
        book = torch.sin(torch.arange(entries * width, dtype=torch.float32).view(entries, width) % 7919 * 0.61)
        if REPAIRED:
            self.register_buffer("book", book)
        else:
            self.book = book

    def forward(self, vectors):
        book = self.book.to(vectors.device)
        distances = book.square().sum(1) - 2 * (vectors @ book.T)
        return functional.embedding(distances.argmin(1), book)


def torch_codebook():
    torch.set_float32_matmul_precision("high")
    coder, quantiser = network(512, 2048, 512), Quantiser(16384, 512).to(DEVICE)
    vectors = torch.randn(16384, 512, device=DEVICE)
    total = torch.zeros((), device=DEVICE)
    with torch.inference_mode():
        for _ in range(250):
            vectors = vectors + 0.5 * quantiser(functional.layer_norm(coder(vectors), (512,)))
            vectors = functional.layer_norm(vectors, (512,))
            total += vectors.abs().mean()
    return total.item()


# Programs without a fault.


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.given, self.shown = nn.Conv2d(4, 128, 3, padding=1), nn.Conv2d(128, 4, 3, padding=1)
        self.middle = nn.ModuleList([nn.Conv2d(128, 128, 3, padding=1) for _ in range(3)])

    def forward(self, noisy, level):
        state = self.given(noisy) + level
        for one in self.middle:
            state = state + functional.silu(one(state))
        return self.shown(state)


def torch_clean_diffusion():
    """Pictures become clear in 25 steps; each is fetched when it is, and its mean says how noisy the next one
    is when it begins."""
    model = Denoiser().to(DEVICE)
    levels = torch.linspace(1, 0, 26, device=DEVICE)
    noise, mean = torch.randn(8, 4, 128, 128, device=DEVICE), 0.0
    with torch.inference_mode():
        for _ in range(60):
            picture = noise * (1 + mean)
            for now, after in zip(levels[:-1], levels[1:]):
                picture = picture + (after - now) * torch.tanh(model(picture, now))
            mean = picture.cpu().mean().item() * 0.1
    return mean


def torch_clean_swing_up():
    """Many pendulums are simulated by the device, which learns to swing them up. Once in ten rounds the host
    looks how good it is."""
    torch.set_float32_matmul_precision("high")
    policy = network(2, 1024, 1024, 1)
    optimizer = torch.optim.SGD(policy.parameters(), lr=1e-4)
    seen = 0.0
    for tried in range(70):
        angle = torch.linspace(-3, 3, 65536, device=DEVICE).view(-1, 1)
        speed, reward = torch.zeros_like(angle), torch.zeros((), device=DEVICE)
        for _ in range(8):
            push = torch.tanh(policy(torch.cat([angle, speed], 1)))
            speed = speed + 0.05 * (push - torch.sin(angle))
            angle = angle + 0.05 * speed
            reward = reward - torch.cos(angle).mean()
        optimizer.zero_grad()
        (-reward).backward()
        optimizer.step()
        if tried % 10 == 9:
            seen = reward.item()
    return seen


CASES = {name: one for name, one in list(globals().items()) if name.startswith("torch_")}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in CASES:
        raise SystemExit("exams.py CASE [repaired], where CASE is one of\n  " + "\n  ".join(CASES))
    torch.manual_seed(1)
    print("answer %.5g" % CASES[sys.argv[1]]())
