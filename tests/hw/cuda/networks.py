# SPDX-License-Identifier: MIT
"""networks.py NAME [cpu]: one of the programs that people run, small: it trains, infers
or computes for some steps and says `done NAME` once its results are finite. Nothing in
it depends on time or chance, so that each run gives the device the same work. On the
CPU, and smaller, it proves itself where there is no device.

The networks are written out with torch's own modules: nothing but torch is needed."""
import math
import sys

import torch
from torch import nn
from torch.nn import functional as F

CPU = "cpu" in sys.argv[2:]
DEVICE = "cpu" if CPU else "cuda"
STEPS = 1 if CPU else 5


def sized(small, usual):
    return small if CPU else usual


def image(count, side):
    return torch.randn(count, 3, side, side, device=DEVICE)


def wait():
    if not CPU:
        torch.cuda.synchronize()


def finite(value):
    assert torch.isfinite(value).all(), value


# --- networks

class Block(nn.Module):
    """ResNet's basic block (He et al. 2015, figure 2)."""

    def __init__(self, before, after, stride):
        super().__init__()
        self.one = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.norm_one = nn.BatchNorm2d(after)
        self.two = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.norm_two = nn.BatchNorm2d(after)
        self.short = nn.Identity() if stride == 1 and before == after else nn.Sequential(
            nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x):
        y = F.relu(self.norm_one(self.one(x)), inplace=True)
        return F.relu(self.norm_two(self.two(y)) + self.short(x), inplace=True)


def resnet18():
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True),
              nn.MaxPool2d(3, 2, 1)]
    before = 64
    for after in (64, 128, 256, 512):
        layers += [Block(before, after, 1 if after == 64 else 2), Block(after, after, 1)]
        before = after
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))


class Inverted(nn.Module):
    """MobileNetV2's inverted residual (Sandler et al. 2018, figure 3)."""

    def __init__(self, before, after, stride, wider):
        super().__init__()
        middle = before * wider
        layers = [] if wider == 1 else [nn.Conv2d(before, middle, 1, bias=False),
                                        nn.BatchNorm2d(middle), nn.ReLU6(inplace=True)]
        self.layers = nn.Sequential(
            *layers, nn.Conv2d(middle, middle, 3, stride, 1, groups=middle, bias=False),
            nn.BatchNorm2d(middle), nn.ReLU6(inplace=True),
            nn.Conv2d(middle, after, 1, bias=False), nn.BatchNorm2d(after))
        self.adds = stride == 1 and before == after

    def forward(self, x):
        return x + self.layers(x) if self.adds else self.layers(x)


def mobilenet():
    layers = [nn.Conv2d(3, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU6(inplace=True)]
    before = 32
    for wider, after, count, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                        (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
        for at in range(count):
            layers.append(Inverted(before, after, stride if at == 0 else 1, wider))
            before = after
    return nn.Sequential(*layers, nn.Conv2d(320, 1280, 1, bias=False), nn.BatchNorm2d(1280),
                         nn.ReLU6(inplace=True), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Dropout(0.2), nn.Linear(1280, 1000))


class Vit(nn.Module):
    def __init__(self, side=224, patch=16, width=384, depth=6):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.first = nn.Parameter(torch.zeros(1, 1, width))
        self.place = nn.Parameter(torch.randn(1, (side // patch) ** 2 + 1, width) * 0.02)
        layer = nn.TransformerEncoderLayer(width, 6, width * 4, 0.1, "gelu", batch_first=True,
                                           norm_first=True)
        self.layers = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.head = nn.Linear(width, 1000)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat((self.first.expand(len(x), -1, -1), x), 1) + self.place
        return self.head(self.layers(x)[:, 0])


class GptBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm_one, self.norm_two = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, past):
        count, length, width = x.shape
        q, k, v = (part.view(count, length, self.heads, -1).transpose(1, 2)
                   for part in self.qkv(self.norm_one(x)).split(width, 2))
        if past:
            k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=not past)
        x = x + self.out(y.transpose(1, 2).reshape(count, length, width))
        return x + self.down(F.gelu(self.up(self.norm_two(x)), approximate="tanh")), (k, v)


class Gpt2(nn.Module):
    def __init__(self, words=50257, places=256, width=sized(64, 768), depth=sized(2, 12), heads=sized(4, 12)):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(places, width)
        self.blocks = nn.ModuleList(GptBlock(width, heads) for _ in range(depth))
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens, pasts=None):
        begin = pasts[0][0].shape[2] if pasts else 0
        place = torch.arange(begin, begin + tokens.shape[1], device=tokens.device)
        x, kept = self.words(tokens) + self.places(place), []
        for block, past in zip(self.blocks, pasts or [None] * len(self.blocks)):
            x, past = block(x, past)
            kept.append(past)
        return F.linear(self.norm(x), self.words.weight), kept


# --- programs

def train(network, inputs, channels_last=False, amp=False):
    layout = torch.channels_last if channels_last else torch.contiguous_format
    network, inputs = network.to(DEVICE).to(memory_format=layout), inputs.contiguous(
        memory_format=layout)
    wanted = torch.randint(0, 1000, (len(inputs),), device=DEVICE)
    optimizer = torch.optim.SGD(network.parameters(), 0.01, momentum=0.9)
    scaler = torch.amp.GradScaler(DEVICE, enabled=amp and not CPU)
    for _ in range(STEPS):
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(DEVICE, torch.bfloat16 if CPU else torch.float16, enabled=amp):
            loss = F.cross_entropy(network(inputs), wanted)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    finite(loss)


def run_resnet18():
    train(resnet18(), image(sized(2, 32), sized(64, 224)))


def run_resnet18_amp():
    train(resnet18(), image(sized(2, 32), sized(64, 224)), amp=True)


def run_resnet18_channels_last():
    train(resnet18(), image(sized(2, 32), sized(64, 224)), channels_last=True, amp=True)


def run_vit_amp():
    train(Vit(), image(sized(1, 16), 224), amp=True)


def run_lstm():
    network = nn.LSTM(128, sized(32, 512), 2, batch_first=True, dropout=0.1).to(DEVICE)
    head = nn.Linear(sized(32, 512), 10).to(DEVICE)
    optimizer = torch.optim.Adam([*network.parameters(), *head.parameters()], 1e-3)
    data = torch.randn(sized(2, 64), sized(10, 100), 128, device=DEVICE)
    wanted = torch.randint(0, 10, (len(data),), device=DEVICE)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = F.cross_entropy(head(network(data)[0][:, -1]), wanted)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
    finite(loss)


def run_mobilenet():
    network, data = mobilenet().to(DEVICE).eval(), image(sized(1, 16), sized(64, 224))
    with torch.inference_mode():
        for _ in range(2 * STEPS):
            answer = network(data)
    finite(answer)


def run_gpt2_generate():
    network = Gpt2().to(DEVICE).eval()
    tokens = torch.randint(0, 50257, (2, 16), device=DEVICE)
    with torch.inference_mode():
        logits, pasts = network(tokens)
        for _ in range(sized(3, 24)):
            # Chosen by chance, but of a generator that begins anew in each run.
            word = torch.multinomial(logits[:, -1].softmax(-1), 1)
            logits, pasts = network(word, pasts)
    finite(logits)


def run_gpt2_train():
    network = Gpt2().to(DEVICE)
    optimizer = torch.optim.AdamW(network.parameters(), 1e-4)
    tokens = torch.randint(0, 50257, (sized(1, 4), sized(17, 129)), device=DEVICE)
    for _ in range(STEPS):
        optimizer.zero_grad()
        with torch.autocast(DEVICE, torch.bfloat16):
            logits, _ = network(tokens[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        optimizer.step()
    finite(loss)


def run_fft():
    data = torch.randn(sized(2, 16), sized(64, 512), sized(64, 512), device=DEVICE)
    for _ in range(STEPS):
        data = torch.fft.irfft2(torch.fft.rfft2(data) * 0.5, s=data.shape[-2:])
        line = torch.fft.fft(data.flatten(1), norm="ortho")
    finite(data)
    finite(torch.view_as_real(line))


def run_svd():
    data = torch.randn(sized(2, 4), sized(16, 128), sized(16, 96), device=DEVICE)
    for _ in range(2):
        u, s, v = torch.linalg.svd(data, full_matrices=False)
        values = torch.linalg.eigvalsh(data @ data.mT)
        q, _ = torch.linalg.qr(data)
    assert (u * s[..., None, :] @ v - data).abs().max() < 1e-3
    finite(values.sum() + q.sum())


def run_special():
    """Kernels that PyTorch compiles when they are first used (its jiterator)."""
    data = torch.linspace(0.1, 9, sized(64, 4096), device=DEVICE)
    for _ in range(STEPS):
        values = torch.special.bessel_j0(data) + torch.special.airy_ai(data)
        values += torch.lcm(data.int(), data.int() + 1) + torch.special.zeta(data + 1, 2.0)
    finite(values)


def run_sparse():
    side = sized(200, 4000)
    places = torch.randint(0, side, (2, side * 8), device=DEVICE)
    matrix = torch.sparse_coo_tensor(places, torch.randn(side * 8, device=DEVICE), (side, side))
    matrix = matrix.coalesce().to_sparse_csr()
    data = torch.randn(side, 32, device=DEVICE)
    for _ in range(STEPS):
        data = F.normalize(matrix @ data, dim=0)
    finite(data)


def run_attention():
    shape = (2, 8, sized(64, 512), 64)
    kind = torch.float32 if CPU else torch.float16
    q, k, v = (torch.randn(shape, device=DEVICE, dtype=kind, requires_grad=True) for _ in range(3))
    backends = [nn.attention.SDPBackend.MATH, nn.attention.SDPBackend.FLASH_ATTENTION]
    if not CPU:
        backends.append(nn.attention.SDPBackend.EFFICIENT_ATTENTION)
    for backend in backends:
        with nn.attention.sdpa_kernel(backend):
            for _ in range(STEPS):
                answer = F.scaled_dot_product_attention(q, k, v, is_causal=True)
                answer.sum().backward()
    layer = nn.MultiheadAttention(256, 8, batch_first=True).to(DEVICE)
    data = torch.randn(4, sized(16, 128), 256, device=DEVICE)
    finite(layer(data, data, data)[0])
    finite(q.grad)


def run_graph_capture():
    network = nn.Sequential(nn.Linear(256, 512), nn.GELU(), nn.LayerNorm(512),
                            nn.Linear(512, 256)).to(DEVICE)
    data = torch.randn(64, 256, device=DEVICE)
    with torch.no_grad():
        if CPU:
            finite(network(data))
            return
        other = torch.cuda.Stream()
        other.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(other):
            for _ in range(3):
                network(data)
        torch.cuda.current_stream().wait_stream(other)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            answer = network(data)
            answer = answer.cumsum(0) / answer.abs().amax()
        for at in range(4 * STEPS):
            data.fill_(at)
            graph.replay()
    finite(answer)


def run_four_streams():
    count = sized(2, 10)
    there = [torch.randn(1 << sized(10, 20), pin_memory=not CPU) for _ in range(4)]
    back = [torch.empty_like(part, pin_memory=not CPU) for part in there]
    streams = [None if CPU else torch.cuda.Stream() for _ in there]
    for _ in range(count):
        for part, answer, stream in zip(there, back, streams):
            with torch.cuda.stream(stream):
                data = part.to(DEVICE, non_blocking=True)
                data = (data * 2).sin_()
                answer.copy_(data, non_blocking=True)
                data.zero_()
    wait()
    assert all(torch.allclose((part * 2).sin(), answer, atol=1e-5)
               for part, answer in zip(there, back))


class Pictures(torch.utils.data.Dataset):
    def __len__(self):
        return sized(16, 128)

    def __getitem__(self, at):
        return torch.full((3, 32, 32), at / 128), at % 10


def run_dataloader():
    network = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Flatten(),
                            nn.Linear(16 * 30 * 30, 10)).to(DEVICE)
    optimizer = torch.optim.SGD(network.parameters(), 0.01)
    # With the device in use already its workers are forked from a process that has it.
    loader = torch.utils.data.DataLoader(Pictures(), 8, shuffle=False, num_workers=4,
                                         pin_memory=not CPU)
    for _ in range(2):
        for data, wanted in loader:
            data = data.to(DEVICE, non_blocking=True)
            loss = F.cross_entropy(network(data), wanted.to(DEVICE, non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    finite(loss)


def main():
    programs = {name[4:]: run for name, run in globals().items() if name.startswith("run_")}
    if len(sys.argv) < 2:
        print("\n".join(programs))
        return
    torch.manual_seed(1)
    if not math.isfinite(torch.randn(1, device=DEVICE).item()):
        raise SystemExit("no random numbers")
    programs[sys.argv[1]]()
    wait()
    print("done", sys.argv[1], flush=True)


if __name__ == "__main__":
    main()
