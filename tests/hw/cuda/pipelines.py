# SPDX-License-Identifier: MIT
"""Programs as teams write them: models that run, learn and are measured, and a simulation.

pipelines.py CASE [repaired] runs one of them, and prints its answer. What is in pipelines.json says what
each one is about.
"""
import sys

import numpy as np
import torch
from torch import nn
from torch.nn import functional

REPAIRED = "repaired" in sys.argv[2:]
DEVICE = torch.device("cuda")


class Block(nn.Module):
    """A transformer block. With a cache it continues what the cache holds up to `start`."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before = nn.LayerNorm(width)
        self.mix = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.after = nn.LayerNorm(width)
        self.wide = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)

    def forward(self, x, cache=None, start=0):
        rows, length, width = x.shape
        mixed = self.mix(self.before(x)).view(rows, length, 3, self.heads, width // self.heads)
        query, key, value = mixed.permute(2, 0, 3, 1, 4).unbind(0)
        if cache is not None:
            end = start + length
            cache[0][:, :, start:end] = key
            cache[1][:, :, start:end] = value
            key, value = cache[0][:, :, :end], cache[1][:, :, :end]
        causal = cache is not None and length > 1
        y = functional.scaled_dot_product_attention(query, key, value, is_causal=causal)
        x = x + self.out(y.transpose(1, 2).reshape(rows, length, width))
        return x + self.narrow(functional.gelu(self.wide(self.after(x))))


def streamed(jobs, fill, shape, dtype):
    """Yields a batch on the device for each job, while the next one is filled and uploaded."""
    stages = [torch.empty(shape, dtype=dtype, pin_memory=True) for _ in range(2)]
    inboxes = [torch.empty(shape, dtype=dtype, device=DEVICE) for _ in range(2)]
    arrived = [torch.cuda.Event() for _ in range(2)]
    used = [torch.cuda.Event() for _ in range(2)]
    copies = torch.cuda.Stream()
    copies.wait_stream(torch.cuda.current_stream())
    for number, job in enumerate(jobs):
        slot = number % 2
        arrived[slot].synchronize()
        fill(stages[slot], job)
        with torch.cuda.stream(copies):
            copies.wait_event(used[slot])
            inboxes[slot].copy_(stages[slot], non_blocking=True)
            arrived[slot].record(copies)
        torch.cuda.current_stream().wait_event(arrived[slot])
        yield inboxes[slot]
        used[slot].record(torch.cuda.current_stream())


# --- text generation -----------------------------------------------------------------------------

class Storyteller(nn.Module):
    """A small language model that keeps the keys and values of what it has read."""

    def __init__(self, words, width, heads, layers, rows, longest):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Parameter(0.1 * torch.randn(longest, width))
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, words, bias=False)
        self.caches = torch.empty(layers, 2, rows, heads, longest, width // heads,
                                  dtype=torch.bfloat16)

    def forward(self, tokens, start):
        x = self.words(tokens) + self.places[start:start + tokens.shape[1]]
        for block, cache in zip(self.blocks, self.caches):
            x = block(x, cache, start)
        return self.head(self.norm(x[:, -1]).float())


@torch.inference_mode()
def net_storyteller():
    """Writes 64 stories at once, token after token, with a cache of keys and values. Words that a
    story has used already count less in the choice of the next one."""
    words, rows, prompt_length, length, penalty = 32000, 64, 32, 320, 2.0
    torch.backends.cuda.enable_cudnn_sdp(False)
    with DEVICE:
        model = Storyteller(words, 512, 8, 8, rows, prompt_length + length).eval()
    model.bfloat16()
    model.head.float()
    prompt = torch.randint(0, words, (rows, prompt_length))
    logits = model(prompt.to(DEVICE), 0)

    if REPAIRED:  # the choice is made on the device, and the stories stay there
        stories = torch.empty(rows, length, dtype=torch.int64, device=DEVICE)
        penalties = torch.zeros(rows, words, device=DEVICE)
        penalties.scatter_(1, prompt.to(DEVICE), penalty)
        for step in range(length):
            token = (logits - penalties).argmax(1, keepdim=True)
            penalties.scatter_(1, token, penalty)
            stories[:, step:step + 1] = token
            logits = model(token, prompt_length + step)
        return stories.double().mean().item()

    past = [set(row) for row in prompt.tolist()]
    stories = []
    for step in range(length):
        scores = logits.cpu().numpy()
        chosen = []
        for row, seen in enumerate(past):
            scores[row, list(seen)] -= penalty
            best = int(scores[row].argmax())
            seen.add(best)
            chosen.append(best)
        stories.append(chosen)
        token = torch.tensor(chosen, device=DEVICE).unsqueeze(1)
        logits = model(token, prompt_length + step)
    return float(np.mean(stories))


# --- medical volumes -----------------------------------------------------------------------------

class Denoiser(nn.Module):
    """Subtracts the noise that it finds in slices."""

    def __init__(self, channels, layers):
        super().__init__()
        parts = [nn.Conv2d(1, channels, 3, padding=1), nn.ReLU(inplace=True)]
        for _ in range(layers):
            parts += [nn.Conv2d(channels, channels, 3, padding=1, bias=False),
                      nn.BatchNorm2d(channels), nn.ReLU(inplace=True)]
        parts.append(nn.Conv2d(channels, 1, 3, padding=1))
        self.noise = nn.Sequential(*parts)

    def forward(self, slices):
        return slices - 0.1 * self.noise(slices)


@torch.inference_mode()
def net_tomography():
    """Denoises the slices of eight computed tomographies with a convolutional network, and brings
    the volumes back to the host."""
    scans, depth, side = 8, 256, 128
    draw = np.random.default_rng(2)
    volumes = [torch.from_numpy(draw.integers(-1000, 1000, (depth, side, side), dtype=np.int16))
               .pin_memory() for _ in range(scans)]
    results = [torch.empty(depth, side, side, dtype=torch.int16, pin_memory=True)
               for _ in range(scans)]
    with DEVICE:
        network = Denoiser(32, 14).eval()
        clean = torch.empty(depth, 1, side, side)
    group = 128 if REPAIRED else 1  # many slices at once, or each by itself

    for volume, result in zip(volumes, results):
        slices = volume.to(DEVICE, non_blocking=True).float().div_(1000).unsqueeze(1)
        for first in range(0, depth, group):
            clean[first:first + group] = network(slices[first:first + group])
        whole = (clean * 1000).round_().to(torch.int16).squeeze(1)
        result.copy_(whole, non_blocking=True)
    torch.cuda.synchronize()
    return sum(result.float().abs().mean().item() for result in results) / scans


# --- simulation ----------------------------------------------------------------------------------

BURGERS = r"""
#define N 512
#define NU 1e-3f
#define FORCE 0.1f

__device__ float carried(float speed, float before, float here, float after)
{
	return speed > 0 ? speed * (here - before) : speed * (after - here);
}

__device__ float changed(const float *f, int at, int left, int right, int down, int up,
			 float a, float b, float force)
{
	float here = f[at];
	float flow = carried(a, f[left], here, f[right]) + carried(b, f[down], here, f[up]);
	float spread = f[left] + f[right] + f[down] + f[up] - 4 * here;
	return -flow * N + NU * N * N * spread + force;
}

/* One step of the length dt; the greatest speed after it goes to *peak. */
__device__ void step(const float *u, const float *v, float *u_next, float *v_next, float dt,
		     unsigned *peak)
{
	__shared__ unsigned top;
	int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
	int at = y * N + x;
	int left = y * N + ((x + N - 1) & (N - 1)), right = y * N + ((x + 1) & (N - 1));
	int down = ((y + N - 1) & (N - 1)) * N + x, up = ((y + 1) & (N - 1)) * N + x;
	float a = u[at], b = v[at];
	float p = a + dt * changed(u, at, left, right, down, up, a, b,
				   FORCE * sinpif(2.0f * y / N));
	float q = b + dt * changed(v, at, left, right, down, up, a, b,
				   FORCE * sinpif(2.0f * x / N));
	u_next[at] = p;
	v_next[at] = q;

	if (threadIdx.x == 0 && threadIdx.y == 0)
		top = 0;
	__syncthreads();
	unsigned most = __reduce_max_sync(0xffffffffu, __float_as_uint(fmaxf(fabsf(p), fabsf(q))));
	if (threadIdx.x == 0)
		atomicMax(&top, most);
	__syncthreads();
	if (threadIdx.x == 0 && threadIdx.y == 0)
		atomicMax(peak, top);
}

extern "C" __global__ void burgers(const float *u, const float *v, float *u_next, float *v_next,
				   float dt, unsigned *peaks, int number)
{
	step(u, v, u_next, v_next, dt, &peaks[number + 1]);
}

extern "C" __global__ void burgers_adaptive(const float *u, const float *v, float *u_next,
					    float *v_next, unsigned *peaks, int number)
{
	float speed = __uint_as_float(peaks[number]);
	float dt = 0.4f / (2 * speed * N + 4 * NU * N * N);
	step(u, v, u_next, v_next, dt, &peaks[number + 1]);
}
"""


def net_burgers():
    """Simulates a driven flow by Burgers' equation in two dimensions, with CuPy. The length of a
    step follows from the greatest speed after the one before."""
    import cupy
    side, viscosity, steps = 512, np.float32(1e-3), 50000
    grid, block = (side // 32, side // 8), (32, 8)
    y, x = np.mgrid[0:side, 0:side].astype(np.float32) / side
    first_u = 0.1 + np.sin(2 * np.pi * (x + 0.1)) * np.cos(2 * np.pi * y)
    first_v = 0.2 + np.cos(4 * np.pi * x) * np.sin(2 * np.pi * (y + 0.2))
    first_peaks = np.zeros(steps + 1, np.float32)
    first_peaks[0] = max(np.abs(first_u).max(), np.abs(first_v).max())

    module = cupy.RawModule(code=BURGERS)
    burgers, adaptive = (module.get_function(name) for name in ("burgers", "burgers_adaptive"))
    u, v, peaks = (cupy.asarray(array.astype(np.float32))
                   for array in (first_u, first_v, first_peaks))
    u_next, v_next = cupy.empty_like(u), cupy.empty_like(v)
    for number in range(steps):
        if REPAIRED:  # the kernel finds the length of its step by itself
            adaptive(grid, block, (u, v, u_next, v_next, peaks, np.int32(number)))
        else:
            speed = float(peaks[number])
            dt = np.float32(0.4) / np.float32(2 * speed * side + 4 * viscosity * side * side)
            burgers(grid, block, (u, v, u_next, v_next, dt, peaks, np.int32(number)))
        u, u_next, v, v_next = u_next, u, v_next, v
    last_u, last_v = cupy.asnumpy(u), cupy.asnumpy(v)
    return float(np.mean(last_u * last_u + last_v * last_v, dtype=np.float64))


# --- audio ---------------------------------------------------------------------------------------

class Songs(torch.utils.data.Dataset):
    """Songs of eight kinds of birds; each time that one is drawn it is stretched and disturbed."""

    def __init__(self, clips, samples):
        self.clips, self.samples = clips, samples
        self.window = np.hanning(1024).astype(np.float32)
        self.edges = np.linspace(0, 505, 64).astype(np.int64)
        time = np.arange(samples, dtype=np.float32) / 16000
        draw = np.random.default_rng(5)
        rise = draw.uniform(50, 150, clips).astype(np.float32)
        pitch = (600 + 250 * (np.arange(clips) % 8) + draw.uniform(-80, 80, clips))
        turns = pitch.astype(np.float32)[:, None] * time + rise[:, None] * time * time
        self.waves = np.sin(np.float32(2 * np.pi) * turns)

    def __len__(self):
        return self.clips

    def __getitem__(self, index):
        clip = index % self.clips
        draw = np.random.default_rng(index)
        places = np.arange(self.samples)
        wave = np.interp(places * draw.uniform(0.8, 1.0), places, self.waves[clip])
        wave = wave.astype(np.float32)
        wave += np.float32(0.5) * draw.standard_normal(self.samples, dtype=np.float32)
        frames = np.lib.stride_tricks.sliding_window_view(wave, 1024)[::160] * self.window
        power = np.square(np.abs(np.fft.rfft(frames, axis=1)))
        bands = np.log(np.add.reduceat(power, self.edges, axis=1) + 1e-3)
        return np.ascontiguousarray(bands.T[None], dtype=np.float32), clip % 8


def net_birdsong():
    """Learns to tell eight birds by their songs, from spectrograms that a data loader makes of
    clips of four seconds."""
    clips, epochs, size = 160, 3, 24
    songs = Songs(clips, 64000)
    draw = np.random.default_rng(6)
    order = np.concatenate([epoch * clips + draw.permutation(clips) for epoch in range(epochs)])
    plan = order.reshape(-1, size).tolist()
    workers = 8 if REPAIRED else 0  # processes that make the spectrograms
    loader = iter(torch.utils.data.DataLoader(songs, batch_sampler=plan, num_workers=workers,
                                              pin_memory=True))
    with DEVICE:
        network = nn.Sequential(
            nn.BatchNorm2d(1),
            nn.Conv2d(1, 64, 5, stride=2, padding=2), nn.BatchNorm2d(64), nn.ReLU(),
            nn.Conv2d(64, 128, 3, stride=2, padding=1), nn.BatchNorm2d(128), nn.ReLU(),
            nn.Conv2d(128, 256, 3, stride=2, padding=1), nn.BatchNorm2d(256), nn.ReLU(),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 8))
        total = torch.zeros(())
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-4, fused=True)
    for sounds, birds in loader:
        sounds = sounds.to(DEVICE, non_blocking=True)
        birds = birds.to(DEVICE, non_blocking=True)
        loss = functional.cross_entropy(network(sounds), birds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
    return total.item() / len(plan)


# --- evaluation ----------------------------------------------------------------------------------

@torch.inference_mode()
def net_landcover():
    """Measures how well a network tells 59 kinds of land on 2400 images from the air: the mean of
    intersection over union of the kinds."""
    kinds, images, side, size = 59, 2400, 128, 8
    draw = np.random.default_rng(8)
    pixels = np.frombuffer(draw.bytes(images * 3 * side * side), np.uint8).copy()
    fields = draw.integers(0, kinds, (images, side // 16, side // 16), dtype=np.uint8)
    pixels = torch.from_numpy(pixels).view(images, 3, side, side).pin_memory()
    fields = torch.from_numpy(fields.repeat(16, axis=1).repeat(16, axis=2)).pin_memory()
    pixels = pixels.to(DEVICE, non_blocking=True)
    fields = fields.to(DEVICE, non_blocking=True)
    with DEVICE:
        network = nn.Sequential(
            nn.Conv2d(3, 32, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(32, 64, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(),
            nn.Conv2d(64, kinds, 1), nn.Upsample(scale_factor=4, mode="bilinear")).eval()
        confusion = torch.zeros(kinds * kinds, dtype=torch.float64)
    shared, either = np.zeros(kinds), np.zeros(kinds)

    for first in range(0, images, size):
        guess = network(pixels[first:first + size].float() / 255).argmax(1)
        truth = fields[first:first + size].long()
        if REPAIRED:  # one count of all pairs of kinds, which stays on the device
            pairs = (truth * kinds + guess).float() + 0.5
            confusion += torch.histc(pairs, bins=kinds * kinds, min=0, max=kinds * kinds)
        else:
            for kind in range(kinds):
                guessed = guess == kind
                true = truth == kind
                shared[kind] += (guessed & true).sum().item()
                either[kind] += (guessed | true).sum().item()
    if REPAIRED:
        matrix = confusion.view(kinds, kinds).cpu().numpy()
        shared = np.diag(matrix)
        either = matrix.sum(0) + matrix.sum(1) - shared
    return float(np.mean(shared / np.maximum(either, 1)))


# --- time series ---------------------------------------------------------------------------------

@torch.inference_mode()
def net_seismograph():
    """Looks for tremors in the recordings of 64 stations: batches of windows are filtered, and the
    energy of short times is compared to that of longer ones."""
    stations, window, batches = 64, 2 ** 19, 160
    draw = np.random.default_rng(9)
    archive = torch.from_numpy(np.frombuffer(draw.bytes(stations * window * 4), np.int16).copy())
    archive = archive.view(stations, 2 * window)
    plan = draw.integers(0, window, (batches, stations)).tolist()
    frequencies = torch.fft.rfftfreq(window, 1 / 100, device=DEVICE)
    band = ((frequencies > 1) & (frequencies < 20)).float()
    found = torch.zeros((), dtype=torch.int64, device=DEVICE)

    def gather(batch, starts):
        torch.stack([archive[station, start:start + window]
                     for station, start in enumerate(starts)], out=batch)

    def tremors(raw):
        signal = raw.float()
        signal -= signal.mean(1, keepdim=True)
        signal = torch.fft.irfft(torch.fft.rfft(signal) * band, n=window)
        short = signal.square_().view(stations, -1, 256).mean(2)
        return (short[:, 15:] > 1.25 * short.unfold(1, 16, 1).mean(2)).sum()

    if REPAIRED:  # pinned buffers, two of them, and a stream of their own
        for raw in streamed(plan, gather, (stations, window), torch.int16):
            found += tremors(raw)
        return found.item() / batches
    batch = torch.empty(stations, window, dtype=torch.int16)
    for starts in plan:
        gather(batch, starts)
        found += tremors(batch.to(DEVICE))
    return found.item() / batches


# --- programs without a fault --------------------------------------------------------------------

@torch.inference_mode()
def net_clean_herbarium():
    """Names the plants on 40960 photographs, in batches, with a vision transformer in bfloat16."""
    kinds, size, side, patch, width, layers, batches = 1000, 256, 224, 16, 512, 12, 160
    torch.backends.cuda.enable_cudnn_sdp(False)
    draw = np.random.default_rng(10)
    sheets = np.frombuffer(draw.bytes(512 * 3 * side * side), np.uint8).copy()
    sheets = torch.from_numpy(sheets).view(512, 3, side, side)
    plan = [torch.from_numpy(draw.permutation(512)[:size]) for _ in range(batches)]
    with DEVICE:
        patches = nn.Conv2d(3, width, patch, stride=patch).bfloat16()
        places = (0.02 * torch.randn(1, (side // patch) ** 2, width)).bfloat16()
        blocks = nn.ModuleList(Block(width, 8) for _ in range(layers)).bfloat16().eval()
        head = nn.Linear(width, kinds).bfloat16()
        names = torch.empty(batches, size, dtype=torch.int64)

    def gather(batch, chosen):
        torch.index_select(sheets, 0, chosen, out=batch)

    photographs = streamed(plan, gather, (size, 3, side, side), torch.uint8)
    for number, photograph in enumerate(photographs):
        x = patches(photograph.bfloat16().div_(128).sub_(1))
        x = x.flatten(2).transpose(1, 2) + places
        for block in blocks:
            x = block(x)
        names[number] = head(x.mean(1)).argmax(1)
    return names.double().mean().item()


class Residual(nn.Module):
    """Two convolutions around which the input goes, too; the noise's strength is added between."""

    def __init__(self, channels):
        super().__init__()
        self.first_norm = nn.GroupNorm(8, channels)
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.strength = nn.Linear(256, channels)
        self.second_norm = nn.GroupNorm(8, channels)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x, strength):
        y = self.first(functional.silu(self.first_norm(x)))
        y = y + self.strength(strength)[:, :, None, None]
        return x + self.second(functional.silu(self.second_norm(y)))


class Diffusion(nn.Module):
    """Tells the noise in an image, whose strength is that of the given time."""

    def __init__(self, channels, depth, times):
        super().__init__()
        self.times = nn.Embedding(times, 256)
        self.first = nn.Conv2d(3, channels, 3, padding=1)
        self.parts = nn.ModuleList(Residual(channels) for _ in range(depth))
        self.last = nn.Conv2d(channels, 3, 3, padding=1)

    def forward(self, x, time):
        strength = self.times(time)
        x = self.first(x)
        for part in self.parts:
            x = part(x, strength)
        return self.last(x)


def net_clean_diffusion():
    """Trains a diffusion model of small images, with a mean of the weights over time beside it."""
    images, side, size, times, steps = 4096, 32, 256, 1000, 130
    with DEVICE:
        network = Diffusion(128, 4, times)
        coarse = torch.rand(images, 3, 4, 4) * 2 - 1
        samples = functional.interpolate(coarse, size=(side, side), mode="bilinear")
        kept = torch.cumprod(1 - torch.linspace(1e-4, 2e-2, times), 0)
        losses = torch.zeros(steps)
    clear, noisy = kept.sqrt(), (1 - kept).sqrt()
    weights = list(network.parameters())
    averages = [weight.detach().clone() for weight in weights]
    optimizer = torch.optim.AdamW(weights, lr=2e-4, fused=True)
    for step in range(steps):
        batch = samples[torch.randint(0, images, (size,), device=DEVICE)]
        time = torch.randint(0, times, (size,), device=DEVICE)
        noise = torch.randn_like(batch)
        mixed = clear[time].view(-1, 1, 1, 1) * batch + noisy[time].view(-1, 1, 1, 1) * noise
        with torch.autocast("cuda", dtype=torch.bfloat16):
            guess = network(mixed, time)
        loss = functional.mse_loss(guess.float(), noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(averages, weights, 0.01)
        losses[step] = loss.detach()
    return losses.mean().item()


CASES = {name: one for name, one in list(globals().items()) if name.startswith("net_")}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in CASES:
        raise SystemExit("pipelines.py CASE [repaired], where CASE is one of\n  " + "\n  ".join(CASES))
    torch.manual_seed(1)
    torch.set_num_threads(8)
    print("answer %.4g" % CASES[sys.argv[1]]())
