/* SPDX-License-Identifier: MIT */
// apps CASE [repaired]: parts of CUDA programs for which no rule was changed, each with one fault, planted,
// or the same work without it; and some that have none. tests/hw/findings records both, and apps.json,
// which was written before they were recorded for the first time, says what may be found in which.
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

#include "cases.h"
#include "faults.h"

#define MIB ((size_t)1 << 20)

static float *floats(Device &device)
{
	return (float *)device.at(0);
}

// --- solvers

static __global__ void stencil(const float *from, float *to, int count)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i > 0 && i + 1 < count)
		to[i] = 2.01f * from[i] - from[i - 1] - from[i + 1];
}

static __global__ void dot(const float *a, const float *b, int count, float *sum)
{
	float mine = 0;

	for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < count;
	     i += (int)(gridDim.x * blockDim.x))
		mine += a[i] * b[i];
	for (int step = 16; step; step /= 2)
		mine += __shfl_down_sync(~0u, mine, step);
	if (threadIdx.x % 32 == 0)
		atomicAdd(sum, mine);
}

/* to += from * by, or * above / below, where these are on the device. */
static __global__ void axpy(float *to, const float *from, int count, float by, const float *above,
			    const float *below)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (above)
		by = 1e-6f * *above / (*below + 1);
	if (i < count)
		to[i] += from[i] * by;
}

static float read_one(const float *at)
{
	float value;

	CHECK(cudaMemcpy(&value, at, sizeof(value), cudaMemcpyDeviceToHost));
	return value;
}

/* Like conjugate gradients: the factor of a step is computed by the host, or stays on the device. */
static void solver_dots()
{
	const int count = 1 << 22;
	Device x(count * sizeof(float)), p(count * sizeof(float)), r(count * sizeof(float));
	Device ap(count * sizeof(float)), sums(3 * sizeof(float));
	float *pap = floats(sums) + 1, rr = 0, by = 0;

	for (auto one : {&x, &p, &r, &ap})
		fill<<<1056, 256>>>(floats(*one), count, 0.001f);
	CHECK(cudaMemset(sums, 0, 3 * sizeof(float)));
	for (int i = 0; i < 8000; i++) {
		/* r * r of the step before and of this one are left and right of p * Ap, by turns. */
		float *before = pap + (i % 2 ? 1 : -1), *now = pap + (i % 2 ? -1 : 1);
		const float *above = repaired ? before : nullptr;

		CHECK(cudaMemsetAsync(i % 2 ? now : pap, 0, 2 * sizeof(float)));
		stencil<<<blocks_of(count), 256>>>(floats(p), floats(ap), count);
		dot<<<1056, 256>>>(floats(p), floats(ap), count, pap);
		if (!repaired)
			by = 1e-6f * rr / (read_one(pap) + 1);
		axpy<<<blocks_of(count), 256>>>(floats(x), floats(p), count, by, above, pap);
		axpy<<<blocks_of(count), 256>>>(floats(r), floats(ap), count, by, above, pap);
		dot<<<1056, 256>>>(floats(r), floats(r), count, now);
		if (!repaired)
			rr = read_one(now);
		CHECK(cudaGetLastError());
	}
}

struct Rows {
	float at[12][16];
};

static __constant__ Rows constant_rows;

static __global__ void with_rows(unsigned long long ns, bool given, Rows rows)
{
	unsigned long long begin, now;
	float sum = 0;

	for (int i = 0; i < 12; i++)
		sum += given ? rows.at[i][threadIdx.x % 16] : constant_rows.at[i][threadIdx.x % 16];
	asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
	do
		asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
	while (now - begin < ns);
	if (sum == 12345)
		result = sum;
}

/* The parameters of a step become constants one by one, or are arguments of the kernel. */
static void solver_constants()
{
	Rows rows = {};

	for (int i = 0; i < 8000; i++) {
		for (int j = 0; j < 12; j++) {
			rows.at[j][0] = (float)(i + j);
			if (!repaired)
				CHECK(cudaMemcpyToSymbol(constant_rows, rows.at[j],
							 sizeof(rows.at[j]),
							 (size_t)j * sizeof(rows.at[j])));
		}
		with_rows<<<132, 256>>>(40000, repaired, rows);
		CHECK(cudaGetLastError());
	}
}

static __global__ void change(float *field, size_t count, size_t each, float value)
{
	const size_t at = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * each;

	if (at < count)
		field[at] = value;
}

/* The host changes a little of each page of what the device works on, or a kernel does. */
static void solver_managed()
{
	const size_t count = 4 * MIB;
	float *field;

	CHECK(cudaMallocManaged((void **)&field, count * sizeof(*field)));
	fill<<<1056, 256>>>(field, (int)count, 1);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 60; i++) {
		add<<<blocks_of(count), 256>>>(field, (int)count, 1);
		work(3000);
		if (repaired) {
			change<<<blocks_of(count / 1024), 256>>>(field, count, 1024, (float)i);
			continue;
		}
		CHECK(cudaDeviceSynchronize());
		for (size_t j = 0; j < count; j += 1024)
			field[j] = (float)i;
	}
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(field));
}

/* Sums are set to zero by zeros of the host's, or by the device. */
static void solver_zeros()
{
	const size_t bytes = 32 * MIB;
	std::vector<char> zeros(bytes);
	Device sums(bytes);

	for (int i = 0; i < 150; i++) {
		if (repaired)
			CHECK(cudaMemsetAsync(sums, 0, bytes));
		else
			CHECK(cudaMemcpy(sums, zeros.data(), bytes, cudaMemcpyHostToDevice));
		add<<<blocks_of(bytes / 4), 256>>>(floats(sums), (int)(bytes / 4), (float)i);
		work(2000);
	}
}

static __global__ void align(int *scores, const char *texts, int diagonal, int length, int problem)
{
	const int row = (int)(blockIdx.x * blockDim.x + threadIdx.x), column = diagonal - row;
	const size_t which = (size_t)problem + blockIdx.y, pitch = (size_t)length + 1;
	const char *a = texts + which * 2 * (size_t)length, *b = a + length;
	int *at = scores + which * pitch * pitch + (size_t)(row + 1) * pitch + column + 1;

	if (row >= length || column < 0 || column >= length)
		return;
	*at = max(max(at[-1], at[-(ptrdiff_t)pitch]) - 1,
		  at[-(ptrdiff_t)pitch - 1] + (a[row] == b[column] ? 2 : -1));
}

/* Pairs of texts are aligned one pair after another, or all at the same time: a kernel for each
 * diagonal of a table. */
static void solver_diagonals()
{
	const int pairs = 64, length = 1024;
	Device scores(pairs * (length + 1) * (size_t)(length + 1) * sizeof(int));
	Device texts(pairs * 2 * length);

	CHECK(cudaMemset(scores, 0, pairs * (length + 1) * (size_t)(length + 1) * sizeof(int)));
	CHECK(cudaMemset(texts, 'a', pairs * 2 * length));
	for (int round = 0; round < 2; round++)
		for (int pair = 0; pair < (repaired ? 1 : pairs); pair++)
			for (int i = 0; i < 2 * length - 1; i++)
				align<<<dim3(blocks_of(length), repaired ? pairs : 1), 256>>>(
					(int *)scores.at(0), texts.at(0), i, length, pair);
	CHECK(cudaGetLastError());
}

// --- frames

/* Streams of a library that the default stream waits for, and a memset in that one in between. */
static void frames_default_stream()
{
	const int lanes = 4;
	cudaStream_t streams[lanes];
	Device counters(lanes * 4096);

	for (auto &one : streams)
		CHECK(cudaStreamCreate(&one));
	for (int i = 0; i < 8000; i++) {
		const int lane = i % lanes;

		if (repaired)
			CHECK(cudaMemsetAsync(counters.at(lane * 4096), 0, 4096, streams[lane]));
		else
			CHECK(cudaMemset(counters.at(lane * 4096), 0, 4096));
		take<<<33, 256, 0, streams[lane]>>>(100000);
		CHECK(cudaGetLastError());
	}
	for (auto &one : streams) {
		CHECK(cudaStreamSynchronize(one));
		CHECK(cudaStreamDestroy(one));
	}
}

/* A frame's memory is pinned for its upload, or was pinned when the program began. */
static void frames_registered()
{
	const size_t bytes = 16 * MIB;
	std::vector<char> frame(bytes);
	Device device(bytes);

	for (size_t i = 0; i < bytes; i += 4096)
		frame[i] = (char)(i >> 12);
	if (repaired)
		CHECK(cudaHostRegister(frame.data(), bytes, cudaHostRegisterDefault));
	for (int i = 0; i < 250; i++) {
		*(int *)frame.data() = i + 1;
		if (!repaired)
			CHECK(cudaHostRegister(frame.data(), bytes, cudaHostRegisterDefault));
		CHECK(cudaMemcpyAsync(device, frame.data(), bytes, cudaMemcpyHostToDevice));
		work(1000);
		CHECK(cudaDeviceSynchronize());
		if (!repaired)
			CHECK(cudaHostUnregister(frame.data()));
	}
	if (repaired)
		CHECK(cudaHostUnregister(frame.data()));
}

/* Memory of a pool, which gives all of it back at each wait, unless it is told to keep it. */
static void frames_pool()
{
	const size_t bytes = 64 * MIB;
	uint64_t most = UINT64_MAX;
	cudaMemPool_t pool;
	Stream stream;

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	if (repaired)
		CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &most));
	for (int i = 0; i < 1500; i++) {
		void *one;

		CHECK(cudaMallocAsync(&one, bytes, stream));
		fill<<<132, 256, 0, stream>>>((float *)one, (int)MIB, (float)i);
		work(200, stream);
		CHECK(cudaFreeAsync(one, stream));
		CHECK(cudaStreamSynchronize(stream));
	}
}

/* How many blocks there are is computed from what the device is like, for each frame. */
static void frames_properties()
{
	int blocks = 0;

	for (int i = 0; i < 1500; i++) {
		if (!repaired || !i) {
			size_t free_bytes, all_bytes;
			cudaDeviceProp device;

			CHECK(cudaGetDeviceProperties(&device, 0));
			CHECK(cudaMemGetInfo(&free_bytes, &all_bytes));
			blocks = device.multiProcessorCount * (free_bytes > MIB ? 2 : 1);
		}
		take<<<blocks, 256>>>(60000);
		CHECK(cudaGetLastError());
	}
}

/* Sleeps until a frame is done, and looks each two milliseconds. */
static void frames_nap()
{
	Event event;

	for (int i = 0; i < 300; i++) {
		work(1200);
		CHECK(cudaEventRecord(event));
		if (repaired)
			CHECK(cudaEventSynchronize(event));
		while (!repaired) {
			cudaError_t status = cudaEventQuery(event);

			if (status == cudaSuccess)
				break;
			if (status != cudaErrorNotReady)
				CHECK(status);
			usleep(2000);
		}
	}
}

static __global__ void rays(int items)
{
	float x = 1;

	for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < items;
	     i += (int)(gridDim.x * blockDim.x))
		for (int round = 0; round < 200; round++)
			x = x * 0.999f + (float)i;
	if (x == 12345)
		result = x;
}

/* Blocks of a warp and one thread more. */
static void frames_odd_blocks()
{
	for (int i = 0; i < 1500; i++) {
		if (repaired)
			rays<<<132 * 8, 256>>>(1 << 25);
		else
			rays<<<132 * 32, 33>>>(1 << 25);
		CHECK(cudaGetLastError());
	}
}

/* Threads take turns with one stream, or have one each. */
static void frames_locked()
{
	const size_t bytes = 8 * MIB;
	const int count = 4;
	std::vector<Stream> streams(count);
	auto device = several<Device>(count, bytes);
	auto host = several<Pinned>(count, bytes), back = several<Pinned>(count, 65536);
	std::vector<std::thread> threads;
	std::mutex mutex;

	for (int i = 0; i < count; i++)
		threads.emplace_back([&, i] {
			cudaStream_t stream = streams[repaired ? i : 0];

			for (int j = 0; j < 400; j++) {
				std::unique_lock<std::mutex> lock(mutex, std::defer_lock);

				host[i].change(j);
				if (!repaired)
					lock.lock();
				CHECK(cudaMemcpyAsync(device[i], host[i], bytes,
						      cudaMemcpyHostToDevice, stream));
				work(300, stream);
				CHECK(cudaMemcpyAsync(back[i], device[i], 65536,
						      cudaMemcpyDeviceToHost, stream));
				CHECK(cudaStreamSynchronize(stream));
			}
		});
	for (auto &one : threads)
		one.join();
}

// --- without a fault

static void prefetch(const void *at, size_t bytes, int device)
{
#if CUDART_VERSION >= 13000
	cudaMemLocation where = {};

	where.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
	where.id = device < 0 ? 0 : device;
	CHECK(cudaMemPrefetchAsync(at, bytes, where, 0, nullptr));
#else
	CHECK(cudaMemPrefetchAsync(at, bytes, device, nullptr));
#endif
}

/* Managed memory goes to the device before the first kernel, and back after the last one. */
static void clean_managed()
{
	const size_t count = 16 * MIB;
	double sum = 0;
	float *field;

	CHECK(cudaMallocManaged((void **)&field, count * sizeof(*field)));
	for (size_t i = 0; i < count; i++)
		field[i] = (float)(i % 100);
	prefetch(field, count * sizeof(*field), 0);
	for (int i = 0; i < 1500; i++) {
		add<<<blocks_of(count), 256>>>(field, (int)count, 1);
		work(500);
	}
	prefetch(field, count * sizeof(*field), -1);
	CHECK(cudaDeviceSynchronize());
	for (size_t i = 0; i < count; i += 1024)
		sum += field[i];
	if (sum < 0)
		exit(1);
	CHECK(cudaFree(field));
}

/* Two streams go on with what a third one computed, and this one goes on with what they did. */
static void clean_fork_join()
{
	Stream first, sides[2];
	Event forked, joined[2];

	for (int i = 0; i < 1000; i++) {
		work(300, first);
		CHECK(cudaEventRecord(forked, first));
		for (int j = 0; j < 2; j++) {
			CHECK(cudaStreamWaitEvent(sides[j], forked, 0));
			work(400, sides[j]);
			CHECK(cudaEventRecord(joined[j], sides[j]));
			CHECK(cudaStreamWaitEvent(first, joined[j], 0));
		}
	}
	CHECK(cudaStreamSynchronize(first));
}

/* A search: what the device does next depends on what it found. */
static void clean_search()
{
	Device found(4096);
	Pinned host(4096);
	int us = 4000;

	CHECK(cudaMemset(found, 1, 4096));
	for (int i = 0; i < 250; i++) {
		work(us);
		CHECK(cudaMemcpy(host, found, 16, cudaMemcpyDeviceToHost));
		us = host.at(0)[i % 16] ? 4000 : 3000;
		host_busy(40);
	}
}

static __global__ void smooth(const float *from, float *to, int width, int height)
{
	const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
	float sum = 0;

	if (x >= width || y >= height)
		return;
	for (int j = -2; j <= 2; j++)
		for (int i = -2; i <= 2; i++)
			sum += from[min(max(y + j, 0), height - 1) * width +
				    min(max(x + i, 0), width - 1)];
	to[y * width + x] = sum / 25;
}

/* An image whose width and height are no multiple of a block's. */
static void clean_image()
{
	const int width = 4001, height = 3003;
	auto images = several<Device>(2, sizeof(float) * width * height);

	CHECK(cudaMemset(images[0], 0, sizeof(float) * width * height));
	for (int i = 0; i < 6000; i++)
		smooth<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(
			floats(images[i % 2]), floats(images[!(i % 2)]), width, height);
	CHECK(cudaGetLastError());
}

/* Weights are uploaded once; results come back while the next batches are computed. */
static void clean_layers()
{
	const int layers = 24;
	const size_t bytes = 8 * MIB;
	auto weights = several<Device>(layers, bytes), results = several<Device>(2, MIB);
	auto host = several<Pinned>(2, MIB);
	std::vector<Event> computed(2), back(2);
	Stream kernels, copies;
	Pinned staging(bytes);

	for (int i = 0; i < layers; i++) {
		staging.change(i);
		CHECK(cudaMemcpy(weights[i], staging, bytes, cudaMemcpyHostToDevice));
	}
	for (int i = 0; i < 300; i++) {
		const int at = i % 2;

		if (i > 1) {
			CHECK(cudaEventSynchronize(back[at]));
			CHECK(cudaStreamWaitEvent(kernels, back[at], 0));
		}
		for (int j = 0; j < layers; j++)
			work(130, kernels);
		CHECK(cudaEventRecord(computed[at], kernels));
		CHECK(cudaStreamWaitEvent(copies, computed[at], 0));
		CHECK(cudaMemcpyAsync(host[at], results[at], MIB, cudaMemcpyDeviceToHost, copies));
		CHECK(cudaEventRecord(back[at], copies));
	}
	CHECK(cudaStreamSynchronize(copies));
}

static const Case cases[] = {
	CASE(solver_dots),	 CASE(solver_constants),  CASE(solver_managed),
	CASE(solver_zeros),	 CASE(solver_diagonals),  CASE(frames_default_stream),
	CASE(frames_registered), CASE(frames_pool),	  CASE(frames_properties),
	CASE(frames_nap),	 CASE(frames_odd_blocks), CASE(frames_locked),
	CASE(clean_managed),	 CASE(clean_fork_join),	  CASE(clean_search),
	CASE(clean_image),	 CASE(clean_layers),
};

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
