// SPDX-License-Identifier: MIT
// outings CASE [repaired]: small applications of many fields with one fault each; those named
// clean_* have none. Each prints an answer that is the same with and without the fault.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cooperative_groups.h>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <sys/mman.h>
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
// Rounds of churn() that take 1 us with all threads of the device.
constexpr int WIDE_US = 110;
// And that take 1 us where each multiprocessor has a block of 256 or less.
constexpr int NARROW_US = 420;

void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s failed\n", what);
	exit(1);
}

void driver(CUresult status, const char *call)
{
	if (status == CUDA_SUCCESS)
		return;
	fprintf(stderr, "%s: error %d\n", call, (int)status);
	exit(1);
}

int units()
{
	static const int count = [] {
		int found;
		CHECK(cudaDeviceGetAttribute(&found, cudaDevAttrMultiProcessorCount, 0));
		return found;
	}();
	return count;
}

// Blocks of 256 that fill the device once.
int wide()
{
	return units() * 8;
}

// Stays within [-1.9, 1.9] and depends on each bit of the input.
__device__ float churn(float x, int rounds)
{
#pragma unroll 16
	for (int round = 0; round < rounds; round++)
		x = fmaf(-x, x, 1.7f);
	return x;
}

__device__ unsigned mixed(unsigned value)
{
	value = (value ^ (value >> 16)) * 0x7feb352dU;
	value = (value ^ (value >> 15)) * 0x846ca68bU;
	return value ^ (value >> 16);
}

__device__ float unit(unsigned value)
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
// Kernels that take words, over and over where there are fewer, into floats.
#define OF_WORDS(name)                                                                             \
	__global__ void name(const unsigned *words, int of, float *data, int count, int rounds)    \
	{                                                                                          \
		for (int i = first_index(); i < count; i += index_step())                          \
			data[i] =                                                                  \
				churn(0.5f * data[i] + 0.5f * unit(mixed(words[i % of])), rounds); \
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
uint64_t seen(const void *data, size_t bytes)
{
	std::vector<char> copy(bytes);

	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(copy.data(), data, bytes, cudaMemcpyDeviceToHost));
	return hash_of(copy.data(), bytes);
}

void answer(const void *data, size_t bytes)
{
	say(seen(data, bytes));
}

float *floats(void *at)
{
	return (float *)at;
}

unsigned *words(void *at)
{
	return (unsigned *)at;
}

// Words of new data, one in each 4 KiB.
void new_words(void *buffer, size_t bytes, unsigned round)
{
	for (size_t at = 0; at < bytes; at += 4096)
		*(unsigned *)((char *)buffer + at) = round * 2654435761U + (unsigned)at;
}

ELEMENTWISE(propagate)
ELEMENTWISE(accrue)
ELEMENTWISE(flatten)
ELEMENTWISE(quantify)
ELEMENTWISE(recognise)
ELEMENTWISE(reconstruct)
ELEMENTWISE(inspect)
ELEMENTWISE(flood)
ELEMENTWISE(bake)
ELEMENTWISE(stack_stripe)
ELEMENTWISE(tide)
ELEMENTWISE(recalculate)
ELEMENTWISE(echo)
ELEMENTWISE(bid)
ELEMENTWISE(sweep)
ELEMENTWISE(erode)
ELEMENTWISE(train)
ELEMENTWISE(query_index)
ELEMENTWISE(bin_events)
ELEMENTWISE(smooth_bins)
ELEMENTWISE(ascend)
OF_WORDS(backproject)
OF_WORDS(denoise)
OF_WORDS(calibrate)
OF_WORDS(light_stage)
OF_WORDS(read_page)
OF_WORDS(mix_tracks)

// A line of X-ray projections that are filtered and smeared back as they come.
void tomo_projections()
{
	constexpr size_t PROJECTION = 16 << 20;
	constexpr int PROJECTIONS = 110, SLOTS = 3;
	std::vector<std::vector<unsigned>> arrived(SLOTS);
	Stream streams[SLOTS];
	std::vector<Device> raw = several<Device>(SLOTS, PROJECTION);
	std::vector<Device> volumes = several<Device>(SLOTS, BYTES);
	uint64_t hash = 0;

	for (int slot = 0; slot < SLOTS; slot++) {
		arrived[slot].assign(PROJECTION / 4, 7);
		if (repaired)
			CHECK(cudaHostRegister(arrived[slot].data(), PROJECTION,
					       cudaHostRegisterDefault));
		seed<<<wide(), 256, 0, streams[slot]>>>(floats(volumes[slot]), COUNT, slot);
		CHECK(cudaGetLastError());
	}
	for (int i = 0; i < PROJECTIONS; i++) {
		const int slot = i % SLOTS;

		CHECK(cudaStreamSynchronize(streams[slot]));
		new_words(arrived[slot].data(), PROJECTION, i);
		CHECK(cudaMemcpyAsync(raw[slot], arrived[slot].data(), PROJECTION,
				      cudaMemcpyHostToDevice, streams[slot]));
		backproject<<<wide(), 256, 0, streams[slot]>>>(
			words(raw[slot]), COUNT, floats(volumes[slot]), COUNT, 500 * WIDE_US);
		CHECK(cudaGetLastError());
	}
	for (int slot = 0; slot < SLOTS; slot++) {
		hash = hash * 31 + seen(volumes[slot], BYTES);
		if (repaired)
			CHECK(cudaHostUnregister(arrived[slot].data()));
	}
	say(hash);
}

__global__ void stack_image(const float *one, const float *two, float *image, int count)
{
	for (int i = first_index(); i < count; i += index_step())
		image[i] = 0.5f * image[i] + 0.25f * (one[i] + two[i]);
}

constexpr int GRID_POINTS = 16 << 20;
constexpr size_t WAVEFIELD = GRID_POINTS * sizeof(float);

// One shot of a survey: a field forward, one backward, and their image.
void migrate(Stream &stream, Device &forward, Device &backward, Device &image, int shot)
{
	seed<<<wide(), 256, 0, stream>>>(floats(forward), GRID_POINTS, shot);
	seed<<<wide(), 256, 0, stream>>>(floats(backward), GRID_POINTS, shot + 1000);
	for (int step = 0; step < 3; step++) {
		propagate<<<wide(), 256, 0, stream>>>(floats(forward), GRID_POINTS, 32);
		propagate<<<wide(), 256, 0, stream>>>(floats(backward), GRID_POINTS, 32);
	}
	stack_image<<<wide(), 256, 0, stream>>>(floats(forward), floats(backward), floats(image),
						GRID_POINTS);
	CHECK(cudaGetLastError());
}

// Reverse time migration of a seismic survey.
void seismic_shots()
{
	constexpr int SHOTS = 220;
	Stream stream;
	Device image(WAVEFIELD);

	seed<<<wide(), 256, 0, stream>>>(floats(image), GRID_POINTS, 3);
	CHECK(cudaGetLastError());
	if (repaired) {
		Device forward(WAVEFIELD), backward(WAVEFIELD);

		for (int shot = 0; shot < SHOTS; shot++)
			migrate(stream, forward, backward, image, shot);
		CHECK(cudaStreamSynchronize(stream));
	} else {
		for (int shot = 0; shot < SHOTS; shot++) {
			Device forward(WAVEFIELD), backward(WAVEFIELD);

			migrate(stream, forward, backward, image, shot);
		}
	}
	answer(image, 1 << 20);
}

// Interest on all accounts of a bank, day by day, in six passes.
void ledger_days()
{
	Stream stream;
	Device accounts(BYTES);

	seed<<<wide(), 256, 0, stream>>>(floats(accounts), COUNT, 11);
	CHECK(cudaGetLastError());
	for (int day = 0; day < 1600; day++)
		for (int pass = 0; pass < 6; pass++) {
			accrue<<<wide(), 256, 0, stream>>>(floats(accounts), COUNT, 10 * WIDE_US);
			CHECK(cudaGetLastError());
			if (!repaired)
				CHECK(cudaStreamSynchronize(stream));
		}
	CHECK(cudaStreamSynchronize(stream));
	answer(accounts, BYTES);
}

// Frames of a film: upload, denoise, download for the encoder.
void film_denoise()
{
	constexpr size_t FRAME = 8 << 20;
	constexpr int PIXELS = FRAME / 4, FRAMES = 480, SLOTS = 4;
	Stream streams[SLOTS];
	Event written[SLOTS];
	std::vector<Pinned> read = several<Pinned>(SLOTS, FRAME);
	std::vector<Pinned> encoded = several<Pinned>(SLOTS, FRAME);
	std::vector<Device> raw = several<Device>(SLOTS, FRAME);
	std::vector<Device> clean = several<Device>(SLOTS, FRAME);
	uint64_t hash = 1;

	for (int slot = 0; slot < SLOTS; slot++)
		CHECK(cudaMemset(clean[slot], 0, FRAME));
	CHECK(cudaDeviceSynchronize());
	for (int frame = 0; frame < FRAMES + SLOTS; frame++) {
		const int slot = frame % SLOTS;
		const cudaStream_t stream = streams[repaired ? slot : 0];

		if (frame >= SLOTS) {
			CHECK(cudaEventSynchronize(written[slot]));
			hash = hash_of(encoded[slot].at(0), 4096, hash);
		}
		if (frame >= FRAMES)
			continue;
		new_words(read[slot], FRAME, frame);
		CHECK(cudaMemcpyAsync(raw[slot], read[slot], FRAME, cudaMemcpyHostToDevice,
				      stream));
		denoise<<<wide(), 256, 0, stream>>>(words(raw[slot]), PIXELS, floats(clean[slot]),
						    PIXELS, 28 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(encoded[slot], clean[slot], FRAME, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaEventRecord(written[slot], stream));
	}
	say(hash);
}

// Eye scans: the twelve layers of the retina are flattened, then thickness is measured.
void retina_layers()
{
	constexpr int LAYERS = 12;
	Stream stream;
	Device scan(BYTES);

	seed<<<wide(), 256, 0, stream>>>(floats(scan), COUNT, 21);
	CHECK(cudaGetLastError());
	for (int i = 0; i < 320; i++) {
		const int blocks = repaired ? wide() : LAYERS;

		flatten<<<blocks, 256, 0, stream>>>(floats(scan), COUNT, 4000);
		quantify<<<wide(), 256, 0, stream>>>(floats(scan), COUNT, 350 * WIDE_US);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(scan, BYTES);
}

// One of the kiosks that look for a visitor's face.
void kiosk(int number, uint64_t *hash)
{
	constexpr int FEATURES = 30 * 256;
	constexpr size_t FACE = FEATURES * sizeof(float);
	Stream own;
	const cudaStream_t stream = repaired ? (cudaStream_t)own : cudaStreamLegacy;
	Device face(FACE);
	Pinned camera(FACE), match(FACE);

	*hash = number;
	for (int visitor = 0; visitor < 400; visitor++) {
		for (int i = 0; i < FEATURES; i++)
			floats(camera)[i] =
				(float)((i * 37 + visitor * 11 + number) % 1000) * 1e-3f;
		CHECK(cudaMemcpyAsync(face, camera, FACE, cudaMemcpyHostToDevice, stream));
		recognise<<<30, 256, 0, stream>>>(floats(face), FEATURES, 220 * NARROW_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(match, face, FACE, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		*hash = hash_of(match, 64, *hash);
	}
}

void kiosk_visitors()
{
	constexpr int KIOSKS = 4;
	uint64_t hashes[KIOSKS];
	std::vector<std::thread> kiosks;

	CHECK(cudaFree(nullptr));
	for (int i = 0; i < KIOSKS; i++)
		kiosks.emplace_back(kiosk, i, &hashes[i]);
	for (auto &one : kiosks)
		one.join();
	say(hash_of(hashes, sizeof hashes));
}

// The frames of the flat field, one for each gain of the camera.
__global__ void divide_field(const unsigned *field, float *data, int frames)
{
	for (int i = first_index(); i < COUNT; i += index_step()) {
		float gain = 0;

		for (int frame = 0; frame < frames; frame++)
			gain += unit(mixed(field[frame * COUNT + i]));
		data[i] = 0.5f * data[i] + 0.5f * gain / (float)frames;
	}
}

// A beamline's camera: each exposure is corrected by the flat field of the night.
void beamline_exposures()
{
	constexpr int GAINS = 24, EXPOSURES = 320;
	constexpr size_t FLAT = GAINS * BYTES, EXPOSURE = 1 << 20;
	Stream stream;
	Pinned flat(FLAT);
	std::vector<Pinned> arrived = several<Pinned>(2, EXPOSURE);
	Event taken[2];
	Device field(FLAT), exposure(EXPOSURE), corrected(BYTES);

	new_words(flat, FLAT, 5);
	seed<<<wide(), 256, 0, stream>>>(floats(corrected), COUNT, 31);
	CHECK(cudaGetLastError());
	for (int i = 0; i < EXPOSURES; i++) {
		Pinned &shot = arrived[i % 2];

		if (i >= 2)
			CHECK(cudaEventSynchronize(taken[i % 2]));
		new_words(shot, EXPOSURE, i);
		if (i == 0 || !repaired)
			CHECK(cudaMemcpyAsync(field, flat, FLAT, cudaMemcpyHostToDevice, stream));
		CHECK(cudaMemcpyAsync(exposure, shot, EXPOSURE, cudaMemcpyHostToDevice, stream));
		CHECK(cudaEventRecord(taken[i % 2], stream));
		divide_field<<<wide(), 256, 0, stream>>>(words(field), floats(corrected), GAINS);
		calibrate<<<wide(), 256, 0, stream>>>(words(exposure), EXPOSURE / 4,
						      floats(corrected), COUNT, 320 * WIDE_US);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(corrected, BYTES);
}

// What a lamp of a theatre shall do in the next tick.
struct Lamp {
	unsigned channels[32];
};

// The preview of a light show: lamps' channels in, the stage's brightness out.
void light_preview()
{
	constexpr int LAMPS = 96, TICKS = 700;
	Stream stream;
	Pinned desk(LAMPS * sizeof(Lamp)), brightness(4096);
	Device lamps(LAMPS * sizeof(Lamp)), stage(BYTES);
	Lamp *set = (Lamp *)(void *)desk;
	uint64_t hash = 1;

	seed<<<wide(), 256, 0, stream>>>(floats(stage), COUNT, 41);
	CHECK(cudaGetLastError());
	for (int tick = 0; tick < TICKS; tick++) {
		for (int i = 0; i < LAMPS; i++) {
			for (int channel = 0; channel < 32; channel++)
				set[i].channels[channel] = (unsigned)(tick * 7 + i * 3 + channel);
			if (!repaired)
				CHECK(cudaMemcpyAsync(lamps.at(i * sizeof(Lamp)), &set[i],
						      sizeof(Lamp), cudaMemcpyHostToDevice,
						      stream));
		}
		if (repaired)
			CHECK(cudaMemcpyAsync(lamps, set, LAMPS * sizeof(Lamp),
					      cudaMemcpyHostToDevice, stream));
		light_stage<<<wide(), 256, 0, stream>>>(words(lamps), LAMPS * 32, floats(stage),
							COUNT, 120 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(brightness, stage, 4096, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		hash = hash_of(brightness, 64, hash);
	}
	say(hash);
}

// What the host makes of a slice: the outlines of the bones, which takes 600 us.
uint64_t outline(void *slice, size_t bytes, uint64_t hash)
{
	const double begin = now_ns();

	hash = hash_of(slice, bytes, hash);
	host_busy((int)std::max(0.0, 600 - (now_ns() - begin) * 1e-3));
	return hash;
}

// Slices of a CT scanner: made on the device, outlined on the host.
void bone_outlines()
{
	constexpr int SLICES = 260;
	constexpr size_t SLICE = 64 << 10;
	Stream stream;
	Event made[2];
	std::vector<Pinned> slices = several<Pinned>(2, SLICE);
	Device volume(BYTES);
	uint64_t hash = 1;
	const auto make = [&](int slice) {
		reconstruct<<<wide(), 256, 0, stream>>>(floats(volume), COUNT, 800 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(slices[slice % 2], volume, SLICE, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaEventRecord(made[slice % 2], stream));
	};

	seed<<<wide(), 256, 0, stream>>>(floats(volume), COUNT, 51);
	CHECK(cudaGetLastError());
	make(0);
	for (int slice = 0; slice < SLICES; slice++) {
		if (repaired && slice + 1 < SLICES)
			make(slice + 1);
		CHECK(cudaEventSynchronize(made[slice % 2]));
		hash = outline(slices[slice % 2], SLICE, hash);
		if (!repaired && slice + 1 < SLICES)
			make(slice + 1);
	}
	say(hash);
}

// A microscope over a wafer: what was seen of a field says how the next is focused.
void wafer_fields()
{
	constexpr int FIELDS = 320;
	Stream stream;
	Pinned defects(4096);
	Device field(BYTES);
	uint64_t hash = 1;
	int focus = 0;

	seed<<<wide(), 256, 0, stream>>>(floats(field), COUNT, 61);
	CHECK(cudaGetLastError());
	for (int i = 0; i < FIELDS; i++) {
		inspect<<<wide(), 256, 0, stream>>>(floats(field), COUNT, 300 * WIDE_US + focus);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(defects, field, 4096, cudaMemcpyDeviceToHost, stream));
		if (repaired) {
			CHECK(cudaStreamSynchronize(stream));
		} else {
			cudaError_t status;

			while ((status = cudaStreamQuery(stream)) == cudaErrorNotReady)
				host_sleep(1000);
			CHECK(status);
		}
		hash = hash_of(defects, 256, hash);
		focus = (int)(hash % 64);
	}
	say(hash);
}

__global__ void column_of(const float *field, int width, float *column, int rows)
{
	for (int i = first_index(); i < rows; i += index_step())
		column[i] = field[(size_t)i * width];
}

// A river's flood: after each step the level along the bank goes to the warning service.
void river_bank()
{
	constexpr int ROWS = 131072, WIDTH = 128, STEPS = 800;
	Stream stream;
	Pinned bank(ROWS * sizeof(float));
	Device river(sizeof(float) * ROWS * WIDTH), column(ROWS * sizeof(float));
	uint64_t hash = 1;

	seed<<<wide(), 256, 0, stream>>>(floats(river), ROWS * WIDTH, 71);
	CHECK(cudaGetLastError());
	for (int step = 0; step < STEPS; step++) {
		flood<<<wide(), 256, 0, stream>>>(floats(river), ROWS * WIDTH, 4 * WIDE_US);
		CHECK(cudaGetLastError());
		if (repaired) {
			column_of<<<256, 256, 0, stream>>>(floats(river), WIDTH, floats(column),
							   ROWS);
			CHECK(cudaGetLastError());
			CHECK(cudaMemcpyAsync(bank, column, ROWS * sizeof(float),
					      cudaMemcpyDeviceToHost, stream));
		} else {
			CHECK(cudaMemcpy2DAsync(bank, sizeof(float), river, WIDTH * sizeof(float),
						sizeof(float), ROWS, cudaMemcpyDeviceToHost,
						stream));
		}
		CHECK(cudaStreamSynchronize(stream));
		hash = hash_of(bank, 4096, hash);
	}
	say(hash);
}

__global__ void heat_elements(float *field, int count, float power)
{
	const int i = first_index() * 1024;

	if (i < count)
		field[i] = field[i] * 0.5f + power;
}

// A kiln: heating elements, one for each 4 KiB of the field, and how the heat spreads.
void kiln_heat()
{
	constexpr int CELLS = 1 << 20;
	float *field;

	CHECK(cudaMallocManaged(&field, CELLS * sizeof(float)));
	seed<<<wide(), 256>>>(field, CELLS, 81);
	CHECK(cudaGetLastError());
	for (int step = 0; step < 50; step++) {
		const float power = 0.25f + (float)(step % 4) * 0.125f;

		if (repaired) {
			heat_elements<<<CELLS / 1024 / 256, 256>>>(field, CELLS, power);
			CHECK(cudaGetLastError());
		} else {
			CHECK(cudaDeviceSynchronize());
			for (int i = 0; i < CELLS; i += 1024)
				field[i] = field[i] * 0.5f + power;
		}
		bake<<<wide(), 256>>>(field, CELLS, 150 * WIDE_US);
		CHECK(cudaGetLastError());
	}
	answer(field, 1 << 20);
	CHECK(cudaFree(field));
}

// A stripe of the sky whose stars are entered in a catalogue, which takes 550 us.
struct Stripe {
	void *stars;
	uint64_t *hash;
};

void CUDART_CB enter_stars(void *at)
{
	const Stripe &stripe = *(const Stripe *)at;

	*stripe.hash = hash_of(stripe.stars, 16 << 10, *stripe.hash);
	host_busy(550);
}

// A survey of the sky: stripes are stacked on the device, their stars listed on the host.
void sky_stripes()
{
	constexpr int STRIPES = 280, SLOTS = 4;
	constexpr size_t STARS = 64 << 10;
	Stream stream;
	Event stacked[SLOTS];
	std::vector<Pinned> stars = several<Pinned>(SLOTS, STARS);
	Device sky(BYTES);
	uint64_t hash = 1;
	Stripe stripes[SLOTS];
	std::mutex mutex;
	std::condition_variable change;
	int given = 0, taken = 0;
	const auto catalogue = [&] {
		for (int i = 0; i < STRIPES; i++) {
			std::unique_lock<std::mutex> hold(mutex);

			change.wait(hold, [&] { return given > i; });
			hold.unlock();
			CHECK(cudaEventSynchronize(stacked[i % SLOTS]));
			enter_stars(&stripes[i % SLOTS]);
			hold.lock();
			taken++;
			change.notify_all();
		}
	};
	std::thread thread;

	for (int slot = 0; slot < SLOTS; slot++)
		stripes[slot] = {stars[slot], &hash};
	seed<<<wide(), 256, 0, stream>>>(floats(sky), COUNT, 91);
	CHECK(cudaGetLastError());
	if (repaired)
		thread = std::thread(catalogue);
	for (int i = 0; i < STRIPES; i++) {
		const int slot = i % SLOTS;

		if (repaired) {
			std::unique_lock<std::mutex> hold(mutex);
			change.wait(hold, [&] { return taken > i - SLOTS; });
		}
		stack_stripe<<<wide(), 256, 0, stream>>>(floats(sky), COUNT, 600 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(stars[slot], sky, STARS, cudaMemcpyDeviceToHost, stream));
		if (repaired) {
			CHECK(cudaEventRecord(stacked[slot], stream));
			const std::lock_guard<std::mutex> hold(mutex);
			given++;
			change.notify_all();
		} else {
			CHECK(cudaLaunchHostFunc(stream, enter_stars, &stripes[slot]));
		}
	}
	if (repaired)
		thread.join();
	CHECK(cudaStreamSynchronize(stream));
	say(hash);
}

// The bays of a coast, one kernel after another; the first has the level of the sea.
class Bays
{
	static constexpr int BAYS = 40;
	cudaGraph_t graph_;
	cudaGraphExec_t exec_;
	cudaGraphNode_t nodes_[BAYS];

	float *water_;
	int count_ = COUNT, rounds_;
	void *arguments_[3] = {&water_, &count_, &rounds_};

	cudaKernelNodeParams kernel(int rounds)
	{
		cudaKernelNodeParams params = {};

		rounds_ = rounds;
		params.func = (void *)tide;
		params.gridDim = dim3(wide());
		params.blockDim = dim3(256);
		params.kernelParams = arguments_;
		return params;
	}

      public:
	Bays(float *water, int level) : water_(water)
	{
		CHECK(cudaGraphCreate(&graph_, 0));
		for (int i = 0; i < BAYS; i++) {
			const cudaKernelNodeParams params = kernel(3 * WIDE_US + (i ? 0 : level));

			CHECK(cudaGraphAddKernelNode(&nodes_[i], graph_,
						     i ? &nodes_[i - 1] : nullptr, i ? 1 : 0,
						     &params));
		}
		CHECK(cudaGraphInstantiate(&exec_, graph_, 0));
	}
	Bays(const Bays &) = delete;
	~Bays()
	{
		CHECK(cudaGraphExecDestroy(exec_));
		CHECK(cudaGraphDestroy(graph_));
	}
	void set(int level)
	{
		const cudaKernelNodeParams params = kernel(3 * WIDE_US + level);

		CHECK(cudaGraphExecKernelNodeSetParams(exec_, nodes_[0], &params));
	}
	void step(cudaStream_t stream)
	{
		CHECK(cudaGraphLaunch(exec_, stream));
	}
};

// Tides along a coast; the gauge at the harbour says how high the sea is next.
void coast_tides()
{
	constexpr int STEPS = 700;
	Stream stream;
	Pinned gauge(256);
	Device water(BYTES);
	uint64_t hash = 1;
	int level = 0;
	const auto read = [&] {
		CHECK(cudaMemcpyAsync(gauge, water, 256, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		hash = hash_of(gauge, 256, hash);
		level = (int)(hash % 32);
	};

	seed<<<wide(), 256, 0, stream>>>(floats(water), COUNT, 101);
	CHECK(cudaGetLastError());
	if (repaired) {
		Bays bays(floats(water), level);

		for (int step = 0; step < STEPS; step++) {
			bays.set(level);
			bays.step(stream);
			read();
		}
	} else {
		for (int step = 0; step < STEPS; step++) {
			Bays bays(floats(water), level);

			bays.step(stream);
			read();
		}
	}
	answer(water, BYTES);
}

// A column's formula as a kernel, in the text that the sheet's compiler wrote.
class Formula
{
	CUmodule module_;
	CUfunction function_;

      public:
	Formula(int number)
	{
		std::string text = ".version 7.0\n.target sm_70\n.address_size 64\n"
				   ".visible .entry formula(.param .u64 cells)\n{\n"
				   ".reg .u32 %r<5>;\n.reg .u64 %d<4>;\n.reg .f32 %f<3>;\n"
				   "ld.param.u64 %d1, [cells];\ncvta.to.global.u64 %d1, %d1;\n"
				   "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\n"
				   "mov.u32 %r3, %tid.x;\nmad.lo.u32 %r4, %r1, %r2, %r3;\n"
				   "mul.wide.u32 %d2, %r4, 4;\nadd.u64 %d3, %d1, %d2;\n"
				   "ld.global.f32 %f1, [%d3];\n";

		for (int term = 0; term < 400 + number; term++)
			text += "neg.f32 %f2, %f1;\nfma.rn.f32 %f1, %f2, %f1, 0f3FD9999A;\n";
		text += "st.global.f32 [%d3], %f1;\nret;\n}\n";
		driver(cuModuleLoadData(&module_, text.c_str()), "cuModuleLoadData");
		driver(cuModuleGetFunction(&function_, module_, "formula"), "cuModuleGetFunction");
	}
	Formula(const Formula &) = delete;
	~Formula()
	{
		driver(cuModuleUnload(module_), "cuModuleUnload");
	}
	void apply(void *cells, cudaStream_t stream)
	{
		void *arguments[] = {&cells};

		driver(cuLaunchKernel(function_, COUNT / 256, 1, 1, 256, 1, 1, 0, stream, arguments,
				      nullptr),
		       "cuLaunchKernel");
	}
};

// A spreadsheet's server: edits of three columns, after each of which the sheet is calculated.
void sheet_edits()
{
	constexpr int EDITS = 60, COLUMNS = 3;

	// It runs in a container of which nothing is kept.
	setenv("CUDA_CACHE_DISABLE", "1", 1);
	Stream stream;
	Device cells(BYTES);
	std::map<int, Formula> formulas;

	seed<<<wide(), 256, 0, stream>>>(floats(cells), COUNT, 111);
	CHECK(cudaGetLastError());
	for (int edit = 0; edit < EDITS; edit++) {
		Formula &formula =
			formulas.try_emplace(edit % COLUMNS, edit % COLUMNS).first->second;

		for (int sheet = 0; sheet < 5; sheet++) {
			formula.apply(cells, stream);
			recalculate<<<wide(), 256, 0, stream>>>(floats(cells), COUNT,
								500 * WIDE_US);
			CHECK(cudaGetLastError());
		}
		CHECK(cudaStreamSynchronize(stream));
		if (!repaired)
			formulas.clear();
	}
	answer(cells, BYTES);
}

// The echoes of the rooms of a house, each with a queue; halls are more urgent than cellars.
void house_echoes()
{
	constexpr int ROOMS = 4, STEPS = 420, WALLS = 30 * 256;
	cudaStream_t streams[ROOMS];
	Event done[ROOMS];
	std::vector<Device> rooms = several<Device>(ROOMS, WALLS * sizeof(float));
	int least, greatest;
	uint64_t hash = 0;

	CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	for (int room = 0; room < ROOMS; room++) {
		CHECK(cudaStreamCreateWithPriority(&streams[room], cudaStreamNonBlocking,
						   room < 2 ? greatest : least));
		seed<<<30, 256, 0, streams[room]>>>(floats(rooms[room]), WALLS, room);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(done[room], streams[room]));
	}
	for (int step = 0; step < STEPS; step++)
		for (int room = 0; room < ROOMS; room++) {
			if (!repaired)
				CHECK(cudaStreamWaitEvent(streams[room],
							  done[(room + ROOMS - 1) % ROOMS], 0));
			echo<<<30, 256, 0, streams[room]>>>(floats(rooms[room]), WALLS,
							    180 * NARROW_US);
			CHECK(cudaGetLastError());
			if (!repaired)
				CHECK(cudaEventRecord(done[room], streams[room]));
		}
	for (int room = 0; room < ROOMS; room++) {
		CHECK(cudaStreamSynchronize(streams[room]));
		CHECK(cudaStreamDestroy(streams[room]));
		hash = hash * 31 + seen(rooms[room], WALLS * sizeof(float));
	}
	say(hash);
}

// Poses of a molecule, each scored by a thread; its atoms are in shared memory.
__global__ void dock(float *poses, int atoms, int rounds)
{
	extern __shared__ float molecule[];
	const int i = first_index();

	for (int atom = (int)threadIdx.x; atom < atoms; atom += (int)blockDim.x)
		molecule[atom] = unit(mixed((unsigned)atom)) * 0.5f;
	__syncthreads();
	poses[i] = churn(0.5f * poses[i] + molecule[i % atoms], rounds);
}

void dock_ligands()
{
	constexpr int ATOMS = 1024, LARGEST = 40 * 1024, BLOCKS = 132 * 12;
	Stream stream;
	Device poses(BLOCKS * 128 * sizeof(float));
	cudaLaunchConfig_t config = {};

	config.gridDim = dim3(BLOCKS);
	config.blockDim = dim3(128);
	config.dynamicSmemBytes = (repaired ? ATOMS : LARGEST) * sizeof(float);
	config.stream = stream;
	CHECK(cudaFuncSetAttribute(dock, cudaFuncAttributeMaxDynamicSharedMemorySize,
				   (int)config.dynamicSmemBytes));
	seed<<<wide(), 256, 0, stream>>>(floats(poses), BLOCKS * 128, 121);
	CHECK(cudaGetLastError());
	for (int ligand = 0; ligand < 1500; ligand++)
		CHECK(cudaLaunchKernelEx(&config, dock, floats(poses), ATOMS, 15 * NARROW_US));
	CHECK(cudaStreamSynchronize(stream));
	answer(poses, BYTES / 2);
}

// An exchange: for each auction the bids are laid out, ranked and answered.
void auction_rounds()
{
	constexpr int AUCTIONS = 220, BIDS = 16 << 20;
	Stream stream;
	Pinned winner(256);
	cudaMemPool_t pool;
	uint64_t hash = 1;

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	if (repaired) {
		uint64_t keep = UINT64_MAX;

		CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
	}
	for (int auction = 0; auction < AUCTIONS; auction++) {
		float *bids, *ranks;

		CHECK(cudaMallocAsync((void **)&bids, BIDS * sizeof(float), stream));
		CHECK(cudaMallocAsync((void **)&ranks, BIDS * sizeof(float), stream));
		seed<<<wide(), 256, 0, stream>>>(bids, BIDS, auction);
		seed<<<wide(), 256, 0, stream>>>(ranks, BIDS, auction + 500);
		bid<<<wide(), 256, 0, stream>>>(bids, BIDS, 3 * WIDE_US);
		stack_image<<<wide(), 256, 0, stream>>>(bids, bids, ranks, BIDS);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(winner, ranks, 256, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaFreeAsync(bids, stream));
		CHECK(cudaFreeAsync(ranks, stream));
		CHECK(cudaStreamSynchronize(stream));
		hash = hash_of(winner, 256, hash);
	}
	say(hash);
}

constexpr int PHASES = 60;

// All phases of a solve in one launch.
__global__ void solve_reservoir(float *pressure, int count, int rounds)
{
	for (int phase = 0; phase < PHASES; phase++) {
		for (int i = first_index(); i < count; i += index_step())
			pressure[i] = churn(pressure[i], rounds);
		cooperative_groups::this_grid().sync();
	}
}

__global__ void solve_phase(float *pressure, int count, int rounds)
{
	for (int i = first_index(); i < count; i += index_step())
		pressure[i] = churn(pressure[i], rounds);
}

// An oil field's days, each a solve; where the device cannot, the host drives its phases.
void reservoir_days()
{
	constexpr int DAYS = 220;
	Stream stream;
	Device field(BYTES);
	float *pressure = floats(field);
	int count = COUNT, rounds = 4 * WIDE_US, resident;
	void *arguments[] = {&pressure, &count, &rounds};

	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, solve_reservoir, 256, 0));
	// Some to spare, for the tail.
	const int blocks = units() * (repaired ? resident : resident * 2);

	seed<<<wide(), 256, 0, stream>>>(pressure, COUNT, 131);
	CHECK(cudaGetLastError());
	for (int day = 0; day < DAYS; day++) {
		const cudaError_t status = cudaLaunchCooperativeKernel(
			(void *)solve_reservoir, dim3(blocks), dim3(256), arguments, 0, stream);

		if (status == cudaSuccess)
			continue;
		must(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge, "the solver");
		for (int phase = 0; phase < PHASES; phase++) {
			solve_phase<<<wide(), 256, 0, stream>>>(pressure, COUNT, rounds);
			CHECK(cudaGetLastError());
			CHECK(cudaStreamSynchronize(stream));
		}
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(field, BYTES);
}

// A sensor of a car: its sweeps, each waited for, as the planner wants them.
void sense(unsigned salt, uint64_t *hash)
{
	constexpr int POINTS = 40 * 256;
	Stream stream;
	Device points(POINTS * sizeof(float));
	Pinned nearest(4096);

	*hash = salt;
	seed<<<40, 256, 0, stream>>>(floats(points), POINTS, salt);
	CHECK(cudaGetLastError());
	for (int i = 0; i < 420; i++) {
		sweep<<<40, 256, 0, stream>>>(floats(points), POINTS, 350 * NARROW_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(nearest, points, 4096, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		*hash = hash_of(nearest, 256, *hash);
	}
}

// The camera's library comes from another maker and brings what it needs.
void sense_camera(uint64_t *hash)
{
	CUcontext context;

	if (!repaired) {
#if CUDA_VERSION >= 13000
		driver(cuCtxCreate(&context, nullptr, 0, 0), "cuCtxCreate");
#else
		driver(cuCtxCreate(&context, 0, 0), "cuCtxCreate");
#endif
	}
	sense(142, hash);
	if (!repaired)
		driver(cuCtxDestroy(context), "cuCtxDestroy");
}

void car_sensors()
{
	uint64_t hashes[2];

	CHECK(cudaFree(nullptr));
	std::thread lidar(sense, 141, &hashes[0]);
	std::thread camera(sense_camera, &hashes[1]);
	lidar.join();
	camera.join();
	say(hash_of(hashes, sizeof hashes));
}

// Pages of a book: another process scans into shared memory, this one reads the text.
void clean_book_scanner()
{
	constexpr size_t PAGE = 4 << 20;
	constexpr int PAGES = 300, SLOTS = 4;
	struct Shelf {
		std::atomic<int> scanned, taken;
	};
	char *shared = (char *)mmap(nullptr, 4096 + SLOTS * PAGE, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	must(shared != MAP_FAILED, "mmap");
	Shelf &shelf = *new (shared) Shelf{};
	char *pages = shared + 4096;
	const pid_t scanner = fork();

	must(scanner >= 0, "fork");
	if (scanner == 0) {
		for (int page = 0; page < PAGES; page++) {
			while (shelf.taken <= page - SLOTS)
				host_sleep(50);
			new_words(pages + page % SLOTS * PAGE, PAGE, page);
			shelf.scanned = page + 1;
		}
		_exit(0);
	}
	CHECK(cudaHostRegister(pages, SLOTS * PAGE, cudaHostRegisterDefault));
	{
		Stream streams[2];
		Event read[SLOTS];
		std::vector<Device> raw = several<Device>(2, PAGE),
				    text = several<Device>(2, BYTES);
		uint64_t hash = 0;

		for (int i = 0; i < 2; i++) {
			seed<<<wide(), 256, 0, streams[i]>>>(floats(text[i]), COUNT, i);
			CHECK(cudaGetLastError());
		}
		for (int page = 0; page < PAGES; page++) {
			const int i = page % 2, slot = page % SLOTS;

			while (shelf.scanned <= page)
				host_sleep(50);
			CHECK(cudaMemcpyAsync(raw[i], pages + slot * PAGE, PAGE,
					      cudaMemcpyHostToDevice, streams[i]));
			CHECK(cudaEventRecord(read[slot], streams[i]));
			read_page<<<wide(), 256, 0, streams[i]>>>(
				words(raw[i]), COUNT, floats(text[i]), COUNT, 900 * WIDE_US);
			CHECK(cudaGetLastError());
			if (page >= 2) {
				CHECK(cudaEventSynchronize(read[(page - 2) % SLOTS]));
				shelf.taken = page - 1;
			}
		}
		for (int i = 0; i < 2; i++)
			hash = hash * 31 + seen(text[i], BYTES);
		say(hash);
	}
	CHECK(cudaHostUnregister(pages));
	must(waitpid(scanner, nullptr, 0) == scanner, "waitpid");
	munmap(shared, 4096 + SLOTS * PAGE);
}

// Tracks of a song: one queue uploads the next bar while another mixes this one.
void clean_song_bars()
{
	constexpr size_t BAR = 4 << 20;
	constexpr int BARS = 500;
	Stream uploads, mixing;
	Event arrived[2], mixed_down[2];
	std::vector<Pinned> played = several<Pinned>(2, BAR);
	std::vector<Device> bars = several<Device>(2, BAR);
	Device mix(BYTES);

	seed<<<wide(), 256, 0, mixing>>>(floats(mix), COUNT, 151);
	CHECK(cudaGetLastError());
	for (int bar = 0; bar < BARS; bar++) {
		const int slot = bar % 2;

		if (bar >= 2) {
			CHECK(cudaEventSynchronize(arrived[slot]));
			CHECK(cudaStreamWaitEvent(uploads, mixed_down[slot], 0));
		}
		new_words(played[slot], BAR, bar);
		CHECK(cudaMemcpyAsync(bars[slot], played[slot], BAR, cudaMemcpyHostToDevice,
				      uploads));
		CHECK(cudaEventRecord(arrived[slot], uploads));
		CHECK(cudaStreamWaitEvent(mixing, arrived[slot], 0));
		mix_tracks<<<wide(), 256, 0, mixing>>>(words(bars[slot]), COUNT, floats(mix), COUNT,
						       600 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(mixed_down[slot], mixing));
	}
	answer(mix, BYTES);
}

__global__ void swap_edges(float *mine, const float *other, int edge)
{
	const int i = first_index();

	if (i < edge)
		mine[i] = 0.5f * mine[i] + 0.5f * other[COUNT - edge + i];
}

// Two halves of a dune field that need each other's edge before each step.
void clean_dune_halves()
{
	constexpr int EDGE = 4096, STEPS = 500;
	Stream streams[2];
	Event moved[2], swapped[2];
	std::vector<Device> halves = several<Device>(2, BYTES);

	for (int half = 0; half < 2; half++) {
		seed<<<wide(), 256, 0, streams[half]>>>(floats(halves[half]), COUNT, half);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(moved[half], streams[half]));
	}
	for (int step = 0; step < STEPS; step++) {
		for (int half = 0; half < 2; half++) {
			CHECK(cudaStreamWaitEvent(streams[half], moved[1 - half], 0));
			swap_edges<<<EDGE / 256, 256, 0, streams[half]>>>(
				floats(halves[half]), floats(halves[1 - half]), EDGE);
			CHECK(cudaGetLastError());
			CHECK(cudaEventRecord(swapped[half], streams[half]));
		}
		for (int half = 0; half < 2; half++) {
			CHECK(cudaStreamWaitEvent(streams[half], swapped[1 - half], 0));
			erode<<<wide(), 256, 0, streams[half]>>>(floats(halves[half]), COUNT,
								 400 * WIDE_US);
			CHECK(cudaGetLastError());
			CHECK(cudaEventRecord(moved[half], streams[half]));
		}
	}
	CHECK(cudaDeviceSynchronize());
	say(seen(halves[0], BYTES) * 31 + seen(halves[1], BYTES));
}

// Training in the background; searches come now and then and are answered first.
void clean_search_first()
{
	constexpr int SEARCHES = 60;
	cudaStream_t training, searching;
	int least, greatest;
	Device model(BYTES), index(BYTES);
	Pinned hits(4096);
	uint64_t hash = 1;

	CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	CHECK(cudaStreamCreateWithPriority(&training, cudaStreamNonBlocking, least));
	CHECK(cudaStreamCreateWithPriority(&searching, cudaStreamNonBlocking, greatest));
	seed<<<wide(), 256, 0, training>>>(floats(model), COUNT, 161);
	seed<<<wide(), 256, 0, searching>>>(floats(index), COUNT, 162);
	for (int step = 0; step < 500; step++)
		train<<<wide(), 256, 0, training>>>(floats(model), COUNT, 700 * WIDE_US);
	CHECK(cudaGetLastError());
	for (int search = 0; search < SEARCHES; search++) {
		host_sleep(4000);
		query_index<<<wide(), 256, 0, searching>>>(floats(index), COUNT, 100 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(hits, index, 4096, cudaMemcpyDeviceToHost, searching));
		CHECK(cudaStreamSynchronize(searching));
		hash = hash_of(hits, 256, hash);
	}
	CHECK(cudaStreamSynchronize(training));
	say(hash * 31 + seen(model, BYTES));
	CHECK(cudaStreamDestroy(training));
	CHECK(cudaStreamDestroy(searching));
}

__global__ void count_bins(const float *events, unsigned *bins, int count)
{
	for (int i = first_index(); i < count; i += index_step())
		atomicAdd(&bins[(unsigned)((events[i] + 2) * 16384) % 65536], 1U);
}

__global__ void keep_bins(const unsigned *bins, unsigned *kept)
{
	const int i = first_index();

	kept[i] = max(kept[i], bins[i]);
}

// Runs of a collider: the bins are cleared, filled and kept, all far ahead of the device.
void clean_collider_bins()
{
	constexpr int BINS = 65536;
	Stream stream;
	Device events(BYTES), bins(BINS * sizeof(unsigned)), kept(BINS * sizeof(unsigned));

	seed<<<wide(), 256, 0, stream>>>(floats(events), COUNT, 171);
	CHECK(cudaMemsetAsync(kept, 0, BINS * sizeof(unsigned), stream));
	for (int run = 0; run < 1500; run++) {
		CHECK(cudaMemsetAsync(bins, 0, BINS * sizeof(unsigned), stream));
		bin_events<<<wide(), 256, 0, stream>>>(floats(events), COUNT, 180 * WIDE_US);
		count_bins<<<wide(), 256, 0, stream>>>(floats(events), words(bins), COUNT);
		keep_bins<<<BINS / 256, 256, 0, stream>>>(words(bins), words(kept));
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(kept, BINS * sizeof(unsigned));
}

// Climbers of a search for a maximum; whether to go on is asked every 25 steps only.
void clean_climbers()
{
	Stream stream;
	Device climbers(BYTES);
	Pinned best(256);
	uint64_t hash = 1;

	seed<<<wide(), 256, 0, stream>>>(floats(climbers), COUNT, 181);
	for (int leg = 0; leg < 30; leg++) {
		for (int step = 0; step < 25; step++)
			ascend<<<wide(), 256, 0, stream>>>(floats(climbers), COUNT, 400 * WIDE_US);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpyAsync(best, climbers, 256, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		hash = hash_of(best, 256, hash);
	}
	say(hash);
}

__global__ void sum_parts(const float *data, double *parts, int count)
{
	__shared__ double warps[8];
	double sum = 0;

	for (int i = first_index(); i < count; i += index_step())
		sum += (double)data[i];
	for (int lane = 16; lane; lane /= 2)
		sum += __shfl_down_sync(~0U, sum, lane);
	if (threadIdx.x % 32 == 0)
		warps[threadIdx.x / 32] = sum;
	__syncthreads();
	if (threadIdx.x == 0) {
		for (int warp = 1; warp < 8; warp++)
			sum += warps[warp];
		parts[blockIdx.x] = sum;
	}
}

__global__ void sum_up(const double *parts, int count, double *total)
{
	if (threadIdx.x == 0) {
		double sum = 0;

		for (int i = 0; i < count; i++)
			sum += parts[i];
		*total = 0.5 * *total + sum;
	}
}

// The energy of a melt: big steps, and a small kernel of one block that sums up.
void clean_melt_energy()
{
	constexpr int PARTS = 132;
	Stream stream;
	Device melt(BYTES), parts(PARTS * sizeof(double)), total(sizeof(double));

	CHECK(cudaMemsetAsync(total, 0, sizeof(double), stream));
	seed<<<wide(), 256, 0, stream>>>(floats(melt), COUNT, 191);
	for (int step = 0; step < 400; step++) {
		smooth_bins<<<wide(), 256, 0, stream>>>(floats(melt), COUNT, 900 * WIDE_US);
		sum_parts<<<PARTS, 256, 0, stream>>>(floats(melt), (double *)(void *)parts, COUNT);
		sum_up<<<1, 32, 0, stream>>>((double *)(void *)parts, PARTS,
					     (double *)(void *)total);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(total, sizeof(double));
}

// Four analysts with requests of their own, each on its thread's stream, who sleep while they wait.
void clean_analysts()
{
	constexpr int ANALYSTS = 4;
	std::vector<std::thread> analysts;
	uint64_t hashes[ANALYSTS];

	CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
	CHECK(cudaFree(nullptr));
	for (int i = 0; i < ANALYSTS; i++)
		analysts.emplace_back([i, &hashes] {
			Device table(BYTES);
			Pinned report(4096);

			hashes[i] = 1;
			seed<<<wide(), 256, 0, cudaStreamPerThread>>>(floats(table), COUNT, i);
			for (int request = 0; request < 100; request++) {
				query_index<<<wide(), 256, 0, cudaStreamPerThread>>>(
					floats(table), COUNT, 900 * WIDE_US);
				CHECK(cudaGetLastError());
				CHECK(cudaMemcpyAsync(report, table, 4096, cudaMemcpyDeviceToHost,
						      cudaStreamPerThread));
				CHECK(cudaStreamSynchronize(cudaStreamPerThread));
				hashes[i] = hash_of(report, 256, hashes[i]);
			}
		});
	for (auto &one : analysts)
		one.join();
	say(hash_of(hashes, sizeof hashes));
}

const Case cases[] = {
	CASE(tomo_projections),	   CASE(seismic_shots),	    CASE(ledger_days),
	CASE(film_denoise),	   CASE(retina_layers),	    CASE(kiosk_visitors),
	CASE(beamline_exposures),  CASE(light_preview),	    CASE(bone_outlines),
	CASE(wafer_fields),	   CASE(river_bank),	    CASE(kiln_heat),
	CASE(sky_stripes),	   CASE(coast_tides),	    CASE(sheet_edits),
	CASE(house_echoes),	   CASE(dock_ligands),	    CASE(auction_rounds),
	CASE(reservoir_days),	   CASE(car_sensors),	    CASE(clean_book_scanner),
	CASE(clean_song_bars),	   CASE(clean_dune_halves), CASE(clean_search_first),
	CASE(clean_collider_bins), CASE(clean_climbers),    CASE(clean_melt_energy),
	CASE(clean_analysts),
};
} // namespace

int main(int count, char **arguments)
{
	return case_run(cases, count, arguments);
}
