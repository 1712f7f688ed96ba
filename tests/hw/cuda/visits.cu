// SPDX-License-Identifier: MIT
// visits CASE [repaired]: small programs of many fields with one fault each; those named clean_*
// have none. The line that each prints is the same with and without the fault.
#include <cstdint>
#include <cstring>
#include <thread>

#include "cases.h"
#include "faults.h"

namespace
{
// One element for each thread that an H100 holds at once.
constexpr int COUNT = 1056 * 256;
constexpr size_t BYTES = COUNT * sizeof(float);
// Rounds of settle() that take 1 us: on a full device, and where a multiprocessor has little to do.
constexpr int FULL_US = 110;
constexpr int FEW_US = 440;
constexpr int BLOCKS = COUNT / 256;

__device__ float settle(float x, int rounds)
{
#pragma unroll 16
	for (int round = 0; round < rounds; round++)
		x = fmaf(-x, x, 1.6f);
	return x;
}

__host__ __device__ unsigned scatter(unsigned word)
{
	word = (word ^ (word >> 15)) * 0x2c1b3c6dU;
	word = (word ^ (word >> 12)) * 0x297a2d39U;
	return word ^ (word >> 15);
}

// In [-1, 1].
__host__ __device__ float fraction(unsigned word)
{
	return (float)(int)word * 4.65661287e-10f;
}

__device__ int first()
{
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

__device__ int stride()
{
	return (int)(gridDim.x * blockDim.x);
}

__global__ void begin_with(float *data, int count, unsigned salt)
{
	for (int i = first(); i < count; i += stride())
		data[i] = fraction(scatter((unsigned)i + salt * 0x9e3779b9U));
}

void start(void *data, unsigned salt, cudaStream_t stream, int count = COUNT)
{
	begin_with<<<BLOCKS, 256, 0, stream>>>((float *)data, count, salt);
	CHECK(cudaGetLastError());
}

// Kernels that work on each element by itself.
#define EACH(name)                                               \
	__global__ void name(float *data, int count, int rounds) \
	{                                                        \
		for (int i = first(); i < count; i += stride())  \
			data[i] = settle(data[i], rounds);       \
	}

// Kernels that take in words of an input, which may be shorter than the data.
#define INTO(name)                                                                                 \
	__global__ void name(float *data, int count, const unsigned *input, int words, int rounds) \
	{                                                                                          \
		for (int i = first(); i < count; i += stride())                                    \
			data[i] = settle(0.5f * data[i] + 0.5f * fraction(input[i % words]),       \
					 rounds);                                                  \
	}

uint64_t mixed_in(uint64_t hash, const void *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3ULL;
	return hash;
}

void say(uint64_t number)
{
	printf("answer %016llx\n", (unsigned long long)number);
}

void say_hash(const void *data, size_t bytes)
{
	std::vector<char> host(bytes);

	CHECK(cudaMemcpy(host.data(), data, bytes, cudaMemcpyDeviceToHost));
	say(mixed_in(1, host.data(), bytes));
}

// What the host has before anything comes in.
void blank(char *bytes, size_t count)
{
	memset(bytes, 0, count);
	for (size_t i = 0; i < count; i += 64)
		bytes[i] = (char)(i >> 6);
}

// An ocean model solves for the pressure: it sweeps until the residual is small. Sweeps after that
// change nothing.
__global__ void relax(float *pressure, int count, unsigned *residuals, int sweep, float enough,
		      int rounds)
{
	__shared__ unsigned largest;

	if (sweep > 0 && __uint_as_float(residuals[sweep - 1]) < enough) {
		if (first() == 0)
			residuals[sweep] = residuals[sweep - 1];
		return;
	}
	if (threadIdx.x == 0)
		largest = 0;
	__syncthreads();
	unsigned mine = 0;
	for (int i = first(); i < count; i += stride()) {
		const float was = pressure[i];

		pressure[i] = 0.9997f * was + 1e-9f * settle(was, rounds);
		mine = max(mine, __float_as_uint(fabsf(pressure[i])));
	}
	mine = __reduce_max_sync(0xffffffffU, mine);
	if (threadIdx.x % 32 == 0)
		atomicMax(&largest, mine);
	__syncthreads();
	if (threadIdx.x == 0)
		atomicMax(&residuals[sweep], largest);
}

void ocean_pressure()
{
	constexpr int MOST = 20000;
	constexpr float ENOUGH = 0.015f;
	const int between = repaired ? 50 : 1;
	Stream stream;
	Device pressure(BYTES);
	Device residuals(MOST * sizeof(unsigned));
	Pinned seen(64);

	start(pressure, 11, stream);
	CHECK(cudaMemsetAsync(residuals, 0, MOST * sizeof(unsigned), stream));
	for (int sweep = 0; sweep < MOST; sweep++) {
		relax<<<BLOCKS, 256, 0, stream>>>((float *)(void *)pressure, COUNT,
						  (unsigned *)(void *)residuals, sweep, ENOUGH,
						  12 * FULL_US);
		CHECK(cudaGetLastError());
		if ((sweep + 1) % between != 0)
			continue;
		CHECK(cudaMemcpyAsync(seen, residuals.at((size_t)sweep * sizeof(unsigned)),
				      sizeof(unsigned), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		if (*(float *)(void *)seen < ENOUGH)
			break;
	}
	say_hash(pressure, BYTES);
}

// Two catalogues of stars are matched, one tile of the sky after another.
__global__ void bin_stars(const float *stars, unsigned *keys, unsigned *heads, int count,
			  int rounds)
{
	for (int i = first(); i < count; i += stride()) {
		keys[i] = __float_as_uint(settle(stars[i], rounds));
		heads[i] = scatter(keys[i]);
	}
}

__global__ void match_stars(float *stars, const unsigned *keys, const unsigned *heads,
			    unsigned *pairs, int count, int rounds)
{
	for (int i = first(); i < count; i += stride()) {
		pairs[i] = keys[i] ^ heads[i];
		stars[i] = settle(fraction(pairs[i]), rounds);
	}
}

struct Scratch {
	Device keys{32u << 20};
	Device heads{16u << 20};
	Device pairs{16u << 20};
};

void match_tile(Device &stars, Scratch &scratch, cudaStream_t stream)
{
	unsigned *keys = (unsigned *)(void *)scratch.keys;
	unsigned *heads = (unsigned *)(void *)scratch.heads;

	bin_stars<<<BLOCKS, 256, 0, stream>>>((float *)(void *)stars, keys, heads, COUNT,
					      200 * FULL_US);
	match_stars<<<BLOCKS, 256, 0, stream>>>((float *)(void *)stars, keys, heads,
						(unsigned *)(void *)scratch.pairs, COUNT,
						200 * FULL_US);
	CHECK(cudaGetLastError());
}

void star_catalogues()
{
	constexpr int TILES = 500;
	Stream stream;
	Device stars(BYTES);

	start(stars, 12, stream);
	if (repaired) {
		Scratch scratch;

		for (int tile = 0; tile < TILES; tile++)
			match_tile(stars, scratch, stream);
		CHECK(cudaStreamSynchronize(stream));
	} else {
		for (int tile = 0; tile < TILES; tile++) {
			Scratch scratch;

			match_tile(stars, scratch, stream);
		}
	}
	say_hash(stars, BYTES);
}

// Seismic shots come in one after another; two are on their way at any time.
INTO(migrate_shot)

void seismic_shots()
{
	constexpr size_t SHOT = 16u << 20;
	constexpr int SHOTS = 300;
	Stream streams[2];
	Event taken[2];
	std::vector<Device> images = several<Device>(2, BYTES);
	std::vector<Device> shots = several<Device>(2, SHOT);
	std::vector<Pinned> pinned;
	std::vector<std::vector<char>> plain;
	uint64_t hash = 1;

	if (repaired)
		pinned = several<Pinned>(2, SHOT);
	else
		plain.assign(2, std::vector<char>(SHOT));
	for (size_t slot = 0; slot < 2; slot++)
		blank(repaired ? pinned[slot].at(0) : plain[slot].data(), SHOT);
	for (int slot = 0; slot < 2; slot++)
		start(images[(size_t)slot], 13, streams[slot]);
	for (int shot = 0; shot < SHOTS; shot++) {
		const size_t slot = (size_t)shot % 2;
		char *traces = repaired ? pinned[slot].at(0) : plain[slot].data();

		if (shot >= 2)
			CHECK(cudaEventSynchronize(taken[slot]));
		// The recorder's hardware writes the rest.
		for (int trace = 0; trace < 64; trace++)
			((unsigned *)traces)[trace * 32] = scatter((unsigned)(shot * 64 + trace));
		CHECK(cudaMemcpyAsync(shots[slot], traces, SHOT, cudaMemcpyHostToDevice,
				      streams[slot]));
		CHECK(cudaEventRecord(taken[slot], streams[slot]));
		migrate_shot<<<BLOCKS, 256, 0, streams[slot]>>>(
			(float *)(void *)images[slot], COUNT, (unsigned *)(void *)shots[slot],
			(int)(SHOT / 4), 400 * FULL_US);
		CHECK(cudaGetLastError());
	}
	for (size_t slot = 0; slot < 2; slot++) {
		std::vector<char> seen(BYTES);

		CHECK(cudaStreamSynchronize(streams[slot]));
		CHECK(cudaMemcpy(seen.data(), images[slot], BYTES, cudaMemcpyDeviceToHost));
		hash = mixed_in(hash, seen.data(), BYTES);
	}
	say(hash);
}

// A network of power lines; each of its substations reports its loads for each step.
INTO(flow_step)

void substation_loads()
{
	constexpr int STEPS = 2000, STATIONS = 64, LOADS = 64, AHEAD = 16;
	constexpr size_t ROW = LOADS * sizeof(unsigned);
	Stream stream;
	Device flows(BYTES);
	Device loads(STATIONS * ROW);
	Pinned reports(AHEAD * STATIONS * ROW);

	start(flows, 14, stream);
	for (int step = 0; step < STEPS; step++) {
		const size_t place = (size_t)(step % AHEAD) * STATIONS * ROW;

		if (step % AHEAD == 0)
			CHECK(cudaStreamSynchronize(stream));
		for (size_t station = 0; station < STATIONS; station++) {
			unsigned *row = (unsigned *)reports.at(place + station * ROW);

			for (unsigned load = 0; load < LOADS; load++)
				row[load] = (unsigned)step * 77U + (unsigned)station * 4099U + load;
			if (!repaired)
				CHECK(cudaMemcpyAsync(loads.at(station * ROW), row, ROW,
						      cudaMemcpyHostToDevice, stream));
		}
		if (repaired)
			CHECK(cudaMemcpyAsync(loads, reports.at(place), STATIONS * ROW,
					      cudaMemcpyHostToDevice, stream));
		flow_step<<<BLOCKS, 256, 0, stream>>>((float *)(void *)flows, COUNT,
						      (unsigned *)(void *)loads, STATIONS * LOADS,
						      80 * FULL_US);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	say_hash(flows, BYTES);
}

// A tsunami warning: basins that are far from each other are computed ahead for some hours.
EACH(tide_step)

void tsunami_basins()
{
	constexpr int BASINS = 6, STEPS = 1200, CELLS = 12 * 256;
	Stream streams[BASINS];
	Device water(BASINS * CELLS * sizeof(float));

	start(water, 15, streams[0], BASINS * CELLS);
	CHECK(cudaStreamSynchronize(streams[0]));
	for (int step = 0; step < STEPS; step++)
		for (int basin = 0; basin < BASINS; basin++) {
			tide_step<<<CELLS / 256, 256, 0, streams[repaired ? basin : 0]>>>(
				(float *)(void *)water + basin * CELLS, CELLS, 70 * FEW_US);
			CHECK(cudaGetLastError());
		}
	for (auto &stream : streams)
		CHECK(cudaStreamSynchronize(stream));
	say_hash(water, BASINS * CELLS * sizeof(float));
}

// Pathologists send fields of stained cells; workers answer with a histogram of the stain.
__global__ void count_stain(const float *slide, unsigned *bins, int field, int rounds)
{
	const float stain =
		settle(0.5f * slide[first()] + 0.4f * fraction(scatter((unsigned)field)), rounds);

	atomicAdd(&bins[min(255, (int)((stain + 2) * 64))], 1U);
}

void stain_worker(int worker, uint64_t *hash)
{
	constexpr int FIELDS = 900, PIXELS = 30 * 256;
	cudaStream_t stream;
	Device slide(PIXELS * sizeof(float));
	Device bins(256 * sizeof(unsigned));
	Pinned reply(256 * sizeof(unsigned));

	CHECK(cudaStreamCreate(&stream));
	start(slide, 16 + (unsigned)worker, stream, PIXELS);
	for (int field = 0; field < FIELDS; field++) {
		if (repaired)
			CHECK(cudaMemsetAsync(bins, 0, 256 * sizeof(unsigned), stream));
		else
			CHECK(cudaMemset(bins, 0, 256 * sizeof(unsigned)));
		count_stain<<<PIXELS / 256, 256, 0, stream>>>(
			(float *)(void *)slide, (unsigned *)(void *)bins, field, 250 * FEW_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(reply, bins, 256 * sizeof(unsigned), cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaStreamSynchronize(stream));
		*hash = mixed_in(*hash, reply, 256 * sizeof(unsigned));
	}
	CHECK(cudaStreamDestroy(stream));
}

void stain_counts()
{
	uint64_t hashes[3] = {1, 1, 1};
	std::vector<std::thread> workers;

	for (int worker = 0; worker < 3; worker++)
		workers.emplace_back(stain_worker, worker, &hashes[worker]);
	for (auto &worker : workers)
		worker.join();
	say(mixed_in(1, hashes, sizeof(hashes)));
}

// The frames of a wide lens are made straight by a map of the lens, which is measured once.
__global__ void straighten(float *picture, int count, const unsigned *map, int map_words,
			   const unsigned *frame, int frame_words, int rounds)
{
	for (int i = first(); i < count; i += stride()) {
		const unsigned from = map[(i * 15) % map_words] % (unsigned)frame_words;

		picture[i] =
			settle(0.5f * picture[i] + 0.5f * fraction(scatter(frame[from])), rounds);
	}
}

void lens_frames()
{
	constexpr size_t MAP = 16u << 20, FRAME = 2u << 20;
	constexpr int FRAMES = 600;
	constexpr size_t AHEAD = 8;
	Stream stream;
	Device picture(BYTES), map(MAP), frame(FRAME);
	Pinned lens(MAP);
	std::vector<Pinned> frames = several<Pinned>((int)AHEAD, FRAME);

	start(picture, 17, stream);
	for (auto &one : frames)
		blank(one.at(0), FRAME);
	for (size_t word = 0; word < MAP / 4; word++)
		((unsigned *)(void *)lens)[word] = scatter((unsigned)word);
	if (repaired)
		CHECK(cudaMemcpyAsync(map, lens, MAP, cudaMemcpyHostToDevice, stream));
	for (int shown = 0; shown < FRAMES; shown++) {
		Pinned &next = frames[(size_t)shown % AHEAD];

		if ((size_t)shown % AHEAD == 0)
			CHECK(cudaStreamSynchronize(stream));
		next.change(shown);
		if (!repaired)
			CHECK(cudaMemcpyAsync(map, lens, MAP, cudaMemcpyHostToDevice, stream));
		CHECK(cudaMemcpyAsync(frame, next, FRAME, cudaMemcpyHostToDevice, stream));
		straighten<<<BLOCKS, 256, 0, stream>>>(
			(float *)(void *)picture, COUNT, (unsigned *)(void *)map, (int)(MAP / 4),
			(unsigned *)(void *)frame, (int)(FRAME / 4), 350 * FULL_US);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	say_hash(picture, BYTES);
}

// Parcels on a belt: the device finds the labels in a batch of pictures, the host reads them.
EACH(find_labels)

void parcel_labels()
{
	constexpr int BATCHES = 550;
	constexpr size_t FOUND = 64u << 10;
	Stream stream;
	Event ready[2];
	Device belt(BYTES);
	std::vector<Pinned> found = several<Pinned>(2, FOUND);
	uint64_t hash = 1;

	const auto look = [&](int batch) {
		find_labels<<<BLOCKS, 256, 0, stream>>>((float *)(void *)belt, COUNT,
							500 * FULL_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(found[(size_t)batch % 2], belt, FOUND, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaEventRecord(ready[batch % 2], stream));
	};
	const auto read = [&](int batch) {
		hash = mixed_in(hash, found[(size_t)batch % 2], 4096);
		host_busy(400);
	};

	start(belt, 18, stream);
	if (repaired)
		look(0);
	for (int batch = 0; batch < BATCHES; batch++) {
		if (!repaired)
			look(batch);
		else if (batch + 1 < BATCHES)
			look(batch + 1);
		CHECK(cudaEventSynchronize(ready[batch % 2]));
		read(batch);
	}
	say(hash);
}

// A flame: the cells are moved, then each species of the gas reacts in its own way.
EACH(transport)

__global__ void react(float *species, int cells, int rounds)
{
	float *mine = species + (int)blockIdx.y * cells;

	for (int i = first(); i < cells; i += stride())
		mine[i] = settle(mine[i], rounds);
}

void flame_species()
{
	constexpr int STEPS = 2500, SPECIES = 40, CELLS = 4 * 256;
	Stream stream;
	Device gas(BYTES);
	float *species = (float *)(void *)gas;

	start(gas, 19, stream);
	for (int step = 0; step < STEPS; step++) {
		transport<<<BLOCKS, 256, 0, stream>>>(species, COUNT, 40 * FULL_US);
		if (repaired)
			react<<<dim3(CELLS / 256, SPECIES), 256, 0, stream>>>(species, CELLS,
									      FEW_US);
		else
			for (int one = 0; one < SPECIES; one++)
				react<<<CELLS / 256, 256, 0, stream>>>(species + one * CELLS, CELLS,
								       FEW_US);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	say_hash(gas, BYTES);
}

// A car crash in explicit steps of several kernels.
EACH(strain)
EACH(stress)
EACH(contact)
EACH(accelerate)

void launched()
{
	CHECK(cudaGetLastError());
	if (!repaired)
		CHECK(cudaDeviceSynchronize());
}

void crash_steps()
{
	constexpr int STEPS = 5000;
	Stream stream;
	Device shell(BYTES);
	float *nodes = (float *)(void *)shell;

	start(shell, 20, stream);
	for (int step = 0; step < STEPS; step++) {
		strain<<<BLOCKS, 256, 0, stream>>>(nodes, COUNT, 10 * FULL_US);
		launched();
		stress<<<BLOCKS, 256, 0, stream>>>(nodes, COUNT, 14 * FULL_US);
		launched();
		contact<<<BLOCKS, 256, 0, stream>>>(nodes, COUNT, 12 * FULL_US);
		launched();
		accelerate<<<BLOCKS, 256, 0, stream>>>(nodes, COUNT, 8 * FULL_US);
		launched();
	}
	CHECK(cudaStreamSynchronize(stream));
	say_hash(shell, BYTES);
}

// A protein folds; the energy of each step is kept for the report at the end.
EACH(move_atoms)

__global__ void total_energy(const float *atoms, int count, unsigned long long *total, int rounds)
{
	__shared__ unsigned long long sum;
	unsigned long long mine = 0;

	if (threadIdx.x == 0)
		sum = 0;
	__syncthreads();
	for (int i = first(); i < count; i += stride()) {
		const float energy = settle(atoms[i], rounds);

		mine += (unsigned long long)(energy * energy * 65536);
	}
	atomicAdd(&sum, mine);
	__syncthreads();
	if (threadIdx.x == 0)
		atomicAdd(total, sum);
}

void fold_energy()
{
	constexpr int STEPS = 1600;
	const int blocks = repaired ? BLOCKS : 1, threads = repaired ? 256 : 1024;
	Stream stream;
	Device atoms(BYTES), energies(STEPS * sizeof(uint64_t));

	start(atoms, 21, stream);
	CHECK(cudaMemsetAsync(energies, 0, STEPS * sizeof(uint64_t), stream));
	for (int step = 0; step < STEPS; step++) {
		move_atoms<<<BLOCKS, 256, 0, stream>>>((float *)(void *)atoms, COUNT,
						       140 * FULL_US);
		total_energy<<<blocks, threads, 0, stream>>>(
			(float *)(void *)atoms, COUNT,
			(unsigned long long *)(void *)energies + step, 64);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	say_hash(energies, STEPS * sizeof(uint64_t));
}

// A radio telescope's recording is read from a disk, a block of spectra at a time.
INTO(dedisperse)

void read_spectra(Pinned &block, int number)
{
	host_sleep(300); // for the disk
	block.change(number);
}

void spectra_blocks()
{
	constexpr size_t BLOCK = 4u << 20;
	constexpr int NUMBER = 600;
	Stream stream;
	Device sky(BYTES), spectra(BLOCK);
	std::vector<Pinned> blocks = several<Pinned>(2, BLOCK);

	start(sky, 22, stream);
	for (auto &one : blocks)
		blank(one.at(0), BLOCK);
	if (repaired)
		read_spectra(blocks[0], 0);
	for (int number = 0; number < NUMBER; number++) {
		Pinned &block = blocks[(size_t)number % 2];

		if (!repaired)
			read_spectra(block, number);
		CHECK(cudaMemcpyAsync(spectra, block, BLOCK, cudaMemcpyHostToDevice, stream));
		dedisperse<<<BLOCKS, 256, 0, stream>>>((float *)(void *)sky, COUNT,
						       (unsigned *)(void *)spectra,
						       (int)(BLOCK / 4), 400 * FULL_US);
		CHECK(cudaGetLastError());
		if (repaired && number + 1 < NUMBER)
			read_spectra(blocks[(size_t)(number + 1) % 2], number + 1);
		CHECK(cudaStreamSynchronize(stream));
	}
	say_hash(sky, BYTES);
}

// Plankton drifts through the boxes of a sea, which are counted in each generation.
__global__ void drift(float *plankton, int count, unsigned *boxes, unsigned boxes_count, int rounds)
{
	for (int i = first(); i < count; i += stride()) {
		plankton[i] = settle(plankton[i], rounds);
		atomicAdd(&boxes[scatter(__float_as_uint(plankton[i])) % boxes_count], 1U);
	}
}

__global__ void census(unsigned *boxes, int count, unsigned long long *crowded)
{
	for (int i = first(); i < count; i += stride()) {
		if (boxes[i] > 3)
			atomicAdd(crowded, 1ULL);
		boxes[i] = 0;
	}
}

void plankton_census()
{
	constexpr int BOXES = 256 << 10, GENERATIONS = 500;
	constexpr size_t BOX_BYTES = BOXES * sizeof(unsigned);
	Stream stream;
	Device plankton(BYTES), crowded_there(sizeof(uint64_t));
	unsigned *boxes;
	uint64_t crowded = 0;

	if (repaired)
		CHECK(cudaMalloc((void **)&boxes, BOX_BYTES));
	else
		CHECK(cudaMallocManaged((void **)&boxes, BOX_BYTES));
	start(plankton, 23, stream);
	CHECK(cudaMemsetAsync(boxes, 0, BOX_BYTES, stream));
	CHECK(cudaMemsetAsync(crowded_there, 0, sizeof(uint64_t), stream));
	for (int generation = 0; generation < GENERATIONS; generation++) {
		drift<<<BLOCKS, 256, 0, stream>>>((float *)(void *)plankton, COUNT, boxes, BOXES,
						  300 * FULL_US);
		CHECK(cudaGetLastError());
		if (repaired) {
			census<<<BOXES / 256, 256, 0, stream>>>(
				boxes, BOXES, (unsigned long long *)(void *)crowded_there);
			CHECK(cudaGetLastError());
			continue;
		}
		CHECK(cudaStreamSynchronize(stream));
		for (int box = 0; box < BOXES; box++)
			crowded += boxes[box] > 3;
		memset(boxes, 0, BOX_BYTES);
	}
	CHECK(cudaStreamSynchronize(stream));
	if (repaired)
		CHECK(cudaMemcpy(&crowded, crowded_there, sizeof(crowded), cudaMemcpyDeviceToHost));
	CHECK(cudaFree(boxes));
	say(crowded);
}

// Waves of a violin's string: the kernels of a bow's stroke are a graph, made once.
EACH(bow_string)

void clean_bow_graph()
{
	constexpr int STROKES = 2000, PARTS = 12;
	Stream stream;
	Device wood(BYTES);
	cudaGraph_t graph;
	cudaGraphExec_t stroke;

	start(wood, 31, stream);
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	for (int part = 0; part < PARTS; part++) {
		bow_string<<<BLOCKS, 256, 0, stream>>>((float *)(void *)wood, COUNT, 20 * FULL_US);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&stroke, graph, 0));
	for (int number = 0; number < STROKES; number++)
		CHECK(cudaGraphLaunch(stroke, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(stroke));
	CHECK(cudaGraphDestroy(graph));
	say_hash(wood, BYTES);
}

// Pictures of a broadcast go through three lanes: in, encoded, out.
INTO(encode)

void clean_broadcast_lanes()
{
	constexpr size_t LANES = 3, PICTURE = 4u << 20, CODE = 512u << 10;
	constexpr int PICTURES = 1500;
	Stream streams[LANES];
	Event done[LANES];
	std::vector<Pinned> in = several<Pinned>(LANES, PICTURE);
	std::vector<Pinned> out = several<Pinned>(LANES, CODE);
	std::vector<Device> pictures = several<Device>(LANES, PICTURE);
	std::vector<Device> codes = several<Device>(LANES, BYTES);
	uint64_t hash = 1;

	for (size_t lane = 0; lane < LANES; lane++)
		start(codes[lane], 32, streams[lane]);
	for (auto &one : in)
		blank(one.at(0), PICTURE);
	for (int picture = 0; picture < PICTURES + (int)LANES; picture++) {
		const size_t lane = (size_t)picture % LANES;

		if (picture >= (int)LANES) {
			CHECK(cudaEventSynchronize(done[lane]));
			hash = mixed_in(hash, out[lane], 2048);
		}
		if (picture >= PICTURES)
			continue;
		in[lane].change(picture);
		CHECK(cudaMemcpyAsync(pictures[lane], in[lane], PICTURE, cudaMemcpyHostToDevice,
				      streams[lane]));
		encode<<<BLOCKS, 256, 0, streams[lane]>>>((float *)(void *)codes[lane], COUNT,
							  (unsigned *)(void *)pictures[lane],
							  (int)(PICTURE / 4), 300 * FULL_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(out[lane], codes[lane], CODE, cudaMemcpyDeviceToHost,
				      streams[lane]));
		CHECK(cudaEventRecord(done[lane], streams[lane]));
	}
	say(hash);
}

// Queries of a database take rows from the device's pool, which keeps what is given back.
__global__ void scan_rows(const float *rows, float *kept, int count, int rounds)
{
	for (int i = first(); i < count; i += stride())
		kept[i] = settle(rows[i], rounds);
}

__global__ void join_rows(float *rows, const float *kept, int count, int rounds)
{
	for (int i = first(); i < count; i += stride())
		rows[i] = settle(0.5f * rows[i] + 0.5f * kept[i], rounds);
}

void clean_row_pool()
{
	constexpr int QUERIES = 1500;
	Stream stream;
	Device rows(BYTES);
	cudaMemPool_t pool;
	uint64_t keep = UINT64_MAX;

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
	start(rows, 33, stream);
	for (int query = 0; query < QUERIES; query++) {
		float *kept;

		CHECK(cudaMallocAsync((void **)&kept, BYTES << (query % 3), stream));
		scan_rows<<<BLOCKS, 256, 0, stream>>>((float *)(void *)rows, kept, COUNT,
						      150 * FULL_US);
		join_rows<<<BLOCKS, 256, 0, stream>>>((float *)(void *)rows, kept, COUNT,
						      150 * FULL_US);
		CHECK(cudaGetLastError());
		CHECK(cudaFreeAsync(kept, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	say_hash(rows, BYTES);
}

// A translation desk: four workers answer requests, and sleep while the device has theirs.
EACH(translate)

void desk_worker(int worker, uint64_t *hash)
{
	constexpr int REQUESTS = 600;
	constexpr size_t REPLY = 4096;
	Stream stream;
	Device text(BYTES);
	Pinned reply(REPLY);
	cudaEvent_t done;

	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming | cudaEventBlockingSync));
	start(text, 34 + (unsigned)worker, stream);
	for (int request = 0; request < REQUESTS; request++) {
		translate<<<BLOCKS, 256, 0, stream>>>((float *)(void *)text, COUNT, 200 * FULL_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(reply, text, REPLY, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaEventRecord(done, stream));
		CHECK(cudaEventSynchronize(done));
		*hash = mixed_in(*hash, reply, REPLY);
	}
	CHECK(cudaEventDestroy(done));
}

void clean_translation_desk()
{
	uint64_t hashes[4] = {1, 1, 1, 1};
	std::vector<std::thread> workers;

	for (int worker = 0; worker < 4; worker++)
		workers.emplace_back(desk_worker, worker, &hashes[worker]);
	for (auto &worker : workers)
		worker.join();
	say(mixed_in(1, hashes, sizeof(hashes)));
}

// A fit of a crystal's lattice looks after each 40 steps how good it has become.
EACH(fit_lattice)

void clean_lattice_fit()
{
	constexpr int ROUNDS = 120, STEPS = 40;
	Stream stream;
	Device lattice(BYTES);
	Pinned misfit(64);
	uint64_t hash = 1;

	start(lattice, 38, stream);
	for (int round = 0; round < ROUNDS; round++) {
		for (int step = 0; step < STEPS; step++) {
			fit_lattice<<<BLOCKS, 256, 0, stream>>>((float *)(void *)lattice, COUNT,
								100 * FULL_US);
			CHECK(cudaGetLastError());
		}
		CHECK(cudaMemcpyAsync(misfit, lattice, 64, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		hash = mixed_in(hash, misfit, 64);
		if (*(float *)(void *)misfit > 3)
			break;
	}
	say(hash);
}

// A reef grows in managed memory, at which the host looks when all is done.
EACH(grow_reef)

void clean_reef_growth()
{
	constexpr int SEASONS = 1000;
	Stream stream;
	float *reef;

	CHECK(cudaMallocManaged((void **)&reef, BYTES));
	start(reef, 39, stream);
	for (int season = 0; season < SEASONS; season++) {
		grow_reef<<<BLOCKS, 256, 0, stream>>>(reef, COUNT, 500 * FULL_US);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	say(mixed_in(1, reef, BYTES));
	CHECK(cudaFree(reef));
}

// The mass of a glacier in two stages, of which the second is one small block.
EACH(creep)

__global__ void mass_of_parts(const float *ice, unsigned long long *parts)
{
	__shared__ unsigned long long sum;

	if (threadIdx.x == 0)
		sum = 0;
	__syncthreads();
	atomicAdd(&sum, (unsigned long long)((ice[first()] + 2) * 4096));
	__syncthreads();
	if (threadIdx.x == 0)
		parts[blockIdx.x] = sum;
}

__global__ void mass_of_all(const unsigned long long *parts, int count, unsigned long long *mass)
{
	unsigned long long mine = 0;

	for (int part = (int)threadIdx.x; part < count; part += (int)blockDim.x)
		mine += parts[part];
	atomicAdd(mass, mine);
}

void clean_glacier_mass()
{
	constexpr int YEARS = 1500;
	Stream stream;
	Device ice(BYTES), parts(BLOCKS * sizeof(uint64_t)), masses(YEARS * sizeof(uint64_t));
	unsigned long long *part = (unsigned long long *)(void *)parts;
	unsigned long long *mass = (unsigned long long *)(void *)masses;

	start(ice, 40, stream);
	CHECK(cudaMemsetAsync(masses, 0, YEARS * sizeof(uint64_t), stream));
	for (int year = 0; year < YEARS; year++) {
		creep<<<BLOCKS, 256, 0, stream>>>((float *)(void *)ice, COUNT, 300 * FULL_US);
		mass_of_parts<<<BLOCKS, 256, 0, stream>>>((float *)(void *)ice, part);
		mass_of_all<<<1, 256, 0, stream>>>(part, BLOCKS, mass + year);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	say_hash(masses, YEARS * sizeof(uint64_t));
}

const Case cases[] = {
	CASE(ocean_pressure),
	CASE(star_catalogues),
	CASE(seismic_shots),
	CASE(substation_loads),
	CASE(tsunami_basins),
	CASE(stain_counts),
	CASE(lens_frames),
	CASE(parcel_labels),
	CASE(flame_species),
	CASE(crash_steps),
	CASE(fold_energy),
	CASE(spectra_blocks),
	CASE(plankton_census),
	CASE(clean_bow_graph),
	CASE(clean_broadcast_lanes),
	CASE(clean_row_pool),
	CASE(clean_translation_desk),
	CASE(clean_lattice_fit),
	CASE(clean_reef_growth),
	CASE(clean_glacier_mass),
};
} // namespace

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
