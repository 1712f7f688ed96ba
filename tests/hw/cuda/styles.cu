/* SPDX-License-Identifier: MIT */
// styles CASE [repaired]: parts of CUDA programs as people write them, each with one fault, planted,
// or the same work without it; and some that have none. tests/hw/findings records both, and
// styles.json says what may be found in which.
#include <cstring>
#include <thread>
#include <vector>

#include "cases.h"
#include "faults.h"

#define MIB ((size_t)1 << 20)

static __global__ void residual(const float *data, float *sum)
{
	if (threadIdx.x == 0)
		atomicAdd(sum, data[blockIdx.x]);
}

// --- a solver

/* The residual is looked at after each step, or after each fifty. */
static void solver_residual()
{
	Device data(4 * MIB), sum(sizeof(float));
	float host;

	for (int i = 0; i < 20000; i++) {
		work(25);
		residual<<<132, 32>>>((const float *)(void *)data, (float *)(void *)sum);
		if (!repaired || i % 50 == 49)
			CHECK(cudaMemcpy(&host, sum, sizeof(host), cudaMemcpyDeviceToHost));
	}
}

/* Each phase is timed with two new events. */
static void solver_timing()
{
	cudaEvent_t begin, end;
	float ms;

	CHECK(cudaEventCreate(&begin));
	CHECK(cudaEventCreate(&end));
	for (int i = 0; i < 6000; i++) {
		if (!repaired) {
			CHECK(cudaEventCreate(&begin));
			CHECK(cudaEventCreate(&end));
			CHECK(cudaEventRecord(begin));
		}
		work(40);
		if (!repaired) {
			CHECK(cudaEventRecord(end));
			CHECK(cudaEventSynchronize(end));
			CHECK(cudaEventElapsedTime(&ms, begin, end));
			CHECK(cudaEventDestroy(begin));
			CHECK(cudaEventDestroy(end));
		}
	}
}

/* The boundary of a grid goes to the device row by row. */
static void solver_boundary()
{
	const size_t row = 256, rows = 512, pitch = 8192;
	Device device(rows * pitch);
	Pinned host(rows * pitch);

	for (int i = 0; i < 150; i++) {
		host.change(i);
		if (repaired)
			CHECK(cudaMemcpy2DAsync(device, pitch, host, pitch, row, rows,
						cudaMemcpyHostToDevice));
		for (size_t j = 0; j < (repaired ? 0 : rows); j++)
			CHECK(cudaMemcpyAsync(device.at(j * pitch), host.at(j * pitch), row,
					      cudaMemcpyHostToDevice));
		work(1000);
	}
}

/* One block sums up what thousands could. */
static void solver_one_block()
{
	for (int i = 0; i < 300; i++) {
		compute<<<repaired ? 132 * 8 : 1, 256>>>(1 << 18);
		CHECK(cudaGetLastError());
	}
}

// --- a stream of frames

/* Two streams, of which each waits for the other's event: nothing overlaps. */
static void frames_in_turn()
{
	const size_t bytes = 24 * MIB;
	auto device = several<Device>(2, bytes);
	auto host = several<Pinned>(2, bytes);
	std::vector<Stream> streams(2);
	std::vector<Event> events(2);

	for (int i = 0; i < 600; i++) {
		const int lane = i % 2;

		if (!repaired)
			CHECK(cudaStreamWaitEvent(streams[lane], events[!lane], 0));
		host[lane].change(i);
		CHECK(cudaMemcpyAsync(device[lane], host[lane], bytes, cudaMemcpyHostToDevice,
				      streams[lane]));
		work(500, streams[lane]);
		CHECK(cudaEventRecord(events[lane], streams[lane]));
	}
}

static void CUDART_CB hand_over(void *)
{
	host_busy(600);
}

/* The device waits for what the host does with each frame in a host function. */
static void frames_host_function()
{
	Stream stream;

	for (int i = 0; i < 800; i++) {
		work(600, stream);
		if (repaired)
			host_busy(600);
		else
			CHECK(cudaLaunchHostFunc(stream, hand_over, nullptr));
	}
	CHECK(cudaStreamSynchronize(stream));
}

/* A graph is made anew for each frame. */
static void frames_graph()
{
	Stream stream;
	cudaGraph_t graph = nullptr;
	cudaGraphExec_t instance = nullptr;

	for (int i = 0; i < 3000; i++) {
		if (!repaired || !instance) {
			CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
			for (int j = 0; j < 10; j++)
				work(5, stream);
			CHECK(cudaStreamEndCapture(stream, &graph));
			CHECK(cudaGraphInstantiate(&instance, graph, 0));
		}
		CHECK(cudaGraphLaunch(instance, stream));
		if (!repaired) {
			CHECK(cudaGraphExecDestroy(instance));
			CHECK(cudaGraphDestroy(graph));
		}
	}
}

/* The whole frame comes back for what fits into a page; from pageable memory on top. */
static void frames_whole()
{
	const size_t bytes = 16 * MIB;
	Device device(bytes);
	Pinned pinned(4096);
	std::vector<char> host(bytes);

	for (int i = 0; i < 150; i++) {
		work(1000);
		if (repaired)
			CHECK(cudaMemcpy(pinned, device, 4096, cudaMemcpyDeviceToHost));
		else
			CHECK(cudaMemcpy(host.data(), device, bytes, cudaMemcpyDeviceToHost));
	}
}

// --- several threads

static void in_threads(int count, void (*run)(int, Stream &))
{
	std::vector<std::thread> threads;

	for (int i = 0; i < count; i++)
		threads.emplace_back([i, run] {
			Stream stream;

			run(i, stream);
			CHECK(cudaStreamSynchronize(stream));
		});
	for (auto &one : threads)
		one.join();
}

/* Each of four threads stops the whole device after each of its kernels. */
static void threads_device()
{
	in_threads(4, [](int, Stream &stream) {
		for (int i = 0; i < 3000; i++) {
			take<<<16, 128, 0, stream>>>(40000);
			if (!repaired)
				CHECK(cudaDeviceSynchronize());
			else if (i % 50 == 49)
				CHECK(cudaStreamSynchronize(stream));
		}
	});
}

/* Memory of each request is allocated for it. */
static void threads_requests()
{
	in_threads(2, [](int, Stream &stream) {
		void *kept;

		CHECK(cudaMalloc(&kept, 8 * MIB));
		for (int i = 0; i < 1500; i++) {
			void *one = kept;

			if (!repaired)
				CHECK(cudaMalloc(&one, 8 * MIB));
			fill<<<132, 256, 0, stream>>>((float *)one, 2 * MIB, 1);
			CHECK(cudaStreamSynchronize(stream));
			if (!repaired)
				CHECK(cudaFree(one));
		}
		CHECK(cudaFree(kept));
	});
}

// --- without a fault

static void clean_double_buffer()
{
	const size_t bytes = 16 * MIB;
	auto device = several<Device>(2, bytes);
	auto host = several<Pinned>(2, bytes);
	std::vector<Event> free(2), full(2);
	Stream copies, kernels;

	for (int i = 0; i < 800; i++) {
		const int lane = i % 2;

		if (i > 1)
			CHECK(cudaEventSynchronize(free[lane]));
		host[lane].change(i);
		CHECK(cudaMemcpyAsync(device[lane], host[lane], bytes, cudaMemcpyHostToDevice,
				      copies));
		CHECK(cudaEventRecord(full[lane], copies));
		CHECK(cudaStreamWaitEvent(kernels, full[lane], 0));
		work(1200, kernels);
		CHECK(cudaEventRecord(free[lane], kernels));
	}
}

static void clean_pool()
{
	Stream stream;
	cudaMemPool_t pool;
	uint64_t most = UINT64_MAX;

	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &most));
	for (int i = 0; i < 2000; i++) {
		void *one;

		CHECK(cudaMallocAsync(&one, 8 * MIB, stream));
		work(400, stream);
		CHECK(cudaFreeAsync(one, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
}

static void clean_threads()
{
	in_threads(4, [](int, Stream &stream) {
		for (int i = 0; i < 600; i++) {
			take<<<33, 256, 0, stream>>>(1000000);
			if (i % 20 == 19)
				CHECK(cudaStreamSynchronize(stream));
		}
	});
}

static void clean_server()
{
	/* Requests come now and then, and each is answered as soon as it can be. */
	for (int i = 0; i < 100; i++) {
		host_sleep(8000);
		work(2000);
		CHECK(cudaDeviceSynchronize());
	}
}

static const Case cases[] = {
	CASE(solver_residual),	CASE(solver_timing),	   CASE(solver_boundary),
	CASE(solver_one_block), CASE(frames_in_turn),	   CASE(frames_host_function),
	CASE(frames_graph),	CASE(frames_whole),	   CASE(threads_device),
	CASE(threads_requests), CASE(clean_double_buffer), CASE(clean_pool),
	CASE(clean_threads),	CASE(clean_server),
};

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
