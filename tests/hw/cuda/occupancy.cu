/* SPDX-License-Identifier: MIT */
// Launches of many shapes, and for each what the runtime says of its occupancy:
//
//	occupancy KERNEL THREADS DYNAMIC_BYTES BLOCKS_PER_MULTIPROCESSOR
//
// Kernels differ in registers (by what they keep alive) and static shared memory.
#include "common.h"

template <int REGISTERS>
__global__ void keep(float *data)
{
	float kept[REGISTERS];

	for (int i = 0; i < REGISTERS; i++)
		kept[i] = data[i * 32 + (int)threadIdx.x];
	__syncthreads();
	for (int round = 0; round < 4; round++)
#pragma unroll
		for (int i = 0; i < REGISTERS; i++)
			kept[i] = kept[i] * kept[(i + 1) % REGISTERS] + data[i];
	for (int i = 0; i < REGISTERS; i++)
		data[i * 32 + (int)threadIdx.x] = kept[i];
}

template <int BYTES>
__global__ void share(float *data)
{
	__shared__ char shared[BYTES];

	shared[threadIdx.x % BYTES] = (char)data[threadIdx.x];
	__syncthreads();
	data[threadIdx.x] = shared[(threadIdx.x + 1) % BYTES];
}

static float *data;
static long launched;

template <typename Kernel>
static void launch(const char *name, Kernel kernel, int dynamic_most)
{
	cudaFuncAttributes attributes;

	CHECK(cudaFuncGetAttributes(&attributes, (const void *)kernel));
	CHECK(cudaFuncSetAttribute((const void *)kernel,
				   cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic_most));
	for (int threads = 32; threads <= 1024; threads += 32 * (1 + threads / 256))
		for (int dynamic = 0; dynamic <= dynamic_most; dynamic = dynamic * 3 + 1000) {
			int blocks;

			if (threads > attributes.maxThreadsPerBlock)
				continue;
			CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
				&blocks, (const void *)kernel, threads, (size_t)dynamic));
			if (!blocks)
				continue;
			kernel<<<1, (unsigned)threads, (size_t)dynamic>>>(data);
			CHECK(cudaGetLastError());
			launched++;
			printf("occupancy %s %d %d %d\n", name, threads, dynamic, blocks);
		}
	CHECK(cudaDeviceSynchronize());
}

int main()
{
	CHECK(cudaMalloc(&data, 1 << 20));
	CHECK(cudaMemset(data, 0, 1 << 20));
	launch("keep<4>", keep<4>, 100000);
	launch("keep<24>", keep<24>, 0);
	launch("keep<40>", keep<40>, 60000);
	launch("keep<96>", keep<96>, 0);
	launch("keep<160>", keep<160>, 200000);
	launch("share<1000>", share<1000>, 40000);
	launch("share<20000>", share<20000>, 100000);
	launch("share<48000>", share<48000>, 0);
	expect("kernels", launched);
	return 0;
}
