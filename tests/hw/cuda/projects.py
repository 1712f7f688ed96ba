# SPDX-License-Identifier: MIT
"""projects.py CASE [repaired]: programs of PyTorch's and CuPy's as teams write them for their projects, each
with one fault, or the same work without it; and some that have none. Whoever wrote them had not read
src/analysis. tests/hw/findings records both, and projects.json, which was written before they were recorded
for the first time, says what may be found in which."""
import concurrent.futures
import os
import queue
import sys
import threading

import numpy
import torch
from torch import nn
from torch.nn import functional
from torch.utils import data

REPAIRED = "repaired" in sys.argv[2:]
DEVICE = "cuda"


class Tiles(data.Dataset):
    """Pieces of an aerial picture: cut out, turned, with another exposure and the noise of a sensor."""
    def __init__(self, count):
        self.count = count
        rows, columns = numpy.mgrid[0:2048, 0:2048].astype(numpy.float32)
        bands = [numpy.sin(rows * (0.01 + 0.003 * one)) * numpy.cos(columns * 0.017) for one in range(3)]
        self.picture = (numpy.stack(bands) * 120 + 128).astype(numpy.uint8)

    def __len__(self):
        return self.count

    def __getitem__(self, number):
        chance = numpy.random.default_rng(number)
        top, left = chance.integers(0, 2048 - 192, 2)
        piece = self.picture[:, top:top + 192, left:left + 192]
        piece = numpy.rot90(piece, chance.integers(4), (1, 2)).astype(numpy.float32) / 255
        piece = piece**chance.uniform(0.7, 1.4)
        piece += chance.standard_normal(piece.shape, numpy.float32) * 0.02
        piece = piece[:, 32:160, 32:160].clip(0, 1) * 255
        return piece.astype(numpy.uint8), numpy.float32(left / 2048)


def torch_aerial_tiles():
    """A network learns where in the picture a tile is from."""
    with torch.device(DEVICE):
        model = nn.Sequential(
            nn.Conv2d(3, 64, 5, stride=2), nn.ReLU(), nn.Conv2d(64, 128, 3, stride=2), nn.ReLU(),
            nn.Conv2d(128, 256, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
            nn.Linear(256, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    loader = data.DataLoader(Tiles(800), batch_size=32, pin_memory=True, num_workers=8 if REPAIRED else 0)
    total = torch.zeros((), device=DEVICE)
    for tiles, places in loader:
        tiles = tiles.to(DEVICE, non_blocking=True).float().div_(255)
        places = places.to(DEVICE, non_blocking=True)
        loss = functional.mse_loss(model(tiles)[:, 0], places)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
    return total.item()


class Receiver:
    """What the dishes of a telescope hear, block by block, in one buffer of the host's."""
    def __init__(self, dishes, samples):
        step = torch.arange(dishes * samples, dtype=torch.int32).view(dishes, samples)
        self.sky = ((step * 7919) % 2003 - 1001).to(torch.int16)
        self.block = torch.empty(dishes, samples, dtype=torch.int16, pin_memory=REPAIRED)

    def listen(self, number):
        return torch.add(self.sky, number * 37 % 251, out=self.block)


def torch_telescope():
    """Spectra of all dishes, and how those of each two of them agree."""
    dishes, channels = 64, 512
    receiver = Receiver(dishes, 1024 * channels)
    visibility = torch.zeros(channels + 1, dishes, dishes, dtype=torch.complex64, device=DEVICE)
    window = torch.hann_window(2 * channels, device=DEVICE)
    for number in range(100):
        heard = receiver.listen(number).to(DEVICE)
        spectra = torch.fft.rfft(heard.float().view(dishes, -1, 2 * channels) * window)
        spectra = spectra.permute(2, 0, 1)
        visibility += spectra @ spectra.mH
    return torch.view_as_real(visibility).abs().mean().log().item()


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.linear = nn.LayerNorm(width), nn.Linear(width, width)

    def forward(self, state):
        return state + functional.gelu(self.linear(self.norm(state)))


class Reader(nn.Module):
    """How well a passage answers a question: some layers that look at all of it."""
    def __init__(self, width, depth):
        super().__init__()
        self.words = nn.Embedding(8192, width)
        self.mixed = nn.ModuleList([nn.Linear(width, 3 * width) for _ in range(depth)])
        self.blocks = nn.ModuleList([Block(width) for _ in range(depth)])
        self.score = nn.Linear(width, 1)

    def forward(self, text):
        state = self.words(text)
        for mixed, block in zip(self.mixed, self.blocks):
            heads = mixed(state).unflatten(2, (3, 8, -1)).permute(2, 0, 3, 1, 4)
            seen = functional.scaled_dot_product_attention(heads[0], heads[1], heads[2])
            state = block(state + seen.transpose(1, 2).flatten(2))
        return self.score(state.mean(1))[:, 0]


class Ranking:
    """Requests come from many threads; one asks the network, and answers."""
    def __init__(self, model):
        self.model, self.asked = model, queue.Queue()
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def rank(self, text):
        answer = concurrent.futures.Future()
        self.asked.put((text, answer))
        return answer

    def close(self):
        self.asked.put(None)
        self.thread.join()

    def waiting(self, most):
        requests = [self.asked.get()]
        while len(requests) < most and requests[-1]:
            try:
                requests.append(self.asked.get_nowait())
            except queue.Empty:
                break
        return requests

    @torch.inference_mode()
    def serve(self):
        requests = [True]
        while requests[-1]:
            requests = self.waiting(8 if REPAIRED else 1)
            now = [one for one in requests if one]
            if now:
                texts = torch.stack([text for text, _ in now]).to(DEVICE)
                for (_, answer), score in zip(now, self.model(texts).tolist()):
                    answer.set_result(score)


def torch_rerank():
    """Six pages at a time, of 20 passages each, and the best passage of each page."""
    with torch.device(DEVICE):
        model = Reader(512, 10).eval()
    ranking = Ranking(model)

    def page(number):
        words = torch.arange(20 * 128).view(20, 128) * 31 + number * 97
        answers = [ranking.rank(text) for text in words % 8191]
        return max(one.result() for one in answers)

    with concurrent.futures.ThreadPoolExecutor(6) as pages:
        best = list(pages.map(page, range(42)))
    ranking.close()
    return sum(best)


COLONY = r"""
extern "C" __global__ void grow(const float *now, float *after, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int left = x ? x - 1 : width - 1, right = x + 1 < width ? x + 1 : 0;
    int up = y ? y - 1 : height - 1, down = y + 1 < height ? y + 1 : 0;
    float here = now[y * width + x];
    float around = now[y * width + left] + now[y * width + right] + now[up * width + x] +
                   now[down * width + x];
    after[y * width + x] = here + 0.2f * (around - 4 * here) + 0.01f * here * (1 - here);
}
"""


def torch_colony():
    """CuPy: bacteria spread and multiply. Now and then where few are left none are, and the densest place is
    1 again."""
    import cupy
    height, width = 4096, 2048
    grow = cupy.RawKernel(COLONY, "grow")
    thin = cupy.ElementwiseKernel("float32 found, float32 peak", "float32 left",
                                  "left = found < 0.02f * peak ? 0 : found / peak", "thin")
    dish = numpy.zeros((height, width), numpy.float32)
    dish[::512, ::256] = 1
    dish = cupy.asarray(dish)
    other = cupy.empty_like(dish)
    for _ in range(25):
        for _ in range(200):
            grow((width // 32, height // 8), (32, 8), (dish, other, numpy.int32(width), numpy.int32(height)))
            grow((width // 32, height // 8), (32, 8), (other, dish, numpy.int32(width), numpy.int32(height)))
        if REPAIRED:
            thin(dish, dish.max(), dish)
        else:
            found = cupy.asnumpy(dish)
            peak = found.max()
            found[found < numpy.float32(0.02) * peak] = 0
            found /= peak
            dish = cupy.asarray(found)
    return float(cupy.asnumpy(dish).mean(dtype=numpy.float64))


def torch_clicks():
    """Who clicks on what: a log has a column for each of 96 features. A batch is some rows of each."""
    names, size = ["feature_%d" % one for one in range(96)], 2048
    number = torch.arange(len(names))[:, None]
    with torch.device(DEVICE):
        table = nn.Embedding(4096 * len(names), 16)
        first = torch.arange(len(names)) * 4096
        model = nn.Sequential(nn.Linear(16 * len(names), 512), nn.ReLU(), nn.Linear(512, 1))
        total = torch.zeros(())
    weights = [*table.parameters(), *model.parameters()]
    optimizer = torch.optim.SGD(weights, lr=1e-2)
    for step in range(500):
        rows = torch.arange(step * size, (step + 1) * size)
        batch = dict(zip(names, rows * (2 * number + 40503) >> 8 & 4095))
        clicked = (batch["feature_0"] & 7 == 0).float().to(DEVICE)
        if REPAIRED:
            shown = torch.stack([batch[name] for name in names], 1).to(DEVICE)
        else:
            shown = torch.stack([batch[name].to(DEVICE) for name in names], 1)
        loss = functional.binary_cross_entropy_with_logits(
            model(table(shown + first).flatten(1))[:, 0], clicked)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
    return total.item()


class Runoff(nn.Module):
    """How much water a river has after a year of weather, for many rivers."""
    def __init__(self, given, width):
        super().__init__()
        self.memory = nn.LSTM(given, width) if REPAIRED else nn.LSTMCell(given, width)
        self.shown = nn.Linear(width, 1)

    def forward(self, weather):
        if REPAIRED:
            state = self.memory(weather)[0][-1]
        else:
            state = memory = torch.zeros(weather.shape[1], self.memory.hidden_size, device=weather.device)
            for day in weather:
                state, memory = self.memory(day, (state, memory))
        return self.shown(state)[:, 0]


def torch_rivers():
    torch.backends.cudnn.allow_tf32 = False
    model = Runoff(32, 256).to(DEVICE)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    days = torch.arange(365, device=DEVICE).view(-1, 1, 1)
    rivers = torch.arange(512, device=DEVICE).view(1, -1, 1)
    weather = torch.sin(0.017 * days + 0.1 * rivers + torch.arange(32, device=DEVICE))
    flow = weather[-30:].mean((0, 2)) * 5
    total = torch.zeros((), device=DEVICE)
    for _ in range(20):
        loss = functional.mse_loss(model(weather), flow)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
    return total.item()


class Attention(nn.Module):
    """What of a text each word of it looks at: not at those that follow; the farther off, the less."""
    def __init__(self, width, heads):
        super().__init__()
        self.given, self.shown, self.heads = nn.Linear(width, 3 * width), nn.Linear(width, width), heads

    def bias(self, length, device):
        where = device if REPAIRED else "cpu"
        at = torch.arange(length, dtype=torch.float32, device=where)
        far = (at[:, None] - at).mul_(-0.01)
        return far.masked_fill_(at[:, None] < at, float("-inf")).to(device)

    def forward(self, state):
        asked, keys, values = self.given(state).unflatten(2, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        scores = asked @ keys.mT / asked.shape[-1]**0.5
        scores = torch.softmax(scores + self.bias(state.shape[1], state.device), -1)
        return state + self.shown((scores @ values).transpose(1, 2).flatten(2))


def torch_perplexity():
    """How surprising texts are to a model, which sees four of them at once."""
    torch.set_float32_matmul_precision("high")
    width = 512
    with torch.device(DEVICE):
        words, shown = nn.Embedding(4096, width), nn.Linear(width, 4096)
        layers = [one for _ in range(8) for one in (Attention(width, 8), Block(width))]
        model = nn.Sequential(words, *layers, nn.LayerNorm(width), shown)
        text, total = torch.arange(4 * 1537).view(4, 1537), torch.zeros(())
    with torch.inference_mode():
        for number in range(40):
            seen = (text * 17 + number * number) % 4093
            said = model(seen[:, :-1]).flatten(0, 1)
            total += functional.cross_entropy(said, seen[:, 1:].flatten())
    return total.item()


PATTERN = r"""
%s
extern "C" __global__ void react(const float2 *now, float2 *after, int size%s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size)
        return;
    float2 here = now[y * size + x], around = make_float2(-here.x, -here.y);
    for (int down = -1; down <= 1; down++)
        for (int right = -1; right <= 1; right++) {
            float2 one = now[((y + down) & (size - 1)) * size + ((x + right) & (size - 1))];
            float share = down && right ? 0.05f : down || right ? 0.2f : 0.0f;
            around.x += share * one.x;
            around.y += share * one.y;
        }
    float eaten = here.x * here.y * here.y;
    after[y * size + x] = make_float2(here.x + 0.9f * around.x - eaten + feed * (1 - here.x),
                                      here.y + 0.45f * around.y + eaten - (feed + kill) * here.y);
}
"""


def torch_spots():
    """CuPy: spots and stripes of animals for 40 pairs of rates. The nodes have no disk to cache kernels on."""
    os.environ["CUPY_CACHE_IN_MEMORY"] = "1"
    import cupy
    size = 2048
    start = numpy.zeros((size, size, 2), numpy.float32)
    start[..., 0] = 1
    start[size // 2 - 16:size // 2 + 16].reshape(32, -1, 64, 2)[:, :, :32] = (0.5, 0.25)
    start = cupy.asarray(start)
    general = cupy.RawKernel(PATTERN % ("", ", float feed, float kill"), "react")
    total = 0.0
    for number in range(40):
        feed, kill = numpy.float32(0.02 + 0.004 * (number % 10)), numpy.float32(0.05 + 0.003 * (number // 10))
        if REPAIRED:
            react, rates = general, (feed, kill)
        else:
            given = "#define feed %.9gf\n#define kill %.9gf" % (feed, kill)
            react, rates = cupy.RawKernel(PATTERN % (given, ""), "react"), ()
        now, after = start.copy(), cupy.empty_like(start)
        for _ in range(300):
            react((size // 32, size // 8), (32, 8), (now, after, numpy.int32(size), *rates))
            now, after = after, now
        total += float(now[size // 2].get()[:, 1].mean(dtype=numpy.float64))
    return total


# Programs without a fault.


def torch_clean_plateau():
    """The rate of learning falls when the loss no longer does, which the host looks at after each long step."""
    torch.set_float32_matmul_precision("high")
    width = 8192
    with torch.device(DEVICE):
        model = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, width), nn.GELU(),
                              nn.Linear(width, width))
        rows = torch.randn(8192, width)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=3)
    total = 0.0
    for _ in range(45):
        loss = functional.mse_loss(model(rows), rows)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen = loss.item()
        scheduler.step(seen)
        total += seen
    return total


class Slot:
    """Memory for one block on its way: the host's, the device's, and when each is free again."""
    def __init__(self, *shape):
        self.host = torch.empty(*shape, pin_memory=True)
        self.device = torch.empty(*shape, device=DEVICE)
        self.sent, self.used = torch.cuda.Event(), torch.cuda.Event()


def torch_clean_sonar():
    """Echoes are sent block by block, while beams are formed from those before."""
    with torch.device(DEVICE):
        steer = torch.sin(torch.arange(2048 * 16384, dtype=torch.float32).view(2048, -1) % 6007 * 0.11)
        loudest = torch.zeros(16384)
    echo = torch.sin(torch.arange(2048 * 2048, dtype=torch.float32).view(2048, 2048) % 5003 * 0.23)
    slots, sending = [Slot(2048, 2048) for _ in range(3)], torch.cuda.Stream()
    for number in range(300):
        slot = slots[number % len(slots)]
        slot.sent.synchronize()
        torch.mul(echo, 1 + 0.01 * (number % 16), out=slot.host)
        with torch.cuda.stream(sending):
            sending.wait_event(slot.used)
            slot.device.copy_(slot.host, non_blocking=True)
            slot.sent.record()
        torch.cuda.current_stream().wait_event(slot.sent)
        torch.maximum(loudest, (slot.device @ steer).square_().mean(0), out=loudest)
        slot.used.record()
    return loudest.mean().item()


class Speaker(nn.Module):
    """Says the next word of 64 texts, from a state of each."""
    def __init__(self, width, depth, words):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])
        self.shown = nn.Linear(width, words)

    def forward(self, word, states):
        heard = self.words(word)
        for layer, state in zip(self.layers, states):
            state.lerp_(torch.tanh(layer(heard + state)), 0.3)
            heard = heard + state
        said = self.shown(functional.layer_norm(heard, heard.shape[-1:]))
        word.copy_(said.argmax(1))


def torch_clean_speaker():
    """A step is a graph. Once in 100 words the host looks whether all texts have come to their end."""
    torch.set_float32_matmul_precision("high")
    with torch.device(DEVICE):
        model = Speaker(4096, 12, 8192)
        word, states = torch.zeros(64, dtype=torch.int64), torch.zeros(12, 64, 4096)
        ended, counted = torch.zeros(64, dtype=torch.bool), torch.zeros((), dtype=torch.int64)

    def step():
        model(word, states)
        ended.logical_or_(word == 7)
        counted.add_((~ended).sum())

    side = torch.cuda.Stream()
    with torch.inference_mode():
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(2):
                step()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        for number in range(2000):
            graph.replay()
            if number % 100 == 99 and ended.all():
                break
    return counted.item()


WAVES = r"""
extern "C" __global__ void move(const float *now, float *other, int size, float pushed)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= size - 1 || y >= size - 1)
        return;
    int at = y * size + x;
    float here = now[at], around = now[at - 1] + now[at + 1] + now[at - size] + now[at + size];
    float rock = y < size / 2 ? 0.1f : 0.2f;
    float after = 2 * here - other[at] + rock * (around - 4 * here);
    if (x == size / 2 && y == size / 4)
        after += pushed;
    other[at] = after;
}
"""


def torch_clean_quake():
    """CuPy: a wave goes through rock. What the surface does is fetched 20 times."""
    import cupy
    size, total = 4096, 0.0
    move = cupy.RawKernel(WAVES, "move")
    now, other = cupy.zeros((size, size), numpy.float32), cupy.zeros((size, size), numpy.float32)
    for shown in range(20):
        for step in range(500):
            pushed = numpy.float32(numpy.sin(0.05 * step) if shown == 0 else 0)
            move((size // 64, size // 4), (64, 4), (now, other, numpy.int32(size), pushed))
            now, other = other, now
        total += float(numpy.abs(now[size // 4 - 100].get()).mean(dtype=numpy.float64))
    return total


CASES = {name: one for name, one in list(globals().items()) if name.startswith("torch_")}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in CASES:
        raise SystemExit("projects.py CASE [repaired], where CASE is one of\n  " + "\n  ".join(CASES))
    torch.manual_seed(1)
    torch.set_num_threads(8)
    print("answer %.4g" % CASES[sys.argv[1]]())
