/* SPDX-License-Identifier: MIT */
// Copies from and to pinned, pageable and registered memory, each kind so many
// times: which is which must stand in the records, and so must who waited.
#include <vector>

#include "common.h"

int main()
{
	const size_t bytes = 1 << 20;
	std::vector<char> pageable(bytes), registered(bytes);
	char *pinned, *device, *pooled;
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&device, bytes));
	CHECK(cudaMallocAsync(&pooled, bytes, stream));
	CHECK(cudaMallocHost(&pinned, bytes));
	CHECK(cudaHostRegister(registered.data(), bytes, cudaHostRegisterDefault));
	for (int i = 0; i < 10; i++) {
		CHECK(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, stream));
		CHECK(cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaMemcpyAsync(device, registered.data(), bytes, cudaMemcpyHostToDevice, stream));
		CHECK(cudaMemcpyAsync(device, pageable.data(), bytes, cudaMemcpyHostToDevice, stream));
		CHECK(cudaMemcpyAsync(pooled, device, bytes, cudaMemcpyDeviceToDevice, stream));
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaMemcpy(pageable.data(), device, bytes, cudaMemcpyDeviceToHost));
	}
	CHECK(cudaHostUnregister(registered.data()));
	CHECK(cudaFreeAsync(pooled, stream));
	CHECK(cudaFreeHost(pinned));
	CHECK(cudaFree(device));
	CHECK(cudaDeviceSynchronize());
	expect("copy_h2d", 30);
	expect("copy_d2h", 20);
	expect("copy_d2d", 10);
	expect("bytes:copy_h2d", 30 * (long long)bytes);
	expect("route:pinned>device", 20);
	expect("route:pageable>device", 10);
	expect("route:device>pinned", 10);
	expect("route:device>pageable", 10);
	expect("route:device>device", 10);
	expect("allocated", 4);
	expect("freed", 4);
	return 0;
}
