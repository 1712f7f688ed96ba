/* SPDX-License-Identifier: MIT */
// Launches that fail at once, and a kernel that crashes: what was recorded before
// stands, and the failed calls are there with their errors.
#include "common.h"

static __global__ void crash(int *nowhere)
{
	*nowhere = 1;
}

int main()
{
	int *nowhere = (int *)16;

	nothing<<<1, 32>>>();
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 3; i++)
		nothing<<<1, 4096>>>(); // too many threads
	if (cudaGetLastError() == cudaSuccess)
		return 1;
	crash<<<1, 1>>>(nowhere);
	if (cudaDeviceSynchronize() == cudaSuccess)
		return 1;
	nothing<<<1, 32>>>();
	expect("some:kernels", 1);
	expect("failed:cudaLaunchKernel", 4);
	expect("failed:cudaDeviceSynchronize", 1);
	return 0;
}
