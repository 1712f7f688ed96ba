/* SPDX-License-Identifier: MIT */
// practice CASE [repaired]: CUDA programs as people write them, each with one fault, or the same
// work without it; and some that have none. Whoever wrote them had not read src/analysis.
// tests/hw/findings records both, and practice.json, which was written before they were recorded
// for the first time, says what may be found in which.
#include <algorithm>
#include <condition_variable>
#include <cooperative_groups.h>
#include <cstring>
#include <future>
#include <memory>
#include <mutex>
#include <sched.h>
#include <string>
#include <thread>
#include <vector>

#include "cases.h"
#include "faults.h"

#define MIB ((size_t)1 << 20)

// --- what several of them have

static const int grid_count = 1 << 20, quarter_count = 33 * 256;
static const size_t grid_bytes = grid_count * sizeof(float);

static float *floats(Device &device, size_t first = 0)
{
	return (float *)device.at(first * sizeof(float));
}

static float *floats(Pinned &host)
{
	return (float *)host.at(0);
}

static __host__ __device__ float noise(unsigned x)
{
	x = (x ^ 61) ^ x >> 16;
	x *= 9;
	x ^= x >> 4;
	x *= 0x27d4eb2d;
	x ^= x >> 15;
	return (float)(x >> 8) / 8388608.0f - 1;
}

static __global__ void scatter(float *data, int count, unsigned salt)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		data[i] = noise((unsigned)i + salt);
}

/* Stays within 1.75, and never comes to rest. */
static __device__ float orbited(float x, int rounds)
{
	for (int round = 0; round < rounds; round++)
		x = fmaf(x, x, -1.75f);
	return x;
}

static __global__ void orbit(float *data, int count, int rounds)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		data[i] = orbited(data[i], rounds);
}

static __global__ void mix(float *data, const float *with, int count)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		data[i] = 0.5f * (data[i] + with[i]);
}

static void scattered(float *data, int count, unsigned salt = 0, cudaStream_t stream = nullptr)
{
	scatter<<<blocks_of(count), 256, 0, stream>>>(data, count, salt);
	CHECK(cudaGetLastError());
}

static void mixed(float *data, const float *with, int count, cudaStream_t stream = nullptr)
{
	mix<<<blocks_of(count), 256, 0, stream>>>(data, with, count);
	CHECK(cudaGetLastError());
}

/* About so many us of the whole device, on grid_count numbers. */
static void whole_for(int us, float *data, cudaStream_t stream = nullptr)
{
	orbit<<<blocks_of(grid_count), 256, 0, stream>>>(data, grid_count, us * 26);
	CHECK(cudaGetLastError());
}

/* About so many us of a quarter of it, on quarter_count numbers. */
static void quarter_for(int us, float *data, cudaStream_t stream)
{
	orbit<<<quarter_count / 256, 256, 0, stream>>>(data, quarter_count, us * 440);
	CHECK(cudaGetLastError());
}

/* New numbers from outside: a few of each page. */
static void receive(float *data, size_t count, int round)
{
	for (size_t i = 0; i < count; i += 256)
		data[i] = noise((unsigned)i + (unsigned)round * 7907u);
}

static void answer(const float *data)
{
	std::vector<float> some(4096);
	double sum = 0;

	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(some.data(), data, some.size() * sizeof(float), cudaMemcpyDeviceToHost));
	for (float one : some)
		sum += one;
	printf("answer %.6f\n", sum);
}

// --- simulations

/* The archive takes a snapshot of each fortieth step, and answers after 5 ms. */
static void send_to_archive(const float *snapshot, double *sum)
{
	*sum += snapshot[0] + snapshot[grid_count - 1];
	host_sleep(5000);
}

static void reservoir_steps()
{
	Device oil(grid_bytes);
	Stream stream;
	Event copied[2];
	auto snapshots = several<Pinned>(2, grid_bytes);
	std::future<void> sent[2];
	double sums[2] = {};

	scattered(floats(oil), grid_count, 1, stream);
	for (int step = 0; step < 800; step++) {
		const int at = step / 40 % 2;

		whole_for(400, floats(oil), stream);
		if (step % 40 != 39)
			continue;
		if (sent[at].valid())
			sent[at].get();
		CHECK(cudaMemcpyAsync(snapshots[at], oil, grid_bytes, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaEventRecord(copied[at], stream));
		auto send = [&, at] {
			CHECK(cudaEventSynchronize(copied[at]));
			send_to_archive(floats(snapshots[at]), &sums[at]);
		};
		if (repaired)
			sent[at] = std::async(std::launch::async, send);
		else
			send();
	}
	for (auto &one : sent)
		if (one.valid())
			one.get();
	printf("archived %.6f\n", sums[0] + sums[1]);
	answer(floats(oil));
}

static __global__ void smooth(float *to, const float *from, const float *right, int width)
{
	const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y), i = y * width + x;

	if (x >= width || y >= width)
		return;
	if (!x || !y || x == width - 1 || y == width - 1)
		to[i] = 0;
	else
		to[i] = 0.2f * (from[i - 1] + from[i + 1] + from[i - width] + from[i + width] -
				right[i] + from[i]);
}

/* What is left goes to the next grid, which is half as wide; its greatest is kept, too. */
static __global__ void coarsen(float *coarse, const float *fine, const float *right, int width,
			       int *greatest)
{
	const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
	float left = 0;

	if (x >= width / 2 || y >= width / 2)
		return;
	for (int part = 0; part < 4; part++) {
		const int x_of = 2 * x + part % 2, y_of = 2 * y + part / 2, i = y_of * width + x_of;

		if (x_of && y_of && x_of < width - 1 && y_of < width - 1)
			left += right[i] - (fine[i - 1] + fine[i + 1] + fine[i - width] +
					    fine[i + width] - 4 * fine[i]);
	}
	left *= 0.5f;
	coarse[y * (width / 2) + x] = left;
	atomicMax(greatest, __float_as_int(fabsf(left)));
}

static __global__ void refine(float *fine, const float *coarse, int width)
{
	const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);

	if (x < width && y < width)
		fine[y * width + x] += coarse[y / 2 * (width / 2) + x / 2];
}

class Multigrid
{
	struct Level {
		int width;
		Device guess, other, right;

		Level(int width, size_t bytes)
		    : width(width), guess(bytes), other(bytes), right(bytes)
		{
			CHECK(cudaMemset(guess, 0, bytes));
			CHECK(cudaMemset(other, 0, bytes));
			scattered(floats(right), width * width);
		}
	};
	std::vector<std::unique_ptr<Level>> levels_;
	std::vector<float> greatest_;
	Device norms_{32 * sizeof(int)};

	static dim3 groups(int width)
	{
		return dim3((width + 31) / 32, (width + 7) / 8);
	}
	void smooth_twice(Level &at)
	{
		const dim3 group(32, 8);

		smooth<<<groups(at.width), group>>>(floats(at.other), floats(at.guess),
						    floats(at.right), at.width);
		smooth<<<groups(at.width), group>>>(floats(at.guess), floats(at.other),
						    floats(at.right), at.width);
		CHECK(cudaGetLastError());
	}

      public:
	Multigrid(int width)
	{
		for (; width >= 4; width /= 2)
			levels_.emplace_back(new Level(width, width * width * sizeof(float)));
		greatest_.resize(levels_.size());
	}
	/* Only what the finest level has left is asked for by anybody. */
	void cycle(size_t level)
	{
		Level &at = *levels_[level];
		int *norm = (int *)norms_.at(level * sizeof(int));

		smooth_twice(at);
		if (level + 1 == levels_.size())
			return;
		Level &next = *levels_[level + 1];

		CHECK(cudaMemsetAsync(norm, 0, sizeof(int)));
		CHECK(cudaMemsetAsync(next.guess, 0, next.width * next.width * sizeof(float)));
		coarsen<<<groups(next.width), dim3(32, 8)>>>(floats(next.right), floats(at.guess),
							     floats(at.right), at.width, norm);
		if (!repaired || !level)
			CHECK(cudaMemcpy(&greatest_[level], norm, sizeof(float),
					 cudaMemcpyDeviceToHost));
		cycle(level + 1);
		refine<<<groups(at.width), dim3(32, 8)>>>(floats(at.guess), floats(next.guess),
							  at.width);
		smooth_twice(at);
	}
	float left()
	{
		return greatest_[0];
	}
};

static void heat_in_a_plate()
{
	Multigrid plate(1024);
	double sum = 0;

	for (int cycle = 0; cycle < 900; cycle++) {
		plate.cycle(0);
		if (plate.left() > 1e6f)
			break;
		sum += plate.left();
	}
	printf("answer %.4f\n", sum);
}

/* Two seasons that have nothing to do with each other, from when one was made from the other. */
static void two_seasons()
{
	Device summer(grid_bytes), winter(grid_bytes);
	Stream first, second;
	Event of_first, of_second;

	scattered(floats(summer), grid_count, 3);
	scattered(floats(winter), grid_count, 4);
	CHECK(cudaDeviceSynchronize());
	for (int day = 0; day < 600; day++) {
		quarter_for(300, floats(summer), first);
		if (!repaired) {
			CHECK(cudaEventRecord(of_first, first));
			CHECK(cudaStreamWaitEvent(second, of_first));
		}
		quarter_for(300, floats(winter), second);
		if (!repaired) {
			CHECK(cudaEventRecord(of_second, second));
			CHECK(cudaStreamWaitEvent(first, of_second));
		}
	}
	answer(floats(summer));
	answer(floats(winter));
}

/* The border of each half is given to the other after each step, by way of the host or not. */
static void coupled_halves()
{
	const size_t border = 2 * MIB;
	Device left(grid_bytes), right(grid_bytes), from_left(border), from_right(border);
	Pinned host(2 * border);
	Stream stream;
	auto give = [&](Device &to, Device &from, size_t at) {
		if (repaired) {
			CHECK(cudaMemcpyAsync(to, from, border, cudaMemcpyDeviceToDevice, stream));
			return;
		}
		CHECK(cudaMemcpyAsync(host.at(at), from, border, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaMemcpyAsync(to, host.at(at), border, cudaMemcpyHostToDevice, stream));
	};

	scattered(floats(left), grid_count, 5, stream);
	scattered(floats(right), grid_count, 6, stream);
	for (int step = 0; step < 300; step++) {
		whole_for(300, floats(left), stream);
		whole_for(300, floats(right), stream);
		give(from_left, left, 0);
		give(from_right, right, border);
		mixed(floats(left), floats(from_right), (int)(border / sizeof(float)), stream);
		mixed(floats(right), floats(from_left), (int)(border / sizeof(float)), stream);
	}
	answer(floats(left));
	answer(floats(right));
}

static __global__ void limit(float *data, int count)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		data[i] = fminf(fmaxf(data[i], -1.5f), 1.25f);
}

/* Between the two halves of a step the pressure is limited, by the host or where it lies. */
static void pressure_limits()
{
	Device pressure(grid_bytes);
	Pinned host(grid_bytes);
	Stream stream;

	scattered(floats(pressure), grid_count, 7, stream);
	for (int step = 0; step < 220; step++) {
		whole_for(300, floats(pressure), stream);
		if (repaired) {
			limit<<<blocks_of(grid_count), 256, 0, stream>>>(floats(pressure),
									 grid_count);
		} else {
			float *values = floats(host);

			CHECK(cudaMemcpyAsync(host, pressure, grid_bytes, cudaMemcpyDeviceToHost,
					      stream));
			CHECK(cudaStreamSynchronize(stream));
			for (int i = 0; i < grid_count; i++)
				values[i] = std::min(std::max(values[i], -1.5f), 1.25f);
			CHECK(cudaMemcpyAsync(pressure, host, grid_bytes, cudaMemcpyHostToDevice,
					      stream));
		}
		whole_for(300, floats(pressure), stream);
	}
	answer(floats(pressure));
}

/* After each step one slice of the volume is looked at. */
static void volume_slices()
{
	const int count = 16 << 20, slice = 256 * 256;
	const size_t bytes = count * sizeof(float);
	Device volume(bytes);
	Pinned seen(bytes);
	double sum = 0;

	scattered(floats(volume), count, 8);
	for (int step = 0; step < 120; step++) {
		const size_t first = (size_t)(step * 37 % 256) * slice;

		orbit<<<blocks_of(count), 256>>>(floats(volume), count, 1600);
		if (repaired)
			CHECK(cudaMemcpy(floats(seen) + first, floats(volume, first),
					 slice * sizeof(float), cudaMemcpyDeviceToHost));
		else
			CHECK(cudaMemcpy(seen, volume, bytes, cudaMemcpyDeviceToHost));
		for (int i = 0; i < slice; i += 16)
			sum += floats(seen)[first + i];
	}
	printf("answer %.6f\n", sum);
}

static __global__ void relax(float *odd, float *even, int count, int steps)
{
	const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
	const int first = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	for (int step = 0; step < steps; step++) {
		const float *from = step % 2 ? odd : even;
		float *to = step % 2 ? even : odd;

		for (int i = first; i < count; i += (int)(gridDim.x * blockDim.x))
			to[i] = orbited(0.5f * (from[i] + from[(i + 1) % count]), 16);
		grid.sync();
	}
}

/* All steps of an hour in one kernel, of 16 groups or of as many as there are multiprocessors. */
static void rope_of_beads()
{
	int count = 1 << 18, steps = 1000;
	Device odd(count * sizeof(float)), even(count * sizeof(float));
	float *to = floats(odd), *from = floats(even);
	void *arguments[] = {&to, &from, &count, &steps};
	int groups = 16;

	if (repaired)
		CHECK(cudaDeviceGetAttribute(&groups, cudaDevAttrMultiProcessorCount, 0));
	scattered(from, count, 9);
	for (int hour = 0; hour < 14; hour++)
		CHECK(cudaLaunchCooperativeKernel(relax, dim3(groups), dim3(256), arguments));
	answer(from);
}

// --- pictures, geometry

/* Fiftieths of areas; the sums of a group are always in the same order. */
static __global__ void areas(const float2 *points, float *sums, int first)
{
	__shared__ float parts[64];
	const int polygon = first + (int)blockIdx.x, i = (int)threadIdx.x;
	const float2 here = points[polygon * 64 + i], next = points[polygon * 64 + (i + 1) % 64];

	parts[i] = here.x * next.y - here.y * next.x;
	__syncthreads();
	for (int step = 32; step; step /= 2) {
		if (i < step)
			parts[i] += parts[i + step];
		__syncthreads();
	}
	if (!i)
		sums[polygon] = 0.02f * fabsf(parts[0]);
}

/* A launch for each polygon, or for each map. */
static void polygon_areas()
{
	const int polygons = 12000;
	Device points(polygons * 64 * sizeof(float2)), sums(polygons * sizeof(float));
	Device heights(grid_bytes);

	scattered(floats(heights), grid_count, 10);
	for (int map = 0; map < 5; map++) {
		scattered(floats(points), polygons * 128, (unsigned)map);
		if (repaired)
			areas<<<polygons, 64>>>((float2 *)points.at(0), floats(sums), 0);
		for (int polygon = 0; !repaired && polygon < polygons; polygon++)
			areas<<<1, 64>>>((float2 *)points.at(0), floats(sums), polygon);
		CHECK(cudaGetLastError());
		whole_for(20000, floats(heights));
		mixed(floats(heights), floats(sums), polygons);
	}
	answer(floats(heights));
}

/* Tiles come, are shaded and go: each slot has a stream, or all have the same one. */
struct TileSlot {
	Device tile{4 * MIB};
	Pinned in{4 * MIB}, out{4 * MIB};
	Event done;
	bool used = false;
};

static void terrain_tiles()
{
	std::vector<TileSlot> slots(3);
	Stream streams[3];
	double sum = 0;
	auto take_from = [&](TileSlot &slot) {
		if (!slot.used)
			return;
		CHECK(cudaEventSynchronize(slot.done));
		sum += floats(slot.out)[512] + floats(slot.out)[grid_count - 1];
	};

	for (int tile = 0; tile < 500; tile++) {
		TileSlot &slot = slots[tile % 3];
		Stream &stream = streams[repaired ? tile % 3 : 0];

		take_from(slot);
		receive(floats(slot.in), grid_count, tile);
		CHECK(cudaMemcpyAsync(slot.tile, slot.in, 4 * MIB, cudaMemcpyHostToDevice, stream));
		whole_for(350, floats(slot.tile), stream);
		CHECK(cudaMemcpyAsync(slot.out, slot.tile, 4 * MIB, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaEventRecord(slot.done, stream));
		slot.used = true;
	}
	for (int tile = 500; tile < 503; tile++)
		take_from(slots[tile % 3]);
	printf("answer %.6f\n", sum);
}

/* What a lens does is the same for all frames. */
static void lens_correction()
{
	Device table(2 * grid_bytes), frame(grid_bytes), film(grid_bytes);
	Pinned of_lens(2 * grid_bytes);
	auto frames = several<Pinned>(2, MIB);
	Event sent[2];
	Stream stream;

	for (int i = 0; i < 2 * grid_count; i++)
		floats(of_lens)[i] = noise((unsigned)i);
	scattered(floats(film), grid_count, 11, stream);
	scattered(floats(frame), grid_count, 12, stream);
	for (int shot = 0; shot < 220; shot++) {
		const int at = shot % 2;

		CHECK(cudaEventSynchronize(sent[at]));
		receive(floats(frames[at]), MIB / sizeof(float), shot);
		CHECK(cudaMemcpyAsync(frame, frames[at], MIB, cudaMemcpyHostToDevice, stream));
		CHECK(cudaEventRecord(sent[at], stream));
		if (!repaired || !shot)
			CHECK(cudaMemcpyAsync(table, of_lens, 2 * grid_bytes,
					      cudaMemcpyHostToDevice, stream));
		mixed(floats(frame), floats(table), grid_count, stream);
		mixed(floats(film), floats(frame), grid_count, stream);
		whole_for(1000, floats(film), stream);
	}
	answer(floats(film));
}

static __global__ void trace_rays(float *rays, int count, int rounds)
{
	extern __shared__ float stack[];
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i >= count)
		return;
	stack[threadIdx.x] = rays[i];
	for (int part = 0; part < 4; part++)
		stack[threadIdx.x] = orbited(stack[threadIdx.x], rounds / 4);
	rays[i] = stack[threadIdx.x];
}

/* The stack of a ray has room for 200 numbers, or for the 16 that are in use. */
static void light_rays()
{
	const int of_stack = (repaired ? 16 : 200) * 128 * (int)sizeof(float);
	Device rays(grid_bytes), film(grid_bytes);

	CHECK(cudaFuncSetAttribute(trace_rays, cudaFuncAttributeMaxDynamicSharedMemorySize,
				   of_stack));
	scattered(floats(rays), grid_count, 13);
	scattered(floats(film), grid_count, 14);
	for (int pass = 0; pass < 900; pass++) {
		trace_rays<<<grid_count / 128, 128, of_stack>>>(floats(rays), grid_count, 60 * 26);
		CHECK(cudaGetLastError());
		mixed(floats(film), floats(rays), grid_count);
		whole_for(200, floats(film));
	}
	answer(floats(film));
}

template <int BEND> static __device__ void filter_one(float *picture, int count)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		picture[i] = orbited(picture[i] * (1 - BEND * 0.001f), 40 * 26);
}

static __global__ void brighten(float *picture, int count)
{
	filter_one<1>(picture, count);
}

static __global__ void soften(float *picture, int count)
{
	filter_one<2>(picture, count);
}

static __global__ void despeckle(float *picture, int count)
{
	filter_one<3>(picture, count);
}

static __global__ void posterise(float *picture, int count)
{
	filter_one<4>(picture, count);
}

static __global__ void vignette(float *picture, int count)
{
	filter_one<5>(picture, count);
}

static __global__ void colourise(float *picture, int count)
{
	filter_one<6>(picture, count);
}

/* Each filter says how many threads a group has: one has 8. */
static void filter_chain()
{
	static const struct {
		void (*filter)(float *, int);
		int group;
	} chain[] = {
		{brighten, 256},  {soften, 128},   {despeckle, repaired ? 256 : 8},
		{posterise, 256}, {vignette, 512}, {colourise, 256},
	};
	Device picture(grid_bytes);

	scattered(floats(picture), grid_count, 15);
	for (int shot = 0; shot < 350; shot++)
		for (const auto &one : chain) {
			one.filter<<<grid_count / one.group, one.group>>>(floats(picture),
									  grid_count);
			CHECK(cudaGetLastError());
		}
	answer(floats(picture));
}

static unsigned sign(const char *data, size_t bytes)
{
	unsigned hash = 2166136261u;

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ (unsigned char)data[i]) * 16777619u;
	return hash;
}

struct SignedFrame {
	Pinned frame{MIB};
	Event there;
	unsigned signature = 0;

	static void sign_frame(void *of)
	{
		SignedFrame *self = (SignedFrame *)of;

		self->signature ^= sign(self->frame.at(0), MIB);
	}
};

/* Each frame is signed by a function of the stream's, or by the host as the next is rendered. */
static void signed_frames()
{
	Device film(grid_bytes);
	Stream stream;
	SignedFrame frames[2];

	scattered(floats(film), grid_count, 16, stream);
	for (int shot = 0; shot < 160; shot++) {
		SignedFrame &here = frames[shot % 2], &before = frames[(shot + 1) % 2];

		whole_for(1500, floats(film), stream);
		CHECK(cudaMemcpyAsync(here.frame, film, MIB, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaEventRecord(here.there, stream));
		if (!repaired) {
			CHECK(cudaLaunchHostFunc(stream, SignedFrame::sign_frame, &here));
		} else if (shot) {
			CHECK(cudaEventSynchronize(before.there));
			SignedFrame::sign_frame(&before);
		}
	}
	CHECK(cudaStreamSynchronize(stream));
	if (repaired)
		SignedFrame::sign_frame(&frames[159 % 2]);
	printf("signature %08x\n", frames[0].signature ^ frames[1].signature);
}

// --- streams of data

/* Text of numbers, of which each batch is another part. */
class Ticker
{
	std::string text_;

      public:
	Ticker(int numbers)
	{
		char one[32];

		for (int i = 0; i < numbers; i++) {
			snprintf(one, sizeof(one), "%.5f ", noise((unsigned)i));
			text_ += one;
		}
	}
	void parse_batch(int batch, float *to, int count)
	{
		const char *at = text_.c_str() + batch * 90;
		char *next;

		at = strchr(at, ' ') + 1;
		for (int i = 0; i < count; i++, at = next)
			to[i] = strtof(at, &next);
	}
};

/* The next batch is parsed when the device is done with the one before, or meanwhile. */
static void price_ticker()
{
	const int count = 16384, batches = 130;
	Ticker ticker(count + batches * 20);
	Device prices(count * sizeof(float)), model(grid_bytes);
	auto parsed = several<Pinned>(2, count * sizeof(float));
	Stream stream;

	scattered(floats(model), grid_count, 17, stream);
	ticker.parse_batch(0, floats(parsed[0]), count);
	for (int batch = 0; batch < batches; batch++) {
		CHECK(cudaMemcpyAsync(prices, parsed[batch % 2], count * sizeof(float),
				      cudaMemcpyHostToDevice, stream));
		mixed(floats(model), floats(prices), count, stream);
		whole_for(2000, floats(model), stream);
		if (!repaired)
			CHECK(cudaStreamSynchronize(stream));
		if (batch + 1 < batches)
			ticker.parse_batch(batch + 1, floats(parsed[(batch + 1) % 2]), count);
		if (repaired)
			CHECK(cudaStreamSynchronize(stream));
	}
	answer(floats(model));
}

/* What is sent belongs to callers, and is registered as long as it's sent, or once for all. */
class Sender
{
	Device there_{2 * grid_bytes};
	Stream stream_;
	std::vector<void *> known_;

	void hold(void *buffer)
	{
		if (std::find(known_.begin(), known_.end(), buffer) != known_.end())
			return;
		CHECK(cudaHostRegister(buffer, 2 * grid_bytes, cudaHostRegisterDefault));
		known_.push_back(buffer);
	}
	void leave_all()
	{
		for (void *one : known_)
			CHECK(cudaHostUnregister(one));
		known_.clear();
	}

      public:
	~Sender()
	{
		leave_all();
	}
	void send(void *buffer, float *model)
	{
		hold(buffer);
		CHECK(cudaMemcpyAsync(there_, buffer, 2 * grid_bytes, cudaMemcpyHostToDevice,
				      stream_));
		mixed(model, floats(there_), grid_count, stream_);
		whole_for(800, model, stream_);
		CHECK(cudaStreamSynchronize(stream_));
		if (!repaired)
			leave_all();
	}
};

static void borrowed_buffers()
{
	Device model(grid_bytes);
	float *buffers[3];

	scattered(floats(model), grid_count, 18);
	for (float *&one : buffers) {
		one = (float *)aligned_alloc(4096, 2 * grid_bytes);
		for (int i = 0; i < 2 * grid_count; i++)
			one[i] = 0;
	}
	{
		Sender sender;

		for (int frame = 0; frame < 150; frame++) {
			receive(buffers[frame % 3], 2 * grid_count, frame);
			sender.send(buffers[frame % 3], floats(model));
		}
	}
	answer(floats(model));
	for (float *one : buffers)
		free(one);
}

/* One stream sends, one computes; there is one place for what is sent, or there are two. */
static void seismic_traces()
{
	auto places = several<Device>(2, 2 * grid_bytes);
	auto hosts = several<Pinned>(4, 2 * grid_bytes);
	Device field(grid_bytes);
	Stream sending, computing;
	Event sent[4], ready[2], taken[2];

	scattered(floats(field), grid_count, 19, computing);
	for (int trace = 0; trace < 420; trace++) {
		const int from = trace % 4, to = repaired ? trace % 2 : 0;

		CHECK(cudaEventSynchronize(sent[from]));
		receive(floats(hosts[from]), 2 * grid_count, trace);
		CHECK(cudaStreamWaitEvent(sending, taken[to]));
		CHECK(cudaMemcpyAsync(places[to], hosts[from], 2 * grid_bytes,
				      cudaMemcpyHostToDevice, sending));
		CHECK(cudaEventRecord(sent[from], sending));
		CHECK(cudaEventRecord(ready[to], sending));
		CHECK(cudaStreamWaitEvent(computing, ready[to]));
		whole_for(400, floats(places[to]), computing);
		mixed(floats(field), floats(places[to]), grid_count, computing);
		CHECK(cudaEventRecord(taken[to], computing));
	}
	answer(floats(field));
}

/* Each agent's report is fetched as one, or all of them together. */
static void agent_reports()
{
	const int agents = 400, report = 64;
	Device world(grid_bytes);
	Pinned reports(agents * report * sizeof(float));
	Stream stream;
	double sum = 0;

	scattered(floats(world), grid_count, 20, stream);
	for (int step = 0; step < 150; step++) {
		whole_for(700, floats(world), stream);
		for (int agent = 0; !repaired && agent < agents; agent++)
			CHECK(cudaMemcpyAsync(floats(reports) + agent * report,
					      floats(world, agent * report), report * sizeof(float),
					      cudaMemcpyDeviceToHost, stream));
		if (repaired)
			CHECK(cudaMemcpyAsync(reports, world, agents * report * sizeof(float),
					      cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		for (int agent = 0; agent < agents; agent++)
			sum += floats(reports)[agent * report + step % report];
	}
	printf("answer %.6f\n", sum);
}

/* Orders are written by the host to managed memory and read by the device: page by page as they
 * are touched, or moved as a whole before. */
static void managed_orders()
{
	const size_t bytes = 4 * grid_bytes;
	const cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
	const cudaMemLocation host = {cudaMemLocationTypeHost, 0};
	Device book(grid_bytes);
	float *orders;

	CHECK(cudaMallocManaged(&orders, bytes));
	scattered(floats(book), grid_count, 21);
	for (size_t i = 0; i < bytes / sizeof(float); i++)
		orders[i] = 0;
	for (int day = 0; day < 50; day++) {
		receive(orders, bytes / sizeof(float), day);
		if (repaired)
			CHECK(cudaMemPrefetchAsync(orders, bytes, device, 0, nullptr));
		for (int part = 0; part < 4; part++)
			mixed(floats(book), orders + part * grid_count, grid_count);
		whole_for(1500, floats(book));
		if (repaired)
			CHECK(cudaMemPrefetchAsync(orders, bytes, host, 0, nullptr));
		CHECK(cudaDeviceSynchronize());
	}
	answer(floats(book));
	CHECK(cudaFree(orders));
}

// --- servers, libraries

static __global__ void beat(int *beats)
{
	if (!threadIdx.x)
		++*beats;
}

/* A library counts what is done, in the default stream, which the others wait for or not. */
static void counted_work()
{
	Device first(grid_bytes), second(grid_bytes), beats(sizeof(int));
	cudaStream_t streams[2];
	int count;

	CHECK(cudaMemset(beats, 0, sizeof(int)));
	for (auto &one : streams)
		CHECK(cudaStreamCreateWithFlags(&one, repaired ? cudaStreamNonBlocking
							       : cudaStreamDefault));
	scattered(floats(first), grid_count, 22);
	scattered(floats(second), grid_count, 23);
	CHECK(cudaDeviceSynchronize());
	for (int round = 0; round < 550; round++) {
		quarter_for(300, floats(first), streams[0]);
		beat<<<1, 32>>>((int *)beats.at(0));
		quarter_for(300, floats(second), streams[1]);
		beat<<<1, 32>>>((int *)beats.at(0));
	}
	answer(floats(first));
	answer(floats(second));
	CHECK(cudaMemcpy(&count, beats, sizeof(count), cudaMemcpyDeviceToHost));
	printf("%d counted\n", count);
	for (auto &one : streams)
		CHECK(cudaStreamDestroy(one));
}

/* What a request does depends on what the one before found, in another of the lanes. */
static void request_lanes()
{
	const int lanes = 96;
	std::vector<std::unique_ptr<Stream>> streams;
	Device state(grid_bytes);
	Pinned found(sizeof(float));
	int lane = 0, visited = 0;

	for (int i = 0; i < lanes; i++)
		streams.emplace_back(new Stream);
	scattered(floats(state), grid_count, 24);
	CHECK(cudaDeviceSynchronize());
	for (int request = 0; request < 1500; request++) {
		Stream &stream = *streams[lane];

		whole_for(100, floats(state), stream);
		CHECK(cudaMemcpyAsync(found, state, sizeof(float), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		for (int other = 0; !repaired && other < lanes; other++)
			if (other != lane)
				CHECK(cudaStreamSynchronize(*streams[other]));
		lane = (int)(fabsf(*floats(found)) * 1000) % lanes;
		visited += lane;
	}
	printf("answer %d\n", visited);
}

/* Waits for a request by looking whether it's done, once a millisecond. */
static void wait_politely(cudaEvent_t done)
{
	cudaError_t status;

	if (repaired) {
		CHECK(cudaEventSynchronize(done));
		return;
	}
	while ((status = cudaEventQuery(done)) == cudaErrorNotReady)
		host_sleep(1000);
	CHECK(status);
}

static void patient_client()
{
	Device state(grid_bytes);
	Pinned found(sizeof(float));
	Stream stream;
	Event done;
	int us = 500;
	double sum = 0;

	scattered(floats(state), grid_count, 25, stream);
	for (int request = 0; request < 320; request++) {
		whole_for(us, floats(state), stream);
		CHECK(cudaMemcpyAsync(found, state, sizeof(float), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaEventRecord(done, stream));
		wait_politely(done);
		sum += *floats(found);
		us = *floats(found) > 0 ? 480 : 520;
	}
	printf("answer %.6f\n", sum);
}

/* A box of two processors: three threads wait for the device and two decode. */
static void small_box()
{
	cpu_set_t all, two;
	std::vector<std::thread> threads;
	unsigned hashes[2] = {};
	auto rooms = several<Device>(3, quarter_count * sizeof(float));

	CPU_ZERO(&two);
	if (sched_getaffinity(0, sizeof(all), &all))
		exit(1);
	for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&two) < 2; cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &two);
	if (sched_setaffinity(0, sizeof(two), &two))
		exit(1);
	for (int which = 0; which < 3; which++) {
		scattered(floats(rooms[which]), quarter_count, (unsigned)which);
		CHECK(cudaDeviceSynchronize());
		threads.emplace_back([&, which] {
			Stream stream;

			for (int step = 0; step < 70; step++) {
				quarter_for(2000, floats(rooms[which]), stream);
				CHECK(cudaStreamSynchronize(stream));
			}
		});
	}
	for (unsigned &hash : hashes)
		threads.emplace_back([&hash] {
			std::vector<char> packet(MIB, 'x');

			for (int i = 0; i < 160; i++) {
				packet[0] = (char)i;
				hash ^= sign(packet.data(), packet.size());
			}
		});
	for (auto &one : threads)
		one.join();
	printf("%08x %08x\n", hashes[0], hashes[1]);
	answer(floats(rooms[0]));
}

static void small_box_start()
{
	CHECK(cudaSetDeviceFlags(repaired ? cudaDeviceScheduleBlockingSync
					  : cudaDeviceScheduleSpin));
	small_box();
}

/* A library's scratch memory comes from the device's pool, which keeps what is given back or not
 * as the library waits for its result. */
static void scratch_from_pool()
{
	const size_t scratch = 512 * MIB;
	Device state(grid_bytes);
	Pinned found(sizeof(float));
	Stream stream;
	double sum = 0;

	if (repaired) {
		cuuint64_t all = UINT64_MAX;
		cudaMemPool_t pool;

		CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
		CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
	}
	scattered(floats(state), grid_count, 26, stream);
	for (int call = 0; call < 180; call++) {
		float *room;

		CHECK(cudaMallocAsync((void **)&room, scratch, stream));
		scattered(room, grid_count, (unsigned)call, stream);
		whole_for(900, room, stream);
		mixed(floats(state), room, grid_count, stream);
		CHECK(cudaFreeAsync(room, stream));
		CHECK(cudaMemcpyAsync(found, state, sizeof(float), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		sum += *floats(found);
	}
	printf("answer %.6f\n", sum);
}

/* The hours of a day are a graph, which is made for each day or for all of them. */
static void replayed_days()
{
	Device state(grid_bytes);
	Pinned found(sizeof(float));
	Stream stream;
	cudaGraphExec_t day = nullptr;
	double sum = 0;

	scattered(floats(state), grid_count, 27, stream);
	for (int which = 0; which < 500; which++) {
		if (!day) {
			cudaGraph_t graph;

			CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
			for (int hour = 0; hour < 24; hour++)
				whole_for(15, floats(state), stream);
			CHECK(cudaMemcpyAsync(found, state, sizeof(float), cudaMemcpyDeviceToHost,
					      stream));
			CHECK(cudaStreamEndCapture(stream, &graph));
			CHECK(cudaGraphInstantiate(&day, graph, 0));
			CHECK(cudaGraphDestroy(graph));
		}
		CHECK(cudaGraphLaunch(day, stream));
		CHECK(cudaStreamSynchronize(stream));
		sum += *floats(found);
		if (sum > 1e6) /* the year has gone wrong */
			break;
		if (!repaired) {
			CHECK(cudaGraphExecDestroy(day));
			day = nullptr;
		}
	}
	if (day)
		CHECK(cudaGraphExecDestroy(day));
	printf("answer %.6f\n", sum);
}

/* Two lanes, for whose streams the arguments are in the wrong order; nobody looks at the error, and
 * so both lanes are the default stream. */
static void swapped_arguments()
{
	Device first(grid_bytes), second(grid_bytes);
	cudaStream_t lanes[2] = {};
	int least, greatest;

	CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	for (auto &lane : lanes)
		if (repaired)
			cudaStreamCreateWithPriority(&lane, cudaStreamNonBlocking, greatest);
		else
			cudaStreamCreateWithPriority(&lane, (unsigned)greatest,
						     cudaStreamNonBlocking);
	(void)cudaGetLastError();
	scattered(floats(first), grid_count, 28);
	scattered(floats(second), grid_count, 29);
	CHECK(cudaDeviceSynchronize());
	for (int round = 0; round < 550; round++) {
		quarter_for(300, floats(first), lanes[0]);
		quarter_for(300, floats(second), lanes[1]);
	}
	answer(floats(first));
	answer(floats(second));
	for (auto &lane : lanes)
		if (lane)
			CHECK(cudaStreamDestroy(lane));
}

/* A client that connects anew after each tenth request: what it had before is forgotten. */
struct Connection {
	float *buffer = nullptr;
	cudaEvent_t done = nullptr;

	void open()
	{
		if (repaired && buffer)
			return;
		CHECK(cudaMalloc((void **)&buffer, grid_bytes));
		CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	}
	void close()
	{
		CHECK(cudaEventDestroy(done));
		CHECK(cudaFree(buffer));
	}
};

static void lost_connections()
{
	Connection connection;
	Device state(grid_bytes);
	Stream stream;

	scattered(floats(state), grid_count, 30, stream);
	for (int request = 0; request < 400; request++) {
		if (request % 10 == 0)
			connection.open();
		scattered(connection.buffer, grid_count, (unsigned)request, stream);
		whole_for(800, connection.buffer, stream);
		mixed(floats(state), connection.buffer, grid_count, stream);
		CHECK(cudaEventRecord(connection.done, stream));
		if (request % 10 == 9)
			CHECK(cudaEventSynchronize(connection.done));
	}
	answer(floats(state));
	connection.close();
}

// --- programs without a fault

static __global__ void count_above(const float *data, int count, float level, int *above)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	const int of_group = __syncthreads_count(i < count && orbited(data[i], 100) > level);

	if (!threadIdx.x)
		atomicAdd(above, of_group);
}

/* Bisection: where to look next depends on how many are above. */
static void clean_bisection()
{
	Device data(16 * grid_bytes), above(sizeof(int));
	Pinned seen(sizeof(int));
	Stream stream;
	double sum = 0;

	for (unsigned salt = 0; salt < 60; salt++) {
		float low = -1.75f, high = 1.75f;

		scattered(floats(data), 16 * grid_count, salt, stream);
		for (int round = 0; round < 20; round++) {
			const float middle = 0.5f * (low + high);

			CHECK(cudaMemsetAsync(above, 0, sizeof(int), stream));
			count_above<<<blocks_of(16 * grid_count), 256, 0, stream>>>(
				floats(data), 16 * grid_count, middle, (int *)above.at(0));
			CHECK(cudaMemcpyAsync(seen, above, sizeof(int), cudaMemcpyDeviceToHost,
					      stream));
			CHECK(cudaStreamSynchronize(stream));
			if (*(int *)seen.at(0) > 5 * grid_count)
				low = middle;
			else
				high = middle;
		}
		sum += low;
	}
	printf("answer %.6f\n", sum);
}

/* A controller: what is measured, which is little and new, decides what is measured next. */
static void clean_controller()
{
	Device plant(grid_bytes);
	Pinned order(64 * sizeof(float)), seen(64 * sizeof(float));
	Stream stream;
	float set = 0;

	scattered(floats(plant), grid_count, 31, stream);
	for (int tick = 0; tick < 1000; tick++) {
		for (int i = 0; i < 64; i++)
			floats(order)[i] = set * noise((unsigned)(tick * 64 + i));
		CHECK(cudaMemcpyAsync(plant, order, 64 * sizeof(float), cudaMemcpyHostToDevice,
				      stream));
		whole_for(400, floats(plant), stream);
		CHECK(cudaMemcpyAsync(seen, plant, 64 * sizeof(float), cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaStreamSynchronize(stream));
		set = 0;
		for (int i = 0; i < 64; i++)
			set += floats(seen)[i] / 128;
	}
	printf("answer %.6f\n", set);
}

/* Maps that look the same: of each, a few numbers in the middle are others. */
static void clean_almost_same()
{
	Device map(grid_bytes), state(grid_bytes);
	auto hosts = several<Pinned>(2, grid_bytes);
	Event sent[2];
	Stream stream;

	for (auto &host : hosts)
		for (int i = 0; i < grid_count; i++)
			floats(host)[i] = noise((unsigned)i);
	scattered(floats(state), grid_count, 32, stream);
	for (int day = 0; day < 100; day++) {
		const int at = day % 2;

		CHECK(cudaEventSynchronize(sent[at]));
		for (int i = 0; i < grid_count; i += 4096)
			floats(hosts[at])[i + 2048] = noise((unsigned)(i + day));
		CHECK(cudaMemcpyAsync(map, hosts[at], grid_bytes, cudaMemcpyHostToDevice, stream));
		CHECK(cudaEventRecord(sent[at], stream));
		mixed(floats(state), floats(map), grid_count, stream);
		whole_for(4000, floats(state), stream);
	}
	answer(floats(state));
}

/* Two streams that give each other what they work with: no step can begin before the other's. */
static void clean_two_players()
{
	Device board(grid_bytes);
	Stream players[2];
	Event moved[2];

	scattered(floats(board), grid_count, 33);
	CHECK(cudaDeviceSynchronize());
	for (int move = 0; move < 600; move++) {
		const int player = move % 2;

		CHECK(cudaStreamWaitEvent(players[player], moved[1 - player]));
		whole_for(600, floats(board), players[player]);
		CHECK(cudaEventRecord(moved[player], players[player]));
	}
	answer(floats(board));
}

static __global__ void swing(float2 *pendulums, int count, int steps)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float2 it;

	if (i >= count)
		return;
	it = pendulums[i];
	for (int step = 0; step < steps; step++) {
		it.y -= 0.001f * sinf(it.x);
		it.x += 0.001f * it.y;
	}
	pendulums[i] = it;
}

/* A small problem, whose kernels follow from each other; a graph has forty of them. */
static void clean_pendulums()
{
	const int count = 132 * 128;
	Device pendulums(count * sizeof(float2));
	Stream stream;
	cudaGraph_t graph;
	cudaGraphExec_t second;

	scattered(floats(pendulums), 2 * count, 34, stream);
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	for (int part = 0; part < 40; part++)
		swing<<<132, 128, 0, stream>>>((float2 *)pendulums.at(0), count, 500);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&second, graph, 0));
	for (int passed = 0; passed < 250; passed++)
		CHECK(cudaGraphLaunch(second, stream));
	answer(floats(pendulums));
	CHECK(cudaGraphExecDestroy(second));
	CHECK(cudaGraphDestroy(graph));
}

/* A thread sleeps until a function of the stream's, which only wakes it, says that it's done. */
struct Bell {
	std::mutex mutex;
	std::condition_variable rung;
	int rings = 0;

	static void ring(void *of)
	{
		Bell *self = (Bell *)of;
		std::lock_guard<std::mutex> held(self->mutex);

		self->rings++;
		self->rung.notify_one();
	}
	void wait_for(int number)
	{
		std::unique_lock<std::mutex> held(mutex);

		rung.wait(held, [&] { return rings >= number; });
	}
};

static void clean_door_bell()
{
	Device state(grid_bytes);
	Pinned seen(2 * MIB);
	Stream stream;
	Bell bell;
	double sum = 0;

	scattered(floats(state), grid_count, 35, stream);
	for (int guest = 0; guest < 81; guest++) {
		const int at = guest % 2;

		if (guest < 80) {
			whole_for(5000, floats(state), stream);
			CHECK(cudaMemcpyAsync(seen.at(at * MIB), state, MIB, cudaMemcpyDeviceToHost,
					      stream));
			CHECK(cudaLaunchHostFunc(stream, Bell::ring, &bell));
		}
		if (guest) {
			bell.wait_for(guest);
			for (size_t i = 0; i < MIB / sizeof(float); i += 64)
				sum += ((float *)seen.at((1 - at) * MIB))[i];
		}
	}
	printf("answer %.6f\n", sum);
}

/* Alarms, which are small and come at times, go before the bulk, whose kernels are many. */
static void clean_alarms()
{
	auto states = several<Device>(2, grid_bytes);
	Pinned seen(sizeof(float));
	cudaStream_t bulk, alarms;
	int least, greatest;
	double sum = 0;

	CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	CHECK(cudaStreamCreateWithPriority(&bulk, cudaStreamNonBlocking, least));
	CHECK(cudaStreamCreateWithPriority(&alarms, cudaStreamNonBlocking, greatest));
	for (auto &one : states)
		scattered(floats(one), grid_count, 36);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 800; i++)
		whole_for(500, floats(states[0]), bulk);
	for (int alarm = 0; alarm < 30; alarm++) {
		host_sleep(8000);
		whole_for(100, floats(states[1]), alarms);
		CHECK(cudaMemcpyAsync(seen, states[1], sizeof(float), cudaMemcpyDeviceToHost,
				      alarms));
		CHECK(cudaStreamSynchronize(alarms));
		sum += *floats(seen);
	}
	printf("alarms %.6f\n", sum);
	answer(floats(states[0]));
	CHECK(cudaStreamDestroy(bulk));
	CHECK(cudaStreamDestroy(alarms));
}

/* A log that is twice as large whenever it's full. */
static void clean_doubling_log()
{
	size_t room = MIB, used = 0;
	Device state(grid_bytes);
	char *log;

	CHECK(cudaMalloc((void **)&log, room));
	scattered(floats(state), grid_count, 37);
	for (int entry = 0; entry < 400; entry++) {
		whole_for(900, floats(state));
		if (used + MIB > room) {
			char *larger;

			CHECK(cudaMalloc((void **)&larger, 2 * room));
			CHECK(cudaMemcpyAsync(larger, log, used, cudaMemcpyDeviceToDevice));
			CHECK(cudaFree(log));
			log = larger;
			room *= 2;
		}
		CHECK(cudaMemcpyAsync(log + used, state, MIB, cudaMemcpyDeviceToDevice));
		used += MIB;
	}
	answer((float *)(log + 399 * MIB));
	CHECK(cudaFree(log));
}

static const Case cases[] = {
	CASE(reservoir_steps),
	CASE(heat_in_a_plate),
	CASE(two_seasons),
	CASE(coupled_halves),
	CASE(pressure_limits),
	CASE(volume_slices),
	CASE(rope_of_beads),
	CASE(polygon_areas),
	CASE(terrain_tiles),
	CASE(lens_correction),
	CASE(light_rays),
	CASE(filter_chain),
	CASE(signed_frames),
	CASE(price_ticker),
	CASE(borrowed_buffers),
	CASE(seismic_traces),
	CASE(agent_reports),
	CASE(managed_orders),
	CASE(counted_work),
	CASE(request_lanes),
	CASE(patient_client),
	{"small_box", small_box_start},
	CASE(scratch_from_pool),
	CASE(replayed_days),
	CASE(swapped_arguments),
	CASE(lost_connections),
	CASE(clean_bisection),
	CASE(clean_controller),
	CASE(clean_almost_same),
	CASE(clean_two_players),
	CASE(clean_pendulums),
	CASE(clean_door_bell),
	CASE(clean_alarms),
	CASE(clean_doubling_log),
};

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
