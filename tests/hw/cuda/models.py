# SPDX-License-Identifier: MIT
"""Programs as teams write them with PyTorch and CuPy: image training, a service of embeddings,
evaluation of a recommender, a graph network, seismic signals, reinforcement learning, forecasts
and waves.

models.py CASE [repaired]
"""
import math
import queue
import sys
import threading

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

REPAIRED = "repaired" in sys.argv[2:]
DEVICE = torch.device("cuda")


# Training of an image network

def resize(image, side):
    """A square image in bilinear interpolation, as side * side pixels."""
    place = (np.arange(side, dtype=np.float32) + 0.5) * (len(image) / side) - 0.5
    place = place.clip(0, len(image) - 1)
    low = np.minimum(place.astype(np.int64), len(image) - 2)
    part = (place - low).astype(np.float32)
    down, across = part[:, None, None], part[None, :, None]
    rows = image[low] * (1 - down) + image[low + 1] * down
    return rows[:, low] * (1 - across) + rows[:, low + 1] * across


class Photographs(torch.utils.data.Dataset):
    """Photographs of ten kinds, each time another crop, flip and contrast of them."""
    MEAN = np.float32([0.485, 0.456, 0.406])
    DEVIATION = np.float32([0.229, 0.224, 0.225])

    def __init__(self, count, draws):
        rng = np.random.default_rng(5)
        self.labels = rng.integers(0, 10, count)
        tints = rng.integers(0, 56, (10, 3), dtype=np.uint8)
        self.images = rng.integers(0, 200, (count, 256, 256, 3), dtype=np.uint8)
        self.images += tints[self.labels][:, None, None, :]
        self.draws = draws

    def __len__(self):
        return self.draws

    def __getitem__(self, index):
        rng = np.random.default_rng(index)
        which = index % len(self.images)
        side = int(rng.integers(128, 257))
        top, left = rng.integers(0, 257 - side, 2)
        crop = self.images[which][top:top + side, left:left + side].astype(np.float32)
        crop = resize(crop, 128)
        if rng.random() < 0.5:
            crop = crop[:, ::-1]
        grey = crop.mean()
        crop = (crop - grey) * np.float32(rng.uniform(0.8, 1.2)) + grey
        crop = (crop / 255 - self.MEAN) / self.DEVIATION
        return np.ascontiguousarray(crop.transpose(2, 0, 1)), int(self.labels[which])


class Residual(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(outputs), nn.BatchNorm2d(outputs)])
        self.aside = nn.Conv2d(inputs, outputs, 1, stride, bias=False)

    def forward(self, x):
        y = F.relu(self.norms[0](self.first(x)))
        return F.relu(self.norms[1](self.second(y)) + self.aside(x))


def net_vision_train():
    """Trains a small residual network on augmented photographs of ten kinds."""
    batch, steps = 64, 24
    torch.backends.cudnn.deterministic = True
    data = Photographs(512, batch * steps)
    order = np.random.default_rng(6).permutation(batch * steps).tolist()
    workers = 6 if REPAIRED else 0      # repaired: batches are made beside the training
    loader = torch.utils.data.DataLoader(data, batch_size=batch, sampler=order,
                                         num_workers=workers, pin_memory=True)
    model = nn.Sequential(
        nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(),
        Residual(64, 64, 1), Residual(64, 128, 2), Residual(128, 256, 2), Residual(256, 256, 2),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 10))
    model = model.to(DEVICE, memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(model.parameters(), lr=2e-4, fused=True)

    def forward(images, labels):
        with torch.autocast(DEVICE.type, torch.bfloat16):
            return F.cross_entropy(model(images).float(), labels)

    for _ in range(2):      # warm-up
        images = torch.zeros(batch, 3, 128, 128, device=DEVICE)
        images = images.to(memory_format=torch.channels_last)
        forward(images, torch.zeros(batch, dtype=torch.int64, device=DEVICE)).backward()
        optimiser.zero_grad()

    losses = torch.zeros(steps, device=DEVICE)
    for step, (images, labels) in enumerate(loader):
        images = images.to(DEVICE, non_blocking=True)
        images = images.contiguous(memory_format=torch.channels_last)
        labels = labels.to(DEVICE, non_blocking=True)
        loss = forward(images, labels)
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()
        losses[step] = loss.detach()
    return losses[:8].mean().item()


# Inference service of a text encoder

class EncoderBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x, mask):
        count, length, width = x.shape
        qkv = self.qkv(self.norms[0](x)).view(count, length, 3, self.heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + self.out(seen.transpose(1, 2).reshape(count, length, width))
        return x + self.down(F.gelu(self.up(self.norms[1](x))))


class Encoder(nn.Module):
    """Gives a vector for each token of each text; token 0 is padding."""

    def __init__(self, words, length, width, heads, depth):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Parameter(torch.randn(length, width) * 0.02)
        self.blocks = nn.ModuleList([EncoderBlock(width, heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens):
        mask = (tokens != 0)[:, None, None, :].expand(-1, 1, tokens.shape[1], -1)
        x = self.words(tokens) + self.places
        for block in self.blocks:
            x = block(x, mask)
        return self.norm(x)


def mean_pool(hidden, mask):
    """The mean of the vectors of a text's tokens."""
    weight = mask.unsqueeze(-1).to(hidden.dtype)
    return (hidden * weight).sum(1) / weight.sum(1)


@torch.inference_mode()
def net_encoder_service():
    """Takes texts from a queue, encodes them in batches, and replies with one vector for each."""
    batch, batches, length, words = 256, 32, 128, 20000
    encoder = Encoder(words, length, 512, 8, 6).to(DEVICE, torch.bfloat16).eval()
    rng = np.random.default_rng(8)
    sizes = rng.integers(length // 2, length + 1, batch * batches)
    texts = [rng.integers(1, words, size) for size in sizes]
    inbox, replies = queue.SimpleQueue(), {}

    def client():
        for request in enumerate(texts):
            inbox.put(request)

    tokens = torch.ones((batch, length), dtype=torch.int64).pin_memory()
    rows = tokens.numpy()
    for _ in range(2):      # warm-up
        ids = tokens.to(DEVICE, non_blocking=True)
        mean_pool(encoder(ids).float(), ids != 0).cpu()

    sender = threading.Thread(target=client)
    sender.start()
    for _ in range(batches):
        requests = [inbox.get() for _ in range(batch)]
        rows[:] = 0
        for row, (_, text) in zip(rows, requests):
            row[:len(text)] = text
        ids = tokens.to(DEVICE, non_blocking=True)
        hidden = encoder(ids).float()
        if REPAIRED:    # the vectors are pooled where they are
            vectors = mean_pool(hidden, ids != 0).cpu().numpy()
        else:
            vectors = mean_pool(hidden.cpu(), tokens != 0).numpy()
        for (name, _), vector in zip(requests, vectors):
            replies[name] = vector
    sender.join()
    return float(np.mean([np.linalg.norm(replies[name]) for name in range(len(texts))]))


# Evaluation of a recommender

@torch.inference_mode()
def net_recommender_eval():
    """Ranks all articles for each reader and measures how well the article read next is placed."""
    readers, articles, width, best = 7168, 30000, 64, 20
    article_table = torch.randn(articles, width, device=DEVICE)
    truth = torch.randint(articles, (readers,), device=DEVICE)
    reader_table = torch.randn(readers, width, device=DEVICE) + 0.4 * article_table[truth]
    seen = torch.randint(articles, (readers, 50), device=DEVICE)
    discount = 1 / torch.log2(torch.arange(best, device=DEVICE) + 2.0)

    def ranking(first, last):
        """Which of the best places have the article that was read next, for some readers."""
        scores = reader_table[first:last] @ article_table.T
        scores.scatter_(1, seen[first:last], -math.inf)
        top = scores.topk(best, dim=1).indices
        return top == truth[first:last, None]

    step = 512 if REPAIRED else 1       # repaired: many readers at once, sums on the device
    for _ in range(2):      # warm-up
        (ranking(0, step) * discount).sum().item()

    if REPAIRED:
        gain = torch.zeros((), device=DEVICE)
        found = torch.zeros((), device=DEVICE)
        for first in range(0, readers, step):
            hits = ranking(first, first + step)
            gain += (hits * discount).sum()
            found += hits.any(dim=1).sum()
        gain, found = torch.stack([gain, found]).tolist()
    else:
        gain, found = 0.0, 0
        for reader in range(readers):
            hits = ranking(reader, reader + 1)
            gain += (hits * discount).sum().item()
            found += int(hits.any().item())
    return (gain + found) / readers


# A graph network

class GraphLayer(nn.Module):
    """A node's own state and the mean of its neighbours' states, both projected."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.own = nn.Linear(inputs, outputs)
        self.other = nn.Linear(inputs, outputs, bias=False)

    def forward(self, x, source, target, scale):
        sent = self.other(x)
        heard = torch.zeros_like(sent).index_add(0, target, sent.index_select(0, source))
        return self.own(x) + heard * scale


def net_graph_train():
    """Trains a graph network of two layers that sorts the nodes of one large graph."""
    nodes, edges, width, kinds, epochs = 200_000, 1_600_000, 192, 40, 70
    labels = torch.randint(kinds, (nodes,))
    features = torch.randn(nodes, width)
    features += (torch.randn(kinds, width) * 0.12)[labels]
    source = torch.randint(nodes, (edges,))
    target = torch.randint(nodes, (edges,))
    scale = 1 / torch.bincount(target, minlength=nodes).clamp(min=1).float().unsqueeze(1)
    graph = [features, source, target, scale, labels]

    first = GraphLayer(width, 64).to(DEVICE)
    second = GraphLayer(64, kinds).to(DEVICE)
    weights = list(first.parameters()) + list(second.parameters())
    optimiser = torch.optim.Adam(weights, lr=5e-3, fused=True)
    if REPAIRED:    # the graph stays on the device
        graph = [part.to(DEVICE) for part in graph]

    losses = torch.zeros(epochs, device=DEVICE)
    for epoch in range(epochs):
        x, start, end, share, truth = (part.to(DEVICE) for part in graph)
        hidden = F.relu(first(x, start, end, share))
        loss = F.cross_entropy(second(hidden, start, end, share), truth)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses[epoch] = loss.detach()
    return losses[-5:].mean().item()


# Signals

def net_seismic_scan():
    """Filters the traces of a seismic array by matched filter and finds each trace's arrival."""
    import cupy as cp

    windows, channels, samples = 16, 512, 4096
    rng = np.random.default_rng(4)
    onset = cp.asarray(rng.uniform(400, 3700, (windows, channels, 1)).astype(np.float32))
    when = cp.arange(samples, dtype=cp.float32)
    swell = cp.ElementwiseKernel(
        "float32 noise, float32 when, float32 onset", "float32 trace",
        "float gap = (when - onset) / 60; trace = noise * (1 + 5 * expf(-gap * gap))", "swell")
    noise = cp.random.RandomState(1).standard_normal((windows, channels, samples),
                                                     dtype=cp.float32)
    data = swell(noise, when, onset)
    taper = cp.asarray(np.hanning(samples).astype(np.float32) ** 0.1)
    frequency = np.fft.fftfreq(samples)
    response = 2 * np.exp(-((frequency - 0.1) / 0.03) ** 2)     # of positive frequencies only
    response = cp.asarray(response.astype(np.complex64))

    def arrivals(traces):
        """Signal-to-noise ratio and place of the strongest arrival along the last axis."""
        traces = (traces - traces.mean(axis=-1, keepdims=True)) * taper
        envelope = cp.abs(cp.fft.ifft(cp.fft.fft(traces) * response))
        level = cp.sqrt(cp.square(envelope).mean(axis=-1))
        return envelope.max(axis=-1) / level, envelope.argmax(axis=-1)

    ratios = cp.zeros((windows, channels), dtype=cp.float32)
    places = cp.zeros((windows, channels), dtype=cp.int64)
    if REPAIRED:    # all channels of a window at once
        ratios[0], places[0] = arrivals(data[0])        # warm-up
        for window in range(windows):
            ratios[window], places[window] = arrivals(data[window])
    else:
        ratios[0, 0], places[0, 0] = arrivals(data[0, 0])       # warm-up
        for window in range(windows):
            for channel in range(channels):
                ratio, place = arrivals(data[window, channel])
                ratios[window, channel] = ratio
                places[window, channel] = place
    return float(cp.asnumpy(ratios).mean() + cp.asnumpy(places).mean() / samples)


# Reinforcement learning

class Poles:
    """Carts with a pole on each, which is to be kept upright, advanced together."""

    def __init__(self, count):
        self.rng = np.random.default_rng(12)
        self.count = count
        self.state = self.fresh()

    def fresh(self):
        return self.rng.uniform(-0.05, 0.05, (self.count, 4)).astype(np.float32)

    def step(self, actions):
        x, speed, angle, turn = self.state.T
        force = np.where(actions == 1, 10.0, -10.0)
        sine, cosine = np.sin(angle), np.cos(angle)
        push = (force + 0.05 * turn ** 2 * sine) / 1.1
        bend = (9.8 * sine - cosine * push) / (0.5 * (4 / 3 - 0.1 * cosine ** 2 / 1.1))
        pull = push - 0.05 * bend * cosine / 1.1
        state = np.stack([x + 0.02 * speed, speed + 0.02 * pull,
                          angle + 0.02 * turn, turn + 0.02 * bend], axis=1).astype(np.float32)
        reward = (1 - np.abs(state[:, 2]) / 0.21).astype(np.float32)
        done = (np.abs(state[:, 0]) > 2.4) | (np.abs(state[:, 2]) > 0.21)
        self.state = np.where(done[:, None], self.fresh(), state)
        return reward, done


def net_pole_agent():
    """Trains a policy that balances poles, by rounds of play in 64 worlds and policy gradients."""
    worlds, horizon, rounds = 64, 32, 10
    policy = nn.Sequential(nn.Linear(4, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(),
                           nn.Linear(128, 2)).to(DEVICE)
    optimiser = torch.optim.Adam(policy.parameters(), lr=2e-3, fused=True)
    rng = np.random.default_rng(11)
    noise = torch.from_numpy(rng.gumbel(size=(rounds, horizon, worlds, 2)).astype(np.float32))
    noise = noise.to(DEVICE)
    poles = Poles(worlds)
    states = np.zeros((horizon, worlds, 4), dtype=np.float32)
    actions = np.zeros((horizon, worlds), dtype=np.int64)
    rewards = np.zeros((horizon, worlds), dtype=np.float32)
    going = np.zeros((horizon, worlds), dtype=np.float32)
    total = 0.0

    @torch.no_grad()
    def act(state, chance):
        state = torch.from_numpy(state).to(DEVICE)
        return (policy(state) + chance).argmax(dim=-1)

    for turn in range(rounds):
        for step in range(horizon):
            states[step] = poles.state
            if REPAIRED:    # the policy is asked for all worlds at once
                actions[step] = act(states[step], noise[turn, step]).cpu().numpy()
            else:
                for world in range(worlds):
                    chance = noise[turn, step, world]
                    actions[step, world] = act(states[step, world], chance).item()
            rewards[step], done = poles.step(actions[step])
            going[step] = ~done
        total += float(rewards.mean())

        gains = np.zeros_like(rewards)
        ahead = np.zeros(worlds, dtype=np.float32)
        for step in reversed(range(horizon)):
            ahead = rewards[step] + 0.98 * going[step] * ahead
            gains[step] = ahead
        gains = (gains - gains.mean()) / (gains.std() + 1e-6)

        seen = torch.from_numpy(states).to(DEVICE).view(-1, 4)
        taken = torch.from_numpy(actions).to(DEVICE).view(-1, 1)
        worth = torch.from_numpy(gains).to(DEVICE).view(-1)
        with torch.no_grad():
            before = policy(seen).log_softmax(-1).gather(1, taken).squeeze(1)
        for _ in range(8):
            after = policy(seen).log_softmax(-1).gather(1, taken).squeeze(1)
            change = (after - before).exp()
            loss = -torch.minimum(change * worth, change.clamp(0.8, 1.2) * worth).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return total / rounds


# Forecasts

class Forecaster(nn.Module):
    """Reads a sensor's history in patches and forecasts the next patch after each of them."""

    def __init__(self, patch, patches, width, heads, depth):
        super().__init__()
        self.enter = nn.Linear(patch, width)
        self.places = nn.Parameter(torch.randn(patches, width) * 0.02)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0,
                                           activation="gelu", batch_first=True, norm_first=True)
        self.layers = nn.ModuleList([layer] + [
            nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, activation="gelu",
                                       batch_first=True, norm_first=True)
            for _ in range(depth - 1)])
        self.leave = nn.Linear(width, patch)

    def forward(self, x, mask):
        x = self.enter(x) + self.places
        for layer in self.layers:
            x = layer(x, src_mask=mask, is_causal=True)
        return self.leave(x)


def net_clean_forecast_train():
    """Trains a transformer that forecasts sensors' readings; all readings are on the device."""
    sensors, readings, patch, patches, batch, steps = 256, 16384, 8, 64, 512, 50
    when = torch.arange(readings, device=DEVICE) / 50
    pace = torch.rand(sensors, 3, 1, device=DEVICE) * 2 + 0.5
    series = (pace * when).sin().sum(1)
    series += 0.1 * torch.randn(sensors, readings, device=DEVICE)
    span = patch * (patches + 1)
    which = torch.randint(sensors, (steps, batch, 1), device=DEVICE)
    start = torch.randint(readings - span, (steps, batch, 1), device=DEVICE)
    offsets = torch.arange(span, device=DEVICE)
    mask = nn.Transformer.generate_square_subsequent_mask(patches, device=DEVICE)

    model = Forecaster(patch, patches, 768, 12, 6).to(DEVICE)
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)

    def forward(step):
        cut = series[which[step], start[step] + offsets].view(batch, patches + 1, patch)
        with torch.autocast(DEVICE.type, torch.bfloat16):
            guess = model(cut[:, :-1], mask)
        return F.mse_loss(guess.float(), cut[:, 1:])

    for _ in range(2):      # warm-up
        forward(0).backward()
        optimiser.zero_grad()

    losses = torch.zeros(steps, device=DEVICE)
    for step in range(steps):
        loss = forward(step)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad()
        losses[step] = loss.detach()
    return losses[-10:].mean().item()


# Waves

WAVE = r"""
extern "C" __global__ void wave(const float *now, float *other, int side, float pace)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= side - 1 || y >= side - 1)
        return;
    size_t at = (size_t)y * side + x;
    float here = now[at];
    float bend = now[at - 1] + now[at + 1] + now[at - side] + now[at + side] - 4 * here;
    other[at] = 2 * here - other[at] + pace * bend;
}
"""


def net_clean_wave():
    """Lets a wave spread on a square plate, and keeps a measure of its energy now and then."""
    import cupy as cp

    side, steps, every = 4096, 24000, 2000
    wave = cp.RawKernel(WAVE, "wave")
    wave.compile()
    measure = cp.ReductionKernel("float32 now, float32 before", "float64 total",
                                 "(double)(now - before) * (now - before)", "a + b", "total = a",
                                 "0", "measure")
    hump = np.exp(-((np.arange(side) - side / 3) / 40) ** 2)
    hump = cp.asarray(hump.astype(np.float32))
    now = hump[:, None] * hump[None, :]
    other = now.copy()
    block, grid = (32, 8), (side // 32, side // 8)
    energy = cp.zeros(steps // every, dtype=cp.float64)
    size, pace = np.int32(side), np.float32(0.25)
    measure(now, other)     # warm-up

    for step in range(steps):
        wave(grid, block, (now, other, size, pace))
        now, other = other, now
        if (step + 1) % every == 0:
            energy[step // every] = measure(now, other)
    return float(cp.asnumpy(energy).sum())


CASES = {name: one for name, one in list(globals().items()) if name.startswith("net_")}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in CASES:
        raise SystemExit("usage: models.py CASE [repaired], where CASE is one of\n  " +
                         "\n  ".join(CASES))
    torch.manual_seed(1)
    torch.set_num_threads(8)
    print("answer %.4g" % CASES[sys.argv[1]]())
