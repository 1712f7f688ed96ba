/* SPDX-License-Identifier: MIT */
// drills CASE [repaired]: CUDA programs as people write them, each with one fault, or the same work
// without it; and some that have none. Whoever wrote them had not read src/analysis nor the other
// sets. tests/hw/findings records both, and drills.json, which was written before they were recorded
// for the first time, says what may be found in which. cuBLAS, cuFFT and NVRTC are loaded when a
// case needs them, so that the others run without.
#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <sched.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <cooperative_groups.h>
#include <cublas_v2.h>
#include <cufft.h>
#include <nvrtc.h>

#include "cases.h"
#include "faults.h"

#define MIB ((size_t)1 << 20)

// --- what several of them have

static const int cell_count = 1 << 20, corner_blocks = 33, corner_count = corner_blocks * 256;
static const size_t cell_bytes = cell_count * sizeof(float);

static float *cells_of(Device &device)
{
	return (float *)(void *)device;
}

static float *cells_of(Pinned &host)
{
	return (float *)(void *)host;
}

static void must(CUresult status, const char *call)
{
	if (status == CUDA_SUCCESS)
		return;
	fprintf(stderr, "%s: error %d\n", call, (int)status);
	exit(1);
}
#define MUST(call) must(call, #call)

static void need(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s failed\n", what);
	exit(1);
}
#define NEED(condition) need(condition, #condition)

static __global__ void sow(float *cells, int count, int salt)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		cells[i] = (float)((i * 37 + salt * 101) % 1009) / 1009.0f;
}

static __device__ float stirred(float x, int turns)
{
	for (int turn = 0; turn < turns; turn++)
		x = fmaf(-1.7f * x, x, 0.9f);
	return x;
}

static __global__ void stir(float *cells, int count, int turns)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		cells[i] = stirred(cells[i], turns);
}

static __global__ void mix(float *cells, const float *with, int count, int with_count)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		cells[i] = 0.5f * (cells[i] + with[i % with_count]);
}

/* The mean of the first count cells, by one block. */
static __global__ void mean_of(const float *cells, int count, float *mean)
{
	__shared__ float sums[256];
	float sum = 0;

	for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x)
		sum += cells[i];
	sums[threadIdx.x] = sum;
	__syncthreads();
	for (unsigned half = blockDim.x / 2; half; half /= 2) {
		if (threadIdx.x < half)
			sums[threadIdx.x] += sums[threadIdx.x + half];
		__syncthreads();
	}
	if (!threadIdx.x)
		*mean = sums[0] / (float)count;
}

static void sown(float *cells, int count, int salt, cudaStream_t stream = nullptr)
{
	sow<<<blocks_of(count), 256, 0, stream>>>(cells, count, salt);
	CHECK(cudaGetLastError());
}

/* About so many us of the whole device, on cell_count cells. */
static void stir_all(int us, float *cells, cudaStream_t stream = nullptr)
{
	stir<<<blocks_of(cell_count), 256, 0, stream>>>(cells, cell_count, us * 13);
	CHECK(cudaGetLastError());
}

/* About so many us of a few multiprocessors, on blocks * 256 cells. */
static void stir_corner(int us, float *cells, cudaStream_t stream, int blocks = corner_blocks)
{
	stir<<<blocks, 256, 0, stream>>>(cells, blocks * 256, us * 220);
	CHECK(cudaGetLastError());
}

static void mixed(float *cells, const float *with, int count, int with_count,
		  cudaStream_t stream = nullptr)
{
	mix<<<blocks_of(count), 256, 0, stream>>>(cells, with, count, with_count);
	CHECK(cudaGetLastError());
}

static void answer(const float *cells)
{
	float first[4];

	CHECK(cudaMemcpy(first, cells, sizeof(first), cudaMemcpyDeviceToHost));
	printf("answer %g %g %g %g\n", first[0], first[1], first[2], first[3]);
}

/* Each sample hangs on the one before it: about 1.3 ns of a CPU for each. */
static unsigned decode(float *out, size_t count, unsigned state)
{
	for (size_t i = 0; i < count; i++) {
		state = state * 1664525u + 1013904223u;
		out[i] = (float)(state >> 8) * (1.0f / 16777216.0f);
	}
	return state;
}

/* What a slow packer makes of them: about 3 ns of a CPU for each. */
static unsigned packed_size(const float *in, size_t count)
{
	unsigned hash = 2166136261u, bits;

	for (size_t i = 0; i < count; i++) {
		memcpy(&bits, in + i, sizeof(bits));
		hash = (hash ^ bits) * 16777619u;
		hash = (hash ^ hash >> 15) * 2246822519u;
	}
	return hash;
}

/* A library that not all of the cases need. */
static void *library(const char *name)
{
	const std::string base = std::string("lib") + name + ".so";
	void *found = nullptr;

	for (const char *folder : {"", "/usr/local/cuda/lib64/"})
		for (const char *version : {".13", ".12", ".11", ""})
			if (!found)
				found = dlopen((folder + base + version).c_str(), RTLD_NOW);
	if (!found) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return found;
}

template <class Function> static void bind(void *from, const char *name, Function &function)
{
	function = (Function)dlsym(from, name);
	need(function, name);
}

// --- planted

static cpu_set_t allowed_cpus()
{
	cpu_set_t cpus;

	NEED(!sched_getaffinity(0, sizeof(cpus), &cpus));
	return cpus;
}

static void keep_to(int most)
{
	const cpu_set_t all = allowed_cpus();
	cpu_set_t some;

	CPU_ZERO(&some);
	for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&some) < most; cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &some);
	NEED(!sched_setaffinity(0, sizeof(some), &some));
}

/* A reader of one of several antennas: decodes blocks into two buffers in turn. */
static void antenna(int number, const cpu_set_t *cpus)
{
	const size_t samples = 2 << 20;
	Stream stream;
	Pinned blocks[2] = {samples * sizeof(float), samples * sizeof(float)};
	Device raw(samples * sizeof(float));
	cudaEvent_t free[2];
	unsigned state = (unsigned)number;

	if (cpus)
		NEED(!sched_setaffinity(0, sizeof(*cpus), cpus));
	for (auto &event : free)
		CHECK(cudaEventCreateWithFlags(&event,
					       cudaEventBlockingSync | cudaEventDisableTiming));
	for (int block = 0; block < 90; block++) {
		CHECK(cudaEventSynchronize(free[block % 2]));
		state = decode(cells_of(blocks[block % 2]), samples, state);
		CHECK(cudaMemcpyAsync(raw, blocks[block % 2], samples * sizeof(float),
				      cudaMemcpyHostToDevice, stream));
		CHECK(cudaEventRecord(free[block % 2], stream));
		stir_all(100, cells_of(raw), stream);
	}
	CHECK(cudaStreamSynchronize(stream));
	for (auto &event : free)
		CHECK(cudaEventDestroy(event));
}

/* The main thread stays on one CPU, for steady times of its uploads. Threads that it makes inherit
 * that, unless they take back what the process may have. */
static void antenna_array()
{
	const cpu_set_t all = allowed_cpus();
	std::vector<std::thread> readers;

	keep_to(1);
	CHECK(cudaFree(nullptr));
	for (int number = 0; number < 4; number++)
		readers.emplace_back(antenna, number, repaired ? &all : nullptr);
	for (auto &reader : readers)
		reader.join();
}

/* A job that was given two CPUs: six controllers wait for their kernels most of the time, while the
 * analysis needs a CPU. */
static void two_cpu_job()
{
	std::vector<std::thread> controllers;
	std::vector<float> part(1 << 20);
	unsigned state = 1;

	keep_to(2);
	CHECK(cudaSetDeviceFlags(repaired ? cudaDeviceScheduleBlockingSync
					  : cudaDeviceScheduleSpin));
	CHECK(cudaFree(nullptr));
	for (int number = 0; number < 6; number++)
		controllers.emplace_back([number] {
			const int blocks = 16;
			Device plant(blocks * 256 * sizeof(float));
			Pinned reading(64);
			Stream stream;

			sown(cells_of(plant), blocks * 256, number, stream);
			for (int tick = 0, us = 3000; tick < 130; tick++) {
				stir_corner(us, cells_of(plant), stream, blocks);
				CHECK(cudaMemcpyAsync(reading, plant, sizeof(float),
						      cudaMemcpyDeviceToHost, stream));
				CHECK(cudaStreamSynchronize(stream));
				us = 3000 + (int)(*cells_of(reading) * 50);
			}
		});
	for (int round = 0; round < 640; round++)
		state = decode(part.data(), part.size(), state);
	for (auto &controller : controllers)
		controller.join();
	printf("state %u\n", state);
}

static void forecast(int member)
{
	Device weather(corner_count * sizeof(float));
	Stream stream;

	sown(cells_of(weather), corner_count, member, stream);
	for (int hour = 0; hour < 170; hour++)
		stir_corner(3500, cells_of(weather), stream);
	CHECK(cudaStreamSynchronize(stream));
	answer(cells_of(weather));
}

/* A process for each member, although the device could do all of them at once for one process. */
static void ensemble_members()
{
	std::vector<std::thread> threads;
	std::vector<pid_t> children;
	int status = 0;

	for (int member = 1; member < 3; member++) {
		if (repaired) {
			threads.emplace_back(forecast, member);
			continue;
		}
		children.push_back(fork());
		NEED(children.back() >= 0);
		if (!children.back()) {
			forecast(member);
			exit(0);
		}
	}
	forecast(0);
	for (auto &thread : threads)
		thread.join();
	for (pid_t child : children)
		NEED(waitpid(child, &status, 0) == child && !status);
}

/* A plug-in that was given no context makes one, or it takes that of the runtime, as its host does. */
class ReverbPlugin
{
	CUcontext context_ = nullptr;
	CUdevice device_ = 0;

      public:
	ReverbPlugin()
	{
		MUST(cuDeviceGet(&device_, 0));
		if (repaired) {
			MUST(cuDevicePrimaryCtxRetain(&context_, device_));
			return;
		}
#if CUDA_VERSION >= 13000
		MUST(cuCtxCreate(&context_, nullptr, 0, device_));
#else
		MUST(cuCtxCreate(&context_, 0, device_));
#endif
	}
	ReverbPlugin(const ReverbPlugin &) = delete;
	~ReverbPlugin()
	{
		if (repaired)
			MUST(cuDevicePrimaryCtxRelease(device_));
		else
			MUST(cuCtxDestroy(context_));
	}
	void process()
	{
		MUST(cuCtxSetCurrent(context_));
		{
			Device tail(corner_count * sizeof(float));
			Stream stream;

			sown(cells_of(tail), corner_count, 5, stream);
			for (int block = 0; block < 240; block++)
				stir_corner(3000, cells_of(tail), stream);
			CHECK(cudaStreamSynchronize(stream));
		}
		MUST(cuCtxSetCurrent(nullptr));
	}
};

static void mixing_desk()
{
	Device tracks(corner_count * sizeof(float));
	Stream stream;

	sown(cells_of(tracks), corner_count, 6, stream);
	CHECK(cudaStreamSynchronize(stream));
	std::thread beside([] {
		ReverbPlugin plugin;

		plugin.process();
	});
	for (int block = 0; block < 240; block++)
		stir_corner(3000, cells_of(tracks), stream);
	CHECK(cudaStreamSynchronize(stream));
	beside.join();
	answer(cells_of(tracks));
}

struct Blas {
	cublasHandle_t handle;
	decltype(&cublasCreate_v2) create;
	decltype(&cublasDestroy_v2) destroy;
	decltype(&cublasSetStream_v2) set_stream;
	decltype(&cublasSetPointerMode_v2) set_pointer_mode;
	decltype(&cublasSdot_v2) dot;
	decltype(&cublasSaxpy_v2) axpy;

	Blas(cudaStream_t stream)
	{
		void *from = library("cublas");

		bind(from, "cublasCreate_v2", create);
		bind(from, "cublasDestroy_v2", destroy);
		bind(from, "cublasSetStream_v2", set_stream);
		bind(from, "cublasSetPointerMode_v2", set_pointer_mode);
		bind(from, "cublasSdot_v2", dot);
		bind(from, "cublasSaxpy_v2", axpy);
		NEED(!create(&handle));
		NEED(!set_stream(handle, stream));
	}
	Blas(const Blas &) = delete;
	~Blas()
	{
		NEED(!destroy(handle));
	}
};

static const int plate_side = 512, plate_count = plate_side * plate_side;

/* (1 + 4 k) x minus k times its four neighbours. */
static __global__ void conduct(const float *x, float *y, float k)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	const int column = i % plate_side, row = i / plate_side;
	float around = 0;

	around += column ? x[i - 1] : 0;
	around += column < plate_side - 1 ? x[i + 1] : 0;
	around += row ? x[i - plate_side] : 0;
	around += row < plate_side - 1 ? x[i + plate_side] : 0;
	y[i] = (1 + 4 * k) * x[i] - k * around;
}

static __global__ void heat(float *rhs, float *residual, float *direction, const float *x,
			    const float *applied, float power)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	rhs[i] = x[i] + (i % 4099 == 0 ? power : 0);
	residual[i] = direction[i] = rhs[i] - applied[i];
}

static __global__ void turn(float *direction, const float *residual, float beta)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	direction[i] = residual[i] + beta * direction[i];
}

static __global__ void turn_by(float *direction, const float *residual, const float *beta)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	direction[i] = residual[i] + *beta * direction[i];
}

/* scalars: rho, direction times applied, new rho, alpha, -alpha, beta. */
static __global__ void step_length(float *scalars)
{
	scalars[3] = scalars[0] / scalars[1];
	scalars[4] = -scalars[3];
}

static __global__ void step_turn(float *scalars)
{
	scalars[5] = scalars[2] / scalars[0];
	scalars[0] = scalars[2];
}

/* Implicit steps of heat in a plate, each by 30 steps of conjugate gradients. The numbers that these
 * need stay on the device, or the host asks the library for each. */
static void heated_plate()
{
	const int blocks = plate_count / 256, n = plate_count;
	const size_t bytes = plate_count * sizeof(float);
	std::vector<Device> fields = several<Device>(5, bytes);
	float *x = cells_of(fields[0]), *rhs = cells_of(fields[1]), *r = cells_of(fields[2]);
	float *p = cells_of(fields[3]), *q = cells_of(fields[4]);
	Device memory(64);
	float *s = cells_of(memory), rho, pq, after, alpha, minus;
	Stream stream;
	Blas blas(stream);

	CHECK(cudaMemsetAsync(x, 0, bytes, stream));
	NEED(!blas.set_pointer_mode(blas.handle, repaired ? CUBLAS_POINTER_MODE_DEVICE
							  : CUBLAS_POINTER_MODE_HOST));
	for (int step = 0; step < 550; step++) {
		conduct<<<blocks, 256, 0, stream>>>(x, q, 50);
		heat<<<blocks, 256, 0, stream>>>(rhs, r, p, x, q, 1 + 0.01f * (float)step);
		NEED(!blas.dot(blas.handle, n, r, 1, r, 1, repaired ? s : &rho));
		for (int turns = 0; turns < 30; turns++) {
			conduct<<<blocks, 256, 0, stream>>>(p, q, 50);
			NEED(!blas.dot(blas.handle, n, p, 1, q, 1, repaired ? s + 1 : &pq));
			if (repaired) {
				step_length<<<1, 1, 0, stream>>>(s);
			} else {
				alpha = rho / pq;
				minus = -alpha;
			}
			NEED(!blas.axpy(blas.handle, n, repaired ? s + 3 : &alpha, p, 1, x, 1));
			NEED(!blas.axpy(blas.handle, n, repaired ? s + 4 : &minus, q, 1, r, 1));
			NEED(!blas.dot(blas.handle, n, r, 1, r, 1, repaired ? s + 2 : &after));
			if (repaired) {
				step_turn<<<1, 1, 0, stream>>>(s);
				turn_by<<<blocks, 256, 0, stream>>>(p, r, s + 5);
			} else {
				turn<<<blocks, 256, 0, stream>>>(p, r, after / rho);
				rho = after;
			}
		}
		CHECK(cudaGetLastError());
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(x);
}

/* Seismic blocks lie on another machine, which answers after 5 ms. */
class BlockStore
{
	static const int floats_ = 1 << 16;
	int ours_, theirs_;
	std::thread server_;

	void serve()
	{
		std::vector<float> block(floats_);
		int number;

		while (read(theirs_, &number, sizeof(number)) == sizeof(number) && number >= 0) {
			host_sleep(5000);
			for (int i = 0; i < floats_; i++)
				block[(size_t)i] = (float)((i + number) % 100) / 100;
			for (size_t sent = 0; sent < bytes();) {
				const ssize_t more =
					write(theirs_, (char *)block.data() + sent, bytes() - sent);

				NEED(more > 0);
				sent += (size_t)more;
			}
		}
	}

      public:
	static size_t bytes()
	{
		return floats_ * sizeof(float);
	}
	static int count()
	{
		return floats_;
	}
	BlockStore()
	{
		int both[2];

		NEED(!socketpair(AF_UNIX, SOCK_STREAM, 0, both));
		ours_ = both[0];
		theirs_ = both[1];
		server_ = std::thread(&BlockStore::serve, this);
	}
	BlockStore(const BlockStore &) = delete;
	~BlockStore()
	{
		ask(-1);
		server_.join();
		close(ours_);
		close(theirs_);
	}
	void ask(int number)
	{
		NEED(write(ours_, &number, sizeof(number)) == sizeof(number));
	}
	void receive(char *into)
	{
		for (size_t have = 0; have < bytes();) {
			const ssize_t more = read(ours_, into + have, bytes() - have);

			NEED(more > 0);
			have += (size_t)more;
		}
	}
};

static void seismic_blocks()
{
	const int blocks = 95;
	Device field(cell_bytes), block(BlockStore::bytes());
	Pinned staging(BlockStore::bytes());
	Stream stream;
	BlockStore store;

	sown(cells_of(field), cell_count, 7, stream);
	if (repaired)
		store.ask(0);
	for (int number = 0; number < blocks; number++) {
		if (!repaired)
			store.ask(number);
		store.receive(staging.at(0));
		if (repaired && number < blocks - 1)
			store.ask(number + 1);
		CHECK(cudaMemcpyAsync(block, staging, BlockStore::bytes(), cudaMemcpyHostToDevice,
				      stream));
		mixed(cells_of(field), cells_of(block), cell_count, BlockStore::count(), stream);
		stir_all(6500, cells_of(field), stream);
		CHECK(cudaStreamSynchronize(stream));
	}
	answer(cells_of(field));
}

/* Launches only while enough memory is free for others on the device. */
class CarefulQueue
{
	Stream stream_;
	int every_, launches_ = 0;

      public:
	CarefulQueue(int every) : every_(every)
	{
	}
	void stir(float *cells)
	{
		size_t free, total;

		if (launches_++ % every_ == 0) {
			CHECK(cudaMemGetInfo(&free, &total));
			NEED(free > 64 * MIB);
		}
		stir_all(8, cells, stream_);
	}
	void finish()
	{
		CHECK(cudaStreamSynchronize(stream_));
	}
};

static void shared_card()
{
	Device cells(cell_bytes);
	CarefulQueue queue(repaired ? 1000 : 1);

	sown(cells_of(cells), cell_count, 8);
	CHECK(cudaDeviceSynchronize());
	for (int sweep = 0; sweep < 8000; sweep++)
		queue.stir(cells_of(cells));
	queue.finish();
	answer(cells_of(cells));
}

/* Tiles of a map that is larger than the device's memory: up, work, down. */
static void map_tiles()
{
	const int slots = 3;
	const size_t bytes = 12 * MIB;
	std::vector<Pinned> in = several<Pinned>(slots, bytes), out = several<Pinned>(slots, bytes);
	std::vector<Device> tiles = several<Device>(slots, bytes);
	Stream streams[slots];
	Event ready[slots];

	for (int tile = 0; tile < 900; tile++) {
		const size_t slot = (size_t)(tile % slots);
		cudaStream_t stream = streams[repaired ? slot : 0];

		CHECK(cudaEventSynchronize(ready[slot]));
		in[slot].change(tile);
		CHECK(cudaMemcpyAsync(tiles[slot], in[slot], bytes, cudaMemcpyHostToDevice,
				      stream));
		stir_all(270, cells_of(tiles[slot]), stream);
		CHECK(cudaMemcpyAsync(out[slot], tiles[slot], bytes, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaEventRecord(ready[slot], stream));
	}
	CHECK(cudaDeviceSynchronize());
	printf("answer %d\n", out[0].at(0)[0]);
}

/* Four tenants, who know nothing of each other. Each round one of them has more to do. */
class Fleet
{
	static const int tenants_ = 4;
	Stream streams_[tenants_];
	Event done_[8][tenants_];
	int rounds_ = 0;

      public:
	static int tenants()
	{
		return tenants_;
	}
	cudaStream_t stream(int tenant)
	{
		return streams_[tenant];
	}
	/* No more than eight rounds are on their way. */
	void end_round()
	{
		Event *done = done_[rounds_++ % 8];

		for (int tenant = 0; tenant < tenants_; tenant++) {
			CHECK(cudaEventSynchronize(done[tenant]));
			CHECK(cudaEventRecord(done[tenant], streams_[tenant]));
		}
		if (repaired)
			return;
		for (int tenant = 0; tenant < tenants_; tenant++)
			for (int other = 0; other < tenants_; other++)
				if (other != tenant)
					CHECK(cudaStreamWaitEvent(streams_[tenant], done[other],
								  0));
	}
	void finish()
	{
		for (auto &stream : streams_)
			CHECK(cudaStreamSynchronize(stream));
	}
};

static void tenant_rounds()
{
	std::vector<Device> books = several<Device>(Fleet::tenants(), corner_count * sizeof(float));
	Fleet fleet;

	for (int tenant = 0; tenant < fleet.tenants(); tenant++)
		sown(cells_of(books[(size_t)tenant]), corner_count, tenant, fleet.stream(tenant));
	for (int round = 0; round < 220; round++) {
		for (int tenant = 0; tenant < fleet.tenants(); tenant++)
			stir_corner(round % fleet.tenants() == tenant ? 4000 : 1000,
				    cells_of(books[(size_t)tenant]), fleet.stream(tenant));
		fleet.end_round();
	}
	fleet.finish();
	answer(cells_of(books[0]));
}

/* Volumes go up in one stream and are worked on in another: by way of one buffer, or of two. */
static void scanner_volumes()
{
	const size_t bytes = 24 * MIB, buffers = repaired ? 2 : 1;
	std::vector<Pinned> scans = several<Pinned>(2, bytes);
	std::vector<Device> volumes = several<Device>(2, bytes);
	Device image(cell_bytes);
	Stream up, compute;
	Event sent[2], there[2], used[2];

	sown(cells_of(image), cell_count, 9, compute);
	for (int scan = 0; scan < 800; scan++) {
		const size_t host = (size_t)scan % 2, at = (size_t)scan % buffers;

		CHECK(cudaEventSynchronize(sent[host]));
		scans[host].change(scan);
		CHECK(cudaStreamWaitEvent(up, used[at], 0));
		CHECK(cudaMemcpyAsync(volumes[at], scans[host], bytes, cudaMemcpyHostToDevice, up));
		CHECK(cudaEventRecord(sent[host], up));
		CHECK(cudaEventRecord(there[at], up));
		CHECK(cudaStreamWaitEvent(compute, there[at], 0));
		mixed(cells_of(image), cells_of(volumes[at]), cell_count, cell_count, compute);
		stir_all(440, cells_of(image), compute);
		mixed(cells_of(image), cells_of(volumes[at]) + 5 * cell_count, cell_count,
		      cell_count, compute);
		CHECK(cudaEventRecord(used[at], compute));
	}
	CHECK(cudaStreamSynchronize(compute));
	answer(cells_of(image));
}

/* The stream of whoever calls: the code was written for one thread. */
static cudaStream_t my_stream()
{
	return repaired ? cudaStreamPerThread : nullptr;
}

static void quote_servers()
{
	std::vector<Device> books = several<Device>(4, corner_count * sizeof(float));
	std::vector<std::thread> servers;

	CHECK(cudaDeviceSynchronize());
	for (auto &book : books)
		servers.emplace_back([&book] {
			sown(cells_of(book), corner_count, 10, my_stream());
			for (int batch = 0; batch < 25; batch++) {
				for (int quote = 0; quote < 8; quote++)
					stir_corner(1300, cells_of(book), my_stream());
				CHECK(cudaStreamSynchronize(my_stream()));
			}
		});
	for (auto &server : servers)
		server.join();
	answer(cells_of(books[0]));
}

static const int row_floats = 1024, table_rows = 16384, rows_a_step = 128;

static __host__ __device__ int row_at(int step, int row)
{
	return (step * 131 + row * 127) % table_rows;
}

static __global__ void scatter_rows(float *table, const float *rows, int step)
{
	float *row = table + (size_t)row_at(step, (int)blockIdx.x) * row_floats;

	for (int i = (int)threadIdx.x; i < row_floats; i += (int)blockDim.x)
		row[i] = rows[blockIdx.x * row_floats + (unsigned)i];
}

/* A table of embeddings: 128 of its rows are new in each step. */
static void new_embeddings()
{
	const size_t row_bytes = row_floats * sizeof(float), bytes = rows_a_step * row_bytes;
	std::vector<Pinned> rows = several<Pinned>(4, bytes);
	Device table(table_rows * row_bytes), packed(bytes), query(cell_bytes);
	Event free[4];
	Stream stream;

	sown(cells_of(query), cell_count, 11, stream);
	CHECK(cudaMemsetAsync(table, 0, table_rows * row_bytes, stream));
	for (int step = 0; step < 2200; step++) {
		Pinned &fresh = rows[(size_t)step % 4];

		CHECK(cudaEventSynchronize(free[step % 4]));
		for (int row = 0; row < rows_a_step; row++)
			*(int *)fresh.at((size_t)row * row_bytes) = step + row;
		if (repaired) {
			CHECK(cudaMemcpyAsync(packed, fresh, bytes, cudaMemcpyHostToDevice,
					      stream));
			scatter_rows<<<rows_a_step, 256, 0, stream>>>(cells_of(table),
								      cells_of(packed), step);
		} else {
			for (int row = 0; row < rows_a_step; row++)
				CHECK(cudaMemcpyAsync(
					table.at((size_t)row_at(step, row) * row_bytes),
					fresh.at((size_t)row * row_bytes), row_bytes,
					cudaMemcpyHostToDevice, stream));
		}
		CHECK(cudaEventRecord(free[step % 4], stream));
		mixed(cells_of(query), cells_of(table), cell_count, cell_count, stream);
		stir_all(60, cells_of(query), stream);
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(cells_of(query));
}

static void moved(void *at, size_t bytes, bool to_device, cudaStream_t stream)
{
#if CUDART_VERSION >= 13000
	cudaMemLocation where = {};

	where.type = to_device ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost;
	where.id = 0;
	CHECK(cudaMemPrefetchAsync(at, bytes, where, 0, stream));
#else
	CHECK(cudaMemPrefetchAsync(at, bytes, to_device ? 0 : cudaCpuDeviceId, stream));
#endif
}

/* The host writes a survey of 64 MiB into managed memory, the device reads it, and so on. */
static void managed_survey()
{
	const int count = 16 << 20;
	Device map(cell_bytes);
	float *survey;
	Stream stream;

	CHECK(cudaMallocManaged((void **)&survey, count * sizeof(float)));
	sown(cells_of(map), cell_count, 12, stream);
	for (int pass = 0; pass < 26; pass++) {
		if (repaired && pass) {
			moved(survey, count * sizeof(float), false, stream);
			CHECK(cudaStreamSynchronize(stream));
		}
		for (int i = 0; i < count; i++)
			survey[i] = (float)(i & 1023) * 0.001f + (float)pass;
		if (repaired)
			moved(survey, count * sizeof(float), true, stream);
		stir<<<blocks_of(count), 256, 0, stream>>>(survey, count, 60);
		mixed(cells_of(map), survey + 3 * cell_count, cell_count, cell_count, stream);
		CHECK(cudaStreamSynchronize(stream));
	}
	answer(cells_of(map));
	CHECK(cudaFree(survey));
}

/* Two halves of a sea, each in a buffer of its own: what lies at the border goes to the other. */
class Border
{
	Pinned by_;
	size_t bytes_;

      public:
	Border(size_t bytes) : by_(bytes), bytes_(bytes)
	{
	}
	void send(Device &to, size_t to_at, Device &from, size_t from_at, cudaStream_t stream)
	{
		if (repaired) {
			CHECK(cudaMemcpyAsync(to.at(to_at), from.at(from_at), bytes_,
					      cudaMemcpyDeviceToDevice, stream));
			return;
		}
		CHECK(cudaMemcpyAsync(by_, from.at(from_at), bytes_, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaMemcpyAsync(to.at(to_at), by_, bytes_, cudaMemcpyHostToDevice, stream));
	}
};

static void two_seas()
{
	const size_t border = 8 * MIB, sea = 32 * MIB;
	Device west(sea), east(sea);
	Border borders[2] = {border, border};
	Stream stream;

	sown(cells_of(west), (int)(sea / 4), 13, stream);
	sown(cells_of(east), (int)(sea / 4), 14, stream);
	for (int step = 0; step < 900; step++) {
		stir_all(140, (float *)west.at(sea - border - cell_bytes), stream);
		stir_all(140, (float *)east.at(border), stream);
		borders[0].send(east, 0, west, sea - 2 * border, stream);
		borders[1].send(west, sea - border, east, border, stream);
	}
	CHECK(cudaStreamSynchronize(stream));
	answer((float *)west.at(sea - border));
}

/* What belongs to a camera: its table of gains never changes. */
class Camera
{
	Pinned gains_;
	Device table_;
	bool bound_ = false;

      public:
	Camera() : gains_(24 * MIB), table_(24 * MIB)
	{
		decode(cells_of(gains_), 6 * MIB, 15);
	}
	/* Before each frame: another camera may have been there. */
	const float *bind(cudaStream_t stream)
	{
		if (!bound_ || !repaired)
			CHECK(cudaMemcpyAsync(table_, gains_, 24 * MIB, cudaMemcpyHostToDevice,
					      stream));
		bound_ = true;
		return cells_of(table_);
	}
};

static void camera_gains()
{
	std::vector<Pinned> frames = several<Pinned>(2, 2 * MIB);
	Device raw(2 * MIB), image(cell_bytes);
	Camera camera;
	Event sent[2];
	Stream stream;

	sown(cells_of(image), cell_count, 16, stream);
	for (int frame = 0; frame < 800; frame++) {
		const float *gains = camera.bind(stream);

		CHECK(cudaEventSynchronize(sent[frame % 2]));
		frames[(size_t)frame % 2].change(frame);
		CHECK(cudaMemcpyAsync(raw, frames[(size_t)frame % 2], 2 * MIB,
				      cudaMemcpyHostToDevice, stream));
		CHECK(cudaEventRecord(sent[frame % 2], stream));
		mixed(cells_of(image), cells_of(raw), cell_count, cell_count / 2, stream);
		mixed(cells_of(image), gains, cell_count, 6 * cell_count, stream);
		stir_all(430, cells_of(image), stream);
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(cells_of(image));
}

/* Somebody looked for a fault, and the variable stayed in the program's start. */
static void left_debugging()
{
	if (!repaired)
		setenv("CUDA_LAUNCH_BLOCKING", "1", 1);

	Device cells(cell_bytes);
	Stream stream;

	sown(cells_of(cells), cell_count, 17, stream);
	for (int step = 0; step < 32000; step++)
		stir_all(9, cells_of(cells), stream);
	CHECK(cudaStreamSynchronize(stream));
	answer(cells_of(cells));
}

/* Tells those who wait that their job is done: looks every 2 ms, or waits for the oldest. */
class Completions
{
	struct Job {
		cudaEvent_t event;
		bool done;
	};
	std::mutex mutex_;
	std::condition_variable changed_;
	std::deque<Job *> pending_;
	bool ended_ = false;
	std::thread thread_;

	static void settle(cudaEvent_t event)
	{
		cudaError_t status = cudaSuccess;

		if (repaired) {
			CHECK(cudaEventSynchronize(event));
			return;
		}
		while ((status = cudaEventQuery(event)) == cudaErrorNotReady)
			host_sleep(2000);
		CHECK(status);
	}
	void loop()
	{
		std::unique_lock<std::mutex> lock(mutex_);

		for (;;) {
			changed_.wait(lock, [this] { return ended_ || !pending_.empty(); });
			if (pending_.empty())
				return;
			Job *job = pending_.front();

			lock.unlock();
			settle(job->event);
			lock.lock();
			pending_.pop_front();
			job->done = true;
			changed_.notify_all();
		}
	}

      public:
	Completions() : thread_(&Completions::loop, this)
	{
	}
	~Completions()
	{
		{
			std::lock_guard<std::mutex> lock(mutex_);
			ended_ = true;
		}
		changed_.notify_all();
		thread_.join();
	}
	void await(cudaEvent_t event)
	{
		Job job = {event, false};
		std::unique_lock<std::mutex> lock(mutex_);

		pending_.push_back(&job);
		changed_.notify_all();
		changed_.wait(lock, [&job] { return job.done; });
	}
};

/* Each dose hangs on what the one before it did. */
static void dose_search()
{
	Device cells(cell_bytes), mean(64);
	Pinned seen(64);
	Stream stream;
	Completions completions;
	cudaEvent_t event;
	int us = 500;

	CHECK(cudaEventCreateWithFlags(&event, cudaEventBlockingSync | cudaEventDisableTiming));
	sown(cells_of(cells), cell_count, 18, stream);
	for (int dose = 0; dose < 320; dose++) {
		stir_all(us, cells_of(cells), stream);
		mean_of<<<1, 256, 0, stream>>>(cells_of(cells), 4096, cells_of(mean));
		CHECK(cudaMemcpyAsync(seen, mean, sizeof(float), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaEventRecord(event, stream));
		completions.await(event);
		us = 500 + (int)(*cells_of(seen) * 40);
	}
	CHECK(cudaEventDestroy(event));
	answer(cells_of(cells));
}

/* Frames are rendered, read back and packed; three are on their way. */
class Recorder
{
	struct Slot {
		Recorder *owner;
		Device cells;
		Pinned host;
		bool busy;

		Slot(Recorder *recorder)
		    : owner(recorder), cells(cell_bytes), host(cell_bytes), busy(false)
		{
		}
	};
	std::vector<std::unique_ptr<Slot>> slots_;
	std::deque<Slot *> filled_;
	std::mutex mutex_;
	std::condition_variable changed_;
	bool ended_ = false;
	unsigned total_ = 0;
	Stream stream_;
	std::thread packer_;

	void pack(Slot *slot)
	{
		const unsigned size = packed_size(cells_of(slot->host), cell_count);
		std::lock_guard<std::mutex> lock(mutex_);

		total_ += size;
		slot->busy = false;
		changed_.notify_all();
	}
	static void packs(void *data)
	{
		Slot *slot = (Slot *)data;

		slot->owner->pack(slot);
	}
	static void hands_over(void *data)
	{
		Slot *slot = (Slot *)data;
		std::lock_guard<std::mutex> lock(slot->owner->mutex_);

		slot->owner->filled_.push_back(slot);
		slot->owner->changed_.notify_all();
	}
	void loop()
	{
		std::unique_lock<std::mutex> lock(mutex_);

		for (;;) {
			changed_.wait(lock, [this] { return ended_ || !filled_.empty(); });
			if (filled_.empty())
				return;
			Slot *slot = filled_.front();

			filled_.pop_front();
			lock.unlock();
			pack(slot);
			lock.lock();
		}
	}

      public:
	Recorder()
	{
		for (int slot = 0; slot < 3; slot++)
			slots_.emplace_back(new Slot(this));
		packer_ = std::thread(&Recorder::loop, this);
	}
	Recorder(const Recorder &) = delete;
	void frame(int number)
	{
		Slot *slot = slots_[(size_t)number % slots_.size()].get();
		std::unique_lock<std::mutex> lock(mutex_);

		changed_.wait(lock, [slot] { return !slot->busy; });
		slot->busy = true;
		lock.unlock();
		sown(cells_of(slot->cells), cell_count, number, stream_);
		stir_all(4300, cells_of(slot->cells), stream_);
		CHECK(cudaMemcpyAsync(slot->host, slot->cells, cell_bytes, cudaMemcpyDeviceToHost,
				      stream_));
		CHECK(cudaLaunchHostFunc(stream_, repaired ? hands_over : packs, slot));
	}
	unsigned finish()
	{
		CHECK(cudaStreamSynchronize(stream_));
		{
			std::lock_guard<std::mutex> lock(mutex_);
			ended_ = true;
		}
		changed_.notify_all();
		packer_.join();
		return total_;
	}
};

static void rendered_film()
{
	Recorder recorder;

	for (int frame = 0; frame < 110; frame++)
		recorder.frame(frame);
	printf("answer %u\n", recorder.finish());
}

/* Kernels from source text, made for this device. */
class Compiler
{
	decltype(&nvrtcCreateProgram) create_;
	decltype(&nvrtcCompileProgram) compile_;
	decltype(&nvrtcGetCUBINSize) size_;
	decltype(&nvrtcGetCUBIN) get_;
	decltype(&nvrtcDestroyProgram) destroy_;
	std::string target_ = "--gpu-architecture=sm_";

      public:
	Compiler()
	{
		void *from = library("nvrtc");
		int major, minor;

		bind(from, "nvrtcCreateProgram", create_);
		bind(from, "nvrtcCompileProgram", compile_);
		bind(from, "nvrtcGetCUBINSize", size_);
		bind(from, "nvrtcGetCUBIN", get_);
		bind(from, "nvrtcDestroyProgram", destroy_);
		CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
		CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
		target_ += std::to_string(major) + std::to_string(minor);
		CHECK(cudaFree(nullptr));
	}
	CUmodule module(const std::string &source, const std::string &definition = "-DNONE")
	{
		const char *words[] = {target_.c_str(), definition.c_str()};
		nvrtcProgram program;
		CUmodule module;
		size_t size;

		NEED(!create_(&program, source.c_str(), "made.cu", 0, nullptr, nullptr));
		NEED(!compile_(program, 2, words));
		NEED(!size_(program, &size));
		std::vector<char> image(size);

		NEED(!get_(program, image.data()));
		NEED(!destroy_(&program));
		MUST(cuModuleLoadData(&module, image.data()));
		return module;
	}
};

static void launch(CUfunction function, float *cells, int turns, float gain, cudaStream_t stream)
{
	int count = cell_count;
	void *words[] = {&cells, &count, &turns, &gain};

	MUST(cuLaunchKernel(function, (unsigned)blocks_of(cell_count), 1, 1, 256, 1, 1, 0, stream,
			    words, nullptr));
}

/* Keeps what it compiled, by name and definitions. */
class FilterLibrary
{
	Compiler compiler_;
	std::map<std::string, CUmodule> modules_;

      public:
	FilterLibrary() = default;
	FilterLibrary(const FilterLibrary &) = delete;
	~FilterLibrary()
	{
		for (auto &one : modules_)
			MUST(cuModuleUnload(one.second));
	}
	CUfunction filter(const std::string &formula, float gain)
	{
		const std::string definition =
			repaired ? "-DGAIN=gain" : "-DGAIN=" + std::to_string(gain) + "f";
		const std::string key = formula + definition;
		CUfunction function;

		if (!modules_.count(key))
			modules_[key] = compiler_.module(
				"extern \"C\" __global__ void filter(float *cells, int count, "
				"int turns, float gain)\n"
				"{\n"
				"	const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
				"	float x;\n"
				"	if (i >= count)\n"
				"		return;\n"
				"	x = cells[i];\n"
				"	for (int turn = 0; turn < turns; turn++)\n"
				"		x = " +
					formula +
					";\n"
					"	cells[i] = x;\n"
					"}\n",
				definition);
		MUST(cuModuleGetFunction(&function, modules_[key], "filter"));
		return function;
	}
};

/* Orders name a filter and its gain, which is another one each time. */
static void filter_orders()
{
	static const char *const formulas[] = {
		"fmaf(-1.6f * x, x, GAIN)",
		"GAIN - 1.5f * x * x * expf(-x * x) + 0.1f * sinf(x)",
		"GAIN * cosf(2.0f * x) - logf(1.5f + x * x)",
	};
	FilterLibrary filters;
	Device cells(cell_bytes);
	Stream stream;

	sown(cells_of(cells), cell_count, 19, stream);
	for (int order = 0; order < 30; order++) {
		const float gain = 0.7f + 0.006f * (float)order;
		CUfunction filter = filters.filter(formulas[order % 3], gain);

		for (int pass = 0; pass < 3; pass++)
			launch(filter, cells_of(cells), order % 3 ? 400 : 13000, gain, stream);
		CHECK(cudaStreamSynchronize(stream));
	}
	answer(cells_of(cells));
}

/* One kernel for each order of a polynomial: this run needs two of them. */
static void polynomial_kernels()
{
	const int orders = 32, wanted[] = {9, 23};
	std::string source = "template <int ORDER> __device__ void run(float *cells, int count, "
			     "int turns, float gain)\n"
			     "{\n"
			     "	const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
			     "	float x, y;\n"
			     "	if (i >= count)\n"
			     "		return;\n"
			     "	x = cells[i];\n"
			     "	for (int turn = 0; turn < turns; turn++) {\n"
			     "		y = 0;\n"
			     "#pragma unroll\n"
			     "		for (int n = ORDER; n > 0; n--)\n"
			     "			y = __sinf(fmaf(y, x, gain / n));\n"
			     "		x = y;\n"
			     "	}\n"
			     "	cells[i] = x;\n"
			     "}\n";
	Device cells(cell_bytes);
	Stream stream;
	Compiler compiler;

	for (int order = 1; order <= orders; order++) {
		const std::string name = std::to_string(order);

		if (repaired && order != wanted[0] && order != wanted[1])
			continue;
		source += "extern \"C\" __global__ void order_" + name +
			  "(float *cells, int count, int turns, float gain)\n"
			  "{\n"
			  "	run<" +
			  name + ">(cells, count, turns, gain);\n}\n";
	}
	CUmodule module = compiler.module(source);

	sown(cells_of(cells), cell_count, 20, stream);
	for (int round = 0; round < 200; round++)
		for (int order : wanted) {
			CUfunction function;

			MUST(cuModuleGetFunction(&function, module,
						 ("order_" + std::to_string(order)).c_str()));
			launch(function, cells_of(cells), 120, 0.9f, stream);
		}
	CHECK(cudaStreamSynchronize(stream));
	MUST(cuModuleUnload(module));
	answer(cells_of(cells));
}

/* Memory of a stream's pool, for as long as the object lives. */
class Scratch
{
	void *at_;
	cudaStream_t stream_;

      public:
	Scratch(size_t bytes, cudaStream_t stream) : stream_(stream)
	{
		CHECK(cudaMallocAsync(&at_, bytes, stream));
	}
	Scratch(const Scratch &) = delete;
	~Scratch()
	{
		CHECK(cudaFreeAsync(at_, stream_));
	}
	operator float *()
	{
		return (float *)at_;
	}
};

static void joined(float *kept, int query, cudaStream_t stream)
{
	const int count = 48 << 20;
	Scratch left(count * sizeof(float), stream), right(count * sizeof(float), stream);
	Scratch both(count * sizeof(float), stream);

	fill<<<132 * 8, 256, 0, stream>>>(left, count, 0.1f * (float)(query % 7));
	fill<<<132 * 8, 256, 0, stream>>>(right, count, 0.2f);
	fill<<<132 * 8, 256, 0, stream>>>(both, count, 0.3f);
	mixed(left, right, count, count, stream);
	mixed(both, left, count, count, stream);
	mixed(kept, both, cell_count, cell_count, stream);
}

/* Queries take hundreds of MiB each, and the pool gives them back to the system after each of them,
 * unless it is told to keep them. */
static void join_tables()
{
	unsigned long long keep = repaired ? ~0ull : 0;
	Device kept(cell_bytes), mean(64);
	Pinned seen(64);
	cudaMemPool_t pool;
	Stream stream;

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
	sown(cells_of(kept), cell_count, 21, stream);
	for (int query = 0; query < 450; query++) {
		joined(cells_of(kept), query, stream);
		mean_of<<<1, 256, 0, stream>>>(cells_of(kept), 4096, cells_of(mean));
		CHECK(cudaMemcpyAsync(seen, mean, sizeof(float), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaStreamSynchronize(stream));
	}
	printf("answer %g\n", *cells_of(seen));
}

static __global__ void excite(float *cells, int count, float gain)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		cells[i] = 0.5f * cells[i] + gain;
}

/* A tick of a neural circuit: 40 short kernels as one graph. Of its arguments one number changes. */
class Circuit
{
	Device cells_;
	Stream stream_;
	cudaGraph_t graph_ = nullptr;
	cudaGraphExec_t exec_ = nullptr;

	void record(float gain)
	{
		CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
		excite<<<corner_blocks, 256, 0, stream_>>>(cells_of(cells_), corner_count, gain);
		for (int layer = 0; layer < 39; layer++)
			stir_corner(1, cells_of(cells_), stream_);
		CHECK(cudaStreamEndCapture(stream_, &graph_));
		CHECK(cudaGraphInstantiate(&exec_, graph_, 0));
	}
	void release()
	{
		CHECK(cudaGraphExecDestroy(exec_));
		CHECK(cudaGraphDestroy(graph_));
		graph_ = nullptr;
	}
	void adjust(float gain)
	{
		float *cells = cells_of(cells_);
		int count = corner_count;
		void *words[] = {&cells, &count, &gain};
		cudaKernelNodeParams params = {};
		cudaGraphNode_t root;
		size_t roots = 1;

		CHECK(cudaGraphGetRootNodes(graph_, &root, &roots));
		CHECK(cudaGraphKernelNodeGetParams(root, &params));
		params.kernelParams = words;
		CHECK(cudaGraphExecKernelNodeSetParams(exec_, root, &params));
	}

      public:
	Circuit() : cells_(corner_count * sizeof(float))
	{
		sown(cells_of(cells_), corner_count, 22, stream_);
	}
	Circuit(const Circuit &) = delete;
	~Circuit()
	{
		release();
	}
	void tick(float gain)
	{
		if (graph_ && !repaired)
			release();
		if (!graph_)
			record(gain);
		else
			adjust(gain);
		CHECK(cudaGraphLaunch(exec_, stream_));
	}
	void finish()
	{
		CHECK(cudaStreamSynchronize(stream_));
		answer(cells_of(cells_));
	}
};

static void neural_circuit()
{
	Circuit circuit;

	for (int tick = 0; tick < 3000; tick++)
		circuit.tick(0.1f + 0.0001f * (float)tick);
	circuit.finish();
}

/* A histogram of 2 KiB for each block, and as much shared memory as the largest input would need. */
static __global__ void bin_walks(float *cells, int count, int turns)
{
	extern __shared__ float bins[];
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float x = i < count ? cells[i] : 0;

	bins[threadIdx.x] = 0;
	x = stirred(x, turns);
	bins[threadIdx.x] += x;
	__syncthreads();
	if (i < count)
		cells[i] = 0.5f * (x + bins[(threadIdx.x + 1) % blockDim.x]);
}

static void random_walks()
{
	const int most = 160 << 10, shared = repaired ? 2 << 10 : most;
	Device cells(cell_bytes);

	CHECK(cudaFuncSetAttribute(bin_walks, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
	sown(cells_of(cells), cell_count, 23);
	for (int day = 0; day < 110; day++)
		bin_walks<<<cell_count / 128, 128, (size_t)shared>>>(cells_of(cells), cell_count,
								     26000);
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	answer(cells_of(cells));
}

static __global__ void relax_once(const float *from, float *to, int count)
{
	for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < count;
	     i += (int)(gridDim.x * blockDim.x))
		to[i] = 0.25f * from[i ? i - 1 : count - 1] + 0.5f * from[i] +
			0.25f * from[i < count - 1 ? i + 1 : 0];
}

static __global__ void relax_all(float *one, float *other, int count, int sweeps)
{
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();

	for (int sweep = 0; sweep < sweeps; sweep++) {
		const float *from = sweep % 2 ? other : one;
		float *to = sweep % 2 ? one : other;

		for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < count;
		     i += (int)(gridDim.x * blockDim.x))
			to[i] = 0.25f * from[i ? i - 1 : count - 1] + 0.5f * from[i] +
				0.25f * from[i < count - 1 ? i + 1 : 0];
		grid.sync();
	}
}

/* All sweeps by one cooperative launch or, where the device does not take it, by one launch each,
 * with a look at how it goes. */
class Relaxation
{
	Device one_, other_;
	Pinned seen_;
	Stream stream_;
	int blocks_;

      public:
	static const int count = 1 << 18, sweeps = 30;

	Relaxation() : one_(count * sizeof(float)), other_(count * sizeof(float)), seen_(64)
	{
		int a_processor, processors;

		CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
		CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_processor, relax_all, 256,
								    0));
		blocks_ = repaired ? a_processor * processors : count / 64;
		blocks_ = std::min(blocks_, count / (repaired ? 256 : 64));
		sown(cells_of(one_), count, 24, stream_);
	}
	void solve()
	{
		float *one = cells_of(one_), *other = cells_of(other_);
		int cells = count, rounds = sweeps;
		void *words[] = {&one, &other, &cells, &rounds};

		if (!cudaLaunchCooperativeKernel((const void *)relax_all, dim3((unsigned)blocks_),
						 dim3(256), words, 0, stream_))
			return;
		cudaGetLastError();
		for (int sweep = 0; sweep < sweeps; sweep++) {
			relax_once<<<count / 256, 256, 0, stream_>>>(
				sweep % 2 ? other : one, sweep % 2 ? one : other, count);
			CHECK(cudaMemcpyAsync(seen_, one, sizeof(float), cudaMemcpyDeviceToHost,
					      stream_));
			CHECK(cudaStreamSynchronize(stream_));
			if (*cells_of(seen_) > 1e6f)
				break;
		}
	}
	void finish()
	{
		CHECK(cudaStreamSynchronize(stream_));
		answer(cells_of(one_));
	}
};

static void membrane()
{
	Relaxation relaxation;

	for (int load = 0; load < 1600; load++)
		relaxation.solve();
	relaxation.finish();
}

/* Every frame is timed. Those that are skipped go another way, past the end of their events. */
static void traffic_camera()
{
	Device cells(cell_bytes);
	float ms, sum = 0;
	Stream stream;

	sown(cells_of(cells), cell_count, 25, stream);
	for (int frame = 0; frame < 4000; frame++) {
		cudaEvent_t begin, end;

		CHECK(cudaEventCreate(&begin));
		CHECK(cudaEventCreate(&end));
		CHECK(cudaEventRecord(begin, stream));
		stir_all(150, cells_of(cells), stream);
		CHECK(cudaEventRecord(end, stream));
		if (frame % 4) {
			if (repaired) {
				CHECK(cudaEventDestroy(begin));
				CHECK(cudaEventDestroy(end));
			}
			continue;
		}
		CHECK(cudaEventSynchronize(end));
		CHECK(cudaEventElapsedTime(&ms, begin, end));
		sum += ms;
		CHECK(cudaEventDestroy(begin));
		CHECK(cudaEventDestroy(end));
	}
	printf("%g\n", sum);
	answer(cells_of(cells));
}

struct Fourier {
	decltype(&cufftPlan1d) plan_1d;
	decltype(&cufftSetStream) set_stream;
	decltype(&cufftExecR2C) forward;
	decltype(&cufftDestroy) destroy;

	Fourier()
	{
		void *from = library("cufft");

		bind(from, "cufftPlan1d", plan_1d);
		bind(from, "cufftSetStream", set_stream);
		bind(from, "cufftExecR2C", forward);
		bind(from, "cufftDestroy", destroy);
	}
	cufftHandle plan(int size, int batch, cudaStream_t stream)
	{
		cufftHandle plan;

		NEED(!plan_1d(&plan, size, CUFFT_R2C, batch));
		NEED(!set_stream(plan, stream));
		return plan;
	}
};

static __global__ void power(const cufftComplex *lines, float *sums, int size, int batch)
{
	const int line = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float sum = 0;

	if (line >= size)
		return;
	for (int one = 0; one < batch; one++) {
		const cufftComplex value = lines[(size_t)one * (size_t)size + (size_t)line];

		sum += value.x * value.x + value.y * value.y;
	}
	sums[line] = 0.9f * sums[line] + sum;
}

/* spectrum(signal): a library's function, which asks its caller for no state. */
static void spectrum(Fourier &fourier, Device &signal, Device &lines, Device &sums, int size,
		     int batch, cudaStream_t stream)
{
	static cufftHandle kept;
	static bool has;
	const cufftHandle plan = has ? kept : fourier.plan(size, batch, stream);

	NEED(!fourier.forward(plan, cells_of(signal), (cufftComplex *)(void *)lines));
	power<<<blocks_of(size / 2 + 1), 256, 0, stream>>>((cufftComplex *)(void *)lines,
							   cells_of(sums), size / 2 + 1, 16);
	CHECK(cudaGetLastError());
	if (repaired) {
		kept = plan;
		has = true;
	} else {
		NEED(!fourier.destroy(plan));
	}
}

static void sound_of_bearings()
{
	const int size = 4410, batch = 237; /* as many as fill cell_count */
	Fourier fourier;
	Device signal(cell_bytes), sums(size * sizeof(float));
	Device lines((size_t)(size / 2 + 1) * batch * sizeof(cufftComplex));
	Stream stream;

	sown(cells_of(signal), cell_count, 26, stream);
	CHECK(cudaMemsetAsync(sums, 0, size * sizeof(float), stream));
	for (int second = 0; second < 900; second++) {
		stir_all(60, cells_of(signal), stream);
		spectrum(fourier, signal, lines, sums, size, batch, stream);
	}
	CHECK(cudaStreamSynchronize(stream));
	answer(cells_of(sums));
}

// --- nothing wrong

/* One plan; the next signals go up while these are worked on, and each spectrum is read when the
 * next one is on its way. */
static void clean_radio_spectra()
{
	const int size = 4096, batch = 1024, lines_count = size / 2 + 1;
	const size_t bytes = (size_t)size * batch * sizeof(float);
	Fourier fourier;
	std::vector<Pinned> in = several<Pinned>(2, bytes),
			    out = several<Pinned>(2, lines_count * sizeof(float));
	std::vector<Device> signals = several<Device>(2, bytes);
	Device lines((size_t)lines_count * batch * sizeof(cufftComplex));
	Device sums(lines_count * sizeof(float));
	Event there[2], shown[2];
	Stream up, compute;
	float sum = 0;
	const cufftHandle plan = fourier.plan(size, batch, compute);

	CHECK(cudaMemsetAsync(sums, 0, lines_count * sizeof(float), compute));
	for (auto &signal : in)
		decode(cells_of(signal), (size_t)size * batch, 27);
	for (int block = 0; block < 900; block++) {
		const size_t at = (size_t)block % 2;

		if (block >= 2) {
			CHECK(cudaEventSynchronize(shown[at]));
			sum += *cells_of(out[at]);
		}
		*cells_of(in[at]) = (float)block;
		CHECK(cudaMemcpyAsync(signals[at], in[at], bytes, cudaMemcpyHostToDevice, up));
		CHECK(cudaEventRecord(there[at], up));
		CHECK(cudaStreamWaitEvent(compute, there[at], 0));
		stir_all(550, cells_of(signals[at]), compute);
		NEED(!fourier.forward(plan, cells_of(signals[at]), (cufftComplex *)(void *)lines));
		power<<<blocks_of(lines_count), 256, 0, compute>>>((cufftComplex *)(void *)lines,
								   cells_of(sums), lines_count, 8);
		CHECK(cudaMemcpyAsync(out[at], sums, lines_count * sizeof(float),
				      cudaMemcpyDeviceToHost, compute));
		CHECK(cudaEventRecord(shown[at], compute));
	}
	CHECK(cudaStreamSynchronize(compute));
	NEED(!fourier.destroy(plan));
	printf("answer %g\n", sum);
}

/* A long job in a stream of low priority; now and then somebody sees what it has, by way of one of
 * high priority. A look needs the work before it, and the job goes on meanwhile. */
static void clean_previews()
{
	Device cells(cell_bytes), look(cell_bytes);
	Pinned seen(cell_bytes);
	cudaStream_t job, preview;
	Event copied;
	int least, greatest;
	float sum = 0;

	CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	CHECK(cudaStreamCreateWithPriority(&job, cudaStreamNonBlocking, least));
	CHECK(cudaStreamCreateWithPriority(&preview, cudaStreamNonBlocking, greatest));
	sown(cells_of(cells), cell_count, 28, job);
	for (int shown = 0; shown < 60; shown++) {
		CHECK(cudaMemcpyAsync(look, cells, cell_bytes, cudaMemcpyDeviceToDevice, job));
		CHECK(cudaEventRecord(copied, job));
		for (int step = 0; step < 12; step++)
			stir_all(1000, cells_of(cells), job);
		CHECK(cudaStreamWaitEvent(preview, copied, 0));
		stir_all(60, cells_of(look), preview);
		CHECK(cudaMemcpyAsync(seen, look, cell_bytes, cudaMemcpyDeviceToHost, preview));
		CHECK(cudaStreamSynchronize(preview));
		for (int i = 0; i < cell_count; i += 16)
			sum += cells_of(seen)[i];
	}
	CHECK(cudaStreamSynchronize(job));
	printf("answer %g\n", sum);
	answer(cells_of(cells));
	CHECK(cudaStreamDestroy(job));
	CHECK(cudaStreamDestroy(preview));
}

/* Host functions that only count what is ready; who needs it waits on the host. */
static void clean_ready_counts()
{
	struct Count {
		std::mutex mutex;
		std::condition_variable changed;
		int ready = 0;

		static void one_more(void *data)
		{
			Count *count = (Count *)data;
			std::lock_guard<std::mutex> lock(count->mutex);

			count->ready++;
			count->changed.notify_all();
		}
	} count;
	const int slots = 4, parts = 260;
	std::vector<Device> cells = several<Device>(slots, cell_bytes);
	std::vector<Pinned> out = several<Pinned>(slots, cell_bytes);
	Stream stream;
	unsigned total = 0;

	for (int part = 0; part < parts + slots; part++) {
		const size_t slot = (size_t)part % slots;

		if (part >= slots) {
			std::unique_lock<std::mutex> lock(count.mutex);

			count.changed.wait(lock, [&] { return count.ready > part - slots; });
			lock.unlock();
			total += packed_size(cells_of(out[slot]), 1 << 18);
		}
		if (part >= parts)
			continue;
		sown(cells_of(cells[slot]), cell_count, part, stream);
		stir_all(2600, cells_of(cells[slot]), stream);
		CHECK(cudaMemcpyAsync(out[slot], cells[slot], cell_bytes, cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaLaunchHostFunc(stream, Count::one_more, &count));
	}
	CHECK(cudaStreamSynchronize(stream));
	printf("answer %u\n", total);
}

/* One graph with two branches that join, launched again and again with another number. */
static void clean_graph_branches()
{
	std::vector<Device> halves = several<Device>(2, cell_bytes);
	Stream stream, beside;
	Event forked, joined;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t root;
	cudaKernelNodeParams params = {};
	float *cells = cells_of(halves[0]), gain = 0.1f;
	int count = cell_count;
	void *words[] = {&cells, &count, &gain};
	size_t roots = 1;

	for (auto &half : halves)
		sown(cells_of(half), cell_count, 29, stream);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	excite<<<blocks_of(cell_count), 256, 0, stream>>>(cells, cell_count, gain);
	CHECK(cudaEventRecord(forked, stream));
	CHECK(cudaStreamWaitEvent(beside, forked, 0));
	stir_all(700, cells, stream);
	stir_all(700, cells_of(halves[1]), beside);
	CHECK(cudaEventRecord(joined, beside));
	CHECK(cudaStreamWaitEvent(stream, joined, 0));
	mixed(cells, cells_of(halves[1]), cell_count, cell_count, stream);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphGetRootNodes(graph, &root, &roots));
	CHECK(cudaGraphKernelNodeGetParams(root, &params));
	params.kernelParams = words;
	for (int launch = 0; launch < 500; launch++) {
		gain = 0.1f + 0.001f * (float)launch;
		CHECK(cudaGraphExecKernelNodeSetParams(exec, root, &params));
		CHECK(cudaGraphLaunch(exec, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	answer(cells);
}

/* Managed memory, moved before it is needed; and a pool that keeps what it has. */
static void clean_terrain()
{
	const int count = 8 << 20;
	unsigned long long keep = ~0ull;
	cudaMemPool_t pool;
	float *heights, sum = 0;
	Stream stream;

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
	CHECK(cudaMallocManaged((void **)&heights, count * sizeof(float)));
	for (int i = 0; i < count; i++)
		heights[i] = (float)(i & 4095) * 0.0002f;
	moved(heights, count * sizeof(float), true, stream);
	for (int age = 0; age < 300; age++) {
		Scratch rain(cell_bytes, stream);

		sown(rain, cell_count, age, stream);
		stir_all(2200, rain, stream);
		mixed(heights, rain, count, cell_count, stream);
	}
	moved(heights, count * sizeof(float), false, stream);
	CHECK(cudaStreamSynchronize(stream));
	for (int i = 0; i < count; i += 4096)
		sum += heights[i];
	printf("answer %g\n", sum);
	CHECK(cudaFree(heights));
}

/* How long the next step may be is known only when this one is done. The number is written into
 * mapped memory, and a step takes some ms. */
static void clean_stiff_chemistry()
{
	Device cells(cell_bytes);
	float *error, *error_there;
	Stream stream;
	int us = 600;

	CHECK(cudaHostAlloc((void **)&error, 64, cudaHostAllocMapped));
	CHECK(cudaHostGetDevicePointer((void **)&error_there, error, 0));
	sown(cells_of(cells), cell_count, 30, stream);
	for (int step = 0; step < 240; step++) {
		for (int stage = 0; stage < 6; stage++)
			stir_all(us, cells_of(cells), stream);
		mean_of<<<1, 256, 0, stream>>>(cells_of(cells), 4096, error_there);
		CHECK(cudaStreamSynchronize(stream));
		us = 600 + (int)(*(volatile float *)error * 50);
	}
	answer(cells_of(cells));
	CHECK(cudaFreeHost(error));
}

static const Case cases[] = {
	CASE(antenna_array),	   CASE(two_cpu_job),
	CASE(ensemble_members),	   CASE(mixing_desk),
	CASE(heated_plate),	   CASE(seismic_blocks),
	CASE(shared_card),	   CASE(map_tiles),
	CASE(tenant_rounds),	   CASE(scanner_volumes),
	CASE(quote_servers),	   CASE(new_embeddings),
	CASE(managed_survey),	   CASE(two_seas),
	CASE(camera_gains),	   CASE(left_debugging),
	CASE(dose_search),	   CASE(rendered_film),
	CASE(filter_orders),	   CASE(polynomial_kernels),
	CASE(join_tables),	   CASE(neural_circuit),
	CASE(random_walks),	   CASE(membrane),
	CASE(traffic_camera),	   CASE(sound_of_bearings),
	CASE(clean_radio_spectra), CASE(clean_previews),
	CASE(clean_ready_counts),  CASE(clean_graph_branches),
	CASE(clean_terrain),	   CASE(clean_stiff_chemistry),
};

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
