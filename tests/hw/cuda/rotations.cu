// SPDX-License-Identifier: MIT
// rotations CASE [repaired]: programs of many fields with one fault each; those named clean_* have
// none. Each prints an answer that is the same with and without the fault.
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "cases.h"
#include "faults.h"

namespace
{
// What a kernel of wide() blocks works on: about one element for each thread of the device.
constexpr int COUNT = 1056 * 256;
constexpr size_t BYTES = COUNT * sizeof(float);
// Rounds of churn() that take 1 us with all threads of the device, and with 256 on each unit.
constexpr int WIDE_US = 110;
constexpr int NARROW_US = 425;

// Blocks of 256 that fill the device once.
int wide()
{
	static const int blocks = [] {
		int units;
		CHECK(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0));
		return units * 8;
	}();
	return blocks;
}

// Rounds that take so many us for a kernel of wide() blocks that works on so many elements.
int rounds_for(int us, int count)
{
	return (int)((long long)us * WIDE_US * COUNT / count);
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

// Kernels that change each element by itself.
#define ELEMENTWISE(name)                                                 \
	__global__ void name(float *data, int count, int rounds)          \
	{                                                                 \
		for (int i = first_index(); i < count; i += index_step()) \
			data[i] = churn(data[i], rounds);                 \
	}
// Kernels that make floats of words.
#define OF_WORDS(name)                                                                          \
	__global__ void name(const unsigned *words, float *data, int count, int rounds)         \
	{                                                                                       \
		for (int i = first_index(); i < count; i += index_step())                       \
			data[i] = churn(0.5f * data[i] + 0.5f * unit(mixed(words[i])), rounds); \
	}
// Kernels that make a third field of two.
#define OF_TWO(name)                                                                            \
	__global__ void name(const float *left, const float *right, float *to, int count,       \
			     int rounds)                                                        \
	{                                                                                       \
		for (int i = first_index(); i < count; i += index_step())                       \
			to[i] = churn(0.5f * left[i] + 0.4f * right[(i + 33) % count], rounds); \
	}

uint64_t hash_of(const void *bytes, size_t count, uint64_t hash = 0xcbf29ce484222325ULL)
{
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3ULL;
	return hash;
}

void print_answer(uint64_t hash)
{
	printf("answer %016llx\n", (unsigned long long)hash);
}

// The hash of what is on the device when all is done.
void answer(const void *data, size_t bytes)
{
	std::vector<char> seen(bytes);

	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(seen.data(), data, bytes, cudaMemcpyDeviceToHost));
	print_answer(hash_of(seen.data(), bytes));
}

float *floats(void *at)
{
	return (float *)at;
}

// New words, one in each so many bytes.
void new_words(Pinned &buffer, size_t bytes, size_t step, unsigned round)
{
	for (size_t at = 0; at < bytes; at += step)
		*(unsigned *)buffer.at(at) = mixed(round * 2654435761U + (unsigned)at);
}

// Images of a heart, from the signals of a scanner's coils: four small steps for each readout.
ELEMENTWISE(demodulate)
ELEMENTWISE(grid_sample)
ELEMENTWISE(coil_weight)
ELEMENTWISE(phase_unwrap)

void launched()
{
	CHECK(cudaGetLastError());
	if (!repaired)
		CHECK(cudaDeviceSynchronize());
}

void coil_images()
{
	Device image(BYTES);

	seed<<<wide(), 256>>>(floats(image), COUNT, 1);
	launched();
	for (int readout = 0; readout < 4000; readout++) {
		demodulate<<<wide(), 256>>>(floats(image), COUNT, 11 * WIDE_US);
		launched();
		grid_sample<<<wide(), 256>>>(floats(image), COUNT, 13 * WIDE_US);
		launched();
		coil_weight<<<wide(), 256>>>(floats(image), COUNT, 8 * WIDE_US);
		launched();
		phase_unwrap<<<wide(), 256>>>(floats(image), COUNT, 12 * WIDE_US);
		launched();
	}
	answer(image, BYTES);
}

// Heights along a weld: each scan is evaluated, and the station looks at it for pores.
ELEMENTWISE(weld_heights)

void weld_scans()
{
	constexpr int POINTS = 4 << 20;
	constexpr size_t SIZE = POINTS * sizeof(float);
	Stream stream;
	Device scan(SIZE);
	std::vector<float> pageable(repaired ? 0 : POINTS);
	std::unique_ptr<Pinned> pinned(repaired ? new Pinned(SIZE) : nullptr);
	float *heights = repaired ? floats(*pinned) : pageable.data();
	int pores = 0;

	seed<<<wide(), 256, 0, stream>>>(floats(scan), POINTS, 2);
	CHECK(cudaGetLastError());
	for (int place = 0; place < 120; place++) {
		weld_heights<<<wide(), 256, 0, stream>>>(floats(scan), POINTS,
							 rounds_for(400, POINTS));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(heights, scan, SIZE, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		for (int at = place; at < POINTS; at += 4096)
			pores += heights[at] < -0.5f;
	}
	print_answer((uint64_t)pores);
}

// A filter of a satellite's attitude with an ensemble: what a step makes on its way are matrices.
ELEMENTWISE(observe_stars)
OF_TWO(predict_covariance)
OF_TWO(kalman_gain)
OF_TWO(correct_state)

constexpr int ENTRIES = 1 << 20;
constexpr size_t MATRIX = ENTRIES * sizeof(float);

struct Between {
	Device covariance{MATRIX}, gain{MATRIX};
};

void attitude_step(Device &state, Device &stars, Between &between)
{
	const int rounds = rounds_for(35, ENTRIES);

	observe_stars<<<wide(), 256>>>(floats(stars), ENTRIES, rounds);
	CHECK(cudaGetLastError());
	predict_covariance<<<wide(), 256>>>(floats(state), floats(stars),
					    floats(between.covariance), ENTRIES, rounds);
	CHECK(cudaGetLastError());
	kalman_gain<<<wide(), 256>>>(floats(between.covariance), floats(stars),
				     floats(between.gain), ENTRIES, rounds);
	CHECK(cudaGetLastError());
	correct_state<<<wide(), 256>>>(floats(between.covariance), floats(between.gain),
				       floats(state), ENTRIES, rounds);
	CHECK(cudaGetLastError());
}

void attitude_filter()
{
	Device state(MATRIX), stars(MATRIX);
	std::unique_ptr<Between> kept(repaired ? new Between : nullptr);

	seed<<<wide(), 256>>>(floats(state), ENTRIES, 3);
	CHECK(cudaGetLastError());
	seed<<<wide(), 256>>>(floats(stars), ENTRIES, 4);
	CHECK(cudaGetLastError());
	for (int step = 0; step < 1000; step++) {
		if (repaired) {
			attitude_step(state, stars, *kept);
		} else {
			Between between;

			attitude_step(state, stars, between);
		}
	}
	answer(state, MATRIX);
}

// A car's lidar: 64 rings, of which ranges, intensities and times come, as blocks of 4 KiB.
OF_WORDS(cluster_points)

void lidar_sweeps()
{
	constexpr int RINGS = 64, CHANNELS = 3, SLOTS = 2;
	constexpr size_t BLOCK = 4096, SWEEP = RINGS * CHANNELS * BLOCK;
	constexpr int POINTS = SWEEP / sizeof(float);
	Stream stream;
	Device points(SWEEP), clusters(SWEEP);
	std::vector<Pinned> sweeps = several<Pinned>(SLOTS, SWEEP);
	Event unused[SLOTS];

	seed<<<wide(), 256, 0, stream>>>(floats(clusters), POINTS, 5);
	CHECK(cudaGetLastError());
	for (unsigned turn = 0; turn < 700; turn++) {
		Pinned &sweep = sweeps[turn % SLOTS];

		CHECK(cudaEventSynchronize(unused[turn % SLOTS]));
		new_words(sweep, SWEEP, 256, turn);
		if (repaired)
			CHECK(cudaMemcpyAsync(points, sweep, SWEEP, cudaMemcpyHostToDevice,
					      stream));
		for (int ring = 0; ring < RINGS && !repaired; ring++)
			for (int channel = 0; channel < CHANNELS; channel++) {
				const size_t at = (size_t)(ring * CHANNELS + channel) * BLOCK;

				CHECK(cudaMemcpyAsync(points.at(at), sweep.at(at), BLOCK,
						      cudaMemcpyHostToDevice, stream));
			}
		CHECK(cudaEventRecord(unused[turn % SLOTS], stream));
		cluster_points<<<wide(), 256, 0, stream>>>((unsigned *)(void *)points,
							   floats(clusters), POINTS,
							   rounds_for(250, COUNT));
		CHECK(cudaGetLastError());
	}
	answer(clusters, SWEEP);
}

// A service for conferences: the voices of each room are mixed, and its peak levels shown.
constexpr int ROOM_COUNT = 16 * 256;
constexpr int LEVELS = 1024;

__global__ void mix_room(float *voices, int *levels, int rounds)
{
	const int i = first_index();
	const float mixed_voice = churn(voices[i], rounds);

	voices[i] = mixed_voice;
	atomicMax(&levels[i % LEVELS], __float_as_int(fabsf(mixed_voice)));
}

void voice_rooms()
{
	constexpr int ROOMS = 8;
	constexpr size_t SHOWN = LEVELS * sizeof(int);
	Device voices(ROOMS * ROOM_COUNT * sizeof(float)), levels(ROOMS * SHOWN);
	cudaStream_t rooms[ROOMS];

	for (auto &room : rooms)
		CHECK(cudaStreamCreate(&room));
	seed<<<ROOMS * 16, 256>>>(floats(voices), ROOMS * ROOM_COUNT, 6);
	CHECK(cudaGetLastError());
	for (int frame = 0; frame < 300; frame++)
		for (int room = 0; room < ROOMS; room++) {
			void *shown = levels.at(room * SHOWN);

			if (repaired)
				CHECK(cudaMemsetAsync(shown, 0, SHOWN, rooms[room]));
			else
				CHECK(cudaMemset(shown, 0, SHOWN));
			mix_room<<<16, 256, 0, rooms[room]>>>(floats(voices) + room * ROOM_COUNT,
							      (int *)shown, 180 * NARROW_US);
			CHECK(cudaGetLastError());
		}
	CHECK(cudaDeviceSynchronize());
	for (auto &room : rooms)
		CHECK(cudaStreamDestroy(room));
	answer(levels, ROOMS * SHOWN);
}

// Where ligands sit in a pocket of a protein: poses of each are scored, then turned a little.
ELEMENTWISE(turn_poses)

// The grid's x is the ligand, its y a part of its poses.
__global__ void score_poses(float *poses, int of_each, int rounds)
{
	float *own = poses + (size_t)blockIdx.x * of_each;

	for (int i = (int)(blockIdx.y * blockDim.x + threadIdx.x); i < of_each;
	     i += (int)(gridDim.y * blockDim.x))
		own[i] = churn(own[i], rounds);
}

void docking_poses()
{
	constexpr unsigned LIGANDS = 22;
	constexpr int POSES = COUNT / LIGANDS;
	Stream stream;
	Device poses(BYTES);
	const dim3 grid(LIGANDS, repaired ? POSES / 256 : 1);

	static_assert(POSES % 256 == 0, "whole blocks");
	seed<<<wide(), 256, 0, stream>>>(floats(poses), COUNT, 7);
	CHECK(cudaGetLastError());
	for (int generation = 0; generation < 300; generation++) {
		score_poses<<<grid, 256, 0, stream>>>(floats(poses), POSES, 100 * WIDE_US);
		CHECK(cudaGetLastError());
		turn_poses<<<wide(), 256, 0, stream>>>(floats(poses), COUNT, 250 * WIDE_US);
		CHECK(cudaGetLastError());
	}
	answer(poses, BYTES);
}

// Ultrasound: echoes are delayed for each element of the probe, by a table that blocks share. The
// largest probe that the device is sold with has 40960 delays.
constexpr int MOST_DELAYS = 40960;

__global__ void delay_echoes(float *echoes, const float *table, int delays, int rounds)
{
	extern __shared__ float own[];
	const int i = first_index();

	for (int at = (int)threadIdx.x; at < delays; at += (int)blockDim.x)
		own[at] = table[at];
	__syncthreads();
	echoes[i] = churn(0.5f * echoes[i] + 0.4f * own[i * 7 % delays], rounds);
}

void echo_delays()
{
	constexpr int DELAYS = 1024;
	Stream stream;
	Device echoes(BYTES), table(DELAYS * sizeof(float));
	const int shared = (repaired ? DELAYS : MOST_DELAYS) * (int)sizeof(float);

	CHECK(cudaFuncSetAttribute(delay_echoes, cudaFuncAttributeMaxDynamicSharedMemorySize,
				   shared));
	seed<<<wide(), 256, 0, stream>>>(floats(echoes), COUNT, 8);
	CHECK(cudaGetLastError());
	seed<<<4, 256, 0, stream>>>(floats(table), DELAYS, 9);
	CHECK(cudaGetLastError());
	for (int line = 0; line < 500; line++) {
		delay_echoes<<<COUNT / 128, 128, shared, stream>>>(floats(echoes), floats(table),
								   DELAYS, 200 * WIDE_US);
		CHECK(cudaGetLastError());
	}
	answer(echoes, BYTES);
}

// A town's water network: pressures relax, while the reservoirs' are given for each minute.
ELEMENTWISE(relax_pressures)
constexpr int RESERVOIRS = 256;
constexpr int BETWEEN_RESERVOIRS = 16384;

__host__ __device__ float reservoir_level(int reservoir, int minute)
{
	return unit(mixed((unsigned)(reservoir * 1440 + minute)));
}

__global__ void set_reservoirs(float *pressures, int minute)
{
	pressures[threadIdx.x * BETWEEN_RESERVOIRS] = reservoir_level((int)threadIdx.x, minute);
}

void water_network()
{
	constexpr int NODES = RESERVOIRS * BETWEEN_RESERVOIRS;
	float *pressures;

	CHECK(cudaMallocManaged(&pressures, NODES * sizeof(float)));
	seed<<<wide(), 256>>>(pressures, NODES, 10);
	CHECK(cudaGetLastError());
	for (int minute = 0; minute < 60; minute++) {
		if (repaired) {
			set_reservoirs<<<1, RESERVOIRS>>>(pressures, minute);
			CHECK(cudaGetLastError());
		} else {
			CHECK(cudaDeviceSynchronize());
			for (int reservoir = 0; reservoir < RESERVOIRS; reservoir++)
				pressures[reservoir * BETWEEN_RESERVOIRS] =
					reservoir_level(reservoir, minute);
		}
		relax_pressures<<<wide(), 256>>>(pressures, NODES, rounds_for(2000, NODES));
		CHECK(cudaGetLastError());
	}
	answer(pressures, BYTES);
	CHECK(cudaFree(pressures));
}

// Pages of old newspapers: the host unpacks each and removes specks, the device reads letters.
OF_WORDS(read_letters)

void unpack_page(Pinned &page, size_t bytes, unsigned number)
{
	unsigned *words = (unsigned *)(void *)page;
	unsigned ink = mixed(number + 1) | 1;

	for (size_t at = 0; at < bytes / sizeof(unsigned); at++) {
		ink ^= ink << 13;
		ink ^= ink >> 17;
		ink ^= ink << 5;
		words[at] = ink;
	}
	for (size_t at = 1; at < bytes / sizeof(unsigned); at++)
		words[at] = (words[at] ^ words[at - 1]) * 0x9e3779b1U;
}

void newspaper_pages()
{
	constexpr unsigned PAGES = 220;
	constexpr size_t TEXT = 32768;
	Stream stream;
	Device ink(BYTES), letters(BYTES);
	std::vector<Pinned> pages = several<Pinned>(2, BYTES);
	Pinned text(TEXT);
	uint64_t hash = 1;

	seed<<<wide(), 256, 0, stream>>>(floats(letters), COUNT, 11);
	CHECK(cudaGetLastError());
	if (repaired)
		unpack_page(pages[0], BYTES, 0);
	for (unsigned number = 0; number < PAGES; number++) {
		Pinned &page = pages[number % 2];

		if (!repaired)
			unpack_page(page, BYTES, number);
		CHECK(cudaMemcpyAsync(ink, page, BYTES, cudaMemcpyHostToDevice, stream));
		read_letters<<<wide(), 256, 0, stream>>>((unsigned *)(void *)ink, floats(letters),
							 COUNT, 1600 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(text, letters, TEXT, cudaMemcpyDeviceToHost, stream));
		if (repaired && number + 1 < PAGES)
			unpack_page(pages[(number + 1) % 2], BYTES, number + 1);
		CHECK(cudaStreamSynchronize(stream));
		hash = hash_of(text, TEXT, hash);
	}
	print_answer(hash);
}

// A printing house compares plates with their proofs: plates in, marked plates out.
OF_WORDS(compare_plate)

void plate_checks()
{
	constexpr int SLOTS = 3, DOTS = 2 << 20;
	constexpr size_t PLATE = DOTS * sizeof(float);
	std::vector<Pinned> plates = several<Pinned>(SLOTS, PLATE);
	std::vector<Pinned> proofs = several<Pinned>(SLOTS, PLATE);
	std::vector<Device> inks = several<Device>(SLOTS, PLATE);
	std::vector<Device> marks = several<Device>(SLOTS, PLATE);
	Stream streams[SLOTS];
	Event done[SLOTS];
	uint64_t hash = 1;

	for (int slot = 0; slot < SLOTS; slot++) {
		cudaStream_t stream = streams[repaired ? slot : 0];

		seed<<<wide(), 256, 0, stream>>>(floats(marks[slot]), DOTS, 12);
		CHECK(cudaGetLastError());
	}
	for (unsigned number = 0; number < 900 + SLOTS; number++) {
		const unsigned slot = number % SLOTS;
		cudaStream_t stream = streams[repaired ? slot : 0];

		if (number >= SLOTS) {
			CHECK(cudaEventSynchronize(done[slot]));
			hash = hash_of(proofs[slot], 4096, hash);
		}
		if (number >= 900)
			continue;
		new_words(plates[slot], PLATE, 65536, number);
		CHECK(cudaMemcpyAsync(inks[slot], plates[slot], PLATE, cudaMemcpyHostToDevice,
				      stream));
		compare_plate<<<wide(), 256, 0, stream>>>((unsigned *)(void *)inks[slot],
							  floats(marks[slot]), DOTS,
							  rounds_for(220, DOTS));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(proofs[slot], marks[slot], PLATE, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaEventRecord(done[slot], stream));
	}
	print_answer(hash);
}

// A chain of amino acids is moved at random: a move is taken or taken back by its energy.
ELEMENTWISE(wiggle_chain)

__global__ void chain_energy(const float *chain, int count, float *energy)
{
	__shared__ float sums[256];
	float sum = 0;

	for (int i = (int)threadIdx.x; i < count; i += 256)
		sum += chain[i];
	sums[threadIdx.x] = sum;
	__syncthreads();
	for (unsigned half = 128; half > 0; half /= 2) {
		if (threadIdx.x < half)
			sums[threadIdx.x] += sums[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		*energy = sums[0];
}

void chain_moves()
{
	constexpr int ATOMS = 4 << 20;
	constexpr size_t CHAIN = ATOMS * sizeof(float);
	Stream stream;
	Device chain(CHAIN), energy(sizeof(float));
	std::unique_ptr<Pinned> on_host(repaired ? nullptr : new Pinned(CHAIN));
	std::unique_ptr<Device> on_device(repaired ? new Device(CHAIN) : nullptr);
	void *kept = repaired ? (void *)*on_device : (void *)*on_host;
	Pinned seen(sizeof(float));
	float lowest = 1e9f;

	seed<<<wide(), 256, 0, stream>>>(floats(chain), ATOMS, 13);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(kept, chain, CHAIN, cudaMemcpyDefault, stream));
	for (int move = 0; move < 600; move++) {
		wiggle_chain<<<wide(), 256, 0, stream>>>(floats(chain), ATOMS,
							 rounds_for(220, ATOMS) + move % 7);
		CHECK(cudaGetLastError());
		chain_energy<<<1, 256, 0, stream>>>(floats(chain), 4096, floats(energy));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(seen, energy, sizeof(float), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		if (*floats(seen) < lowest + 0.05f * (float)(move % 3)) {
			lowest = *floats(seen);
			CHECK(cudaMemcpyAsync(kept, chain, CHAIN, cudaMemcpyDefault, stream));
		} else {
			CHECK(cudaMemcpyAsync(chain, kept, CHAIN, cudaMemcpyDefault, stream));
		}
	}
	answer(chain, BYTES);
}

// A scanner of films: frames are graded on the device, and the host sums each for an archive.
ELEMENTWISE(grade_frame)

struct Archive {
	std::mutex mutex;
	std::condition_variable change;
	std::deque<const char *> waiting;
	unsigned summed = 0;
	bool over = false;
	uint64_t sum = 1;
};

struct Scanned {
	Archive *archive;
	const char *frame;
};

constexpr size_t PREVIEW = BYTES / 2;

void sum_frame(Archive &archive, const char *frame)
{
	archive.sum = hash_of(frame, PREVIEW, archive.sum);
	const std::lock_guard<std::mutex> hold(archive.mutex);
	archive.summed++;
	archive.change.notify_all();
}

void CUDART_CB frame_arrived(void *at)
{
	const Scanned &scanned = *(const Scanned *)at;

	if (!repaired) {
		sum_frame(*scanned.archive, scanned.frame);
		return;
	}
	const std::lock_guard<std::mutex> hold(scanned.archive->mutex);
	scanned.archive->waiting.push_back(scanned.frame);
	scanned.archive->change.notify_all();
}

void archive_frames(Archive *archive)
{
	std::unique_lock<std::mutex> hold(archive->mutex);

	for (;;) {
		archive->change.wait(
			hold, [archive] { return archive->over || !archive->waiting.empty(); });
		if (archive->waiting.empty())
			return;
		const char *frame = archive->waiting.front();
		archive->waiting.pop_front();
		hold.unlock();
		sum_frame(*archive, frame);
		hold.lock();
	}
}

void film_archive()
{
	constexpr unsigned FRAMES = 280, SLOTS = 4;
	Stream stream;
	Device film(BYTES);
	std::vector<Pinned> frames = several<Pinned>(SLOTS, PREVIEW);
	Archive archive;
	Scanned scanned[SLOTS];
	std::thread archivist;

	if (repaired)
		archivist = std::thread(archive_frames, &archive);
	for (unsigned slot = 0; slot < SLOTS; slot++)
		scanned[slot] = {&archive, frames[slot].at(0)};
	seed<<<wide(), 256, 0, stream>>>(floats(film), COUNT, 14);
	CHECK(cudaGetLastError());
	for (unsigned frame = 0; frame < FRAMES; frame++) {
		{
			std::unique_lock<std::mutex> hold(archive.mutex);
			archive.change.wait(hold, [&] { return archive.summed + SLOTS > frame; });
		}
		grade_frame<<<wide(), 256, 0, stream>>>(floats(film), COUNT, 1200 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(frames[frame % SLOTS], film, PREVIEW, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaLaunchHostFunc(stream, frame_arrived, &scanned[frame % SLOTS]));
	}
	CHECK(cudaStreamSynchronize(stream));
	{
		const std::lock_guard<std::mutex> hold(archive.mutex);
		archive.over = true;
		archive.change.notify_all();
	}
	if (repaired)
		archivist.join();
	print_answer(archive.sum);
}

// How far a fire spreads through a forest from each of several places: cells that burn light their
// neighbours, until none is lit any more.
constexpr int FOREST_WIDTH = 256;
constexpr int FOREST_LENGTH = COUNT / FOREST_WIDTH;

__global__ void light_neighbours(int *lit, int round, int *last)
{
	const int at = first_index(), column = at % FOREST_WIDTH;
	const int steps[] = {-FOREST_WIDTH, FOREST_WIDTH, -1, 1};

	if (lit[at] != round)
		return;
	for (int way = 0; way < 4; way++) {
		const int next = at + steps[way];

		if (next < 0 || next >= COUNT || (way == 2 && column == 0) ||
		    (way == 3 && column == FOREST_WIDTH - 1))
			continue;
		if (lit[next] == 0 && mixed((unsigned)next) % 8 != 0) {
			lit[next] = round + 1;
			*last = round + 1;
		}
	}
}

void forest_fires()
{
	const int unasked = repaired ? 64 : 1;
	Stream stream;
	Device lit(BYTES), last(sizeof(int));
	Pinned told(2 * sizeof(int));
	int *reached = (int *)(void *)told, *begin = reached + 1, sum = 0;

	*begin = 1;
	CHECK(cudaMemsetAsync(last, 0, sizeof(int), stream));
	for (int fire = 0; fire < 20; fire++) {
		int round = 1;

		CHECK(cudaMemsetAsync(lit, 0, BYTES, stream));
		CHECK(cudaMemcpyAsync(lit.at((size_t)(fire * 11 + 5) * sizeof(int)), begin,
				      sizeof(int), cudaMemcpyHostToDevice, stream));
		do {
			for (int more = 0; more < unasked; more++, round++) {
				light_neighbours<<<COUNT / 256, 256, 0, stream>>>(
					(int *)(void *)lit, round, (int *)(void *)last);
				CHECK(cudaGetLastError());
			}
			CHECK(cudaMemcpyAsync(reached, last, sizeof(int), cudaMemcpyDeviceToHost,
					      stream));
			CHECK(cudaStreamSynchronize(stream));
		} while (*reached == round && round < 2 * FOREST_LENGTH + 2);
		sum = sum * 31 + *reached;
	}
	print_answer((uint64_t)(unsigned)sum);
}

// A bank asks for the price at which a portfolio's risk is at its limit: each price that is tried
// follows from the risk at the last.
ELEMENTWISE(simulate_risk)

void clean_risk_limit()
{
	Stream stream;
	Device paths(BYTES);
	Pinned risk(sizeof(float));
	double low = 0, high = 1;

	seed<<<wide(), 256, 0, stream>>>(floats(paths), COUNT, 21);
	CHECK(cudaGetLastError());
	for (int trial = 0; trial < 120; trial++) {
		simulate_risk<<<wide(), 256, 0, stream>>>(floats(paths), COUNT,
							  2500 * WIDE_US + (int)(1000 * low));
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(risk, paths, sizeof(float), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		(*floats(risk) > 0 ? low : high) = 0.5 * (low + high);
	}
	print_answer((uint64_t)(low * 1e15));
}

// Frames of a drone's camera: one stream brings them, another one works on those that are there.
OF_WORDS(track_markers)

void clean_drone_camera()
{
	constexpr unsigned SLOTS = 3;
	constexpr int PIXELS = 2 << 20;
	constexpr size_t FRAME = PIXELS * sizeof(float);
	Stream bring, track;
	Device markers(FRAME);
	std::vector<Device> frames = several<Device>(SLOTS, FRAME);
	std::vector<Pinned> camera = several<Pinned>(SLOTS, FRAME);
	Event brought[SLOTS], tracked[SLOTS];

	seed<<<wide(), 256, 0, track>>>(floats(markers), PIXELS, 22);
	CHECK(cudaGetLastError());
	for (unsigned frame = 0; frame < 800; frame++) {
		const unsigned slot = frame % SLOTS;

		CHECK(cudaEventSynchronize(brought[slot]));
		new_words(camera[slot], FRAME, 65536, frame);
		CHECK(cudaStreamWaitEvent(bring, tracked[slot], 0));
		CHECK(cudaMemcpyAsync(frames[slot], camera[slot], FRAME, cudaMemcpyHostToDevice,
				      bring));
		CHECK(cudaEventRecord(brought[slot], bring));
		CHECK(cudaStreamWaitEvent(track, brought[slot], 0));
		track_markers<<<wide(), 256, 0, track>>>((unsigned *)(void *)frames[slot],
							 floats(markers), PIXELS,
							 rounds_for(400, PIXELS));
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(tracked[slot], track));
	}
	answer(markers, BYTES);
}

// Blood in an artery: each step needs the one before it, and now and then the host is told.
OF_TWO(flow_step)

void clean_artery_flow()
{
	Stream stream;
	Device before(BYTES), after(BYTES);
	Pinned speed(sizeof(float));
	float *from = floats(before), *to = floats(after);

	seed<<<wide(), 256, 0, stream>>>(from, COUNT, 23);
	CHECK(cudaGetLastError());
	for (int step = 0; step < 1200; step++) {
		flow_step<<<wide(), 256, 0, stream>>>(from, from, to, COUNT, 300 * WIDE_US);
		CHECK(cudaGetLastError());
		std::swap(from, to);
		if (step % 100 == 99) {
			CHECK(cudaMemcpyAsync(speed, from, sizeof(float), cudaMemcpyDeviceToHost,
					      stream));
			CHECK(cudaStreamSynchronize(stream));
			if (!(*floats(speed) < 2))
				fprintf(stderr, "step %d: speed %f\n", step, *floats(speed));
		}
	}
	answer(from, BYTES);
}

// Wind around many small rotors: a thread and a stream for each, and kernels of a few blocks, that
// run next to each other.
__global__ void rotor_wake(float *wake, int rounds)
{
	const int i = first_index();

	wake[i] = churn(wake[i], rounds);
}

void clean_rotor_wakes()
{
	constexpr int ROTORS = 8, BLOCKS = 16, CELLS = BLOCKS * 256;
	Device wakes(ROTORS * CELLS * sizeof(float));
	std::vector<std::thread> rotors;

	seed<<<ROTORS * BLOCKS, 256>>>(floats(wakes), ROTORS * CELLS, 24);
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	for (int rotor = 0; rotor < ROTORS; rotor++)
		rotors.emplace_back([&wakes, rotor] {
			Stream stream;

			for (int turn = 0; turn < 800; turn++) {
				rotor_wake<<<BLOCKS, 256, 0, stream>>>(
					floats(wakes) + rotor * CELLS, 400 * NARROW_US);
				CHECK(cudaGetLastError());
			}
			CHECK(cudaStreamSynchronize(stream));
		});
	for (auto &rotor : rotors)
		rotor.join();
	answer(wakes, ROTORS * CELLS * sizeof(float));
}

// A mesh that host and device share: the host makes it, it is sent ahead, smoothed many times,
// and sent back once.
ELEMENTWISE(smooth_mesh)

void clean_shared_mesh()
{
	constexpr int CORNERS = 1 << 20;
	constexpr size_t MESH = CORNERS * sizeof(float);
	cudaMemLocation device = {}, host = {};
	Stream stream;
	float *mesh;

	device.type = cudaMemLocationTypeDevice;
	host.type = cudaMemLocationTypeHost;
	CHECK(cudaMallocManaged(&mesh, MESH));
	for (int corner = 0; corner < CORNERS; corner++)
		mesh[corner] = unit(mixed((unsigned)corner));
	CHECK(cudaMemPrefetchAsync(mesh, MESH, device, 0, stream));
	for (int pass = 0; pass < 500; pass++) {
		smooth_mesh<<<wide(), 256, 0, stream>>>(mesh, CORNERS, rounds_for(700, CORNERS));
		CHECK(cudaGetLastError());
	}
	CHECK(cudaMemPrefetchAsync(mesh, MESH, host, 0, stream));
	CHECK(cudaStreamSynchronize(stream));
	print_answer(hash_of(mesh, MESH));
	CHECK(cudaFree(mesh));
}

// Terrain in tiles of 96 KiB that a block keeps in its shared memory and goes through many times.
constexpr int TILE = 24576;

__global__ void erode_tile(float *heights, int passes, int rounds)
{
	extern __shared__ float tile[];
	float *own = heights + (size_t)blockIdx.x * TILE;

	for (int at = (int)threadIdx.x; at < TILE; at += (int)blockDim.x)
		tile[at] = own[at];
	__syncthreads();
	for (int pass = 0; pass < passes; pass++) {
		for (int at = (int)threadIdx.x; at < TILE; at += (int)blockDim.x) {
			const int next = at + 512 < TILE ? at + 512 : at;

			tile[at] = churn(0.6f * tile[at] + 0.3f * tile[next], rounds);
		}
		__syncthreads();
	}
	for (int at = (int)threadIdx.x; at < TILE; at += (int)blockDim.x)
		own[at] = tile[at];
}

void clean_terrain_tiles()
{
	constexpr int TILES = 264;
	constexpr size_t TERRAIN = (size_t)TILES * TILE * sizeof(float);
	constexpr int SHARED = TILE * sizeof(float);
	Stream stream;
	Device heights(TERRAIN);

	CHECK(cudaFuncSetAttribute(erode_tile, cudaFuncAttributeMaxDynamicSharedMemorySize,
				   SHARED));
	seed<<<wide(), 256, 0, stream>>>(floats(heights), TILES * TILE, 26);
	CHECK(cudaGetLastError());
	for (int century = 0; century < 100; century++) {
		erode_tile<<<TILES, 512, SHARED, stream>>>(floats(heights), 20, 700);
		CHECK(cudaGetLastError());
	}
	answer(heights, BYTES);
}

// A library's index: a thread reads chapters ahead, another one has them indexed by the device.
OF_WORDS(index_words)

void clean_chapter_index()
{
	constexpr unsigned CHAPTERS = 250, SLOTS = 4;
	Stream stream;
	Device chapter(BYTES), index(BYTES);
	std::vector<Pinned> chapters = several<Pinned>(SLOTS, BYTES);
	std::mutex mutex;
	std::condition_variable change;
	unsigned have_read = 0, have_sent = 0;
	cudaEvent_t sent[SLOTS];

	for (auto &event : sent)
		CHECK(cudaEventCreateWithFlags(&event,
					       cudaEventDisableTiming | cudaEventBlockingSync));
	seed<<<wide(), 256, 0, stream>>>(floats(index), COUNT, 27);
	CHECK(cudaGetLastError());
	std::thread reader([&] {
		for (unsigned number = 0; number < CHAPTERS; number++) {
			{
				std::unique_lock<std::mutex> hold(mutex);
				change.wait(hold, [&] { return have_sent + SLOTS > number; });
			}
			CHECK(cudaEventSynchronize(sent[number % SLOTS]));
			new_words(chapters[number % SLOTS], BYTES, 64, number);
			const std::lock_guard<std::mutex> hold(mutex);
			have_read++;
			change.notify_all();
		}
	});
	for (unsigned number = 0; number < CHAPTERS; number++) {
		{
			std::unique_lock<std::mutex> hold(mutex);
			change.wait(hold, [&] { return have_read > number; });
		}
		CHECK(cudaMemcpyAsync(chapter, chapters[number % SLOTS], BYTES,
				      cudaMemcpyHostToDevice, stream));
		CHECK(cudaEventRecord(sent[number % SLOTS], stream));
		index_words<<<wide(), 256, 0, stream>>>((unsigned *)(void *)chapter, floats(index),
							COUNT, 1500 * WIDE_US);
		CHECK(cudaGetLastError());
		const std::lock_guard<std::mutex> hold(mutex);
		have_sent++;
		change.notify_all();
	}
	reader.join();
	CHECK(cudaStreamSynchronize(stream));
	for (auto &event : sent)
		CHECK(cudaEventDestroy(event));
	answer(index, BYTES);
}

const Case cases[] = {
	CASE(coil_images),	   CASE(weld_scans),	      CASE(attitude_filter),
	CASE(lidar_sweeps),	   CASE(voice_rooms),	      CASE(docking_poses),
	CASE(echo_delays),	   CASE(water_network),	      CASE(newspaper_pages),
	CASE(plate_checks),	   CASE(chain_moves),	      CASE(film_archive),
	CASE(forest_fires),	   CASE(clean_risk_limit),    CASE(clean_drone_camera),
	CASE(clean_artery_flow),   CASE(clean_rotor_wakes),   CASE(clean_shared_mesh),
	CASE(clean_terrain_tiles), CASE(clean_chapter_index),
};
} // namespace

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
