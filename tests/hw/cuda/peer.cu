/* SPDX-License-Identifier: MIT */
// Two devices: a kernel on each, copies between them with and without peer access.
#include "common.h"

int main()
{
	const size_t bytes = 1 << 24;
	int devices, access;
	char *data[2];

	CHECK(cudaGetDeviceCount(&devices));
	if (devices < 2) {
		printf("skipped: one device only\n");
		return 77;
	}
	for (int i = 0; i < 2; i++) {
		CHECK(cudaSetDevice(i));
		CHECK(cudaMalloc(&data[i], bytes));
		nothing<<<1, 32>>>();
	}
	CHECK(cudaMemcpyPeer(data[1], 1, data[0], 0, bytes));
	CHECK(cudaDeviceCanAccessPeer(&access, 1, 0));
	if (access) {
		CHECK(cudaDeviceEnablePeerAccess(0, 0));
		CHECK(cudaMemcpyPeer(data[1], 1, data[0], 0, bytes));
	}
	for (int i = 0; i < 2; i++) {
		CHECK(cudaSetDevice(i));
		CHECK(cudaDeviceSynchronize());
	}
	expect("kernels", 2);
	expect("devices", 2);
	expect("some:copy_d2d", 1);
	return 0;
}
