/* SPDX-License-Identifier: MIT */
// Managed memory that moves to the device and back: migrations and faults.
#include "common.h"

int main()
{
	const int count = 1 << 20;
	float *data, sum = 0;

	CHECK(cudaMallocManaged(&data, count * sizeof(float)));
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < count; i++)
			data[i] = 1;
		add<<<count / 256, 256>>>(data, count, 1);
		CHECK(cudaDeviceSynchronize());
		for (int i = 0; i < count; i++)
			sum += data[i];
	}
	CHECK(cudaFree(data));
	expect("kernels", 3);
	expect("some:migrate", 1);
	expect("some:fault", 1);
	return sum > 0 ? 0 : 1;
}
