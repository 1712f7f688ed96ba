# SPDX-License-Identifier: MIT
"""field.py CASE [repaired]: PyTorch programs, each with one fault, or the same work without it; and
some that have none. Whoever wrote them had not read src/analysis. tests/hw/findings records both, and
field.json, which was written before they were recorded for the first time, says what may be found in
which."""
import concurrent.futures
import io
import random
import sys

import torch
from torch import nn
from torch.nn import functional

REPAIRED = "repaired" in sys.argv[2:]


def encoder(width=512, layers=1):
    layer = nn.TransformerEncoderLayer(width, 8, 4 * width, dropout=0.0, batch_first=True)
    return nn.TransformerEncoder(layer, layers, enable_nested_tensor=False).cuda()


def pixels(channels=64, layers=3, shown=16, last=None):
    """As many pixels come out as go in."""
    parts, given = [], 3
    for _ in range(layers):
        parts += [nn.Conv2d(given, channels, 3, padding=1), nn.BatchNorm2d(channels), nn.ReLU()]
        given = channels
    parts.append(nn.Conv2d(channels, shown, 1))
    return nn.Sequential(*parts, *(last or ())).cuda()


def step_of(optimizer, loss):
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    return loss.detach()


class Log:
    """What is written of a step takes the host some milliseconds, whoever gave the numbers."""
    def __init__(self):
        self.file = io.StringIO()
        self.numbers = [random.random() for _ in range(10000)]

    def write(self, step, **values):
        self.file.seek(0)
        self.file.write("%d %s " % (step, values))
        self.file.write(" ".join("%.5f" % one for one in self.numbers))


def torch_logged_steps():
    """The loss of each step is in its line of a log, or the mean of fifty steps in the last one's."""
    model = encoder()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6)
    data = torch.randn(24, 512, 512, device="cuda")
    total, log = torch.zeros((), device="cuda"), Log()
    for step in range(250):
        loss = step_of(optimizer, model(data).square().mean())
        if not REPAIRED:
            log.write(step, loss=loss.item())
            continue
        total += loss
        if step % 50 == 49:
            log.write(step, loss=total.item() / 50)
            total.zero_()
        else:
            log.write(step)
    torch.cuda.synchronize()


def torch_pixels_to_host():
    """After an epoch all numbers of all pixels go to the host, which looks for the largest ones."""
    model = pixels()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    data = torch.randn(16, 3, 256, 256, device="cuda")
    label = torch.randint(16, (16, 256, 256), device="cuda")
    for _ in range(30):
        step_of(optimizer, functional.cross_entropy(model(data), label))
    model.eval()
    expected = label if REPAIRED else label.cpu()
    right = 0
    with torch.inference_mode():
        for _ in range(30):
            shown = model(data)
            if not REPAIRED:
                shown = shown.cpu()
            right = right + (shown.argmax(1) == expected).sum()
    return int(right)


def torch_noise_of_cpu():
    """The noise that a model learns to remove is made on the CPU in each step."""
    model = pixels(32, shown=3)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    data = torch.randn(32, 3, 128, 128, device="cuda")
    for _ in range(120):
        if REPAIRED:
            noise = torch.randn(data.shape, device="cuda")
        else:
            noise = torch.randn(data.shape).to("cuda")
        step_of(optimizer, functional.mse_loss(model(data + 0.1 * noise), noise))
    torch.cuda.synchronize()


def torch_lengths():
    """Requests are of different lengths; after each one its memory is given back to the driver."""
    model = encoder(layers=2).eval()
    lengths = random.Random(1)
    with torch.inference_mode():
        for _ in range(250):
            data = torch.randn(16, 32 * lengths.randint(4, 24), 512, device="cuda")
            model(data).mean(1)
            if not REPAIRED:
                del data
                torch.cuda.empty_cache()
    torch.cuda.synchronize()


def one_cpu():
    torch.set_num_threads(1)


def torch_inline_transforms():
    """Pictures are cut out, scaled and normalised between two steps, or by threads beforehand."""
    one_cpu()
    raw = torch.randint(256, (16, 3, 256, 256), dtype=torch.uint8)

    def prepare(index):
        cut = raw[:, :, index % 32:index % 32 + 220, index % 24:index % 24 + 220].float()
        scaled = functional.interpolate(cut, size=(128, 128), mode="bilinear", antialias=True)
        batch = scaled.div_(255).sub_(0.45).div_(0.22)
        return batch.flip(-1) if index % 2 else batch

    model = pixels(last=(nn.AdaptiveAvgPool2d(1), nn.Flatten()))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    label = torch.randint(16, (16,), device="cuda")
    steps, ahead = 150, 6
    with concurrent.futures.ThreadPoolExecutor(4, initializer=one_cpu) as pool:
        coming = [pool.submit(prepare, index) for index in range(ahead if REPAIRED else 0)]
        for step in range(steps):
            if REPAIRED:
                batch = coming.pop(0).result()
                coming.append(pool.submit(prepare, step + ahead))
            else:
                batch = prepare(step)
            step_of(optimizer, functional.cross_entropy(model(batch.cuda()), label))
    torch.cuda.synchronize()


def torch_heads_in_turn():
    """The attention of each head of each text is computed by itself."""
    texts, heads, length, width = 8, 12, 128, 64
    project = nn.Linear(heads * width, 3 * heads * width).cuda()
    data = torch.randn(texts, length, heads * width, device="cuda")
    with torch.inference_mode():
        for _ in range(300):
            query, key, value = (one.view(texts, length, heads, width).transpose(1, 2)
                                 for one in project(data).chunk(3, dim=-1))
            if REPAIRED:
                shown = (query @ key.transpose(-1, -2) / width ** 0.5).softmax(-1) @ value
            else:
                shown = torch.stack([torch.stack([
                    (query[text, head] @ key[text, head].T / width ** 0.5).softmax(-1)
                    @ value[text, head] for head in range(heads)]) for text in range(texts)])
            data = functional.layer_norm(shown.transpose(1, 2).reshape(data.shape),
                                         data.shape[-1:])
    torch.cuda.synchronize()


def torch_experts_of_host():
    """The weights of experts are kept by the host, and are uploaded whenever one of them is asked."""
    class Expert:
        def __init__(self):
            self.up, self.down = torch.randn(1024, 4096), torch.randn(4096, 1024)
            if REPAIRED:
                self.up, self.down = self.up.cuda(), self.down.cuda()

        def __call__(self, data):
            return functional.gelu(data @ self.up.cuda()) @ self.down.cuda()

    experts = [Expert() for _ in range(4)]
    data = torch.randn(4096, 1024, device="cuda")
    with torch.inference_mode():
        for step in range(200):
            data = functional.layer_norm(experts[step * 7 % 4](data), (1024,))
    torch.cuda.synchronize()


def torch_graph_each():
    """Each request is captured into a graph of its own, which is launched twice."""
    model = nn.Sequential(*[part for _ in range(24)
                            for part in (nn.Linear(512, 512), nn.GELU())]).cuda()
    data = torch.randn(64, 512, device="cuda")
    stream = torch.cuda.Stream()
    graph = None
    torch.cuda.synchronize()
    with torch.inference_mode(), torch.cuda.stream(stream):
        model(data)
        stream.synchronize()
        for _ in range(700):
            if not REPAIRED or graph is None:
                graph = torch.cuda.CUDAGraph()
                graph.capture_begin()
                shown = model(data)
                graph.capture_end()
            graph.replay()
            graph.replay()
            stream.synchronize()
    return shown


def torch_clean_channels_last():
    """Training in bfloat16; how far it is nobody asks."""
    model = pixels(128, 4, last=(nn.AdaptiveAvgPool2d(1), nn.Flatten()))
    model = model.to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6, momentum=0.9)
    data = torch.randn(192, 3, 64, 64, device="cuda").to(memory_format=torch.channels_last)
    label = torch.randint(16, (192,), device="cuda")
    for _ in range(120):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = functional.cross_entropy(model(data), label)
        step_of(optimizer, loss)
    torch.cuda.synchronize()


def torch_clean_prefetched():
    """The next batch is uploaded, from pinned memory and on a stream of its own, during a step."""
    model = encoder(layers=2)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    host = [torch.randn(16, 512, 512).pin_memory() for _ in range(2)]
    batches = [torch.empty(16, 512, 512, device="cuda") for _ in host]
    full, free = ([torch.cuda.Event() for _ in host] for _ in range(2))
    copies = torch.cuda.Stream()
    torch.cuda.synchronize()

    def upload(step):
        at = step % 2
        full[at].synchronize()
        host[at].add_(1)
        with torch.cuda.stream(copies):
            copies.wait_event(free[at])
            batches[at].copy_(host[at], non_blocking=True)
            full[at].record()

    upload(0)
    for step in range(100):
        at = step % 2
        upload(step + 1)
        torch.cuda.current_stream().wait_event(full[at])
        step_of(optimizer, model(batches[at]).square().mean())
        free[at].record()
    torch.cuda.synchronize()


def torch_clean_answers():
    """Answers go to pinned memory, and are looked at while the next batches are computed."""
    model = nn.Sequential(*[part for _ in range(8)
                            for part in (nn.Linear(4096, 4096), nn.GELU())]).cuda().half().eval()
    data = torch.randn(8192, 4096, device="cuda", dtype=torch.half)
    host = [torch.empty(8192, dtype=torch.half).pin_memory() for _ in range(3)]
    there = [torch.cuda.Event() for _ in host]
    total = 0.0
    with torch.inference_mode():
        for batch in range(250):
            at = batch % 3
            if batch > 2:
                there[at].synchronize()
                total += float(host[at][:16].sum())
            host[at].copy_(model(data).mean(1), non_blocking=True)
            there[at].record()
    torch.cuda.synchronize()
    return total


def torch_clean_adam():
    """The mean loss is shown now and then."""
    model = nn.Sequential(*[part for _ in range(3)
                            for part in (nn.Linear(4096, 4096), nn.GELU())]).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-6, fused=True)
    data = torch.randn(4096, 4096, device="cuda")
    total = torch.zeros((), device="cuda")
    for step in range(50):
        total += step_of(optimizer, model(data).square().mean())
        if step % 25 == 24:
            print("%d %.3f" % (step, total.item() / 25))
            total.zero_()


CASES = {name: one for name, one in list(globals().items()) if name.startswith("torch_")}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in CASES:
        raise SystemExit("field.py CASE [repaired], where CASE is one of\n  " + "\n  ".join(CASES))
    CASES[sys.argv[1]]()
