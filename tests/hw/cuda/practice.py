# SPDX-License-Identifier: MIT
"""practice.py CASE [repaired]: PyTorch programs as people write them, each with one fault, or the same
work without it; and some that have none. Whoever wrote them had not read src/analysis. tests/hw/findings
records both, and practice.json, which was written before they were recorded for the first time, says what
may be found in which."""
import io
import queue
import sys
import threading

import torch
from torch import nn
from torch.nn import functional

REPAIRED = "repaired" in sys.argv[2:]
DEVICE = "cuda"


def perceptron(*widths):
    layers = []
    for given, shown in zip(widths, widths[1:]):
        layers += [nn.Linear(given, shown), nn.ReLU()]
    return nn.Sequential(*layers[:-1]).to(DEVICE)


def fit(model, optimizer, given, wanted):
    optimizer.zero_grad()
    loss = functional.mse_loss(model(given), wanted)
    loss.backward()
    optimizer.step()
    return loss.detach()


class Ring:
    """Places in pinned memory, each of which is free again when what was sent from it is there."""
    def __init__(self, count, *shape):
        self.places = [torch.zeros(shape).pin_memory() for _ in range(count)]
        self.sent = [torch.cuda.Event() for _ in self.places]
        self.turn = -1

    def free(self):
        self.turn = (self.turn + 1) % len(self.places)
        self.sent[self.turn].synchronize()
        return self.places[self.turn]

    def send(self):
        there = self.places[self.turn].to(DEVICE, non_blocking=True)
        self.sent[self.turn].record()
        return there


def torch_spectrograms():
    """Features that come anew for each step lie in memory of any kind, or in pinned memory."""
    model = perceptron(4096, 2048, 2048, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    ring = Ring(3, 2048, 4096) if REPAIRED else None
    places = [torch.zeros(2048, 4096) for _ in range(3)]
    wanted = torch.zeros(2048, 1, device=DEVICE)
    total = torch.zeros((), device=DEVICE)
    for step in range(200):
        place = ring.free() if REPAIRED else places[step % 3]
        place[::64].fill_(step / 100 - 0.6)
        given = ring.send() if REPAIRED else place.to(DEVICE, non_blocking=True)
        total += fit(model, optimizer, given, wanted)
    return total.item()


def torch_patience():
    """Training ends when the loss has not fallen for long: each step's is looked at, or of twenty."""
    model = perceptron(256, 512, 512, 512, 512, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-5, fused=True)
    given = torch.randn(4096, 256, device=DEVICE)
    wanted = torch.randn(4096, 1, device=DEVICE)
    best, losses, every = 1e9, [], 20 if REPAIRED else 1
    for step in range(1500):
        losses.append(fit(model, optimizer, given, wanted))
        if (step + 1) % every:
            continue
        seen = torch.stack(losses).tolist()
        best = min(best, *seen)
        if seen[-1] > best + 100:
            break
        losses.clear()
    return best


def torch_dead_cells():
    """A lattice in which cells that are dead are set back: by their numbers, or by a mask."""
    state = torch.rand(512, 512, device=DEVICE)
    rain = torch.rand(512, 512, device=DEVICE)
    for _ in range(8000):
        state = 3.7 * state * (1 - state) + 0.001 * rain
        if REPAIRED:
            state = torch.where(state < 0.3, 0.5, state)
        else:
            state[(state < 0.3).nonzero(as_tuple=True)] = 0.5
    return state.double().sum().item()


class Attention(nn.Module):
    """Heads that are computed one by one in Python, or all at once."""
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.given = nn.Linear(width, 3 * width)
        self.shown = nn.Linear(width, width)

    def forward(self, texts):
        count, length, width = texts.shape
        parts = self.given(texts).view(count, length, 3, self.heads, self.size)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        if REPAIRED:
            seen = torch.softmax(query @ key.transpose(-1, -2) / self.size ** 0.5, -1) @ value
        else:
            seen = torch.stack([
                torch.softmax(query[:, i] @ key[:, i].transpose(-1, -2) / self.size ** 0.5, -1) @ value[:, i]
                for i in range(self.heads)], 1)
        return self.shown(seen.transpose(1, 2).reshape(count, length, width))


def torch_heads():
    blocks = nn.Sequential(*[Attention(256, 16) for _ in range(6)]).to(DEVICE)
    texts = torch.randn(8, 64, 256, device=DEVICE)
    total = torch.zeros((), device=DEVICE)
    with torch.inference_mode():
        for _ in range(150):
            total += blocks(texts).abs().mean()
            texts = texts.roll(1, 1)
    return total.item()


def torch_positions():
    """The positions' table, which never changes, is on the device or is sent there for each text."""
    torch.set_float32_matmul_precision("high")
    table = torch.sin(torch.arange(16384 * 512).view(16384, 512) % 9973 / 1000.0).pin_memory()
    if REPAIRED:
        table = table.to(DEVICE)
    model = perceptron(512, 2048, 2048, 512)
    texts = torch.randn(16384, 512, device=DEVICE)
    with torch.inference_mode():
        for _ in range(400):
            texts = functional.layer_norm(model(texts + table.to(DEVICE, non_blocking=True)), (512,))
    return texts.double().abs().sum().item()


def warped(step, place):
    """What a batch is made from is changed on one processor of the host."""
    ramp = torch.linspace(0, 1, 1024)
    for row in range(0, 128, 4):
        place[row:row + 4] = torch.sin(ramp * (row + step)) * torch.cos(ramp * step).flip(0)
        place[row:row + 4] += torch.sort(place[row:row + 4], 1)[0]
    return place


def torch_warped_batches():
    """The next batch is made after a step is done, or by a thread while the device works."""
    torch.set_num_threads(1)
    torch.set_float32_matmul_precision("high")
    model = perceptron(1024, 4096, 4096, 4096, 1024)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    steps, total = 120, 0.0

    def make(step):
        return warped(step, torch.zeros(128, 1024)).pin_memory()

    made = queue.Queue(4)
    if REPAIRED:
        threading.Thread(target=lambda: [made.put(make(step)) for step in range(steps)], daemon=True).start()
    for step in range(steps):
        batch = made.get() if REPAIRED else make(step)
        given = batch.to(DEVICE, non_blocking=True).repeat(32, 1)
        total += fit(model, optimizer, given, given).item()
    return total


def torch_tidy_memory():
    """Somebody was short of memory once, and empties the allocator's cache after each step."""
    torch.set_float32_matmul_precision("high")
    model = perceptron(1024, 4096, 4096, 1024)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    given = torch.randn(8192, 1024, device=DEVICE)
    total = torch.zeros((), device=DEVICE)
    for _ in range(100):
        total += fit(model, optimizer, given, given)
        if not REPAIRED:
            torch.cuda.empty_cache()
    return total.item()


class Keeper:
    """Keeps the weights as they were: the device waits for it, or a thread does it later."""
    def __init__(self, model):
        self.model, self.kept, self.threads = model, 0, []

    def write(self, weights, ready):
        ready.synchronize()
        file = io.BytesIO()
        torch.save(weights, file)
        self.kept += len(file.getbuffer())

    def keep(self):
        ready = torch.cuda.Event()
        if not REPAIRED:
            ready.record()
            self.write({name: one.cpu() for name, one in self.model.state_dict().items()}, ready)
            return
        weights = {}
        for name, one in self.model.state_dict().items():
            weights[name] = torch.empty(one.shape, pin_memory=True).copy_(one, non_blocking=True)
        ready.record()
        self.threads.append(threading.Thread(target=self.write, args=(weights, ready)))
        self.threads[-1].start()

    def done(self):
        for one in self.threads:
            one.join()


def torch_checkpoints():
    torch.set_float32_matmul_precision("high")
    model = perceptron(1024, 2048, 2048, 2048, 1024)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    given = torch.randn(8192, 1024, device=DEVICE)
    keeper, total = Keeper(model), torch.zeros((), device=DEVICE)
    for step in range(300):
        total += fit(model, optimizer, given, given)
        if step % 15 == 14:
            keeper.keep()
    keeper.done()
    return total.item()


def torch_ranked_lists():
    """The ten best of each user are fetched user by user, or of all users at once."""
    users = torch.randn(384, 256, device=DEVICE)
    wares = torch.randn(60000, 256, device=DEVICE)
    lists = 0
    with torch.inference_mode():
        for _ in range(80):
            best = (users @ wares.T).topk(10).indices
            if REPAIRED:
                rows = best.tolist()
            else:
                rows = [row.tolist() for row in best]
            lists += sum(row[0] for row in rows)
            users = users.roll(1, 1)
    return lists


def torch_large_scans():
    """Scans are new for each step. They are sent in the stream that computes, or ahead in another."""
    filters = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 1, 3, padding=1)).to(DEVICE)
    steps = 250
    places = [torch.zeros(4, 1, 2048, 2048).pin_memory() for _ in range(2)]
    sending = torch.cuda.Stream() if REPAIRED else torch.cuda.current_stream()
    sent = [torch.cuda.Event() for _ in places]
    total = torch.zeros((), device=DEVICE)

    def send(step):
        place, event = places[step % 2], sent[step % 2]
        event.synchronize()
        place[:, :, ::128].fill_(step / steps)
        with torch.cuda.stream(sending):
            there = place.to(DEVICE, non_blocking=True)
            event.record()
        return there, event

    with torch.inference_mode():
        ahead = send(0)
        for step in range(steps):
            scan, event = ahead
            torch.cuda.current_stream().wait_event(event)
            scan.record_stream(torch.cuda.current_stream())
            if step + 1 < steps:
                ahead = send(step + 1)
            total += filters(scan).square().mean()
    return total.item()


# Programs without a fault.


def torch_clean_sentences():
    """Words follow from each other, and a sentence ends when a full stop comes; the host must know."""
    cell, words = nn.GRUCell(2048, 2048).to(DEVICE), nn.Linear(2048, 32000).to(DEVICE)
    table = nn.Embedding(32000, 2048).to(DEVICE)
    said = 0
    with torch.inference_mode():
        for sentence in range(30):
            state = torch.full((256, 2048), 0.01 * sentence, device=DEVICE)
            word = torch.arange(256, device=DEVICE) + sentence
            for _ in range(20):
                state = cell(table(word), state)
                word = words(state).argmax(1)
                said += 1
                if word[0].item() % 97 == 0:
                    break
    return said


def torch_clean_line_search():
    """How long a step is depends on what the loss would be."""
    model = perceptron(1024, 2048, 2048, 1024)
    given = torch.randn(8192, 1024, device=DEVICE)
    weights = list(model.parameters())
    last = float("inf")
    for _ in range(30):
        loss = functional.mse_loss(model(given), given)
        slopes = torch.autograd.grad(loss, weights)
        step, now = 0.5, loss.item()
        with torch.no_grad():
            for _ in range(6):
                torch._foreach_add_(weights, slopes, alpha=-step)
                last = functional.mse_loss(model(given), given).item()
                if last < now:
                    break
                torch._foreach_add_(weights, slopes, alpha=step)
                step /= 4
    return last


def torch_clean_sums_of_steps():
    """Gradients of four parts are added up; the loss is fetched at the end only."""
    model = perceptron(1024, 4096, 4096, 1024)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    parts = torch.randn(4, 4096, 1024, device=DEVICE).unbind()
    total = torch.zeros((), device=DEVICE)
    for _ in range(30):
        optimizer.zero_grad()
        for part in parts:
            loss = functional.mse_loss(model(part), part) / len(parts)
            loss.backward()
            total += loss.detach()
        optimizer.step()
    return total.item()


def torch_clean_arrivals():
    """Rows come in few and new ones for each step, are sent from pinned memory, and change a large state."""
    state = torch.randn(4096, 4096, device=DEVICE)
    ring = Ring(4, 16, 4096)
    with torch.inference_mode():
        for step in range(100):
            ring.free().fill_(step / 100).mul_(0.1)
            state[:16] += ring.send()
            state = functional.layer_norm(state @ state.T, (4096,))
    return state.double().abs().sum().item()


CASES = {name: one for name, one in list(globals().items()) if name.startswith("torch_")}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in CASES:
        raise SystemExit("practice.py CASE [repaired], where CASE is one of\n  " + "\n  ".join(CASES))
    torch.manual_seed(1)
    print("answer %.5g" % CASES[sys.argv[1]]())
