// SPDX-License-Identifier: MIT
// ventures CASE [repaired]: applications of many fields, each with one thing that a review of them
// would find; those named clean_* have nothing of the kind. Each prints an answer that is the same
// with and without it.
#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include "cases.h"
#include "faults.h"

namespace
{
// Blocks of 256 with which an H100 is full, and as many elements as they have threads.
constexpr int WIDE = 132 * 8;
constexpr int COUNT = WIDE * 256;
constexpr size_t BYTES = COUNT * sizeof(float);
constexpr size_t MIB = 1 << 20;

void must(bool good, const char *what)
{
	if (!good) {
		fprintf(stderr, "%s failed\n", what);
		exit(1);
	}
}

void must(CUresult status, const char *what)
{
	must(status == CUDA_SUCCESS, what);
}

// The steps of settle() that take so many us when all of the device works on so many elements.
int steps_for(double us, size_t elements)
{
	return std::max(1, (int)(us * 28.7e6 / (double)elements));
}

// The same for a few blocks, each of which has a multiprocessor for itself.
int steps_alone(double us)
{
	return (int)(us * 430);
}

__device__ float settle(float x, int steps)
{
#pragma unroll 16
	for (int step = 0; step < steps; step++)
		x = fmaf(-x, x, 1.8f);
	return x;
}

__host__ __device__ unsigned scrambled(unsigned word)
{
	word ^= word >> 15;
	word *= 0x2c1b3c6dU;
	word ^= word >> 12;
	word *= 0x297a2d39U;
	return word ^ (word >> 15);
}

// Within [-1, 1).
__device__ float signed_unit(unsigned word)
{
	return (float)(int)scrambled(word) * 4.6566e-10f;
}

__device__ int first()
{
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

__device__ int stride()
{
	return (int)(gridDim.x * blockDim.x);
}

__global__ void start_values(float *values, int count, unsigned salt)
{
	for (int i = first(); i < count; i += stride())
		values[i] = signed_unit((unsigned)i * 2654435761U + salt);
}

// A kernel that computes each value anew from what it was.
#define UPDATE(name)                                              \
	__global__ void name(float *values, int count, int steps) \
	{                                                         \
		for (int i = first(); i < count; i += stride())   \
			values[i] = settle(values[i], steps);     \
	}

// One that takes part of each new value from words that are transferred.
#define ABSORB(name)                                                                             \
	__global__ void name(const unsigned *words, int limit, float *values, int count,         \
			     int steps)                                                          \
	{                                                                                        \
		for (int i = first(); i < count; i += stride())                                  \
			values[i] = settle(                                                      \
				0.7f * values[i] + 0.3f * signed_unit(words[i % limit]), steps); \
	}

// One that makes values of others.
#define DERIVE(name)                                                                               \
	__global__ void name(const float *from, float *to, int count, int steps)                   \
	{                                                                                          \
		for (int i = first(); i < count; i += stride())                                    \
			to[i] = settle(0.5f * (from[i] + from[i + 1 < count ? i + 1 : 0]), steps); \
	}

float *floats(Device &memory, size_t at = 0)
{
	return (float *)memory.at(0) + at;
}

unsigned *words(Device &memory)
{
	return (unsigned *)memory.at(0);
}

void launched()
{
	CHECK(cudaGetLastError());
}

void start(Device &memory, int count, unsigned salt)
{
	start_values<<<WIDE, 256>>>(floats(memory), count, salt);
	launched();
	CHECK(cudaDeviceSynchronize());
}

uint64_t digest(const void *data, size_t bytes, uint64_t value = 0x9ae16a3b2f90404fULL)
{
	for (size_t i = 0; i < bytes; i++)
		value = (value ^ ((const unsigned char *)data)[i]) * 0x100000001b3ULL;
	return value;
}

void print(uint64_t value)
{
	printf("answer %016llx\n", (unsigned long long)value);
}

uint64_t digest_of_device(const void *data, size_t bytes)
{
	std::vector<char> copy(bytes);

	CHECK(cudaMemcpy(copy.data(), data, bytes, cudaMemcpyDeviceToHost));
	return digest(copy.data(), bytes);
}

// What is in the first values when the device has done all.
void answer(Device &memory, size_t bytes = 65536)
{
	CHECK(cudaDeviceSynchronize());
	print(digest_of_device(memory.at(0), bytes));
}

// A telescope's camera: each frame is rid of the lens's distortion, the sky's light and noise.
DERIVE(undistort)
DERIVE(subtract_sky)
DERIVE(find_stars)
DERIVE(smooth_noise)
UPDATE(expose)

class Corrector
{
	static constexpr int PIXELS = 6 * 1000 * 1000;
	static constexpr size_t SIZE = PIXELS * sizeof(float);
	std::vector<Device> kept_;

      public:
	static constexpr int pixels()
	{
		return PIXELS;
	}
	Corrector()
	{
		if (repaired)
			kept_ = several<Device>(3, SIZE);
	}
	void correct(float *frame)
	{
		std::vector<Device> made;

		if (!repaired)
			made = several<Device>(3, SIZE);
		auto &scratch = repaired ? kept_ : made;
		const int steps = steps_for(130, PIXELS);

		undistort<<<WIDE, 256>>>(frame, floats(scratch[0]), PIXELS, steps);
		launched();
		subtract_sky<<<WIDE, 256>>>(floats(scratch[0]), floats(scratch[1]), PIXELS, steps);
		launched();
		find_stars<<<WIDE, 256>>>(floats(scratch[1]), floats(scratch[2]), PIXELS, steps);
		launched();
		smooth_noise<<<WIDE, 256>>>(floats(scratch[2]), frame, PIXELS, steps);
		launched();
	}
};

void lens_frames()
{
	Device frame(Corrector::pixels() * sizeof(float));
	Corrector corrector;

	start(frame, Corrector::pixels(), 1);
	for (int shot = 0; shot < 320; shot++) {
		expose<<<WIDE, 256>>>(floats(frame), Corrector::pixels(),
				      steps_for(60, Corrector::pixels()));
		launched();
		corrector.correct(floats(frame));
	}
	answer(frame);
}

// The risk of baskets of shares: the loss that one of a hundred scenarios exceeds.
__global__ void revalue(const float *book, float *losses, int count, unsigned basket, int steps)
{
	for (int i = first(); i < count; i += stride())
		losses[i] =
			settle(0.8f * book[i] + 0.2f * signed_unit(basket * 77U + i % 501), steps);
}

__global__ void take_quantile(const float *sorted, int rank, float *quantile)
{
	*quantile = sorted[rank];
}

void basket_sorts()
{
	constexpr int BASKETS = 500, SCENARIOS = 1000 * 1000;
	Device book(SCENARIOS * sizeof(float)), quantiles(BASKETS * sizeof(float));
	std::vector<Device> kept;
	size_t needed = 0;

	start(book, SCENARIOS, 2);
	if (repaired) {
		kept = several<Device>(2, SCENARIOS * sizeof(float));
		CHECK(cub::DeviceRadixSort::SortKeys(nullptr, needed, floats(kept[0]),
						     floats(kept[1]), SCENARIOS));
		kept.emplace_back(needed);
	}
	for (int basket = 0; basket < BASKETS; basket++) {
		const int steps = steps_for(240, SCENARIOS);
		float *quantile = floats(quantiles, (size_t)basket);
		const int rank = SCENARIOS / 100 * 99;

		if (repaired) {
			revalue<<<WIDE, 256>>>(floats(book), floats(kept[0]), SCENARIOS,
					       (unsigned)basket, steps);
			launched();
			CHECK(cub::DeviceRadixSort::SortKeys(kept[2], needed, floats(kept[0]),
							     floats(kept[1]), SCENARIOS));
			take_quantile<<<1, 1>>>(floats(kept[1]), rank, quantile);
			launched();
			continue;
		}
		thrust::device_vector<float> losses(SCENARIOS);
		float *at = thrust::raw_pointer_cast(losses.data());
		revalue<<<WIDE, 256>>>(floats(book), at, SCENARIOS, (unsigned)basket, steps);
		launched();
		thrust::sort(thrust::device, losses.begin(), losses.end());
		take_quantile<<<1, 1>>>(at, rank, quantile);
		launched();
	}
	answer(quantiles, BASKETS * sizeof(float));
}

// A fluid on a lattice. LAUNCHED is what the group writes after each of its kernels.
DERIVE(collide)
DERIVE(propagate)

#define LAUNCHED()                                      \
	do {                                            \
		CHECK(cudaGetLastError());              \
		if (!repaired)                          \
			CHECK(cudaDeviceSynchronize()); \
	} while (0)

void lattice_checks()
{
	Device now(BYTES), next(BYTES);

	start(now, COUNT, 3);
	for (int step = 0; step < 6000; step++) {
		collide<<<WIDE, 256>>>(floats(now), floats(next), COUNT, steps_for(14, COUNT));
		LAUNCHED();
		propagate<<<WIDE, 256>>>(floats(next), floats(now), COUNT, steps_for(14, COUNT));
		LAUNCHED();
	}
	answer(now);
}

// Heat in a plate, until it is steady or the limit of the steps is reached.
__global__ void relax(const float *from, float *to, int side, int steps)
{
	for (int i = first(); i < side * side; i += stride()) {
		const int x = i % side, y = i / side;
		const float around =
			from[y * side + max(x - 1, 0)] + from[y * side + min(x + 1, side - 1)] +
			from[max(y - 1, 0) * side + x] + from[min(y + 1, side - 1) * side + x];
		to[i] = 0.24f * around + 0.01f * settle(0.5f * from[i], steps);
	}
}

__global__ void largest_change(const float *from, const float *to, int count, int *change)
{
	int most = 0;

	for (int i = first(); i < count; i += stride())
		most = max(most, __float_as_int(fabsf(from[i] - to[i])));
	most = __reduce_max_sync(0xffffffffU, most);
	if (threadIdx.x % 32 == 0)
		atomicMax(change, most);
}

void plate_steady()
{
	constexpr int SIDE = 1024, LIMIT = 5000;
	Device plates[] = {Device(SIDE * SIDE * 4), Device(SIDE * SIDE * 4)};
	Device change(sizeof(int));
	const int every = repaired ? 50 : 1;

	start(plates[0], SIDE * SIDE, 4);
	for (int step = 0; step < LIMIT; step++) {
		float *from = floats(plates[step % 2]), *to = floats(plates[1 - step % 2]);
		float seen = 0;

		relax<<<WIDE, 256>>>(from, to, SIDE, steps_for(20, SIDE * SIDE));
		launched();
		if ((step + 1) % every)
			continue;
		CHECK(cudaMemsetAsync(change, 0, sizeof(int), nullptr));
		largest_change<<<264, 256>>>(from, to, SIDE * SIDE, (int *)change.at(0));
		launched();
		CHECK(cudaMemcpy(&seen, change, sizeof(seen), cudaMemcpyDeviceToHost));
		if (seen < 1e-12f)
			break;
	}
	answer(plates[LIMIT % 2]);
}

// A radar: while one pulse's echoes are compressed, those of the next are put in order.
ABSORB(compress_pulse)

void radar_pulses()
{
	constexpr size_t ECHOES = 4 * MIB;
	Stream streams[2];
	Event compressed[2];
	auto echoes = several<Pinned>(2, ECHOES);
	auto raw = several<Device>(2, ECHOES), images = several<Device>(2, BYTES);

	start(images[0], COUNT, 5);
	start(images[1], COUNT, 6);
	for (int pulse = 0; pulse < 300; pulse++) {
		const int half = pulse % 2;

		if (repaired)
			CHECK(cudaEventSynchronize(compressed[half]));
		echoes[half].change(pulse);
		host_busy(400); // the antenna's elements in order
		CHECK(cudaMemcpyAsync(raw[half], echoes[half], ECHOES, cudaMemcpyHostToDevice,
				      streams[half]));
		compress_pulse<<<WIDE, 256, 0, streams[half]>>>(words(raw[half]), COUNT,
								floats(images[half]), COUNT,
								steps_for(520, COUNT));
		launched();
		CHECK(cudaEventRecord(compressed[half], streams[half]));
		if (!repaired)
			CHECK(cudaDeviceSynchronize());
	}
	answer(images[1]);
}

// A slide of tissue: the colours of its tiles are separated, and each tile goes to the archive.
UPDATE(separate_stains)

void slide_tiles()
{
	constexpr size_t TILE = 8 * MIB;
	constexpr int PIXELS = TILE / sizeof(float);
	Device tile(TILE);
	std::vector<char> pages(repaired ? 0 : TILE);
	std::unique_ptr<Pinned> locked;
	uint64_t sum = 0;

	if (repaired)
		locked = std::make_unique<Pinned>(TILE);
	start(tile, PIXELS, 7);
	for (int i = 0; i < 260; i++) {
		char *archived = repaired ? locked->at(0) : pages.data();

		separate_stains<<<WIDE, 256>>>(floats(tile), PIXELS, steps_for(420, PIXELS));
		launched();
		CHECK(cudaMemcpy(archived, tile, TILE, cudaMemcpyDeviceToHost));
		sum = digest(archived + 4096, 256, sum);
	}
	print(sum);
}

// Diffraction images of a crystal, in three streams; four images are in memory.
ABSORB(find_spots)

void crystal_images()
{
	constexpr size_t IMAGE = 12 * MIB;
	constexpr int IN_MEMORY = 4;
	Stream streams[3];
	auto devices = several<Device>(3, IMAGE), spots = several<Device>(3, BYTES);
	std::vector<std::vector<unsigned>> ordinary;
	std::vector<Pinned> locked;
	std::array<Event, IN_MEMORY> taken;

	if (repaired)
		locked = several<Pinned>(IN_MEMORY, IMAGE);
	else
		ordinary.assign(IN_MEMORY, std::vector<unsigned>(IMAGE / 4, 1));
	for (unsigned i = 0; i < 3; i++)
		start(spots[i], COUNT, 8 + i);
	for (int i = 0; i < IN_MEMORY && repaired; i++)
		std::fill_n((unsigned *)locked[i].at(0), IMAGE / 4, 1);
	for (int image = 0; image < 240; image++) {
		const int place = image % IN_MEMORY, lane = image % 3;
		unsigned *pixels =
			repaired ? (unsigned *)locked[place].at(0) : ordinary[place].data();

		CHECK(cudaEventSynchronize(taken[place]));
		for (int hit = 0; hit < 64; hit++)
			pixels[hit * 31] = scrambled((unsigned)(image * 64 + hit));
		CHECK(cudaMemcpyAsync(devices[lane], pixels, IMAGE, cudaMemcpyHostToDevice,
				      streams[lane]));
		CHECK(cudaEventRecord(taken[place], streams[lane]));
		find_spots<<<WIDE, 256, 0, streams[lane]>>>(words(devices[lane]), COUNT,
							    floats(spots[lane]), COUNT,
							    steps_for(280, COUNT));
		launched();
	}
	answer(spots[2]);
}

// Seismic shots: each is sent to the device, migrated, and its part of the picture comes back.
__global__ void migrate(const unsigned *traces, float *picture, int count, int steps)
{
	for (int i = first(); i < count; i += stride())
		picture[i] = settle(signed_unit(traces[i]), steps);
}

void shot_gathers()
{
	constexpr size_t SHOT = 14 * MIB;
	constexpr int SLOTS = 3, SAMPLES = SHOT / 4;
	Stream streams[SLOTS];
	Event back[SLOTS];
	auto traces = several<Pinned>(SLOTS, SHOT), pictures = several<Pinned>(SLOTS, SHOT);
	auto sent = several<Device>(SLOTS, SHOT), made = several<Device>(SLOTS, SHOT);
	uint64_t sum = 0;

	for (int shot = 0; shot < 240 + SLOTS; shot++) {
		const int slot = shot % SLOTS;
		cudaStream_t stream = streams[repaired ? slot : 0];

		if (shot >= SLOTS) {
			CHECK(cudaEventSynchronize(back[slot]));
			sum = digest(pictures[slot].at(0), 128, sum);
		}
		if (shot >= 240)
			continue;
		traces[slot].change(shot);
		CHECK(cudaMemcpyAsync(sent[slot], traces[slot], SHOT, cudaMemcpyHostToDevice,
				      stream));
		migrate<<<WIDE, 256, 0, stream>>>(words(sent[slot]), floats(made[slot]), SAMPLES,
						  steps_for(330, SAMPLES));
		launched();
		CHECK(cudaMemcpyAsync(pictures[slot], made[slot], SHOT, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaEventRecord(back[slot], stream));
	}
	print(sum);
}

// A scanner with rings of detectors; the hits of each ring are corrected by itself, then all rings
// are searched for coincidences.
UPDATE(correct_energy)
UPDATE(correct_time)
UPDATE(sort_hits)
UPDATE(find_coincidences)

void detector_rings()
{
	constexpr int RINGS = 12, HITS = 8 * 256;
	std::array<Stream, RINGS> streams;
	std::array<Event, RINGS> corrected;
	Event begun;
	Stream all;
	Device hits(BYTES);

	start(hits, COUNT, 11);
	for (int frame = 0; frame < 100; frame++) {
		CHECK(cudaEventRecord(begun, all));
		for (int ring = 0; ring < RINGS; ring++) {
			cudaStream_t stream = repaired ? streams[ring] : all;
			float *own = floats(hits, (size_t)ring * HITS);

			if (repaired)
				CHECK(cudaStreamWaitEvent(stream, begun, 0));
			correct_energy<<<8, 256, 0, stream>>>(own, HITS, steps_alone(60));
			launched();
			correct_time<<<8, 256, 0, stream>>>(own, HITS, steps_alone(80));
			launched();
			sort_hits<<<8, 256, 0, stream>>>(own, HITS, steps_alone(70));
			launched();
			if (repaired) {
				CHECK(cudaEventRecord(corrected[ring], stream));
				CHECK(cudaStreamWaitEvent(all, corrected[ring], 0));
			}
		}
		find_coincidences<<<WIDE, 256, 0, all>>>(floats(hits), COUNT,
							 steps_for(700, COUNT));
		launched();
	}
	answer(hits, RINGS * HITS * sizeof(float));
}

// Order books: the fields of the instruments come as arrays of their own.
ABSORB(price_books)

void order_books()
{
	constexpr int FIELDS = 64, INSTRUMENTS = 512;
	constexpr size_t FIELD = INSTRUMENTS * sizeof(unsigned);
	std::vector<std::vector<unsigned>> fields(FIELDS, std::vector<unsigned>(INSTRUMENTS, 3));
	Device books(FIELDS * FIELD), prices(BYTES);
	auto packed = several<Pinned>(2, FIELDS * FIELD);
	Event copied[2];

	start(prices, COUNT, 12);
	for (int batch = 0; batch < 1000; batch++) {
		for (int field = 0; field < FIELDS; field++)
			fields[field][batch % INSTRUMENTS] += (unsigned)(batch + field);
		if (repaired) {
			Pinned &all = packed[batch % 2];

			CHECK(cudaEventSynchronize(copied[batch % 2]));
			for (int field = 0; field < FIELDS; field++)
				memcpy(all.at(field * FIELD), fields[field].data(), FIELD);
			CHECK(cudaMemcpyAsync(books, all, FIELDS * FIELD, cudaMemcpyHostToDevice,
					      nullptr));
			CHECK(cudaEventRecord(copied[batch % 2]));
		} else {
			for (int field = 0; field < FIELDS; field++)
				CHECK(cudaMemcpy(books.at(field * FIELD), fields[field].data(),
						 FIELD, cudaMemcpyHostToDevice));
		}
		price_books<<<WIDE, 256>>>(words(books), FIELDS * INSTRUMENTS, floats(prices),
					   COUNT, steps_for(90, COUNT));
		launched();
	}
	answer(prices);
}

// An ensemble of forecasts, whose members differ in how they begin. Each has a small grid.
UPDATE(advect_member)
UPDATE(rain_member)

uint64_t forecast(int member)
{
	constexpr int CELLS = 33 * 256;
	Stream stream;
	Device state(CELLS * sizeof(float));

	start_values<<<33, 256, 0, stream>>>(floats(state), CELLS, 13U + (unsigned)member);
	launched();
	for (int step = 0; step < 900; step++) {
		advect_member<<<33, 256, 0, stream>>>(floats(state), CELLS, steps_alone(70));
		launched();
		rain_member<<<33, 256, 0, stream>>>(floats(state), CELLS, steps_alone(40));
		launched();
	}
	CHECK(cudaStreamSynchronize(stream));
	return digest_of_device(state, CELLS * sizeof(float));
}

void ensemble_ranks()
{
	constexpr int MEMBERS = 4;
	auto *sums = (uint64_t *)mmap(nullptr, MEMBERS * sizeof(uint64_t), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	must(sums != MAP_FAILED, "mmap");
	if (repaired) {
		std::vector<std::thread> members;

		for (int member = 0; member < MEMBERS; member++)
			members.emplace_back([=] { sums[member] = forecast(member); });
		for (auto &member : members)
			member.join();
	} else {
		for (int member = 1; member < MEMBERS; member++) {
			const pid_t child = fork();

			must(child >= 0, "fork");
			if (!child) {
				sums[member] = forecast(member);
				exit(0);
			}
		}
		sums[0] = forecast(0);
		for (int member = 1, status; member < MEMBERS; member++)
			must(wait(&status) > 0 && !status, "a member");
	}
	print(digest(sums, MEMBERS * sizeof(uint64_t)));
	munmap(sums, MEMBERS * sizeof(uint64_t));
}

// Gas on an adaptive mesh: many small patches, and the coarse grid below them.
UPDATE(coarse_flux)

__global__ void patch_flux(float *patches, int cells, int steps)
{
	float *patch = patches + (size_t)blockIdx.y * (size_t)cells;

	for (int i = first(); i < cells; i += stride())
		patch[i] = settle(patch[i], steps);
}

void amr_patches()
{
	constexpr int PATCHES = 400, CELLS = 16 * 16 * 16;
	Device coarse(BYTES), patches(PATCHES * CELLS * sizeof(float));

	start(coarse, COUNT, 20);
	start(patches, PATCHES * CELLS, 21);
	for (int step = 0; step < 180; step++) {
		coarse_flux<<<WIDE, 256>>>(floats(coarse), COUNT, steps_for(450, COUNT));
		launched();
		if (repaired) {
			patch_flux<<<dim3(CELLS / 256, PATCHES), 256>>>(floats(patches), CELLS, 40);
			launched();
			continue;
		}
		for (int patch = 0; patch < PATCHES; patch++) {
			patch_flux<<<CELLS / 256, 256>>>(floats(patches, (size_t)patch * CELLS),
							 CELLS, 40);
			launched();
		}
	}
	answer(patches);
}

// A camera at a crossing: boxes around cars, of which the host drops those that overlap.
__global__ void detect_cars(const unsigned *picture, float *boxes, int count, int steps)
{
	for (int i = first(); i < COUNT; i += stride()) {
		const float score = settle(signed_unit(picture[i]), steps);
		if (i < count)
			boxes[i] = score;
	}
}

void crossing_boxes()
{
	constexpr int FRAMES = 320, BOXES = 16384;
	constexpr size_t PICTURE = 4 * MIB, FOUND = BOXES * sizeof(float);
	auto pictures = several<Pinned>(2, PICTURE), found = several<Pinned>(2, FOUND);
	auto sent = several<Device>(2, PICTURE), boxes = several<Device>(2, FOUND);
	Stream stream;
	Event back[2];
	uint64_t sum = 0;
	const auto enqueue = [&](int frame) {
		const int slot = frame % 2;

		pictures[slot].change(frame);
		CHECK(cudaMemcpyAsync(sent[slot], pictures[slot], PICTURE, cudaMemcpyHostToDevice,
				      stream));
		detect_cars<<<WIDE, 256, 0, stream>>>(words(sent[slot]), floats(boxes[slot]), BOXES,
						      steps_for(480, COUNT));
		launched();
		CHECK(cudaMemcpyAsync(found[slot], boxes[slot], FOUND, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaEventRecord(back[slot], stream));
	};

	if (repaired)
		enqueue(0);
	for (int frame = 0; frame < FRAMES; frame++) {
		if (!repaired)
			enqueue(frame);
		else if (frame + 1 < FRAMES)
			enqueue(frame + 1);
		CHECK(cudaEventSynchronize(back[frame % 2]));
		sum = digest(found[frame % 2].at(0), 2048, sum);
		host_busy(450); // drops boxes that overlap
	}
	print(sum);
}

// Surfaces of volumes: the cells that the surface cuts are numbered, and each gets its triangle.
__global__ void classify_cells(const float *field, int *cut, int count, int volume, int steps)
{
	for (int i = first(); i < count; i += stride())
		cut[i] = settle(field[i], steps + volume) > 0.6f;
}

__global__ void emit_triangles(const float *field, const int *cut, const int *number,
			       float *triangles, int count, int steps)
{
	for (int i = first(); i < count; i += stride()) {
		const float value = settle(0.9f * field[i], steps);
		if (cut[i])
			triangles[number[i]] = value;
	}
}

void cell_numbers()
{
	constexpr int CELLS = 1024 * 1024;
	constexpr size_t SIZE = CELLS * sizeof(int);
	Device field(SIZE), cut(SIZE), number(SIZE), triangles(SIZE);
	Pinned host_cut(SIZE), host_number(SIZE);
	size_t needed = 0;

	start(field, CELLS, 22);
	start(triangles, CELLS, 23);
	CHECK(cub::DeviceScan::ExclusiveSum(nullptr, needed, (int *)cut.at(0), (int *)number.at(0),
					    CELLS));
	Device scratch(needed);
	for (int volume = 0; volume < 200; volume++) {
		classify_cells<<<WIDE, 256>>>(floats(field), (int *)cut.at(0), CELLS, volume,
					      steps_for(250, CELLS));
		launched();
		if (repaired) {
			CHECK(cub::DeviceScan::ExclusiveSum(scratch, needed, (int *)cut.at(0),
							    (int *)number.at(0), CELLS));
		} else {
			const int *is_cut = (const int *)host_cut.at(0);
			int *numbers = (int *)host_number.at(0), sum = 0;

			CHECK(cudaMemcpy(host_cut, cut, SIZE, cudaMemcpyDeviceToHost));
			for (int i = 0; i < CELLS; i++) {
				numbers[i] = sum;
				sum += is_cut[i];
			}
			CHECK(cudaMemcpy(number, host_number, SIZE, cudaMemcpyHostToDevice));
		}
		emit_triangles<<<WIDE, 256>>>(floats(field), (int *)cut.at(0), (int *)number.at(0),
					      floats(triangles), CELLS, steps_for(250, CELLS));
		launched();
	}
	answer(triangles);
}

// Reads of genomes lie in a store, a process that answers requests for blocks of them.
ABSORB(align_reads)

class Store
{
	int ends_[2];
	pid_t process_;

	static bool all(int end, char *at, size_t bytes, bool get)
	{
		while (bytes) {
			const ssize_t done = get ? read(end, at, bytes) : write(end, at, bytes);
			if (done <= 0)
				return false;
			at += done;
			bytes -= (size_t)done;
		}
		return true;
	}

      public:
	static constexpr size_t BLOCK = 128 << 10;

	Store()
	{
		must(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), "socketpair");
		process_ = fork();
		must(process_ >= 0, "fork");
		if (process_) {
			close(ends_[1]);
			return;
		}
		close(ends_[0]);
		std::vector<unsigned> block(BLOCK / 4, 5);
		unsigned wanted;
		while (all(ends_[1], (char *)&wanted, sizeof(wanted), true)) {
			host_sleep(550); // the disk
			for (unsigned i = 0; i < 512; i++)
				block[i * 64] = scrambled(wanted * 512 + i);
			if (!all(ends_[1], (char *)block.data(), BLOCK, false))
				break;
		}
		_exit(0);
	}
	Store(const Store &) = delete;
	~Store()
	{
		close(ends_[0]);
		waitpid(process_, nullptr, 0);
	}
	void fetch(unsigned index, char *block)
	{
		must(all(ends_[0], (char *)&index, sizeof(index), false), "write");
		must(all(ends_[0], block, BLOCK, true), "read");
	}
};

void read_archive()
{
	constexpr int BLOCKS = 260, AHEAD = 4;
	Store store;
	auto blocks = several<Pinned>(AHEAD, Store::BLOCK);
	Device sent(Store::BLOCK), scores(BYTES);
	Stream stream;
	std::mutex mutex;
	std::condition_variable change;
	int fetched = 0, used = 0;
	std::thread ahead;

	start(scores, COUNT, 24);
	if (repaired)
		ahead = std::thread([&] {
			for (int block = 0; block < BLOCKS; block++) {
				std::unique_lock<std::mutex> hold(mutex);
				change.wait(hold, [&] { return block - used < AHEAD; });
				hold.unlock();
				store.fetch((unsigned)block, blocks[block % AHEAD].at(0));
				hold.lock();
				fetched++;
				change.notify_all();
			}
		});
	for (int block = 0; block < BLOCKS; block++) {
		if (repaired) {
			std::unique_lock<std::mutex> hold(mutex);
			change.wait(hold, [&] { return fetched > block; });
		} else {
			store.fetch((unsigned)block, blocks[block % AHEAD].at(0));
		}
		CHECK(cudaMemcpyAsync(sent, blocks[block % AHEAD], Store::BLOCK,
				      cudaMemcpyHostToDevice, stream));
		align_reads<<<WIDE, 256, 0, stream>>>(words(sent), Store::BLOCK / 4, floats(scores),
						      COUNT, steps_for(750, COUNT));
		launched();
		CHECK(cudaStreamSynchronize(stream));
		const std::lock_guard<std::mutex> hold(mutex);
		used++;
		change.notify_all();
	}
	if (repaired)
		ahead.join();
	answer(scores);
}

// A swarm of robots in memory that host and device see; the host needs how far the swarm reaches.
UPDATE(move_robots)

__global__ void farthest(const float *places, int count, int *far)
{
	int most = 0;

	for (int i = first(); i < count; i += stride())
		most = max(most, __float_as_int(fabsf(places[i])));
	most = __reduce_max_sync(0xffffffffU, most);
	if (threadIdx.x % 32 == 0)
		atomicMax(far, most);
}

void swarm_reach()
{
	constexpr int ROBOTS = 2 * 1024 * 1024;
	float *places;
	Device far(sizeof(int));
	uint64_t sum = 0;

	CHECK(cudaMallocManaged((void **)&places, ROBOTS * sizeof(float)));
	start_values<<<WIDE, 256>>>(places, ROBOTS, 25);
	launched();
	for (int step = 0; step < 40; step++) {
		float reach = 0;

		move_robots<<<WIDE, 256>>>(places, ROBOTS, steps_for(1500, ROBOTS));
		launched();
		if (repaired) {
			CHECK(cudaMemsetAsync(far, 0, sizeof(int), nullptr));
			farthest<<<WIDE, 256>>>(places, ROBOTS, (int *)far.at(0));
			launched();
			CHECK(cudaMemcpy(&reach, far, sizeof(reach), cudaMemcpyDeviceToHost));
		} else {
			CHECK(cudaDeviceSynchronize());
			for (int i = 0; i < ROBOTS; i++)
				reach = std::max(reach, std::abs(places[i]));
		}
		sum = digest(&reach, sizeof(reach), sum);
	}
	CHECK(cudaDeviceSynchronize());
	print(digest(places, 4096, sum));
	CHECK(cudaFree(places));
}

// Options are priced by paths of their shares' prices; a desk has sixteen of them.
UPDATE(bump_market)

__global__ void option_paths(const float *market, unsigned long long *payoffs, int paths, int days)
{
	const int option = (int)blockIdx.x;
	unsigned long long sum = 0;

	for (int path = (int)(blockIdx.y * blockDim.x + threadIdx.x); path < paths;
	     path += (int)(gridDim.y * blockDim.x)) {
		const unsigned draw = (unsigned)(path * 16 + option);
		const float price = settle(0.5f * market[option] + 0.5f * signed_unit(draw), days);
		sum += (unsigned long long)(fmaxf(price, 0) * 65536);
	}
	atomicAdd(&payoffs[option], sum);
}

void option_desk()
{
	constexpr int OPTIONS = 16, PATHS = 40 * 1024, DAYS = 5000;
	Device market(BYTES), payoffs(OPTIONS * sizeof(unsigned long long));

	start(market, COUNT, 26);
	CHECK(cudaMemset(payoffs, 0, OPTIONS * sizeof(unsigned long long)));
	for (int bump = 0; bump < 110; bump++) {
		bump_market<<<WIDE, 256>>>(floats(market), COUNT, steps_for(1000, COUNT));
		launched();
		option_paths<<<dim3(OPTIONS, repaired ? 40 : 1), 256>>>(
			floats(market), (unsigned long long *)payoffs.at(0), PATHS, DAYS);
		launched();
	}
	answer(payoffs, OPTIONS * sizeof(unsigned long long));
}

// A speech codec looks each sample up in a codebook, which is in shared memory.
__global__ void encode_speech(const float *codebook, int entries, float *samples, int count,
			      int steps)
{
	extern __shared__ float book[];

	for (int i = (int)threadIdx.x; i < entries; i += (int)blockDim.x)
		book[i] = codebook[i];
	__syncthreads();
	for (int i = first(); i < count; i += stride())
		samples[i] = 0.5f * settle(samples[i], steps) +
			     0.5f * book[(i + (int)(samples[i] * 100) + entries) % entries];
}

void speech_codec()
{
	// The largest codebook of any of the codec's rates, and that of the rate in use.
	constexpr int LARGEST = 50 * 1024, ENTRIES = 2 * 1024;
	const int shared = (repaired ? ENTRIES : LARGEST) * (int)sizeof(float);
	Device codebook(LARGEST * sizeof(float)), samples(BYTES);

	start(codebook, LARGEST, 27);
	start(samples, COUNT, 28);
	CHECK(cudaFuncSetAttribute(encode_speech, cudaFuncAttributeMaxDynamicSharedMemorySize,
				   shared));
	for (int packet = 0; packet < 160; packet++) {
		encode_speech<<<COUNT / 128, 128, (size_t)shared>>>(
			floats(codebook), ENTRIES, floats(samples), COUNT, steps_for(450, COUNT));
		launched();
	}
	answer(samples);
}

// A service that finds routes; its workers take requests in turn.
__global__ void shortest_routes(const unsigned *roads, int limit, const unsigned *query,
				float *routes, int count, int steps)
{
	for (int i = first(); i < count; i += stride())
		routes[i] = settle(signed_unit(roads[(i * 37) % limit] ^ query[i % 4096]), steps);
}

void route_service()
{
	constexpr int WORKERS = 3, REQUESTS = 100;
	constexpr size_t ROADS = 40 * MIB, QUERY = 4096 * sizeof(unsigned), ROUTE = 8192;
	Pinned roads(ROADS);
	std::vector<std::thread> workers;
	uint64_t sums[WORKERS] = {};

	CHECK(cudaDeviceSynchronize());
	for (int worker = 0; worker < WORKERS; worker++)
		workers.emplace_back([&, worker] {
			Stream stream;
			Device map(ROADS), query(QUERY), routes(BYTES);
			Pinned asked(QUERY), found(ROUTE);

			for (int request = 0; request < REQUESTS; request++) {
				asked.change(request * WORKERS + worker);
				if (!repaired || !request)
					CHECK(cudaMemcpyAsync(map, roads, ROADS,
							      cudaMemcpyHostToDevice, stream));
				CHECK(cudaMemcpyAsync(query, asked, QUERY, cudaMemcpyHostToDevice,
						      stream));
				shortest_routes<<<WIDE, 256, 0, stream>>>(
					words(map), (int)(ROADS / 4), words(query), floats(routes),
					COUNT, steps_for(300, COUNT));
				launched();
				CHECK(cudaMemcpyAsync(found, routes, ROUTE, cudaMemcpyDeviceToHost,
						      stream));
				CHECK(cudaStreamSynchronize(stream));
				sums[worker] = digest(found.at(0), 1024, sums[worker]);
			}
		});
	for (auto &worker : workers)
		worker.join();
	print(digest(sums, sizeof(sums)));
}

// Scans of a patient go through plugins of two vendors, which have the driver's interface.
__global__ void resample_scan(const unsigned *raw, float *fine, int count, int steps)
{
	for (int i = first(); i < count; i += stride())
		fine[i] = settle(signed_unit(raw[i / 2]), steps + i % 2);
}

DERIVE(denoise_scan)

void scan_plugins()
{
	constexpr size_t SCAN = 28 * MIB, PREVIEW = 65536;
	constexpr int VOXELS = SCAN / sizeof(float), SCANS = 110;
	Device raw(SCAN / 2), fine(SCAN), input(SCAN), clean(SCAN);
	Pinned scan(SCAN / 2), between(SCAN), preview(PREVIEW);
	uint64_t sum = 0;

	start(input, VOXELS, 30);
	for (int i = 0; i < SCANS; i++) {
		scan.change(i);
		must(cuMemcpyHtoD((CUdeviceptr)raw.at(0), scan, SCAN / 2), "cuMemcpyHtoD");
		resample_scan<<<WIDE, 256>>>(words(raw), floats(fine), VOXELS,
					     steps_for(250, VOXELS));
		launched();
		float *from = floats(fine);
		if (!repaired) {
			must(cuMemcpyDtoH(between, (CUdeviceptr)fine.at(0), SCAN), "cuMemcpyDtoH");
			must(cuMemcpyHtoD((CUdeviceptr)input.at(0), between, SCAN), "cuMemcpyHtoD");
			from = floats(input);
		}
		denoise_scan<<<WIDE, 256>>>(from, floats(clean), VOXELS, steps_for(350, VOXELS));
		launched();
		must(cuMemcpyDtoH(preview, (CUdeviceptr)clean.at(0), PREVIEW), "cuMemcpyDtoH");
		sum = digest(preview.at(0), 512, sum);
	}
	print(sum);
}

// A river's flow: the kernels of a step are captured into a graph.
__global__ void sub_step(const float *interval, float *water, int count, int steps)
{
	for (int i = first(); i < count; i += stride())
		water[i] = settle(0.9f * water[i] + *interval, steps);
}

__global__ void next_interval(float *interval)
{
	*interval = 0.05f * settle(*interval, 3);
}

void river_steps()
{
	constexpr int SUB_STEPS = 40;
	Stream stream;
	Device interval(sizeof(float)), water(BYTES);
	cudaGraphExec_t kept = nullptr;
	const auto capture = [&] {
		cudaGraph_t graph;
		cudaGraphExec_t made;

		CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
		next_interval<<<1, 1, 0, stream>>>(floats(interval));
		for (int sub = 0; sub < SUB_STEPS; sub++)
			sub_step<<<WIDE, 256, 0, stream>>>(floats(interval), floats(water), COUNT,
							   100);
		CHECK(cudaStreamEndCapture(stream, &graph));
		CHECK(cudaGraphInstantiate(&made, graph, 0));
		CHECK(cudaGraphDestroy(graph));
		return made;
	};

	start(interval, 1, 31);
	start(water, COUNT, 32);
	if (repaired)
		kept = capture();
	for (int step = 0; step < 700; step++) {
		cudaGraphExec_t exec = repaired ? kept : capture();

		CHECK(cudaGraphLaunch(exec, stream));
		if (!repaired)
			CHECK(cudaGraphExecDestroy(exec));
	}
	CHECK(cudaStreamSynchronize(stream));
	if (repaired)
		CHECK(cudaGraphExecDestroy(kept));
	answer(water);
}

// Tenants of a service that predicts demand: each has a thread and a stream of its own.
ABSORB(predict_demand)
UPDATE(tally_errors)

class TenantStream
{
	cudaStream_t stream_;

      public:
	TenantStream()
	{
		CHECK(cudaStreamCreate(&stream_));
	}
	TenantStream(const TenantStream &) = delete;
	~TenantStream()
	{
		CHECK(cudaStreamDestroy(stream_));
	}
	operator cudaStream_t()
	{
		return stream_;
	}
};

void tenant_streams()
{
	constexpr int TENANTS = 4, VALUES = 24 * 256;
	constexpr size_t SIZE = VALUES * sizeof(float);
	std::vector<std::thread> threads;
	uint64_t sums[TENANTS] = {};

	CHECK(cudaDeviceSynchronize());
	for (int tenant = 0; tenant < TENANTS; tenant++)
		threads.emplace_back([&, tenant] {
			TenantStream stream;
			Device sales(SIZE), model(SIZE);
			Pinned sold(SIZE), predicted(SIZE);

			CHECK(cudaMemsetAsync(model, 0, SIZE, stream));
			for (int day = 0; day < 420; day++) {
				sold.change(day * TENANTS + tenant);
				CHECK(cudaMemcpyAsync(sales, sold, SIZE, cudaMemcpyHostToDevice,
						      stream));
				predict_demand<<<24, 256, 0, stream>>>(words(sales), VALUES,
								       floats(model), VALUES,
								       steps_alone(150));
				launched();
				tally_errors<<<24, 256, 0, repaired ? stream : cudaStream_t()>>>(
					floats(model), VALUES, steps_alone(90));
				launched();
				CHECK(cudaMemcpyAsync(predicted, model, SIZE,
						      cudaMemcpyDeviceToHost, stream));
				CHECK(cudaStreamSynchronize(stream));
				sums[tenant] = digest(predicted.at(0), 512, sums[tenant]);
			}
		});
	for (auto &thread : threads)
		thread.join();
	print(digest(sums, sizeof(sums)));
}

// A service that cuts thumbnails: its workers take requests, each of which is of four crops.
ABSORB(cut_crop)

struct CropLane {
	Stream stream;
	Event ended;
};

class Requests
{
	std::mutex mutex_;
	std::condition_variable change_;
	std::deque<int> waiting_;
	bool closed_ = false;

      public:
	void put(int request)
	{
		const std::lock_guard<std::mutex> hold(mutex_);
		waiting_.push_back(request);
		change_.notify_one();
	}
	void close()
	{
		const std::lock_guard<std::mutex> hold(mutex_);
		closed_ = true;
		change_.notify_all();
	}
	bool take(int &request)
	{
		std::unique_lock<std::mutex> hold(mutex_);
		change_.wait(hold, [this] { return closed_ || !waiting_.empty(); });
		if (waiting_.empty())
			return false;
		request = waiting_.front();
		waiting_.pop_front();
		return true;
	}
};

void thumbnail_requests()
{
	constexpr int CROPS = 4, PIXELS = 30 * 256;
	constexpr size_t SIZE = PIXELS * sizeof(float);
	Requests requests;
	std::vector<std::thread> workers;
	uint64_t sums[2] = {};

	CHECK(cudaDeviceSynchronize());
	for (int request = 0; request < 1600; request++)
		requests.put(request);
	requests.close();
	for (uint64_t &sum : sums)
		workers.emplace_back([&requests, &sum] {
			Device sent(CROPS * SIZE), crops(CROPS * SIZE);
			Pinned upload(CROPS * SIZE), download(CROPS * SIZE);
			std::unique_ptr<std::array<CropLane, CROPS>> lanes;
			int request;

			while (requests.take(request)) {
				if (!lanes)
					lanes = std::make_unique<std::array<CropLane, CROPS>>();
				for (int crop = 0; crop < CROPS; crop++) {
					CropLane &lane = (*lanes)[crop];
					const size_t at = crop * SIZE;

					*(int *)upload.at(at) = request * CROPS + crop;
					CHECK(cudaMemcpyAsync(sent.at(at), upload.at(at), SIZE,
							      cudaMemcpyHostToDevice, lane.stream));
					CHECK(cudaMemsetAsync(crops.at(at), 0, SIZE, lane.stream));
					cut_crop<<<30, 256, 0, lane.stream>>>(
						(unsigned *)sent.at(at), PIXELS,
						(float *)crops.at(at), PIXELS, steps_alone(40));
					launched();
					CHECK(cudaMemcpyAsync(download.at(at), crops.at(at), SIZE,
							      cudaMemcpyDeviceToHost, lane.stream));
					CHECK(cudaEventRecord(lane.ended, lane.stream));
				}
				for (CropLane &lane : *lanes)
					CHECK(cudaEventSynchronize(lane.ended));
				for (int crop = 0; crop < CROPS; crop++)
					sum += digest(download.at(crop * SIZE), 64);
				if (!repaired)
					lanes.reset();
			}
		});
	for (auto &worker : workers)
		worker.join();
	const uint64_t total = sums[0] + sums[1];
	print(digest(&total, sizeof(total)));
}

// Ultrasound: probes' data, pictures and what the screen shows go through a ring of four slots.
ABSORB(beamform)

void clean_ultrasound_ring()
{
	constexpr int SLOTS = 4;
	constexpr size_t PROBE = 8 * MIB, PICTURE = MIB;
	Stream up, compute, down;
	std::array<Event, SLOTS> sent, formed, shown;
	auto probes = several<Pinned>(SLOTS, PROBE), pictures = several<Pinned>(SLOTS, PICTURE);
	auto raw = several<Device>(SLOTS, PROBE), images = several<Device>(SLOTS, BYTES);
	uint64_t sum = 0;

	for (unsigned slot = 0; slot < SLOTS; slot++)
		start(images[slot], COUNT, 40 + slot);
	for (int frame = 0; frame < 700 + SLOTS; frame++) {
		const int slot = frame % SLOTS;

		if (frame >= SLOTS) {
			CHECK(cudaEventSynchronize(shown[slot]));
			sum = digest(pictures[slot].at(0), 64, sum);
		}
		if (frame >= 700)
			continue;
		probes[slot].change(frame);
		CHECK(cudaMemcpyAsync(raw[slot], probes[slot], PROBE, cudaMemcpyHostToDevice, up));
		CHECK(cudaEventRecord(sent[slot], up));
		CHECK(cudaStreamWaitEvent(compute, sent[slot], 0));
		beamform<<<WIDE, 256, 0, compute>>>(words(raw[slot]), COUNT, floats(images[slot]),
						    COUNT, steps_for(450, COUNT));
		launched();
		CHECK(cudaEventRecord(formed[slot], compute));
		CHECK(cudaStreamWaitEvent(down, formed[slot], 0));
		CHECK(cudaMemcpyAsync(pictures[slot], images[slot], PICTURE, cudaMemcpyDeviceToHost,
				      down));
		CHECK(cudaEventRecord(shown[slot], down));
	}
	print(sum);
}

// Molecules: ten steps are one graph; now and then the host looks at the energy.
UPDATE(bonded_forces)
UPDATE(pair_forces)
UPDATE(integrate_motion)

void clean_molecule_graph()
{
	Stream stream;
	Device atoms(BYTES);
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	float energy = 0;

	start(atoms, COUNT, 45);
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	for (int step = 0; step < 10; step++) {
		bonded_forces<<<WIDE, 256, 0, stream>>>(floats(atoms), COUNT, steps_for(8, COUNT));
		pair_forces<<<WIDE, 256, 0, stream>>>(floats(atoms), COUNT, steps_for(40, COUNT));
		integrate_motion<<<WIDE, 256, 0, stream>>>(floats(atoms), COUNT,
							   steps_for(10, COUNT));
	}
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	for (int tens = 0; tens < 600; tens++) {
		CHECK(cudaGraphLaunch(exec, stream));
		if (tens % 100 < 99)
			continue;
		CHECK(cudaMemcpyAsync(&energy, atoms, sizeof(energy), cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaStreamSynchronize(stream));
		must(energy < 2, "the integration");
	}
	CHECK(cudaGraphExecDestroy(exec));
	answer(atoms);
}

// Frames of a game's replay, whose sizes differ: scratch memory comes from the device's pool.
DERIVE(light_scene)
DERIVE(tone_map)

void clean_replay_pool()
{
	Stream stream;
	Device scene(4 * BYTES), shown(4 * BYTES);
	cudaMemPool_t pool;
	uint64_t keep = UINT64_MAX;

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
	start(scene, 4 * COUNT, 46);
	for (int frame = 0; frame < 700; frame++) {
		const int count = COUNT * (1 + frame % 4);
		void *scratch;

		CHECK(cudaMallocAsync(&scratch, (size_t)count * sizeof(float), stream));
		light_scene<<<WIDE, 256, 0, stream>>>(floats(scene), (float *)scratch, count,
						      steps_for(200, count));
		launched();
		tone_map<<<WIDE, 256, 0, stream>>>((float *)scratch, floats(shown), count,
						   steps_for(200, count));
		launched();
		CHECK(cudaFreeAsync(scratch, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(shown);
}

// A rocket's path by steps of which each depends on how far off the last one was.
__global__ void try_step(float *path, int count, float size, int steps)
{
	for (int i = first(); i < count; i += stride())
		path[i] = settle(path[i] * (1 - 0.1f * size), steps);
}

void clean_adaptive_path()
{
	Stream stream;
	Device path(BYTES);
	Pinned off(sizeof(float));
	float size = 0.5f;
	int smaller = 0;

	start(path, COUNT, 47);
	for (int step = 0; step < 110; step++) {
		try_step<<<WIDE, 256, 0, stream>>>(floats(path), COUNT, size,
						   steps_for(3000, COUNT));
		launched();
		CHECK(cudaMemcpyAsync(off, path, sizeof(float), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		if (std::abs(*(float *)off.at(0)) > 1) {
			size *= 0.9f;
			smaller++;
		} else {
			size = std::min(size * 1.1f, 1.0f);
		}
	}
	const uint64_t seen = digest_of_device(path, BYTES);
	print(digest(&smaller, sizeof(smaller), seen));
}

// A reactor: tables of two hundred isotopes are loaded once, then neutrons are followed.
ABSORB(follow_neutrons)

void clean_isotope_tables()
{
	constexpr int ISOTOPES = 200, ENTRIES = 4096;
	std::vector<std::vector<unsigned>> tables;
	Device sections(ISOTOPES * ENTRIES * 4), neutrons(BYTES);

	for (unsigned isotope = 0; isotope < ISOTOPES; isotope++) {
		tables.emplace_back(ENTRIES - isotope);
		for (unsigned i = 0; i < tables.back().size(); i++)
			tables.back()[i] = scrambled(isotope * ENTRIES + i);
	}
	CHECK(cudaMemset(sections, 0, ISOTOPES * ENTRIES * 4));
	for (int isotope = 0; isotope < ISOTOPES; isotope++)
		CHECK(cudaMemcpy(sections.at((size_t)isotope * ENTRIES * 4), tables[isotope].data(),
				 tables[isotope].size() * 4, cudaMemcpyHostToDevice));
	start(neutrons, COUNT, 48);
	for (int generation = 0; generation < 150; generation++) {
		follow_neutrons<<<WIDE, 256>>>(words(sections), ISOTOPES * ENTRIES,
					       floats(neutrons), COUNT, steps_for(2500, COUNT));
		launched();
	}
	answer(neutrons);
}

// A translator: a client asks for a sentence now and then; each is answered when it comes.
ABSORB(translate)

void clean_sentence_service()
{
	constexpr size_t SENTENCE = 64 << 10, REPLY = 4096;
	Stream stream;
	Device sentence(SENTENCE), state(BYTES);
	Pinned asked(SENTENCE), reply(REPLY);
	Requests requests;
	uint64_t sum = 0;
	int request;

	start(state, COUNT, 49);
	std::thread client([&requests] {
		for (int sent = 0; sent < 130; sent++) {
			host_sleep(2500);
			requests.put(sent);
		}
		requests.close();
	});
	while (requests.take(request)) {
		asked.change(request);
		CHECK(cudaMemcpyAsync(sentence, asked, SENTENCE, cudaMemcpyHostToDevice, stream));
		for (int layer = 0; layer < 6; layer++) {
			translate<<<WIDE, 256, 0, stream>>>(words(sentence), SENTENCE / 4,
							    floats(state), COUNT,
							    steps_for(120, COUNT));
			launched();
		}
		CHECK(cudaMemcpyAsync(reply, state, REPLY, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		sum = digest(reply.at(0), 256, sum);
	}
	client.join();
	print(sum);
}

// Two genomes are aligned by waves across their matrix: each wave needs the one before it.
__global__ void align_wave(const float *before, float *cells, int count, int steps)
{
	for (int i = first(); i < count; i += stride())
		cells[i] = settle(0.9f * before[i] + 0.1f * before[i + 256], steps);
}

void clean_alignment_waves()
{
	constexpr int TILES = 528;
	Stream stream;
	Device even(BYTES), odd(BYTES);

	start(even, COUNT, 50);
	start(odd, COUNT, 51);
	for (int pair = 0; pair < 3; pair++)
		for (int wave = 0; wave < 2 * TILES; wave++) {
			const int tiles = 1 + (wave < TILES ? wave : 2 * TILES - 1 - wave);
			Device &from = wave % 2 ? odd : even, &to = wave % 2 ? even : odd;

			align_wave<<<tiles, 256, 0, stream>>>(floats(from), floats(to), tiles * 256,
							      20000);
			launched();
		}
	CHECK(cudaStreamSynchronize(stream));
	answer(even);
}

// A map of the sky in memory that host and device see, moved before it is needed at either side.
UPDATE(clean_map)

void clean_sky_prefetch()
{
	constexpr int PIXELS = 8 * 1024 * 1024;
	constexpr size_t SIZE = PIXELS * sizeof(float);
	Stream stream;
	float *map;
	double sum = 0;
	const auto prefetch = [&](bool device) {
#if CUDART_VERSION >= 13000
		cudaMemLocation place = {};
		place.type = device ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost;
		CHECK(cudaMemPrefetchAsync(map, SIZE, place, 0, stream));
#else
		CHECK(cudaMemPrefetchAsync(map, SIZE, device ? 0 : cudaCpuDeviceId, stream));
#endif
	};

	CHECK(cudaMallocManaged((void **)&map, SIZE));
	for (int i = 0; i < PIXELS; i++)
		map[i] = (float)(i % 4099) / 4099;
	prefetch(true);
	for (int pass = 0; pass < 160; pass++) {
		clean_map<<<WIDE, 256, 0, stream>>>(map, PIXELS, steps_for(2500, PIXELS));
		launched();
	}
	prefetch(false);
	CHECK(cudaStreamSynchronize(stream));
	for (int i = 0; i < PIXELS; i++)
		sum += map[i];
	print(digest(&sum, sizeof(sum)));
	CHECK(cudaFree(map));
}

const Case cases[] = {
	CASE(lens_frames),
	CASE(basket_sorts),
	CASE(lattice_checks),
	CASE(plate_steady),
	CASE(radar_pulses),
	CASE(slide_tiles),
	CASE(crystal_images),
	CASE(shot_gathers),
	CASE(detector_rings),
	CASE(order_books),
	CASE(ensemble_ranks),
	CASE(amr_patches),
	CASE(crossing_boxes),
	CASE(cell_numbers),
	CASE(read_archive),
	CASE(swarm_reach),
	CASE(option_desk),
	CASE(speech_codec),
	CASE(route_service),
	CASE(scan_plugins),
	CASE(river_steps),
	CASE(tenant_streams),
	CASE(thumbnail_requests),
	CASE(clean_ultrasound_ring),
	CASE(clean_molecule_graph),
	CASE(clean_replay_pool),
	CASE(clean_adaptive_path),
	CASE(clean_isotope_tables),
	CASE(clean_sentence_service),
	CASE(clean_alignment_waves),
	CASE(clean_sky_prefetch),
};
} // namespace

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
