/* SPDX-License-Identifier: MIT */
// Copies that run beside kernels: the work in pieces, on several streams, from
// pinned memory. `overlap 1 pageable` shows what is lost without.
//
//	nvcc -o overlap overlap.cu
//	tandem record -o slow ./overlap 1 pageable
//	tandem record -o fast ./overlap 4
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                                    \
	do {                                                                           \
		cudaError_t failed = (call);                                           \
		if (failed != cudaSuccess) {                                           \
			fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(failed)); \
			exit(1);                                                       \
		}                                                                      \
	} while (0)

enum { PIECES = 32, PIECE = 1 << 20, STREAMS_MOST = 16 };

__global__ void work(float *data, int rounds)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float value = data[i];

	for (int round = 0; round < rounds; round++)
		value = value * 0.999f + 0.001f;
	data[i] = value;
}

int main(int argc, char **argv)
{
	int streams = argc > 1 ? atoi(argv[1]) : 4;
	bool pageable = argc > 2 && !strcmp(argv[2], "pageable");
	size_t bytes = (size_t)PIECES * PIECE * sizeof(float);
	cudaStream_t stream[STREAMS_MOST];
	float *host, *device;

	if (streams < 1 || streams > STREAMS_MOST)
		return fprintf(stderr, "1 to %d streams\n", STREAMS_MOST), 2;
	if (pageable)
		host = (float *)malloc(bytes);
	else
		CHECK(cudaMallocHost(&host, bytes));
	memset(host, 0, bytes);
	CHECK(cudaMalloc(&device, bytes));
	for (int i = 0; i < streams; i++)
		CHECK(cudaStreamCreate(&stream[i]));
	for (int piece = 0; piece < PIECES; piece++) {
		cudaStream_t on = stream[piece % streams];
		float *from = host + (size_t)piece * PIECE, *to = device + (size_t)piece * PIECE;

		CHECK(cudaMemcpyAsync(to, from, PIECE * sizeof(float), cudaMemcpyHostToDevice, on));
		work<<<PIECE / 256, 256, 0, on>>>(to, 2000);
		CHECK(cudaMemcpyAsync(from, to, PIECE * sizeof(float), cudaMemcpyDeviceToHost, on));
	}
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < streams; i++)
		CHECK(cudaStreamDestroy(stream[i]));
	CHECK(cudaFree(device));
	printf("%d pieces on %d streams\n", PIECES, streams);
	return 0;
}
