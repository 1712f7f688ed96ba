/* SPDX-License-Identifier: MIT */
// Many small kernels: launched one by one, then as a graph. In the report the launches
// of the second half cost a fraction, and every kernel of the graph is still there.
//
//	nvcc -o graph graph.cu
//	tandem record -o run1 ./graph && tandem report run1
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                    \
	do {                                                                           \
		cudaError_t failed = (call);                                           \
		if (failed != cudaSuccess) {                                           \
			fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(failed)); \
			exit(1);                                                       \
		}                                                                      \
	} while (0)

enum { KERNELS = 20, ROUNDS = 500, COUNT = 1 << 14 };

__global__ void step(float *data)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	data[i] = data[i] * 0.5f + 1;
}

static void steps(float *data, cudaStream_t stream)
{
	for (int i = 0; i < KERNELS; i++)
		step<<<COUNT / 256, 256, 0, stream>>>(data);
}

int main()
{
	cudaGraphExec_t executable;
	cudaGraph_t graph;
	cudaStream_t stream;
	float *data;

	CHECK(cudaMalloc(&data, COUNT * sizeof(float)));
	CHECK(cudaMemset(data, 0, COUNT * sizeof(float)));
	CHECK(cudaStreamCreate(&stream));
	for (int round = 0; round < ROUNDS; round++)
		steps(data, stream);
	CHECK(cudaStreamSynchronize(stream));

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	steps(data, stream);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&executable, graph, 0));
	for (int round = 0; round < ROUNDS; round++)
		CHECK(cudaGraphLaunch(executable, stream));
	CHECK(cudaStreamSynchronize(stream));
	printf("%d launches, then %d of a graph of %d\n", ROUNDS * KERNELS, ROUNDS, KERNELS);
	CHECK(cudaGraphExecDestroy(executable));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(data));
	return 0;
}
