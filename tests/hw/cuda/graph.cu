/* SPDX-License-Identifier: MIT */
// A captured graph of two kernels, a copy and a fill, launched many times; another
// built by hand. Each node's operation must be there, launched by its graph.
#include "common.h"

int main(int argc, char **argv)
{
	long launches = argc > 1 ? atol(argv[1]) : 100;
	const int count = 8192;
	float *device, *host;
	cudaStream_t stream;
	cudaGraph_t graph, built;
	cudaGraphExec_t executable, other;
	cudaGraphNode_t node;
	cudaKernelNodeParams parameters = {};

	CHECK(cudaMalloc(&device, count * sizeof(float)));
	CHECK(cudaMallocHost(&host, count * sizeof(float)));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	add<<<32, 256, 0, stream>>>(device, count, 1);
	add<<<16, 512, 0, stream>>>(device, count, 2);
	CHECK(cudaMemcpyAsync(host, device, 4096, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaMemsetAsync(device, 0, 4096, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&executable, graph, 0));

	CHECK(cudaGraphCreate(&built, 0));
	parameters.func = (void *)nothing;
	parameters.gridDim = dim3(2);
	parameters.blockDim = dim3(32);
	CHECK(cudaGraphAddKernelNode(&node, built, nullptr, 0, &parameters));
	CHECK(cudaGraphInstantiate(&other, built, 0));

	for (long i = 0; i < launches; i++) {
		CHECK(cudaGraphLaunch(executable, stream));
		CHECK(cudaGraphLaunch(other, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(executable));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaGraphExecDestroy(other));
	CHECK(cudaGraphDestroy(built));
	expect("kernels", 3 * launches);
	expect("copy_d2h", launches);
	expect("fill", launches);
	expect("graph_operations", 5 * launches);
	expect("calls:cudaGraphLaunch", 2 * launches);
	return 0;
}
