/* SPDX-License-Identifier: MIT */
// Two streams whose kernels and copies overlap, an event between them, every kind
// of copy and fill, and allocations of every kind.
#include <cstring>

#include "common.h"

int main()
{
	const size_t bytes = 1 << 22;
	const int count = (int)(bytes / sizeof(float));
	float *device[2], *pinned, *pageable = (float *)malloc(bytes);
	cudaStream_t streams[2];
	cudaEvent_t between;
	cudaArray_t array;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();

	memset(pageable, 0, bytes);
	for (int i = 0; i < 2; i++) {
		CHECK(cudaMalloc(&device[i], bytes));
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
	}
	CHECK(cudaHostAlloc(&pinned, bytes, cudaHostAllocDefault));
	CHECK(cudaEventCreateWithFlags(&between, cudaEventDisableTiming));
	CHECK(cudaMallocArray(&array, &format, 256, 256));

	for (int i = 0; i < 10; i++)
		for (int s = 0; s < 2; s++)
			spin<<<4, 64, 0, streams[s]>>>(200000);
	for (int i = 0; i < 5; i++) {
		CHECK(cudaMemcpyAsync(device[0], pinned, bytes, cudaMemcpyHostToDevice, streams[0]));
		add<<<(unsigned)(count + 255) / 256, 256, 1024, streams[0]>>>(device[0], count, 1);
		CHECK(cudaEventRecord(between, streams[0]));
		CHECK(cudaStreamWaitEvent(streams[1], between, 0));
		CHECK(cudaMemcpyAsync(device[1], device[0], bytes, cudaMemcpyDeviceToDevice, streams[1]));
		CHECK(cudaMemcpyAsync(pinned, device[1], bytes, cudaMemcpyDeviceToHost, streams[1]));
		CHECK(cudaMemsetAsync(device[0], 0, bytes, streams[0]));
		CHECK(cudaStreamSynchronize(streams[1]));
	}
	CHECK(cudaMemcpy(device[0], pageable, bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(pageable, device[0], bytes, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy2DToArray(array, 0, 0, pinned, 1024, 1024, 256, cudaMemcpyHostToDevice));
	CHECK(cudaDeviceSynchronize());

	CHECK(cudaFreeArray(array));
	CHECK(cudaFreeHost(pinned));
	for (int i = 0; i < 2; i++) {
		CHECK(cudaFree(device[i]));
		CHECK(cudaStreamDestroy(streams[i]));
	}
	expect("kernels", 20 + 5);
	expect("copy_h2d", 5 + 2);
	expect("copy_d2h", 5 + 1);
	expect("copy_d2d", 5);
	expect("fill", 5);
	expect("bytes:copy_d2d", 5 * (long long)bytes);
	expect("bytes:fill", 5 * (long long)bytes);
	expect("allocated", 4);
	expect("freed", 4);
	expect("calls:cudaStreamWaitEvent", 5);
	expect("calls:cudaStreamSynchronize", 5);
	free(pageable);
	return 0;
}
