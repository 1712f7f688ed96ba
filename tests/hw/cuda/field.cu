/* SPDX-License-Identifier: MIT */
// field CASE [repaired]: CUDA programs of several phases, helpers and threads, each with one fault that is
// planted in a part of it, or the same work without it; and some that have none. Whoever wrote them had not
// read src/analysis. tests/hw/findings records both, and field.json, which was written before they were
// recorded for the first time, says what may be found in which.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <sched.h>
#include <thread>
#include <vector>

#include "cases.h"
#include "faults.h"

#define MIB ((size_t)1 << 20)

static float *floats(Device &device, size_t byte = 0)
{
	return (float *)device.at(byte);
}

/* The device does about 28e12 of these rounds a second, if it is full. */
static __global__ void curve(float *data, int count, int rounds)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float x;

	if (i >= count)
		return;
	x = data[i];
#pragma unroll 8
	for (int round = 0; round < rounds; round++)
		x = x * 0.999f + 0.001f;
	data[i] = x;
}

/* About so many us of a full device, on the first four million numbers. */
static void grind(float *data, int us, cudaStream_t stream = nullptr)
{
	const int count = 1 << 22;

	curve<<<blocks_of(count), 256, 0, stream>>>(data, count, us * 7);
	CHECK(cudaGetLastError());
}

// --- frames of a camera

static __global__ void soften(const float *from, float *to, int width, int height)
{
	const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
	float sum = 0;

	if (x < 1 || y < 1 || x + 1 >= width || y + 1 >= height)
		return;
	for (int j = -1; j <= 1; j++)
		for (int i = -1; i <= 1; i++)
			sum += from[(y + j) * width + x + i];
	to[y * width + x] = sum / 9;
}

static __global__ void edges(const float *from, float *to, int count)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i > 0 && i < count)
		to[i] = fabsf(from[i] - from[i - 1]);
}

class Detector
{
	static const int width_ = 1024, height_ = 512, count_ = width_ * height_;
	Stream stream_;
	Device raw_, soft_, found_, all_;
	bool checked_;

	void launched()
	{
		CHECK(cudaGetLastError());
		if (checked_)
			CHECK(cudaDeviceSynchronize());
	}

      public:
	Detector(bool checked)
	    : raw_(count_ * sizeof(float)), soft_(count_ * sizeof(float)),
	      found_(count_ * sizeof(float)), all_(16 * MIB), checked_(checked)
	{
		CHECK(cudaMemset(raw_, 0, count_ * sizeof(float)));
		CHECK(cudaMemset(all_, 0, 16 * MIB));
		CHECK(cudaDeviceSynchronize());
	}
	void detect()
	{
		soften<<<dim3(width_ / 32, height_ / 8), dim3(32, 8), 0, stream_>>>(
			floats(raw_), floats(soft_), width_, height_);
		launched();
		edges<<<blocks_of(count_), 256, 0, stream_>>>(floats(soft_), floats(found_),
							      count_);
		launched();
		curve<<<blocks_of(count_), 256, 0, stream_>>>(floats(found_), count_, 400);
		launched();
	}
	void summarise()
	{
		grind(floats(all_), 1500, stream_);
	}
	void finish()
	{
		CHECK(cudaStreamSynchronize(stream_));
	}
};

/* What was a help in debugging is still there: each kernel of a frame is waited for. The summary that
 * follows is computed by kernels which nobody waits for. */
static void vision_checked_launches()
{
	Detector detector(!repaired);

	for (int frame = 0; frame < 9000; frame++)
		detector.detect();
	detector.finish();
	for (int i = 0; i < 80; i++)
		detector.summarise();
	detector.finish();
}

static __global__ void statistics(const float *data, int count, float *sum)
{
	float mine = 0;

	for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x)
		mine += data[i];
	atomicAdd(sum, mine);
}

/* No stream: the default one, which waits for all others, and they for it. */
static void take_statistics(const float *data, int count, float *sum, cudaStream_t stream = nullptr)
{
	statistics<<<1, 256, 0, stream>>>(data, count, sum);
	CHECK(cudaGetLastError());
}

/* A camera each has its thread and its stream; a helper of theirs was not given the stream. */
static void vision_forgotten_stream()
{
	const int count = 32 * 256;
	std::vector<std::thread> cameras;

	for (int camera = 0; camera < 4; camera++)
		cameras.emplace_back([] {
			Device data(count * sizeof(float)), sum(sizeof(float));
			cudaStream_t stream;

			CHECK(cudaStreamCreate(&stream));
			CHECK(cudaMemsetAsync(data, 0, count * sizeof(float), stream));
			CHECK(cudaMemsetAsync(sum, 0, sizeof(float), stream));
			for (int frame = 0; frame < 500; frame++) {
				curve<<<count / 256, 256, 0, stream>>>(floats(data), count, 100000);
				if (repaired)
					take_statistics(floats(data), count, floats(sum), stream);
				else
					take_statistics(floats(data), count, floats(sum));
				if (frame % 50 == 49)
					CHECK(cudaStreamSynchronize(stream));
			}
			CHECK(cudaStreamDestroy(stream));
		});
	for (auto &one : cameras)
		one.join();
}

/* Frames of three lanes, of which up to four are under way, and what is done with them in the end. */
class Lanes
{
      public:
	static const int lanes = 3, slots = 4;

      private:
	struct Frame {
		Lanes *of;
		int lane;
	};
	std::mutex mutex_;
	std::condition_variable more_, done_;
	std::deque<int> computed_;
	std::vector<int> compressed_ = std::vector<int>(lanes);
	std::vector<Frame> frames_;
	std::vector<std::thread> helpers_;
	bool over_ = false;

	void compress(int lane)
	{
		host_busy(320);
		std::lock_guard<std::mutex> lock(mutex_);
		compressed_[lane]++;
		done_.notify_all();
	}
	void help()
	{
		std::unique_lock<std::mutex> lock(mutex_);

		for (;;) {
			more_.wait(lock, [this] { return over_ || !computed_.empty(); });
			if (computed_.empty())
				return;
			const int lane = computed_.front();

			computed_.pop_front();
			lock.unlock();
			compress(lane);
			lock.lock();
		}
	}
	static void CUDART_CB compress_here(void *given)
	{
		Frame *frame = (Frame *)given;

		frame->of->compress(frame->lane);
	}
	static void CUDART_CB hand_on(void *given)
	{
		Frame *frame = (Frame *)given;
		std::lock_guard<std::mutex> lock(frame->of->mutex_);

		frame->of->computed_.push_back(frame->lane);
		frame->of->more_.notify_one();
	}

      public:
	Lanes()
	{
		for (int i = 0; i < lanes; i++)
			frames_.push_back({this, i});
		for (int i = 0; repaired && i < lanes; i++)
			helpers_.emplace_back([this] { help(); });
	}
	void wait(int lane, int frames)
	{
		std::unique_lock<std::mutex> lock(mutex_);

		done_.wait(lock, [&] { return compressed_[lane] >= frames; });
	}
	void end_of_frame(int lane, cudaStream_t stream)
	{
		CHECK(cudaLaunchHostFunc(stream, repaired ? hand_on : compress_here,
					 &frames_[lane]));
	}
	~Lanes()
	{
		{
			std::lock_guard<std::mutex> lock(mutex_);

			over_ = true;
			more_.notify_all();
		}
		for (auto &one : helpers_)
			one.join();
	}
};

/* Frames are compressed by host functions of their streams, or by threads to which those hand them. */
static void vision_compressed_in_callbacks()
{
	const int rounds = 350;
	auto device = several<Device>(Lanes::lanes, MIB);
	auto host = several<Pinned>(Lanes::lanes * Lanes::slots, MIB);
	std::vector<Stream> streams(Lanes::lanes);
	Lanes frames;

	for (int i = 0; i < rounds; i++)
		for (int lane = 0; lane < Lanes::lanes; lane++) {
			frames.wait(lane, i - Lanes::slots + 1);
			take<<<44, 256, 0, streams[lane]>>>(400000);
			CHECK(cudaGetLastError());
			CHECK(cudaMemcpyAsync(host[lane * Lanes::slots + i % Lanes::slots],
					      device[lane], MIB, cudaMemcpyDeviceToHost,
					      streams[lane]));
			frames.end_of_frame(lane, streams[lane]);
		}
	for (int lane = 0; lane < Lanes::lanes; lane++)
		frames.wait(lane, rounds);
	CHECK(cudaDeviceSynchronize());
}

/* All that two buffers and two streams need is there, but the memory of the host is not pinned. */
static void vision_pageable_lanes()
{
	const size_t bytes = 24 * MIB;
	auto device = several<Device>(2, bytes);
	std::vector<std::vector<char>> plain(repaired ? 0 : 2, std::vector<char>(bytes, 1));
	auto pinned = several<Pinned>(repaired ? 2 : 0, bytes);
	std::vector<Event> uploaded(2), computed(2);
	Stream copies, kernels;

	for (int i = 0; i < 160; i++) {
		const int at = i % 2;
		char *frame = repaired ? pinned[at].at(0) : plain[at].data();

		if (i > 1)
			CHECK(cudaEventSynchronize(computed[at]));
		*(int *)frame = i + 2;
		CHECK(cudaMemcpyAsync(device[at], frame, bytes, cudaMemcpyHostToDevice, copies));
		CHECK(cudaEventRecord(uploaded[at], copies));
		CHECK(cudaStreamWaitEvent(kernels, uploaded[at], 0));
		grind(floats(device[at]), 700, kernels);
		CHECK(cudaEventRecord(computed[at], kernels));
	}
	CHECK(cudaStreamSynchronize(kernels));
}

// --- fluids

struct Half {
	Device cells{16 * MIB}, ghosts{4 * MIB};
	Pinned edge{4 * MIB};
	Stream stream;
	Event relaxed, taken;
};

static void exchange(Half &from, Half &to)
{
	const size_t bytes = 4 * MIB;

	if (repaired) {
		CHECK(cudaStreamWaitEvent(to.stream, from.relaxed, 0));
		CHECK(cudaMemcpyAsync(to.ghosts, from.cells, bytes, cudaMemcpyDeviceToDevice,
				      to.stream));
		CHECK(cudaEventRecord(from.taken, to.stream));
		CHECK(cudaStreamWaitEvent(from.stream, from.taken, 0));
		return;
	}
	CHECK(cudaMemcpyAsync(from.edge, from.cells, bytes, cudaMemcpyDeviceToHost, from.stream));
	CHECK(cudaStreamSynchronize(from.stream));
	CHECK(cudaMemcpyAsync(to.ghosts, from.edge, bytes, cudaMemcpyHostToDevice, to.stream));
}

/* Two halves of a domain, written for two devices that had no other way: edges go over the host. */
static void fluid_edges_by_host()
{
	Half left, right;
	std::vector<char> shown(16 * MIB);

	for (Half *one : {&left, &right})
		CHECK(cudaMemsetAsync(one->cells, 0, 16 * MIB, one->stream));
	for (int step = 0; step < 1000; step++) {
		for (Half *one : {&left, &right}) {
			grind(floats(one->cells), 75, one->stream);
			CHECK(cudaEventRecord(one->relaxed, one->stream));
		}
		exchange(left, right);
		exchange(right, left);
	}
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(shown.data(), left.cells, shown.size(), cudaMemcpyDeviceToHost));
}

class Scratch
{
	void *at_;
	bool own_;

      public:
	Scratch(size_t bytes, Device &arena, size_t &used) : own_(!repaired)
	{
		if (own_)
			CHECK(cudaMalloc(&at_, bytes));
		else
			at_ = arena.at(used);
		used += bytes;
	}
	Scratch(const Scratch &) = delete;
	~Scratch()
	{
		if (own_)
			CHECK(cudaFree(at_));
	}
	operator float *()
	{
		return (float *)at_;
	}
};

static void project(Device &field, Device &arena, int cells)
{
	const size_t bytes = (size_t)cells * sizeof(float);
	size_t used = 0;
	Scratch divergence(bytes, arena, used), pressure(2 * bytes, arena, used);
	Scratch gradient(3 * bytes, arena, used);

	edges<<<blocks_of((size_t)cells), 256>>>(floats(field), divergence, cells);
	fill<<<264, 256>>>(pressure, 2 * cells, 0);
	curve<<<blocks_of((size_t)cells), 256>>>(divergence, cells, 200);
	edges<<<blocks_of((size_t)cells), 256>>>(divergence, gradient, cells);
	CHECK(cudaGetLastError());
}

/* The second of two phases has temporary memory, of each step's own. */
static void fluid_scratch()
{
	Device field(16 * MIB), arena(96 * MIB);

	CHECK(cudaMemset(field, 0, 16 * MIB));
	for (int i = 0; i < 300; i++)
		grind(floats(field), 400);
	for (int i = 0; i < 500; i++)
		project(field, arena, (int)(3 + i % 2) << 20);
}

/* A tile has room for more numbers than there are threads for. */
template <int THREADS, int FLOATS> static __global__ void tiles(float *data, int rounds)
{
	__shared__ float tile[FLOATS];
	const int t = (int)threadIdx.x, i = (int)blockIdx.x * THREADS + t;
	float x = data[i];

	tile[t * 33 % FLOATS] = x;
	__syncthreads();
	x += tile[(t + 1) % THREADS * 33 % FLOATS];
#pragma unroll 8
	for (int round = 0; round < rounds; round++)
		x = x * 0.999f + 0.001f;
	data[i] = x;
}

static void fluid_wide_tiles()
{
	const int count = 1 << 20;
	Device cells(count * sizeof(float)), field(16 * MIB);

	CHECK(cudaMemset(cells, 0, count * sizeof(float)));
	CHECK(cudaMemset(field, 0, 16 * MIB));
	for (int i = 0; i < 1500; i++) {
		if (repaired)
			tiles<256, 256><<<count / 256, 256>>>(floats(cells), 2000);
		else
			tiles<32, 10240><<<count / 32, 32>>>(floats(cells), 2000);
		grind(floats(field), 50);
	}
}

/* A part of each row of a field is packed: by a copy for each row, or by one for all. */
static void fluid_packed_rows()
{
	const size_t row = 1024, pitch = 8192, rows = 512;
	Device field(16 * MIB), packed(row * rows);

	CHECK(cudaMemset(field, 0, 16 * MIB));
	for (int step = 0; step < 150; step++) {
		grind(floats(field), 900);
		if (repaired)
			CHECK(cudaMemcpy2DAsync(packed, row, field, pitch, row, rows,
						cudaMemcpyDeviceToDevice));
		for (size_t i = 0; !repaired && i < rows; i++)
			CHECK(cudaMemcpyAsync(packed.at(i * row), field.at(i * pitch), row,
					      cudaMemcpyDeviceToDevice));
		curve<<<blocks_of(row * rows / 4), 256>>>(floats(packed), (int)(row * rows / 4),
							  20);
		CHECK(cudaGetLastError());
	}
}

// --- a search

class Table
{
	size_t bytes_;
	Device device_;
	Pinned host_;
	bool uploaded_ = false;

      public:
	Table(size_t bytes) : bytes_(bytes), device_(bytes), host_(bytes)
	{
	}
	void change(int round)
	{
		host_.change(round);
		uploaded_ = false;
	}
	const float *on_device(cudaStream_t stream)
	{
		if (!repaired || !uploaded_)
			CHECK(cudaMemcpyAsync(device_, host_, bytes_, cudaMemcpyHostToDevice,
					      stream));
		uploaded_ = true;
		return floats(device_);
	}
};

static __global__ void rank(const float *words, const float *weights, const float *recent,
			    float *index, int rounds)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float x = words[i] + recent[i % 16384];

#pragma unroll 8
	for (int round = 0; round < rounds; round++)
		x = x * 0.999f + 0.001f;
	index[i] = x * weights[i % (1 << 21)];
}

/* Of three tables one changes from one query to the next. */
static void search_tables()
{
	Table words(16 * MIB), weights(8 * MIB), recent(65536);
	Device index(16 * MIB);
	Stream stream;

	CHECK(cudaMemsetAsync(index, 0, 16 * MIB, stream));
	for (int i = 0; i < 100; i++)
		grind(floats(index), 1000, stream);
	for (int query = 0; query < 350; query++) {
		CHECK(cudaStreamSynchronize(stream));
		recent.change(query);
		const float *one = words.on_device(stream), *two = weights.on_device(stream);
		const float *three = recent.on_device(stream);

		rank<<<(1 << 22) / 256, 256, 0, stream>>>(one, two, three, floats(index), 3500);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
}

static __global__ void pick(const float *scores, float *best, int each)
{
	best[threadIdx.x] = scores[(size_t)threadIdx.x * (size_t)each];
}

/* All scores come back, of which one of each row is looked at. */
static void search_all_scores()
{
	const size_t bytes = 32 * MIB;
	const int rows = 64, each = (int)(bytes / sizeof(float)) / rows;
	Device scores(bytes), best(rows * sizeof(float));
	Pinned host(bytes);
	float sum = 0;
	Stream stream;

	CHECK(cudaMemsetAsync(scores, 0, bytes, stream));
	for (int query = 0; query < 300; query++) {
		const float *at = (const float *)host.at(0);

		curve<<<blocks_of(bytes / 4), 256, 0, stream>>>(floats(scores), (int)(bytes / 4),
								1500);
		if (repaired) {
			pick<<<1, rows, 0, stream>>>(floats(scores), floats(best), each);
			CHECK(cudaMemcpyAsync(host, best, rows * sizeof(float),
					      cudaMemcpyDeviceToHost, stream));
		} else {
			CHECK(cudaMemcpyAsync(host, scores, bytes, cudaMemcpyDeviceToHost, stream));
		}
		CHECK(cudaStreamSynchronize(stream));
		for (int row = 0; row < rows; row++)
			sum += at[repaired ? row : row * each];
	}
	if (sum == 12345)
		exit(1);
}

/* Four threads take queries from a queue. Its lock is held until the query is answered, or until it is
 * taken. */
static void search_locked_queue()
{
	const size_t bytes = 4 * MIB;
	std::vector<std::thread> threads;
	std::deque<int> queries;
	std::mutex mutex;

	for (int i = 0; i < 1400; i++)
		queries.push_back(i);
	for (int i = 0; i < 4; i++)
		threads.emplace_back([&] {
			Device device(bytes);
			Pinned host(bytes), back(65536);
			Stream stream;

			for (;;) {
				std::unique_lock<std::mutex> lock(mutex);

				if (queries.empty())
					return;
				host.change(queries.front());
				queries.pop_front();
				if (repaired)
					lock.unlock();
				CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice,
						      stream));
				take<<<33, 256, 0, stream>>>(180000);
				CHECK(cudaGetLastError());
				CHECK(cudaMemcpyAsync(back, device, 65536, cudaMemcpyDeviceToHost,
						      stream));
				CHECK(cudaStreamSynchronize(stream));
			}
		});
	for (auto &one : threads)
		one.join();
}

/* A loop over three lanes asks each whether it is done, and gives it the next query if so. */
static void search_asked_lanes()
{
	const int lanes = 3, each = 400;
	std::vector<Stream> streams(lanes);
	std::vector<Event> done(lanes);
	std::vector<int> given(lanes);
	auto submit = [&](int lane) {
		take<<<44, 256, 0, streams[lane]>>>(600000);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(done[lane], streams[lane]));
		given[lane]++;
	};

	for (int lane = 0; lane < lanes; lane++)
		submit(lane);
	for (int left = lanes * (each - 1), lane = 0; left; lane = (lane + 1) % lanes) {
		if (given[lane] == each)
			continue;
		if (repaired) {
			CHECK(cudaEventSynchronize(done[lane]));
		} else {
			const cudaError_t status = cudaEventQuery(done[lane]);

			if (status == cudaErrorNotReady)
				continue;
			CHECK(status);
		}
		submit(lane);
		left--;
	}
	for (auto &one : streams)
		CHECK(cudaStreamSynchronize(one));
}

// --- a server

static void must(CUresult status, const char *call)
{
	if (status == CUDA_SUCCESS)
		return;
	fprintf(stderr, "%s: error %d\n", call, status);
	exit(1);
}

/* A kernel that was made for one value. */
class Specialised
{
	CUmodule module_;
	CUfunction function_;

      public:
	Specialised(float value)
	{
		char text[640];
		unsigned bits;

		memcpy(&bits, &value, sizeof(bits));
		snprintf(text, sizeof(text),
			 ".version 7.0\n.target sm_70\n.address_size 64\n"
			 ".visible .entry specialised(.param .u64 to)\n{\n"
			 "\t.reg .b64 %%rd<3>;\n\t.reg .f32 %%f<2>;\n"
			 "\tld.param.u64 %%rd1, [to];\n\tcvta.to.global.u64 %%rd2, %%rd1;\n"
			 "\tmov.f32 %%f1, 0f%08X;\n\tst.global.f32 [%%rd2], %%f1;\n\tret;\n}\n",
			 bits);
		must(cuModuleLoadData(&module_, text), "cuModuleLoadData");
		must(cuModuleGetFunction(&function_, module_, "specialised"),
		     "cuModuleGetFunction");
	}
	Specialised(const Specialised &) = delete;
	~Specialised()
	{
		must(cuModuleUnload(module_), "cuModuleUnload");
	}
	void operator()(void *to, cudaStream_t stream)
	{
		void *words[] = {&to};

		must(cuLaunchKernel(function_, 1, 1, 1, 1, 1, 1, 0, stream, words, nullptr),
		     "cuLaunchKernel");
	}
};

/* Kernels are made for one of eight values that a request has; they are kept, or made for each batch
 * of ten requests. */
static void serve_specialised()
{
	std::map<int, std::unique_ptr<Specialised>> kept;
	Device data(16 * MIB);
	Stream stream;

	CHECK(cudaMemsetAsync(data, 0, 16 * MIB, stream));
	for (int request = 0; request < 1500; request++) {
		const int kind = request % 8;
		std::unique_ptr<Specialised> &one = kept[repaired ? kind : request % 10];

		if (!one)
			one.reset(new Specialised(0.5f + (float)kind));
		(*one)(data, stream);
		grind(floats(data), 60, stream);
		if (request % 10 < 9)
			continue;
		CHECK(cudaStreamSynchronize(stream));
		if (!repaired)
			kept.clear();
	}
	CHECK(cudaStreamSynchronize(stream));
}

static double prepare(int rounds)
{
	double x = 1;

	for (int round = 0; round < rounds; round++)
		x = x * 0.999 + 0.001;
	return x;
}

/* Requests are prepared by four threads; the program was told to stay on one CPU. */
static void serve_on_one_cpu()
{
	cpu_set_t before, one;
	Device data(16 * MIB);
	double sum = 0;

	CHECK(cudaMemset(data, 0, 16 * MIB));
	if (sched_getaffinity(0, sizeof(before), &before))
		exit(1);
	CPU_ZERO(&one);
	for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &before))
			CPU_SET(i, &one);
	if (!repaired && sched_setaffinity(0, sizeof(one), &one))
		exit(1);
	for (int request = 0; request < 100; request++) {
		std::vector<std::future<double>> parts;

		for (int i = 0; i < 4; i++)
			parts.push_back(std::async(std::launch::async, prepare, 400000));
		for (auto &part : parts)
			sum += part.get();
		grind(floats(data), 800);
		CHECK(cudaDeviceSynchronize());
	}
	if (sum == 12345)
		exit(1);
}

static __global__ void in_shared(float *data, int floats_of_block)
{
	extern __shared__ float tile[];
	const int from = (int)blockIdx.x * floats_of_block;

	for (int i = (int)threadIdx.x; i < floats_of_block; i += (int)blockDim.x)
		tile[i] = data[from + i];
	__syncthreads();
	for (int i = (int)threadIdx.x; i < floats_of_block; i += (int)blockDim.x)
		data[from + i] = 0.5f * (tile[i] + tile[floats_of_block - 1 - i]);
}

/* A request's size says how much of a block's memory a kernel has. For the largest it is more than is
 * given without asking: nothing is computed, and nobody looks. */
static void serve_shared_limit()
{
	static const int sizes[] = {4096, 12288, 24576};
	Device data(16 * MIB);

	CHECK(cudaMemset(data, 0, 16 * MIB));
	if (repaired)
		CHECK(cudaFuncSetAttribute(in_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
					   24576 * 4));
	for (int request = 0; request < 600; request++) {
		const int size = sizes[request % 3];

		grind(floats(data), 500);
		CHECK(cudaGetLastError());
		in_shared<<<(1 << 22) / size, 256, (size_t)size * 4>>>(floats(data), size);
		if (repaired)
			CHECK(cudaGetLastError());
		else
			cudaGetLastError();
	}
}

/* Measures what is between its beginning and its end. */
class Timer
{
	cudaEvent_t begin_, end_;
	cudaStream_t stream_;

      public:
	Timer(cudaStream_t stream, cudaEvent_t *pool) : stream_(stream)
	{
		if (repaired) {
			begin_ = pool[0];
			end_ = pool[1];
		} else {
			CHECK(cudaEventCreate(&begin_));
			CHECK(cudaEventCreate(&end_));
		}
		CHECK(cudaEventRecord(begin_, stream_));
	}
	void end()
	{
		CHECK(cudaEventRecord(end_, stream_));
	}
	float ms()
	{
		float value;

		CHECK(cudaEventSynchronize(end_));
		CHECK(cudaEventElapsedTime(&value, begin_, end_));
		return value;
	}
};

/* Each request is measured with events that are never released. */
static void serve_timers()
{
	Device data(16 * MIB);
	cudaEvent_t pool[2];
	float longest = 0;
	Stream stream;

	for (auto &one : pool)
		CHECK(cudaEventCreate(&one));
	CHECK(cudaMemsetAsync(data, 0, 16 * MIB, stream));
	for (int request = 0; request < 400; request++) {
		Timer timer(stream, pool);

		for (int i = 0; i < 10; i++)
			grind(floats(data), 80, stream);
		timer.end();
		if (request % 20 == 19)
			longest = std::max(longest, timer.ms());
	}
	CHECK(cudaStreamSynchronize(stream));
	for (auto &one : pool)
		CHECK(cudaEventDestroy(one));
	if (longest > 1e6f)
		exit(1);
}

// --- without a fault

/* Up, through and down, each in a stream of its own, with three slots. */
static void clean_ring()
{
	struct Slot {
		Device device{16 * MIB};
		Pinned in{12 * MIB}, out{12 * MIB};
		Event up, through, down;
	};
	std::vector<std::unique_ptr<Slot>> slots;
	Stream up, through, down;

	for (int i = 0; i < 3; i++)
		slots.emplace_back(new Slot);
	for (int i = 0; i < 450; i++) {
		Slot &slot = *slots[i % 3];

		if (i > 2)
			CHECK(cudaEventSynchronize(slot.down));
		slot.in.change(i);
		CHECK(cudaMemcpyAsync(slot.device, slot.in, 12 * MIB, cudaMemcpyHostToDevice, up));
		CHECK(cudaEventRecord(slot.up, up));
		CHECK(cudaStreamWaitEvent(through, slot.up, 0));
		grind(floats(slot.device), 900, through);
		CHECK(cudaEventRecord(slot.through, through));
		CHECK(cudaStreamWaitEvent(down, slot.through, 0));
		CHECK(cudaMemcpyAsync(slot.out, slot.device, 12 * MIB, cudaMemcpyDeviceToHost,
				      down));
		CHECK(cudaEventRecord(slot.down, down));
	}
	CHECK(cudaStreamSynchronize(down));
}

/* A batch is computed all the time; what is asked now and then goes first. */
static void clean_priorities()
{
	int least, greatest;
	cudaStream_t batch, answers;
	std::atomic<bool> over{false};

	CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	CHECK(cudaStreamCreateWithPriority(&batch, cudaStreamNonBlocking, least));
	CHECK(cudaStreamCreateWithPriority(&answers, cudaStreamNonBlocking, greatest));
	std::thread answering([&] {
		while (!over) {
			host_sleep(5000);
			take<<<132, 128, 0, answers>>>(60000);
			CHECK(cudaGetLastError());
			CHECK(cudaStreamSynchronize(answers));
		}
	});
	for (int i = 0; i < 1600; i++) {
		work(250, batch);
		if (i % 40 == 39)
			CHECK(cudaStreamSynchronize(batch));
	}
	CHECK(cudaStreamSynchronize(batch));
	over = true;
	answering.join();
	CHECK(cudaStreamDestroy(batch));
	CHECK(cudaStreamDestroy(answers));
}

/* A graph is made once, and one of its kernels is given another argument before each launch. */
static void clean_graph_arguments()
{
	unsigned long long ns = 70000;
	void *words[] = {&ns};
	cudaKernelNodeParams params = {};
	cudaGraphExec_t instance;
	cudaGraphNode_t first;
	cudaGraph_t graph;
	size_t count = 1;
	Stream stream;

	params.func = (void *)take;
	params.gridDim = dim3(132);
	params.blockDim = dim3(256);
	params.kernelParams = words;
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	for (int i = 0; i < 5; i++)
		work(70, stream);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphGetRootNodes(graph, &first, &count));
	CHECK(cudaGraphInstantiate(&instance, graph, 0));
	for (int i = 0; i < 1200; i++) {
		ns = (unsigned long long)(60 + i % 20) * 1000;
		CHECK(cudaGraphExecKernelNodeSetParams(instance, first, &params));
		CHECK(cudaGraphLaunch(instance, stream));
		if (i % 100 == 99)
			CHECK(cudaStreamSynchronize(stream));
	}
	CHECK(cudaGraphExecDestroy(instance));
	CHECK(cudaGraphDestroy(graph));
}

/* Whether to go on is asked after each thirty steps. */
static void clean_convergence()
{
	Device data(16 * MIB), sum(sizeof(float));
	Pinned host(4096);
	Stream stream;

	CHECK(cudaMemsetAsync(data, 0, 16 * MIB, stream));
	CHECK(cudaMemsetAsync(sum, 0, sizeof(float), stream));
	for (int round = 0; round < 120; round++) {
		for (int i = 0; i < 30; i++)
			grind(floats(data), 110, stream);
		statistics<<<1, 256, 0, stream>>>(floats(data), 256, floats(sum));
		CHECK(cudaMemcpyAsync(host, sum, sizeof(float), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
		if (*(float *)host.at(0) < 0)
			break;
	}
}

static __global__ void multiply(const float *a, const float *b, float *c, int n)
{
	__shared__ float rows[32][33], columns[32][33];
	const int x = (int)threadIdx.x, y = (int)threadIdx.y;
	const int row = (int)blockIdx.y * 32, column = (int)blockIdx.x * 32 + x;
	float sums[4] = {};

	for (int k = 0; k < n; k += 32) {
		for (int j = 0; j < 4; j++) {
			rows[y + j * 8][x] = a[(row + y + j * 8) * n + k + x];
			columns[y + j * 8][x] = b[(k + y + j * 8) * n + column];
		}
		__syncthreads();
		for (int i = 0; i < 32; i++)
			for (int j = 0; j < 4; j++)
				sums[j] += rows[y + j * 8][i] * columns[i][x];
		__syncthreads();
	}
	for (int j = 0; j < 4; j++)
		c[(row + y + j * 8) * n + column] = sums[j];
}

/* Powers of a matrix. */
static void clean_matrices()
{
	const int n = 2048;
	const size_t bytes = sizeof(float) * n * n;
	auto powers = several<Device>(2, bytes);
	Device matrix(bytes);
	std::vector<float> host((size_t)n * n, 1.0f / n);

	CHECK(cudaMemcpy(matrix, host.data(), bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(powers[0], matrix, bytes, cudaMemcpyDeviceToDevice));
	for (int i = 0; i < 240; i++)
		multiply<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(
			floats(powers[i % 2]), floats(matrix), floats(powers[!(i % 2)]), n);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(host.data(), powers[0], bytes, cudaMemcpyDeviceToHost));
}

/* What was computed is saved now and then, from a copy of it, while it is computed on. */
static void clean_checkpoints()
{
	const size_t bytes = 64 * MIB;
	Device state(bytes), copy(bytes);
	Pinned saved(bytes);
	Stream kernels, copies;
	Event copied, written;

	CHECK(cudaMemsetAsync(state, 0, bytes, kernels));
	for (int step = 0; step < 800; step++) {
		grind(floats(state), 500, kernels);
		if (step % 50 != 49)
			continue;
		CHECK(cudaStreamWaitEvent(kernels, written, 0));
		CHECK(cudaMemcpyAsync(copy, state, bytes, cudaMemcpyDeviceToDevice, kernels));
		CHECK(cudaEventRecord(copied, kernels));
		CHECK(cudaStreamWaitEvent(copies, copied, 0));
		CHECK(cudaMemcpyAsync(saved, copy, bytes, cudaMemcpyDeviceToHost, copies));
		CHECK(cudaEventRecord(written, copies));
	}
	CHECK(cudaDeviceSynchronize());
}

static const Case cases[] = {
	CASE(vision_checked_launches),
	CASE(vision_forgotten_stream),
	CASE(vision_compressed_in_callbacks),
	CASE(vision_pageable_lanes),
	CASE(fluid_edges_by_host),
	CASE(fluid_scratch),
	CASE(fluid_wide_tiles),
	CASE(fluid_packed_rows),
	CASE(search_tables),
	CASE(search_all_scores),
	CASE(search_locked_queue),
	CASE(search_asked_lanes),
	CASE(serve_specialised),
	CASE(serve_on_one_cpu),
	CASE(serve_shared_limit),
	CASE(serve_timers),
	CASE(clean_ring),
	CASE(clean_priorities),
	CASE(clean_graph_arguments),
	CASE(clean_convergence),
	CASE(clean_matrices),
	CASE(clean_checkpoints),
};

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
