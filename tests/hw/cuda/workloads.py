# SPDX-License-Identifier: MIT
"""workloads.py CASE [repaired]: PyTorch programs as people write them, each with one fault, or the same
work without it; and some that have none. Whoever wrote them had not read src/analysis. tests/hw/findings
records both, and workloads.json, which was written before they were recorded for the first time, says what
may be found in which."""
import sys
import time

import numpy
import torch
from torch import nn
from torch.nn import functional

REPAIRED = "repaired" in sys.argv[2:]


def stack_of(width, layers, hidden=None):
    parts = []
    for _ in range(layers):
        parts += [nn.Linear(width, hidden or width), nn.GELU()]
        if hidden:
            parts.append(nn.Linear(hidden, width))
    return nn.Sequential(*parts).cuda()


def convolutions(channels=(64, 128, 256), shown=10):
    parts, given = [], 3
    for one in channels:
        parts += [nn.Conv2d(given, one, 3, stride=2, padding=1), nn.BatchNorm2d(one), nn.ReLU(),
                  nn.Conv2d(one, one, 3, padding=1), nn.BatchNorm2d(one), nn.ReLU()]
        given = one
    return nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(given, shown)).cuda()


class Staged:
    """Batches of numpy's, which are sent from pinned memory of which three are under way."""
    def __init__(self, shape, kind):
        self.host = [torch.empty(shape, dtype=kind).pin_memory() for _ in range(3)]
        self.sent = [torch.cuda.Event() for _ in self.host]
        self.next = 0

    def send(self, batch):
        at = self.next % len(self.host)
        self.next += 1
        self.sent[at].synchronize()
        self.host[at].copy_(torch.from_numpy(batch))
        there = self.host[at].to("cuda", non_blocking=True)
        self.sent[at].record()
        return there


def torch_gan_losses():
    """A GAN. The losses of each step are numbers for a curve at once, or when all steps are done."""
    width, batch, steps = 128, 256, 300
    generator = nn.Sequential(
        nn.ConvTranspose2d(100, 4 * width, 4), nn.BatchNorm2d(4 * width), nn.ReLU(),
        nn.ConvTranspose2d(4 * width, 2 * width, 4, 2, 1), nn.BatchNorm2d(2 * width), nn.ReLU(),
        nn.ConvTranspose2d(2 * width, width, 4, 2, 1), nn.BatchNorm2d(width), nn.ReLU(),
        nn.ConvTranspose2d(width, 3, 4, 2, 1), nn.Tanh()).cuda()
    critic = nn.Sequential(
        nn.Conv2d(3, width, 4, 2, 1), nn.LeakyReLU(0.2),
        nn.Conv2d(width, 2 * width, 4, 2, 1), nn.BatchNorm2d(2 * width), nn.LeakyReLU(0.2),
        nn.Conv2d(2 * width, 4 * width, 4, 2, 1), nn.BatchNorm2d(4 * width), nn.LeakyReLU(0.2),
        nn.Conv2d(4 * width, 1, 4), nn.Flatten(0)).cuda()
    of_generator = torch.optim.Adam(generator.parameters(), lr=1e-5, betas=(0.5, 0.999))
    of_critic = torch.optim.Adam(critic.parameters(), lr=1e-5, betas=(0.5, 0.999))
    random = numpy.random.default_rng(1)
    photos = random.integers(0, 256, (1024, 3, 32, 32), dtype=numpy.uint8)
    staged, curve = Staged((batch, 3, 32, 32), torch.uint8), []
    ones, zeros = torch.ones(batch, device="cuda"), torch.zeros(batch, device="cuda")
    loss = functional.binary_cross_entropy_with_logits
    for _ in range(steps):
        chosen = photos[random.integers(0, len(photos), batch)]
        flipped = numpy.where(random.random((batch, 1, 1, 1)) < 0.5, chosen, chosen[:, :, :, ::-1])
        real = staged.send(flipped) / 127.5 - 1
        noise = torch.randn(batch, 100, 1, 1, device="cuda")

        fake = generator(noise)
        true_loss = loss(critic(real), ones)
        false_loss = loss(critic(fake.detach()), zeros)
        of_critic.zero_grad()
        (true_loss + false_loss).backward()
        of_critic.step()
        if not REPAIRED:
            curve += [true_loss.item(), false_loss.item()]

        fooled = loss(critic(fake), ones)
        of_generator.zero_grad()
        fooled.backward()
        of_generator.step()
        if REPAIRED:
            curve += [true_loss.detach(), false_loss.detach(), fooled.detach()]
        else:
            curve.append(fooled.item())
    if REPAIRED:
        curve = torch.stack(curve).tolist()
    return sum(curve)


def torch_beam_search():
    """Which beams go on is found out by Python from lists of the best ones, or by the device."""
    texts, beams, words, width, length = 8, 4, 8000, 512, 60
    table = nn.Embedding(words, width).cuda()
    cells = nn.ModuleList([nn.GRUCell(width, width) for _ in range(2)]).cuda()
    shown = nn.Linear(width, words).cuda()
    first = (torch.arange(texts, device="cuda") * beams)[:, None]
    total = 0.0
    with torch.inference_mode():
        for sentence in range(60):
            states = [torch.full((texts * beams, width), 0.01 * sentence, device="cuda") for _ in cells]
            scores = torch.zeros(texts, beams, device="cuda")
            token = torch.full((texts * beams,), sentence, dtype=torch.long, device="cuda")
            history = [[] for _ in range(texts * beams)]
            parents, tokens = [], []
            for _ in range(length):
                data = table(token)
                for at, cell in enumerate(cells):
                    data = states[at] = cell(data, states[at])
                each = torch.log_softmax(shown(data), -1).view(texts, beams, words)
                scores, best = (scores[:, :, None] + each).view(texts, -1).topk(beams)
                if REPAIRED:
                    parent = (first + best // words).view(-1)
                    token = (best % words).view(-1)
                    parents.append(parent)
                    tokens.append(token)
                else:
                    values, chosen = scores.tolist(), best.tolist()
                    order, given = [], []
                    for text in range(texts):
                        for one in chosen[text]:
                            order.append(text * beams + one // words)
                            given.append(one % words)
                    history = [history[a] + [b] for a, b in zip(order, given)]
                    scores = torch.tensor(values).cuda()
                    parent = torch.tensor(order).cuda()
                    token = torch.tensor(given).cuda()
                states = [one[parent] for one in states]
            if REPAIRED:
                parents, tokens = torch.stack(parents).tolist(), torch.stack(tokens).tolist()
                for beam in range(texts * beams):
                    at = beam
                    for order, given in zip(reversed(parents), reversed(tokens)):
                        history[beam].append(given[at])
                        at = order[at]
                    history[beam].reverse()
            total += sum(sum(one) for one in history)
    return total


def torch_rollout():
    """Sixteen games are played: the policy is asked for each by itself, or for all of them at once."""
    games, width, actions = 16, 64, 8
    policy = nn.Sequential(nn.Linear(width, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh(),
                           nn.Linear(256, actions)).cuda()
    value = stack_of(2048, 6)
    optimizer = torch.optim.SGD(value.parameters(), lr=1e-6)
    replay = torch.randn(2048, 2048, device="cuda")
    random = numpy.random.default_rng(2)
    drift = random.standard_normal((actions, width)).astype(numpy.float32)
    states = random.standard_normal((games, width)).astype(numpy.float32)
    taken = numpy.zeros(games, dtype=numpy.int64)
    for step in range(900):
        with torch.inference_mode():
            if REPAIRED:
                chances = policy(torch.from_numpy(states).cuda()).softmax(-1)
                taken[:] = torch.multinomial(chances, 1).squeeze(1).cpu().numpy()
            else:
                for game in range(games):
                    chances = policy(torch.from_numpy(states[game:game + 1]).cuda()).softmax(-1)
                    taken[game] = torch.multinomial(chances, 1).item()
        states = 0.9 * states + 0.1 * drift[taken]
        if step % 90 != 89:
            continue
        for _ in range(10):
            optimizer.zero_grad()
            value(replay).square().mean().backward()
            optimizer.step()
    torch.cuda.synchronize()


def torch_micro_batches():
    """Gradients of five small batches are added up. After each of them, lest memory does not suffice, what
    PyTorch keeps of it is given back."""
    torch.set_float32_matmul_precision("high")
    model = stack_of(2048, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    data = torch.randn(4096, 2048, device="cuda")
    for step in range(250):
        loss = model(data).square().mean() / 5
        loss.backward()
        if step % 5 == 4:
            optimizer.step()
            optimizer.zero_grad()
        if not REPAIRED:
            del loss
            torch.cuda.empty_cache()
    torch.cuda.synchronize()


def torch_timed_layers():
    """What each layer takes is measured: by the host's clock, for which the device is waited for before and
    after it, or by events, now and then."""
    width, passes, every = 512, 1000, 20
    layers = nn.ModuleList()
    for _ in range(12):
        layers += [nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)]
    layers.cuda()
    spent = [0.0] * len(layers)
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in layers]
    given = torch.randn(512, width, device="cuda")
    with torch.inference_mode():
        for one in range(passes):
            data, timed = given, one % every == every - 1
            for at, layer in enumerate(layers):
                if not REPAIRED:
                    torch.cuda.synchronize()
                    begin = time.perf_counter()
                    data = layer(data)
                    torch.cuda.synchronize()
                    spent[at] += time.perf_counter() - begin
                elif timed:
                    events[at][0].record()
                    data = layer(data)
                    events[at][1].record()
                else:
                    data = layer(data)
            if REPAIRED and timed:
                torch.cuda.synchronize()
                for at, (begin, end) in enumerate(events):
                    spent[at] += begin.elapsed_time(end) * every / 1000
    torch.cuda.synchronize()
    return spent


def torch_pictures_sent():
    """Pictures are sent without waiting, so it says; but not from pinned memory."""
    model = convolutions((48, 96, 192))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    batches = [torch.rand(64, 3, 224, 224) for _ in range(4)]
    if REPAIRED:
        batches = [one.pin_memory() for one in batches]
    labels = torch.randint(10, (64,), device="cuda")
    for step in range(180):
        pictures = batches[step % 4].to("cuda", non_blocking=True)
        loss = functional.cross_entropy(model(pictures), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.cuda.synchronize()


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.project = heads, nn.Linear(width, 3 * width)
        self.norm, self.out = nn.LayerNorm(width), nn.Linear(width, width)

    def forward(self, data, mask):
        count, length, width = data.shape
        query, key, value = (one.view(count, length, self.heads, -1).transpose(1, 2)
                             for one in self.project(self.norm(data)).chunk(3, -1))
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return data + self.out(seen.transpose(1, 2).reshape(count, length, width))


def torch_masks():
    """The mask and the positions of each forward pass are computed by the host and sent, or they are kept
    by the device."""
    count, length, width = 4, 2048, 512
    layers = nn.ModuleList([Attention(width, 8) for _ in range(2)]).cuda().eval()
    data = torch.randn(count, length, width, device="cuda")

    def prepared():
        mask = torch.full((length, length), float("-inf")).triu(1)
        angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, width, 2)[None] / width)
        return mask.to("cuda"), torch.cat([angles.sin(), angles.cos()], -1).to("cuda")

    total = torch.zeros((), device="cuda")
    with torch.inference_mode():
        kept = prepared()
        for _ in range(130):
            mask, positions = kept if REPAIRED else prepared()
            shown = data + positions
            for layer in layers:
                shown = layer(shown, mask)
            total += shown.square().mean()
    return total.item()


def torch_detections():
    """The boxes of each class whose score suffices are picked by a mask of them, how many there be, or the
    best 32 of each class are taken, of which those that do not suffice count nothing."""
    boxes, classes, best = 8400, 80, 32
    torch.manual_seed(3)
    model = convolutions((64, 128, 256), classes).half().eval()
    pictures = torch.randn(32, 3, 320, 320, device="cuda", dtype=torch.half)
    places = torch.rand(boxes, 4, device="cuda")
    noise = torch.rand(classes, boxes, device="cuda")
    total = torch.zeros((), device="cuda")
    with torch.inference_mode():
        for _ in range(150):
            scores = noise * (0.9 + 0.1 * model(pictures)[0].float().sigmoid()[:, None])
            if REPAIRED:
                values, at = scores.topk(best, dim=1)
                weights = torch.where(values > 0.93, values, torch.zeros_like(values))
                total += (places[at] * weights[:, :, None]).sum()
                continue
            for one in range(classes):
                kept = scores[one] > 0.93
                values, chosen = scores[one][kept], places[kept]
                order = values.argsort(descending=True)[:best]
                total += (chosen[order] * values[order][:, None]).sum()
    return total.item()


def torch_bags():
    """The words of each text are looked up, and their mean is taken, text by text, or for all of them."""
    words, width, texts = 50000, 256, 256
    table = nn.Embedding(words, width).cuda()
    model = stack_of(width, 4, 4096)
    random = numpy.random.default_rng(4)
    lengths = random.integers(5, 60, texts)
    begins = numpy.concatenate([[0], numpy.cumsum(lengths)[:-1]])
    flat = torch.from_numpy(random.integers(0, words, int(lengths.sum()))).cuda()
    offsets = torch.from_numpy(begins).cuda()
    total = torch.zeros((), device="cuda")
    with torch.inference_mode():
        for _ in range(300):
            if REPAIRED:
                means = functional.embedding_bag(flat, table.weight, offsets, mode="mean")
            else:
                means = torch.stack([table(flat[begin:begin + length]).mean(0)
                                     for begin, length in zip(begins.tolist(), lengths.tolist())])
            for _ in range(4):
                means = model(means)
            total += means.square().mean()
    return total.item()


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, data):
        return data + 0.1 * torch.relu(self.linear(data))


def torch_gradient_norm():
    """The norm of a gradient is a sum of numbers that the host asks for one by one, or stays where it is."""
    model = nn.Sequential(*[Residual(512) for _ in range(48)]).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6, momentum=0.9)
    data, most = torch.randn(1024, 512, device="cuda"), 1.0
    for _ in range(250):
        optimizer.zero_grad()
        model(data).square().mean().backward()
        if REPAIRED:
            nn.utils.clip_grad_norm_(model.parameters(), most)
        else:
            norm = sum(one.grad.norm().item() ** 2 for one in model.parameters()) ** 0.5
            for one in model.parameters():
                one.grad.mul_(min(1.0, most / (norm + 1e-6)))
        optimizer.step()
    torch.cuda.synchronize()


def torch_averaged_weights():
    """The mean of the weights over time is kept by the host, to save memory of the device, or by that."""
    torch.set_float32_matmul_precision("high")
    model = stack_of(1024, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6, momentum=0.9)
    means = [one.detach().clone() if REPAIRED else one.detach().cpu() for one in model.parameters()]
    data = torch.randn(8192, 1024, device="cuda")
    for _ in range(220):
        optimizer.zero_grad()
        model(data).square().mean().backward()
        optimizer.step()
        with torch.no_grad():
            for mean, one in zip(means, model.parameters()):
                mean.lerp_(one if REPAIRED else one.cpu(), 0.01)
    torch.cuda.synchronize()
    return float(means[0].sum())


def torch_clean_captured():
    """A step of a decoder is captured once; whether all texts are at their end is asked after 64 steps."""
    width, texts = 2048, 64
    model = stack_of(width, 12).half().eval()
    state = torch.randn(texts, width, device="cuda", dtype=torch.half)
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())

    def advance():
        state.copy_(functional.layer_norm(model(state) + state, (width,)))

    with torch.inference_mode():
        with torch.cuda.stream(stream):
            for _ in range(3):
                advance()
        torch.cuda.current_stream().wait_stream(stream)
        with torch.cuda.graph(graph):
            advance()
        for step in range(10000):
            graph.replay()
            if step % 64 == 63 and state[:, 0].abs().max().item() > 1e4:
                break
    torch.cuda.synchronize()


def torch_clean_scaled():
    """Half precision with a scaler, which looks for what is infinite after each backward pass; these take
    30 ms."""
    model = stack_of(4096, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    scaler = torch.amp.GradScaler("cuda", init_scale=1024.0)
    data = torch.randn(16384, 4096, device="cuda")
    for _ in range(50):
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.half):
            loss = model(data).float().square().mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    torch.cuda.synchronize()


def torch_clean_evaluation():
    """How many answers are right is counted by the device, and shown once."""
    model = convolutions((128, 256, 512)).half().to(memory_format=torch.channels_last).eval()
    pictures = torch.randn(256, 3, 224, 224, device="cuda", dtype=torch.half)
    pictures = pictures.to(memory_format=torch.channels_last)
    labels = torch.randint(10, (256,), device="cuda")
    right = torch.zeros((), dtype=torch.long, device="cuda")
    with torch.inference_mode():
        for shift in range(120):
            right += (model(pictures).argmax(1) == (labels + shift) % 10).sum()
    print("%d right" % right.item())


def torch_clean_hard_examples():
    """Which examples are trained on once more depends on what each one's loss was; a step is long."""
    torch.set_float32_matmul_precision("high")
    model = stack_of(4096, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    data = torch.randn(16384, 4096, device="cuda")
    for _ in range(70):
        with torch.no_grad():
            losses = model(data).square().mean(1)
            hard = data[losses > losses.mean()]
        optimizer.zero_grad()
        model(hard).square().mean().backward()
        optimizer.step()
    torch.cuda.synchronize()


CASES = {name: one for name, one in list(globals().items()) if name.startswith("torch_")}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in CASES:
        raise SystemExit("workloads.py CASE [repaired], where CASE is one of\n  " + "\n  ".join(CASES))
    CASES[sys.argv[1]]()
