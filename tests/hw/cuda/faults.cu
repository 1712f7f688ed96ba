/* SPDX-License-Identifier: MIT */
// faults CASE [repaired]: a CUDA program with one fault, planted, or the same work
// without it; and programs that have none. tests/hw/findings records both, and
// faults.json says what may be found in which.
#include <cstring>
#include <vector>

#include "cases.h"
#include "faults.h"

#define MIB ((size_t)1 << 20)

// --- waits, and what the host does meanwhile

static void wait_each()
{
	for (int i = 0; i < 30000; i++) {
		work(30);
		if (!repaired)
			CHECK(cudaDeviceSynchronize());
	}
}

static void wait_stream_each()
{
	Stream stream;

	for (int i = 0; i < 30000; i++) {
		work(30, stream);
		if (!repaired)
			CHECK(cudaStreamSynchronize(stream));
	}
}

static void wait_event_each()
{
	Event event;

	for (int i = 0; i < 20000; i++) {
		work(30);
		CHECK(cudaEventRecord(event));
		if (!repaired)
			CHECK(cudaEventSynchronize(event));
	}
}

static void poll()
{
	Stream stream;

	for (int i = 0; i < 500; i++) {
		work(2000, stream);
		while (!repaired && cudaStreamQuery(stream) == cudaErrorNotReady)
			;
		CHECK(cudaStreamSynchronize(stream));
	}
}

static void between(void (*host)(int))
{
	for (int i = 0; i < 800; i++) {
		work(1000);
		if (!repaired)
			CHECK(cudaDeviceSynchronize());
		host(900);
	}
}

static void host_between()
{
	between(host_busy);
}

static void sleep_between()
{
	between(host_sleep);
}

// --- transfers

static void small_writes()
{
	const int count = 1000, bytes = 256;
	Device device(count * bytes);
	Pinned host(count * bytes);

	for (int round = 0; round < 150; round++) {
		for (int i = 0; !repaired && i < count; i++)
			CHECK(cudaMemcpy(device.at(i * bytes), host.at(i * bytes), bytes,
					 cudaMemcpyHostToDevice));
		if (repaired)
			CHECK(cudaMemcpy(device, host, count * bytes, cudaMemcpyHostToDevice));
		work(500);
		host.change(round);
	}
}

static void small_reads()
{
	const int count = 1000, bytes = 256;
	Device device(count * bytes);
	Pinned host(count * bytes);

	for (int round = 0; round < 150; round++) {
		work(500);
		for (int i = 0; !repaired && i < count; i++)
			CHECK(cudaMemcpy(host.at(i * bytes), device.at(i * bytes), bytes,
					 cudaMemcpyDeviceToHost));
		if (repaired)
			CHECK(cudaMemcpy(host, device, count * bytes, cudaMemcpyDeviceToHost));
	}
}

// One input of two is pageable: the other shows what it could have been.
static void pageable()
{
	Device one(64 * MIB), two(64 * MIB);
	Pinned pinned(64 * MIB), other(64 * MIB);
	std::vector<char> plain(64 * MIB, 1);

	for (int i = 0; i < 160; i++) {
		CHECK(cudaMemcpy(one, pinned, 64 * MIB, cudaMemcpyHostToDevice));
		CHECK(cudaMemcpy(two, repaired ? other.at(0) : plain.data(), 64 * MIB,
				 cudaMemcpyHostToDevice));
		work(500);
		pinned.change(i);
		other.change(i);
		plain[0] = (char)i;
	}
}

// All of them are.
static void pageable_all()
{
	Device one(64 * MIB);
	Pinned other(64 * MIB);
	std::vector<char> plain(64 * MIB, 1);

	for (int i = 0; i < 200; i++) {
		CHECK(cudaMemcpy(one, repaired ? other.at(0) : plain.data(), 64 * MIB,
				 cudaMemcpyHostToDevice));
		work(500);
		plain[0] = (char)i;
		other.change(i);
	}
}

static void bounce()
{
	const size_t bytes = 16 * MIB;
	Device device(bytes);
	Pinned host(bytes);

	for (int i = 0; i < 1500; i++) {
		work(200);
		if (repaired) {
			add<<<blocks_of(bytes / 4), 256>>>((float *)device.at(0), (int)(bytes / 4),
							   1);
			continue;
		}
		CHECK(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
		host.change(i);
		CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
	}
	CHECK(cudaDeviceSynchronize());
}

static void copy_by_host()
{
	const size_t bytes = 16 * MIB;
	Device from(bytes), to(bytes);
	Pinned host(bytes);

	for (int i = 0; i < 1500; i++) {
		work(200);
		if (repaired) {
			CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice));
			continue;
		}
		CHECK(cudaMemcpy(host, from, bytes, cudaMemcpyDeviceToHost));
		CHECK(cudaMemcpy(to, host, bytes, cudaMemcpyHostToDevice));
	}
	CHECK(cudaDeviceSynchronize());
}

static void upload_again()
{
	const size_t bytes = 16 * MIB;
	Device table(bytes);
	Pinned host(bytes);

	for (int i = 0; i < 2500; i++) {
		if (!repaired || !i)
			CHECK(cudaMemcpy(table, host, bytes, cudaMemcpyHostToDevice));
		work(300);
	}
	CHECK(cudaDeviceSynchronize());
}

// --- things made in a loop

static void alloc_loop()
{
	Device kept(8 * MIB);

	for (int i = 0; i < 10000; i++) {
		void *one = kept;

		if (!repaired)
			CHECK(cudaMalloc(&one, 8 * MIB));
		fill<<<64, 256>>>((float *)one, (int)(2 * MIB), 1);
		if (!repaired)
			CHECK(cudaFree(one));
	}
}

static void alloc_sizes()
{
	Device kept(64 * MIB);

	for (int i = 0; i < 5000; i++) {
		const size_t bytes = ((size_t)1 + i % 7 * 8) * MIB;
		void *one = kept;

		if (!repaired)
			CHECK(cudaMalloc(&one, bytes));
		fill<<<64, 256>>>((float *)one, (int)MIB / 4, 1);
		if (!repaired)
			CHECK(cudaFree(one));
	}
}

static void pinned_loop()
{
	const size_t bytes = 16 * MIB;
	Device device(bytes);
	Pinned kept(bytes);

	for (int i = 0; i < 200; i++) {
		void *host = kept;

		if (!repaired)
			CHECK(cudaMallocHost(&host, bytes));
		memset(host, i, 4096);
		CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
		if (!repaired)
			CHECK(cudaFreeHost(host));
	}
}

static void stream_loop()
{
	Stream kept;

	for (int i = 0; i < 15000; i++) {
		cudaStream_t one = kept;

		if (!repaired)
			CHECK(cudaStreamCreate(&one));
		work(30, one);
		CHECK(cudaStreamSynchronize(one));
		if (!repaired)
			CHECK(cudaStreamDestroy(one));
	}
}

static void module_loop()
{
	Kernel kept;

	for (int i = 0; i < 8000; i++) {
		if (repaired) {
			kept.launch();
		} else {
			Kernel one;

			one.launch();
			CHECK(cudaDeviceSynchronize());
		}
	}
	CHECK(cudaDeviceSynchronize());
}

// --- launches

static void tiny_launches()
{
	const int parts = 200, count = 200 * 4096;
	Device data(count * sizeof(float));

	for (int i = 0; i < 1500; i++) {
		if (repaired) {
			add<<<count / 256, 256>>>((float *)data.at(0), count, 1);
			continue;
		}
		for (int part = 0; part < parts; part++)
			add<<<4096 / 256, 256>>>((float *)data.at(0) + part * 4096, 4096, 1);
	}
	CHECK(cudaDeviceSynchronize());
}

static void shape(int planted, int threads)
{
	for (int i = 0; i < 400; i++)
		compute<<<repaired ? 132 * 8 : planted, repaired ? 256 : threads>>>(1 << 22);
	CHECK(cudaDeviceSynchronize());
}

static void few_blocks()
{
	shape(8, 256);
}

static void thin_blocks()
{
	shape(132 * 32, 8);
}

static void shared_limit()
{
	CHECK(cudaFuncSetAttribute(latency, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
	for (int i = 0; i < 4000; i++)
		latency<<<132 * 16, 64, repaired ? 0 : 200000>>>(4000);
	CHECK(cudaDeviceSynchronize());
}

// --- queues

static void one_stream()
{
	const size_t bytes = 32 * MIB;
	const int lanes = 4;
	auto device = several<Device>(lanes, bytes);
	auto in = several<Pinned>(lanes, bytes), out = several<Pinned>(lanes, bytes);
	std::vector<Stream> streams(lanes);

	for (int i = 0; i < 400; i++) {
		const int lane = i % lanes;
		cudaStream_t stream = streams[repaired ? lane : 0];

		in[lane].change(i);
		CHECK(cudaMemcpyAsync(device[lane], in[lane], bytes, cudaMemcpyHostToDevice,
				      stream));
		work(1000, stream);
		CHECK(cudaMemcpyAsync(out[lane], device[lane], bytes, cudaMemcpyDeviceToHost,
				      stream));
		if (!repaired || lane == lanes - 1)
			CHECK(repaired ? cudaDeviceSynchronize() : cudaStreamSynchronize(stream));
	}
}

// --- errors and leaks

static void errors()
{
	Device device(4096);
	std::vector<char> host(4096);

	for (int i = 0; i < 200; i++) {
		work(1000);
		if (!repaired && cudaMemcpy(device, host.data(), 4096, (cudaMemcpyKind)77))
			cudaGetLastError();
		CHECK(cudaDeviceSynchronize());
	}
}

static void leaks()
{
	for (int i = 0; i < 200; i++) {
		void *one;

		CHECK(cudaMalloc(&one, 4 * MIB));
		work(1000);
		CHECK(cudaDeviceSynchronize());
		if (repaired)
			CHECK(cudaFree(one));
	}
}

// --- without a fault

static void clean_pipeline()
{
	const size_t bytes = 16 * MIB;
	auto device = several<Device>(4, bytes);
	auto host = several<Pinned>(4, bytes);
	std::vector<Stream> streams(4);

	for (int i = 0; i < 800; i++) {
		const int lane = i % 4;

		CHECK(cudaStreamSynchronize(streams[lane]));
		host[lane].change(i);
		CHECK(cudaMemcpyAsync(device[lane], host[lane], bytes, cudaMemcpyHostToDevice,
				      streams[lane]));
		work(1000, streams[lane]);
	}
	CHECK(cudaDeviceSynchronize());
}

static void clean_kernels()
{
	for (int i = 0; i < 2000; i++)
		work(500);
	CHECK(cudaDeviceSynchronize());
}

static void clean_graph()
{
	Stream stream;
	cudaGraph_t graph;
	cudaGraphExec_t instance;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	for (int i = 0; i < 20; i++)
		work(20, stream);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&instance, graph, 0));
	for (int i = 0; i < 2000; i++)
		CHECK(cudaGraphLaunch(instance, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(instance));
	CHECK(cudaGraphDestroy(graph));
}

static void clean_steps()
{
	Device device(1 * MIB);
	Pinned host(1 * MIB);

	for (int i = 0; i < 200; i++) {
		for (int j = 0; j < 20; j++)
			work(200);
		CHECK(cudaMemcpy(host, device, 4096, cudaMemcpyDeviceToHost));
	}
}

static void clean_host()
{
	work(1000);
	CHECK(cudaDeviceSynchronize());
	host_busy(1000000);
}

static void clean_short()
{
	work(10);
	CHECK(cudaDeviceSynchronize());
}

static const Case cases[] = {
	CASE(wait_each),    CASE(wait_stream_each), CASE(wait_event_each), CASE(poll),
	CASE(host_between), CASE(sleep_between),    CASE(small_writes),	   CASE(small_reads),
	CASE(pageable),	    CASE(pageable_all),	    CASE(bounce),	   CASE(copy_by_host),
	CASE(upload_again), CASE(alloc_loop),	    CASE(alloc_sizes),	   CASE(pinned_loop),
	CASE(stream_loop),  CASE(module_loop),	    CASE(tiny_launches),   CASE(few_blocks),
	CASE(thin_blocks),  CASE(shared_limit),	    CASE(one_stream),	   CASE(errors),
	CASE(leaks),	    CASE(clean_pipeline),   CASE(clean_kernels),   CASE(clean_graph),
	CASE(clean_steps),  CASE(clean_host),	    CASE(clean_short),
};

int main(int count, char **words)
{
	return case_run(cases, count, words);
}
