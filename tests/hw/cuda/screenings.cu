// SPDX-License-Identifier: MIT
// screenings CASE [repaired]: programs of many fields with one fault each; those named clean_* have
// none. Each prints an answer that is the same with and without the fault.
#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "cases.h"
#include "faults.h"

namespace
{
// What a kernel of wide() blocks works on: about one element for each thread of the device.
constexpr int COUNT = 1056 * 256;
constexpr size_t BYTES = COUNT * sizeof(float);
// Rounds of churn() that take 1 us with all threads of the device, with a block of 1024 on each
// multiprocessor, and with at most 512 threads on each.
constexpr int WIDE_US = 110;
constexpr int DENSE_US = 220;
constexpr int LONE_US = 440;

void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s failed\n", what);
	exit(1);
}

int attribute(cudaDeviceAttr which)
{
	int value;

	CHECK(cudaDeviceGetAttribute(&value, which, 0));
	return value;
}

// Blocks of 256 that fill the device once.
int wide()
{
	static const int blocks = attribute(cudaDevAttrMultiProcessorCount) * 8;
	return blocks;
}

// Rounds for each of `count` elements that take wide() blocks so long.
int rounds_for(int us, int count)
{
	return (int)((double)us * WIDE_US * COUNT / count);
}

// Stays within [-1.9, 1.9] and depends on each bit of the input.
__device__ float churn(float x, int rounds)
{
#pragma unroll 16
	for (int round = 0; round < rounds; round++)
		x = fmaf(-x, x, 1.7f);
	return x;
}

__host__ __device__ unsigned mixed(unsigned value)
{
	value = (value ^ (value >> 16)) * 0x7feb352dU;
	value = (value ^ (value >> 15)) * 0x846ca68bU;
	return value ^ (value >> 16);
}

__host__ __device__ float unit(unsigned value)
{
	return (float)(int)value * 4.65661287e-10f;
}

// Sums of these do not depend on the order.
__host__ __device__ unsigned long long fixed_point(float x)
{
	return (unsigned long long)(long long)((x + 2) * 65536);
}

__device__ int first_index()
{
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

__device__ int index_step()
{
	return (int)(gridDim.x * blockDim.x);
}

__global__ void seed(float *data, int count, unsigned salt)
{
	for (int i = first_index(); i < count; i += index_step())
		data[i] = unit(mixed((unsigned)i ^ salt * 0x9e3779b9U));
}

__global__ void total_of(const float *data, int count, unsigned long long *total)
{
	unsigned long long sum = 0;

	for (int i = first_index(); i < count; i += index_step())
		sum += fixed_point(data[i]);
	for (int lane = 16; lane; lane /= 2)
		sum += __shfl_xor_sync(0xffffffff, sum, lane);
	if (threadIdx.x % 32 == 0)
		atomicAdd(total, sum);
}

// Kernels that change each element by itself.
#define ELEMENTWISE(name)                                                 \
	__global__ void name(float *data, int count, int rounds)          \
	{                                                                 \
		for (int i = first_index(); i < count; i += index_step()) \
			data[i] = churn(data[i], rounds);                 \
	}
// Kernels that change each element by one of another array.
#define BY_OTHERS(name)                                                               \
	__global__ void name(float *data, const float *others, int count, int rounds) \
	{                                                                             \
		for (int i = first_index(); i < count; i += index_step())             \
			data[i] = churn(0.5f * data[i] + 0.5f * others[i], rounds);   \
	}
// Kernels that make floats of words.
#define OF_WORDS(name)                                                                          \
	__global__ void name(const unsigned *words, float *data, int count, int rounds)         \
	{                                                                                       \
		for (int i = first_index(); i < count; i += index_step())                       \
			data[i] = churn(0.5f * data[i] + 0.5f * unit(mixed(words[i])), rounds); \
	}

uint64_t hash_of(const void *bytes, size_t count, uint64_t hash = 0xcbf29ce484222325ULL)
{
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3ULL;
	return hash;
}

void say(uint64_t hash)
{
	printf("answer %016llx\n", (unsigned long long)hash);
}

// The hash of what is on the device when all is done.
void answer(const void *data, size_t bytes, uint64_t hash = 0xcbf29ce484222325ULL)
{
	std::vector<char> seen(bytes);

	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(seen.data(), data, bytes, cudaMemcpyDeviceToHost));
	say(hash_of(seen.data(), bytes, hash));
}

float *floats(void *at)
{
	return (float *)at;
}

unsigned *words_of(void *at)
{
	return (unsigned *)at;
}

unsigned long long *sums(void *at)
{
	return (unsigned long long *)at;
}

// Words of new data, one in each 64 KiB.
void new_words(void *buffer, size_t bytes, unsigned round)
{
	for (size_t at = 0; at < bytes; at += 65536)
		*(unsigned *)((char *)buffer + at) = mixed(round * 2654435761U + (unsigned)at);
}

// A flood over a city: slopes, flows, depths and friction of each time step.
BY_OTHERS(flood_slopes)
BY_OTHERS(flood_flows)
BY_OTHERS(flood_depths)
ELEMENTWISE(flood_friction)

void flood_cells()
{
	constexpr int ROUNDS = 10 * WIDE_US;
	Stream stream;
	Device depths(BYTES), slopes(BYTES), flows(BYTES);
	const auto launched = [&stream] {
		CHECK(cudaGetLastError());
		if (!repaired)
			CHECK(cudaStreamSynchronize(stream));
	};

	seed<<<wide(), 256, 0, stream>>>(floats(depths), COUNT, 1);
	seed<<<wide(), 256, 0, stream>>>(floats(slopes), COUNT, 2);
	seed<<<wide(), 256, 0, stream>>>(floats(flows), COUNT, 3);
	launched();
	for (int step = 0; step < 5000; step++) {
		flood_slopes<<<wide(), 256, 0, stream>>>(floats(slopes), floats(depths), COUNT,
							 ROUNDS);
		launched();
		flood_flows<<<wide(), 256, 0, stream>>>(floats(flows), floats(slopes), COUNT,
							ROUNDS);
		launched();
		flood_depths<<<wide(), 256, 0, stream>>>(floats(depths), floats(flows), COUNT,
							 ROUNDS);
		launched();
		flood_friction<<<wide(), 256, 0, stream>>>(floats(flows), COUNT, ROUNDS);
		launched();
	}
	answer(depths, BYTES);
}

// A hash join of two tables of a database, partition by partition.
__global__ void join_build(unsigned *keys, unsigned *rows, unsigned slots, unsigned partition,
			   int count)
{
	for (int row = first_index(); row < count; row += index_step()) {
		const unsigned key = mixed((unsigned)row * 7 + partition * 0x9e3779b9U);

		atomicMax(&keys[key % slots], key);
		atomicMax(&rows[key % slots], (unsigned)row + 1);
	}
}

__global__ void join_probe(const unsigned *keys, const unsigned *rows, unsigned slots,
			   unsigned partition, float *matches, int count, int rounds)
{
	for (int row = first_index(); row < count; row += index_step()) {
		const unsigned key = mixed((unsigned)row * 14 + partition * 0x9e3779b9U);
		const unsigned slot = key % slots;

		matches[row] =
			churn(keys[slot] == key ? unit(mixed(rows[slot])) : unit(key), rounds);
	}
}

struct JoinTables {
	Device keys, rows, matches;
	JoinTables(size_t slots) : keys(slots * 4), rows(slots * 4), matches(slots * 4)
	{
	}
};

void join_partitions()
{
	constexpr int PARTITIONS = 300;
	const auto slots_of = [](int partition) { return (size_t)(3 + partition % 4) << 20; };
	Stream stream;
	Device joined(sizeof(unsigned long long));
	std::unique_ptr<JoinTables> largest;

	if (repaired)
		largest.reset(new JoinTables(slots_of(3)));
	CHECK(cudaMemsetAsync(joined, 0, sizeof(unsigned long long), stream));
	for (int partition = 0; partition < PARTITIONS; partition++) {
		const size_t slots = slots_of(partition);
		std::unique_ptr<JoinTables> own(repaired ? nullptr : new JoinTables(slots));
		JoinTables &tables = repaired ? *largest : *own;

		CHECK(cudaMemsetAsync(tables.keys, 0, slots * 4, stream));
		CHECK(cudaMemsetAsync(tables.rows, 0, slots * 4, stream));
		join_build<<<wide(), 256, 0, stream>>>(words_of(tables.keys), words_of(tables.rows),
						       (unsigned)slots, (unsigned)partition, COUNT);
		join_probe<<<wide(), 256, 0, stream>>>(
			words_of(tables.keys), words_of(tables.rows), (unsigned)slots,
			(unsigned)partition, floats(tables.matches), COUNT, 900 * WIDE_US);
		total_of<<<wide(), 256, 0, stream>>>(floats(tables.matches), COUNT, sums(joined));
		CHECK(cudaGetLastError());
	}
	answer(joined, sizeof(unsigned long long));
}

// Gathers of a seismic survey, read into two buffers in turn and migrated into an image for each.
OF_WORDS(migrate_gather)
BY_OTHERS(stack_images)

void seismic_gathers()
{
	constexpr size_t GATHER = 8 << 20;
	constexpr int TRACES = (int)(GATHER / 4);
	std::vector<std::vector<char>> gathers(2, std::vector<char>(GATHER));
	std::vector<Device> sent = several<Device>(2, GATHER);
	std::vector<Device> images = several<Device>(2, GATHER);
	Stream streams[2];
	Event uploaded[2];

	if (repaired)
		for (auto &gather : gathers)
			CHECK(cudaHostRegister(gather.data(), GATHER, cudaHostRegisterDefault));
	for (int i = 0; i < 2; i++) {
		seed<<<wide(), 256, 0, streams[i]>>>(floats(images[i]), TRACES, 4 + (unsigned)i);
		CHECK(cudaGetLastError());
	}
	for (int shot = 0; shot < 450; shot++) {
		const int at = shot % 2;

		CHECK(cudaEventSynchronize(uploaded[at]));
		new_words(gathers[at].data(), GATHER, (unsigned)shot);
		CHECK(cudaMemcpyAsync(sent[at], gathers[at].data(), GATHER, cudaMemcpyHostToDevice,
				      streams[at]));
		CHECK(cudaEventRecord(uploaded[at], streams[at]));
		migrate_gather<<<wide(), 256, 0, streams[at]>>>(
			words_of(sent[at]), floats(images[at]), TRACES, rounds_for(350, TRACES));
		CHECK(cudaGetLastError());
	}
	CHECK(cudaDeviceSynchronize());
	stack_images<<<wide(), 256, 0, streams[0]>>>(floats(images[0]), floats(images[1]), TRACES,
						     10);
	CHECK(cudaGetLastError());
	if (repaired)
		for (auto &gather : gathers)
			CHECK(cudaHostUnregister(gather.data()));
	answer(images[0], BYTES);
}

// Crowds in a game find their ways over a map of costs; now and then a door opens or closes.
OF_WORDS(crowd_flow)

void crowd_ways()
{
	constexpr size_t MAP = 16 << 20, DIRECTIONS = 16384;
	constexpr int CELLS = (int)(MAP / 4);
	Stream stream;
	Pinned map(MAP), directions(DIRECTIONS);
	Device costs(MAP), ways(MAP);
	uint64_t moves = 1;

	seed<<<wide(), 256, 0, stream>>>(floats(ways), CELLS, 6);
	CHECK(cudaGetLastError());
	for (int tick = 0; tick < 900; tick++) {
		const bool doors = tick % 45 == 0;

		if (doors)
			new_words(map, MAP, (unsigned)tick);
		if (doors || !repaired)
			CHECK(cudaMemcpyAsync(costs, map, MAP, cudaMemcpyHostToDevice, stream));
		crowd_flow<<<wide(), 256, 0, stream>>>(words_of(costs), floats(ways), CELLS,
						       rounds_for(270, CELLS));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(directions, ways, DIRECTIONS, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaStreamSynchronize(stream));
		moves = hash_of(directions.at(0), 256, moves);
	}
	say(moves);
}

// Old films are restored: frames go to the device and come back, three of them under way.
OF_WORDS(restore_frame)

void film_reels()
{
	constexpr size_t FRAME = 12 << 20;
	constexpr int PIXELS = (int)(FRAME / 4), SLOTS = 3, FRAMES = 500;
	std::vector<Pinned> scanned = several<Pinned>(SLOTS, FRAME);
	std::vector<Pinned> shown = several<Pinned>(SLOTS, FRAME);
	std::vector<Device> raw = several<Device>(SLOTS, FRAME);
	std::vector<Device> clear = several<Device>(SLOTS, FRAME);
	Stream streams[SLOTS];
	Event done[SLOTS];
	uint64_t reel = 1;

	for (int i = 0; i < SLOTS; i++) {
		seed<<<wide(), 256, 0, streams[i]>>>(floats(clear[i]), PIXELS, 7 + (unsigned)i);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaDeviceSynchronize());
	for (int frame = 0; frame < FRAMES + SLOTS; frame++) {
		const int at = frame % SLOTS;
		cudaStream_t stream = streams[repaired ? at : 0];

		if (frame >= SLOTS) {
			CHECK(cudaEventSynchronize(done[at]));
			reel = hash_of(shown[at].at(FRAME / 2), 256, reel);
		}
		if (frame >= FRAMES)
			continue;
		new_words(scanned[at], FRAME, (unsigned)frame);
		CHECK(cudaMemcpyAsync(raw[at], scanned[at], FRAME, cudaMemcpyHostToDevice, stream));
		restore_frame<<<wide(), 256, 0, stream>>>(words_of(raw[at]), floats(clear[at]),
							  PIXELS, rounds_for(280, PIXELS));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(shown[at], clear[at], FRAME, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaEventRecord(done[at], stream));
	}
	say(reel);
}

// Four beams of a radio telescope, each searched for pulses by a thread with its stream.
constexpr int PULSE_BINS = 64;

__global__ void find_pulses(unsigned *bins, unsigned block, int rounds)
{
	const float power = churn(unit(mixed((unsigned)first_index() ^ block)), rounds);

	if (power > 1)
		atomicAdd(&bins[threadIdx.x % PULSE_BINS], 1U);
}

__global__ void keep_pulses(const unsigned *bins, unsigned *kept)
{
	kept[threadIdx.x] = mixed(kept[threadIdx.x] ^ bins[threadIdx.x]);
}

void search_beam(unsigned beam, Device &bins, Device &kept)
{
	constexpr size_t SIZE = PULSE_BINS * sizeof(unsigned);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemsetAsync(kept, 0, SIZE, stream));
	for (unsigned block = 0; block < 600; block++) {
		CHECK(cudaMemsetAsync(bins, 0, SIZE, repaired ? stream : nullptr));
		find_pulses<<<33, 1024, 0, stream>>>(words_of(bins), (block * 4 + beam) << 16,
						     150 * DENSE_US);
		keep_pulses<<<1, PULSE_BINS, 0, stream>>>(words_of(bins), words_of(kept));
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
}

void radio_beams()
{
	constexpr int BEAMS = 4;
	std::vector<Device> bins = several<Device>(BEAMS, PULSE_BINS * sizeof(unsigned));
	std::vector<Device> kept = several<Device>(BEAMS, PULSE_BINS * sizeof(unsigned));
	std::vector<std::thread> searches;
	uint64_t pulses = 1;

	for (int beam = 0; beam < BEAMS; beam++)
		searches.emplace_back([&, beam] { search_beam(beam, bins[beam], kept[beam]); });
	for (auto &search : searches)
		search.join();
	for (auto &one : kept) {
		unsigned seen[PULSE_BINS];

		CHECK(cudaMemcpy(seen, one, sizeof(seen), cudaMemcpyDeviceToHost));
		pulses = hash_of(seen, sizeof(seen), pulses);
	}
	say(pulses);
}

// Prices of options, each from many paths that their prices may take.
__global__ void price_paths(unsigned long long *price, int paths, unsigned option, int steps)
{
	unsigned long long sum = 0;

	for (int path = first_index(); path < paths; path += index_step()) {
		const float end = churn(unit(mixed((unsigned)path ^ option << 20)), steps);

		if (end > 0.25f)
			sum += fixed_point(end - 0.25f);
	}
	atomicAdd(price, sum);
}

void option_book()
{
	constexpr int OPTIONS = 24;
	// as many as the multiprocessors of the desk's cards
	const int blocks = repaired ? wide() : 20;
	Stream stream;
	Device prices(OPTIONS * sizeof(unsigned long long));

	CHECK(cudaMemsetAsync(prices, 0, OPTIONS * sizeof(unsigned long long), stream));
	for (int option = 0; option < OPTIONS; option++) {
		price_paths<<<blocks, 256, 0, stream>>>(sums(prices) + option, COUNT,
							(unsigned)option, 1200 * WIDE_US);
		CHECK(cudaGetLastError());
	}
	answer(prices, OPTIONS * sizeof(unsigned long long));
}

// Poses of a drug in a protein's pocket, 16 atoms each: batches are scored, and the best are kept.
__global__ void score_poses(float *scores, unsigned batch, int rounds)
{
	const int atom = first_index();
	float energy = churn(unit(mixed((unsigned)atom ^ batch * 0x9e3779b9U)), rounds);

	for (int lane = 8; lane; lane /= 2)
		energy += __shfl_xor_sync(0xffffffff, energy, lane);
	if (atom % 16 == 0)
		scores[atom / 16] = energy;
}

uint64_t rank_poses(const float *scores, int count, uint64_t best)
{
	std::vector<std::pair<float, int>> ranks;

	for (int pose = 0; pose < count; pose++)
		ranks.emplace_back(scores[pose], pose);
	std::sort(ranks.begin(), ranks.end());
	for (int i = 0; i < 20; i++)
		best = hash_of(&ranks[i].second, sizeof(int), best);
	return best;
}

void pocket_poses()
{
	constexpr int POSES = COUNT / 16, BATCHES = 240;
	constexpr size_t SIZE = POSES * sizeof(float);
	Stream stream;
	std::vector<Device> scores = several<Device>(2, SIZE);
	std::vector<Pinned> seen = several<Pinned>(2, SIZE);
	Event ready[2];
	uint64_t best = 1;
	const auto start = [&](int batch) {
		const int at = batch % 2;

		score_poses<<<COUNT / 256, 256, 0, stream>>>(floats(scores[at]), (unsigned)batch,
							     1400 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(seen[at], scores[at], SIZE, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaEventRecord(ready[at], stream));
	};

	if (repaired)
		start(0);
	for (int batch = 0; batch < BATCHES; batch++) {
		if (!repaired)
			start(batch);
		else if (batch + 1 < BATCHES)
			start(batch + 1);
		CHECK(cudaEventSynchronize(ready[batch % 2]));
		best = rank_poses(floats(seen[batch % 2]), POSES, best);
	}
	say(best);
}

// A coral reef grows; how much light a polyp gets depends on how much there is of all.
__global__ void grow_polyps(float *polyps, int count, float shade, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		polyps[i] = churn(0.9f * polyps[i] + 0.1f * shade, rounds);
}

void coral_reef()
{
	constexpr int POLYPS = 1 << 20;
	constexpr size_t REEF = POLYPS * sizeof(float);
	Stream stream;
	Device mass(sizeof(unsigned long long));
	Pinned mass_seen(sizeof(unsigned long long));
	float *polyps, shade = 0;

	CHECK(cudaMallocManaged((void **)&polyps, REEF));
	seed<<<wide(), 256, 0, stream>>>(polyps, POLYPS, 11);
	CHECK(cudaGetLastError());
	for (int month = 0; month < 130; month++) {
		unsigned long long total = 0;

		grow_polyps<<<wide(), 256, 0, stream>>>(polyps, POLYPS, shade,
							rounds_for(700, POLYPS));
		CHECK(cudaGetLastError());
		if (repaired) {
			CHECK(cudaMemsetAsync(mass, 0, sizeof(total), stream));
			total_of<<<wide(), 256, 0, stream>>>(polyps, POLYPS, sums(mass));
			CHECK(cudaGetLastError());
			CHECK(cudaMemcpyAsync(mass_seen, mass, sizeof(total),
					      cudaMemcpyDeviceToHost, stream));
			CHECK(cudaStreamSynchronize(stream));
			total = *sums(mass_seen);
		} else {
			CHECK(cudaStreamSynchronize(stream));
			for (int i = 0; i < POLYPS; i++)
				total += fixed_point(polyps[i]);
		}
		shade = (float)((double)total / POLYPS / 65536 - 2);
	}
	answer(polyps, BYTES);
	CHECK(cudaFree(polyps));
}

// Weather stations report to a model, and each of its steps takes in what they said last.
struct Station {
	std::array<float, 16> latest;
	void report(unsigned hour, unsigned number)
	{
		for (unsigned i = 0; i < latest.size(); i++)
			latest[i] = unit(mixed(hour * 4096 + number * 16 + i));
	}
};

__global__ void assimilate(float *air, const float *reports, int reported, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		air[i] = churn(0.8f * air[i] + 0.2f * reports[i % reported], rounds);
}

void station_reports()
{
	constexpr size_t STATIONS = 256, REPORT = sizeof(Station::latest);
	std::deque<Station> stations(STATIONS);
	Stream stream;
	Device reports(STATIONS * REPORT), air(BYTES);
	std::vector<Pinned> packed = several<Pinned>(2, STATIONS * REPORT);
	Event sent[2];

	seed<<<wide(), 256, 0, stream>>>(floats(air), COUNT, 12);
	CHECK(cudaGetLastError());
	for (unsigned hour = 0; hour < 600; hour++) {
		const unsigned at = hour % 2;

		if (repaired)
			CHECK(cudaEventSynchronize(sent[at]));
		for (unsigned i = 0; i < STATIONS; i++) {
			stations[i].report(hour, i);
			if (repaired)
				memcpy(packed[at].at(i * REPORT), stations[i].latest.data(),
				       REPORT);
			else
				CHECK(cudaMemcpyAsync(reports.at(i * REPORT),
						      stations[i].latest.data(), REPORT,
						      cudaMemcpyHostToDevice, stream));
		}
		if (repaired) {
			CHECK(cudaMemcpyAsync(reports, packed[at], STATIONS * REPORT,
					      cudaMemcpyHostToDevice, stream));
			CHECK(cudaEventRecord(sent[at], stream));
		}
		assimilate<<<wide(), 256, 0, stream>>>(floats(air), floats(reports),
						       (int)(STATIONS * REPORT / 4), COUNT,
						       280 * WIDE_US);
		CHECK(cudaGetLastError());
	}
	answer(air, BYTES);
}

// A chip before it is made: gates of 64 levels settle in each cycle of its clock, 1024 in a level
// and for 32 patterns of inputs at once.
constexpr int GATES = 1024, LEVELS = 64;

__global__ void settle_gates(unsigned *signals, int begin, int end)
{
	for (int level = begin; level < end; level++) {
		const unsigned *in = signals + level % 2 * GATES;
		unsigned *out = signals + (level + 1) % 2 * GATES;
		const unsigned wires = mixed((unsigned)(level % LEVELS) * GATES + threadIdx.x);
		const unsigned a = in[wires % GATES], b = in[wires / GATES % GATES];

		out[threadIdx.x] = wires >> 31 ? ~(a & b) : a ^ (b >> 1 | b << 31);
		__syncthreads();
	}
}

void chip_cycles()
{
	constexpr int CYCLES = 1500, TOGETHER = 50;
	Stream stream;
	Device signals(2 * GATES * sizeof(unsigned));

	seed<<<8, 256, 0, stream>>>(floats(signals), 2 * GATES, 13);
	for (int cycle = 0; cycle < CYCLES; cycle += TOGETHER) {
		const int begin = cycle * LEVELS, end = begin + TOGETHER * LEVELS;

		if (repaired)
			settle_gates<<<1, GATES, 0, stream>>>(words_of(signals), begin, end);
		else
			for (int level = begin; level < end; level++)
				settle_gates<<<1, GATES, 0, stream>>>(words_of(signals), level,
								      level + 1);
		CHECK(cudaGetLastError());
	}
	answer(signals, 2 * GATES * sizeof(unsigned));
}

// Pulse waves in 64 arteries, whose points are interleaved. A block keeps a part of them in shared
// memory for a number of time steps, and needs from each artery as many points beyond it.
constexpr int ARTERIES = 64, PULSE_STEPS = 160;

__global__ void pulse_steps(const float *before, float *after, int count, int part, int rounds)
{
	extern __shared__ float points[];
	const int kept = part - ARTERIES * PULSE_STEPS;
	const int begin = (int)blockIdx.x * kept;

	for (int i = (int)threadIdx.x; i < part; i += (int)blockDim.x)
		points[i] = before[(begin + i) % count];
	__syncthreads();
	for (int step = 1; step <= PULSE_STEPS; step++) {
		const int still = part - ARTERIES * step;

		for (int at = 0; at < still; at += (int)blockDim.x) {
			const int i = at + (int)threadIdx.x;
			float next = 0;

			if (i < still)
				next = churn(0.5f * (points[i] + points[i + ARTERIES]), rounds);
			__syncthreads();
			if (i < still)
				points[i] = next;
		}
		__syncthreads();
	}
	for (int i = (int)threadIdx.x; i < kept && begin + i < count; i += (int)blockDim.x)
		after[begin + i] = points[i];
}

void artery_pulses()
{
	constexpr int POINTS = 132 * 47872;
	Stream stream;
	std::vector<Device> states = several<Device>(2, POINTS * sizeof(float));
	// as much as there is; of older cards, what any kernel may have
	int bytes = attribute(repaired ? cudaDevAttrMaxSharedMemoryPerBlockOptin
				       : cudaDevAttrMaxSharedMemoryPerMultiprocessor);

	if (cudaFuncSetAttribute(pulse_steps, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) !=
	    cudaSuccess) {
		(void)cudaGetLastError();
		bytes = 48 << 10;
	}
	seed<<<wide(), 256, 0, stream>>>(floats(states[0]), POINTS, 14);
	CHECK(cudaGetLastError());
	for (int beat = 0; beat < 100; beat++) {
		const int part = bytes / 4, kept = part - ARTERIES * PULSE_STEPS;

		pulse_steps<<<(POINTS + kept - 1) / kept, 1024, (size_t)bytes, stream>>>(
			floats(states[beat % 2]), floats(states[1 - beat % 2]), POINTS, part, 32);
		CHECK(cudaGetLastError());
	}
	answer(states[0], BYTES);
}

// A server of maps: four workers take requests, draw a tile, and encode it for the reply.
constexpr int TILE = 40 * 512;

__global__ void draw_tile(float *tile, unsigned request, int rounds)
{
	tile[first_index()] = churn(unit(mixed((unsigned)first_index() ^ request << 16)), rounds);
}

struct MapRequests {
	std::mutex mutex;
	int next = 0;
	std::vector<uint64_t> replies = std::vector<uint64_t>(1000);
};

void map_worker(MapRequests &requests)
{
	Stream stream;
	Device tile(TILE * sizeof(float));
	Pinned drawn(TILE * sizeof(float));

	while (true) {
		std::unique_lock<std::mutex> hold(requests.mutex);
		const int request = requests.next++;

		if (request >= (int)requests.replies.size())
			return;
		if (repaired)
			hold.unlock();
		draw_tile<<<40, 512, 0, stream>>>(floats(tile), (unsigned)request, 270 * LONE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(drawn, tile, TILE * sizeof(float), cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaStreamSynchronize(stream));
		requests.replies[request] = hash_of(drawn, TILE * sizeof(float));
	}
}

void map_replies()
{
	MapRequests requests;
	std::vector<std::thread> workers;

	CHECK(cudaFree(nullptr));
	for (int i = 0; i < 4; i++)
		workers.emplace_back(map_worker, std::ref(requests));
	for (auto &worker : workers)
		worker.join();
	say(hash_of(requests.replies.data(), requests.replies.size() * sizeof(uint64_t)));
}

// How a plate bends: relaxed until it no longer moves, which is looked at now and then.
BY_OTHERS(relax_plate)

__global__ void plate_moves(const float *now, const float *before, int count, int *most)
{
	int moved = 0;

	for (int i = first_index(); i < count; i += index_step())
		moved = max(moved, (int)(fabsf(now[i] - before[i]) * 1000));
	moved = __reduce_max_sync(0xffffffff, moved);
	if (threadIdx.x % 32 == 0)
		atomicMax(most, moved);
}

void clean_plate_bending()
{
	Stream stream;
	std::vector<Device> plates = several<Device>(2, BYTES);
	Device most(sizeof(int));
	Pinned seen(sizeof(int));

	for (int i = 0; i < 2; i++)
		seed<<<wide(), 256, 0, stream>>>(floats(plates[i]), COUNT, 21 + (unsigned)i);
	for (int round = 0; round < 250; round++) {
		for (int step = 0; step < 64; step++)
			relax_plate<<<wide(), 256, 0, stream>>>(floats(plates[step % 2]),
								floats(plates[1 - step % 2]), COUNT,
								25 * WIDE_US);
		CHECK(cudaMemsetAsync(most, 0, sizeof(int), stream));
		plate_moves<<<wide(), 256, 0, stream>>>(floats(plates[0]), floats(plates[1]), COUNT,
							(int *)(void *)most);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(seen, most, sizeof(int), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		if (*(int *)(void *)seen == 0)
			break;
	}
	answer(plates[0], BYTES);
}

// Two sessions of a database, whose operators take what memory they need from the stream's pool.
ELEMENTWISE(scan_column)
BY_OTHERS(filter_rows)

void session_queries(unsigned session, uint64_t &replies)
{
	Stream stream;
	Pinned reply(sizeof(unsigned long long));

	for (unsigned query = 0; query < 350; query++) {
		const int rows = (int)(4 + query % 3) * COUNT / 4;
		void *column, *rest, *total;

		CHECK(cudaMallocAsync(&column, (size_t)rows * 4, stream));
		CHECK(cudaMallocAsync(&rest, (size_t)rows * 4, stream));
		CHECK(cudaMallocAsync(&total, sizeof(unsigned long long), stream));
		seed<<<wide(), 256, 0, stream>>>(floats(column), rows, query * 2 + session);
		seed<<<wide(), 256, 0, stream>>>(floats(rest), rows, query);
		scan_column<<<wide(), 256, 0, stream>>>(floats(column), rows,
							rounds_for(280, rows));
		filter_rows<<<wide(), 256, 0, stream>>>(floats(rest), floats(column), rows,
							rounds_for(320, rows));
		CHECK(cudaFreeAsync(column, stream));
		CHECK(cudaMemsetAsync(total, 0, sizeof(unsigned long long), stream));
		total_of<<<wide(), 256, 0, stream>>>(floats(rest), rows, sums(total));
		CHECK(cudaGetLastError());
		CHECK(cudaFreeAsync(rest, stream));
		CHECK(cudaMemcpyAsync(reply, total, sizeof(unsigned long long),
				      cudaMemcpyDeviceToHost, stream));
		CHECK(cudaFreeAsync(total, stream));
		CHECK(cudaStreamSynchronize(stream));
		replies = hash_of(reply, sizeof(unsigned long long), replies);
	}
}

void clean_query_pool()
{
	uint64_t keep = UINT64_MAX, replies[2] = {1, 1};
	cudaMemPool_t pool;

	CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
	std::thread other(session_queries, 1, std::ref(replies[1]));
	session_queries(0, replies[0]);
	other.join();
	say(hash_of(replies, sizeof(replies)));
}

// Cameras of a car: a frame and its exposure are uploaded while the one before is looked through.
__global__ void find_corners(const unsigned *frame, const float *exposure, float *corners,
			     int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		corners[i] = churn(0.5f * corners[i] + 0.3f * unit(mixed(frame[i])) +
					   0.2f * exposure[i % 256],
				   rounds);
}

void clean_camera_rig()
{
	constexpr size_t FRAME = 8 << 20, EXPOSURE = 256 * sizeof(float), FOUND = 4096;
	constexpr int PIXELS = (int)(FRAME / 4), SLOTS = 2, FRAMES = 650;
	Stream uploads, looks;
	std::vector<Pinned> taken = several<Pinned>(SLOTS, FRAME);
	std::vector<Pinned> settings = several<Pinned>(SLOTS, EXPOSURE);
	std::vector<Pinned> found = several<Pinned>(SLOTS, FOUND);
	std::vector<Device> frames = several<Device>(SLOTS, FRAME);
	std::vector<Device> exposures = several<Device>(SLOTS, EXPOSURE);
	Device corners(FRAME);
	Event uploaded[SLOTS], looked[SLOTS];
	uint64_t road = 1;

	seed<<<wide(), 256, 0, looks>>>(floats(corners), PIXELS, 23);
	CHECK(cudaGetLastError());
	for (int frame = 0; frame < FRAMES + SLOTS; frame++) {
		const int at = frame % SLOTS;

		if (frame >= SLOTS) {
			CHECK(cudaEventSynchronize(looked[at]));
			road = hash_of(found[at], FOUND, road);
		}
		if (frame >= FRAMES)
			continue;
		new_words(taken[at], FRAME, (unsigned)frame);
		for (unsigned i = 0; i < 256; i++)
			floats(settings[at])[i] = unit(mixed((unsigned)frame * 256 + i));
		CHECK(cudaMemcpyAsync(frames[at], taken[at], FRAME, cudaMemcpyHostToDevice,
				      uploads));
		CHECK(cudaMemcpyAsync(exposures[at], settings[at], EXPOSURE, cudaMemcpyHostToDevice,
				      uploads));
		CHECK(cudaEventRecord(uploaded[at], uploads));
		CHECK(cudaStreamWaitEvent(looks, uploaded[at], 0));
		find_corners<<<wide(), 256, 0, looks>>>(words_of(frames[at]), floats(exposures[at]),
							floats(corners), PIXELS,
							rounds_for(550, PIXELS));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(found[at], corners, FOUND, cudaMemcpyDeviceToHost, looks));
		CHECK(cudaEventRecord(looked[at], looks));
	}
	say(road);
}

// Groundwater by multigrid: each cycle goes down to ever coarser grids and back.
ELEMENTWISE(smooth_level)

__global__ void to_coarser(const float *fine, float *coarse, int coarse_count)
{
	for (int i = first_index(); i < coarse_count; i += index_step())
		coarse[i] =
			0.25f * (fine[4 * i] + fine[4 * i + 1] + fine[4 * i + 2] + fine[4 * i + 3]);
}

__global__ void to_finer(const float *coarse, float *fine, int fine_count)
{
	for (int i = first_index(); i < fine_count; i += index_step())
		fine[i] = 0.75f * fine[i] + 0.25f * coarse[i / 4];
}

void multigrid_cycle(std::vector<Device> &levels, size_t level, int count, cudaStream_t stream)
{
	const int blocks = std::min(wide(), blocks_of((size_t)count)), rounds = 850;

	smooth_level<<<blocks, 256, 0, stream>>>(floats(levels[level]), count, rounds);
	if (level + 1 < levels.size()) {
		to_coarser<<<std::min(blocks, blocks_of((size_t)count / 4)), 256, 0, stream>>>(
			floats(levels[level]), floats(levels[level + 1]), count / 4);
		multigrid_cycle(levels, level + 1, count / 4, stream);
		to_finer<<<blocks, 256, 0, stream>>>(floats(levels[level + 1]),
						     floats(levels[level]), count);
	}
	smooth_level<<<blocks, 256, 0, stream>>>(floats(levels[level]), count, rounds);
	CHECK(cudaGetLastError());
}

void clean_groundwater()
{
	constexpr int FINEST = 4 << 20;
	Stream stream;
	std::vector<Device> levels;

	for (int count = FINEST; count >= 16384; count /= 4)
		levels.emplace_back((size_t)count * sizeof(float));
	seed<<<wide(), 256, 0, stream>>>(floats(levels[0]), FINEST, 24);
	for (int cycle = 0; cycle < 1000; cycle++)
		multigrid_cycle(levels, 0, FINEST, stream);
	answer(levels[0], BYTES);
}

// Prices come from another process through a pipe; a thread reads them ahead into four buffers, and
// a book of trades is valued with each.
__global__ void value_trades(const unsigned *ticks, int ticks_count, float *trades, int count,
			     int rounds)
{
	for (int i = first_index(); i < count; i += index_step()) {
		const float tick = unit(mixed(ticks[i % ticks_count]));

		trades[i] = churn(0.5f * trades[i] + 0.5f * tick, rounds);
	}
}

constexpr size_t TICKS = 256 << 10;
constexpr int QUOTES = 500, AHEAD = 4;

void send_quotes(int out)
{
	std::vector<unsigned> ticks(TICKS / 4);

	for (unsigned quote = 0; quote < QUOTES; quote++) {
		for (unsigned i = 0; i < ticks.size(); i += 16)
			ticks[i] = mixed(quote * 65537 + i);
		for (size_t sent = 0; sent < TICKS;) {
			const ssize_t more = write(out, (char *)ticks.data() + sent, TICKS - sent);

			if (more <= 0)
				_exit(1);
			sent += (size_t)more;
		}
	}
	_exit(0);
}

struct Quotes {
	std::vector<Pinned> buffers = several<Pinned>(AHEAD, TICKS);
	Event uploaded[AHEAD];
	std::mutex mutex;
	std::condition_variable change;
	int read = 0, sent = 0;

	void read_from(int in)
	{
		for (int quote = 0; quote < QUOTES; quote++) {
			std::unique_lock<std::mutex> hold(mutex);

			change.wait(hold, [&] { return sent > quote - AHEAD; });
			hold.unlock();
			if (quote >= AHEAD)
				CHECK(cudaEventSynchronize(uploaded[quote % AHEAD]));
			for (size_t got = 0; got < TICKS;) {
				const ssize_t more =
					::read(in, buffers[quote % AHEAD].at(got), TICKS - got);

				must(more > 0, "the feed");
				got += (size_t)more;
			}
			hold.lock();
			read++;
			change.notify_all();
		}
	}
};

void clean_quote_feed()
{
	int ends[2], status;

	must(pipe(ends) == 0, "pipe");
	const pid_t feed = fork();
	must(feed >= 0, "fork");
	if (feed == 0) {
		close(ends[0]);
		send_quotes(ends[1]);
	}
	close(ends[1]);

	Stream stream;
	Quotes quotes;
	std::vector<Device> ticks = several<Device>(AHEAD, TICKS);
	Device trades(BYTES);
	std::thread reader(&Quotes::read_from, &quotes, ends[0]);

	seed<<<wide(), 256, 0, stream>>>(floats(trades), COUNT, 25);
	for (int quote = 0; quote < QUOTES; quote++) {
		const int at = quote % AHEAD;

		std::unique_lock<std::mutex> hold(quotes.mutex);
		quotes.change.wait(hold, [&] { return quotes.read > quote; });
		hold.unlock();
		CHECK(cudaMemcpyAsync(ticks[at], quotes.buffers[at], TICKS, cudaMemcpyHostToDevice,
				      stream));
		CHECK(cudaEventRecord(quotes.uploaded[at], stream));
		value_trades<<<wide(), 256, 0, stream>>>(words_of(ticks[at]), (int)(TICKS / 4),
							 floats(trades), COUNT, 750 * WIDE_US);
		CHECK(cudaGetLastError());
		hold.lock();
		quotes.sent++;
		quotes.change.notify_all();
	}
	reader.join();
	close(ends[0]);
	must(waitpid(feed, &status, 0) == feed && status == 0, "the feed");
	answer(trades, BYTES);
}

// An epidemic in a country: each 50 days a copy of its state goes to the host in a stream of its
// own, where a thread sums it up, while the days go on.
ELEMENTWISE(infect_day)

struct Reports {
	std::mutex mutex;
	std::condition_variable change;
	int made = 0, read = 0;
};

void clean_epidemic_reports()
{
	constexpr int PEOPLE = COUNT * 4, REPORTS = 180;
	constexpr size_t STATE = BYTES * 4;
	Stream days, copies;
	Device people(STATE);
	std::vector<Device> shots = several<Device>(2, STATE);
	std::vector<Pinned> seen = several<Pinned>(2, STATE);
	Event taken[2], saved[2];
	Reports reports;
	uint64_t ill = 0;

	std::thread reader([&] {
		for (int report = 0; report < REPORTS; report++) {
			std::unique_lock<std::mutex> hold(reports.mutex);

			reports.change.wait(hold, [&] { return reports.made > report; });
			hold.unlock();
			CHECK(cudaEventSynchronize(saved[report % 2]));
			for (int i = 0; i < PEOPLE; i += 4)
				ill += fixed_point(floats(seen[report % 2])[i]);
			hold.lock();
			reports.read++;
			reports.change.notify_all();
		}
	});
	seed<<<wide(), 256, 0, days>>>(floats(people), PEOPLE, 26);
	for (int report = 0; report < REPORTS; report++) {
		const int at = report % 2;

		for (int day = 0; day < 50; day++)
			infect_day<<<wide(), 256, 0, days>>>(floats(people), PEOPLE,
							     rounds_for(45, PEOPLE));
		CHECK(cudaGetLastError());
		std::unique_lock<std::mutex> hold(reports.mutex);
		reports.change.wait(hold, [&] { return reports.read > report - 2; });
		hold.unlock();
		CHECK(cudaMemcpyAsync(shots[at], people, STATE, cudaMemcpyDeviceToDevice, days));
		CHECK(cudaEventRecord(taken[at], days));
		CHECK(cudaStreamWaitEvent(copies, taken[at], 0));
		CHECK(cudaMemcpyAsync(seen[at], shots[at], STATE, cudaMemcpyDeviceToHost, copies));
		CHECK(cudaEventRecord(saved[at], copies));
		hold.lock();
		reports.made++;
		reports.change.notify_all();
	}
	reader.join();
	answer(people, BYTES, ill);
}

// A galaxy in managed memory: it is brought to the device once, and read by the host at the end.
BY_OTHERS(pull_stars)
BY_OTHERS(move_stars)

void prefetch(const void *at, size_t bytes, bool to_device, cudaStream_t stream)
{
#if CUDART_VERSION >= 13000
	cudaMemLocation where = {};

	where.type = to_device ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost;
	CHECK(cudaMemPrefetchAsync(at, bytes, where, 0, stream));
#else
	CHECK(cudaMemPrefetchAsync(at, bytes, to_device ? 0 : cudaCpuDeviceId, stream));
#endif
}

void clean_galaxy_years()
{
	constexpr int STARS = 4 << 20;
	constexpr size_t SIZE = STARS * sizeof(float);
	Stream stream;
	float *places, *speeds;

	CHECK(cudaMallocManaged((void **)&places, SIZE));
	CHECK(cudaMallocManaged((void **)&speeds, SIZE));
	for (unsigned i = 0; i < STARS; i++) {
		places[i] = unit(mixed(i));
		speeds[i] = unit(mixed(i + STARS));
	}
	prefetch(places, SIZE, true, stream);
	prefetch(speeds, SIZE, true, stream);
	for (int year = 0; year < 500; year++) {
		pull_stars<<<wide(), 256, 0, stream>>>(speeds, places, STARS,
						       rounds_for(500, STARS));
		move_stars<<<wide(), 256, 0, stream>>>(places, speeds, STARS,
						       rounds_for(400, STARS));
		CHECK(cudaGetLastError());
	}
	prefetch(places, SIZE, false, stream);
	CHECK(cudaStreamSynchronize(stream));
	say(hash_of(places, BYTES));
	CHECK(cudaFree(places));
	CHECK(cudaFree(speeds));
}

const Case cases[] = {
	CASE(flood_cells),
	CASE(join_partitions),
	CASE(seismic_gathers),
	CASE(crowd_ways),
	CASE(film_reels),
	CASE(radio_beams),
	CASE(option_book),
	CASE(pocket_poses),
	CASE(coral_reef),
	CASE(station_reports),
	CASE(chip_cycles),
	CASE(artery_pulses),
	CASE(map_replies),
	CASE(clean_plate_bending),
	CASE(clean_query_pool),
	CASE(clean_camera_rig),
	CASE(clean_groundwater),
	CASE(clean_quote_feed),
	CASE(clean_epidemic_reports),
	CASE(clean_galaxy_years),
};
} // namespace

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
