/* SPDX-License-Identifier: MIT */
// Adds two vectors on the device, the plain way: allocate, copy in, launch, copy out.
//
//	nvcc -o vector_add vector_add.cu
//	tandem record -o run1 ./vector_add && tandem report run1
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                    \
	do {                                                                           \
		cudaError_t failed = (call);                                           \
		if (failed != cudaSuccess) {                                           \
			fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(failed)); \
			exit(1);                                                       \
		}                                                                      \
	} while (0)

__global__ void add(const float *a, const float *b, float *sum, size_t count)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		sum[i] = a[i] + b[i];
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? strtoul(argv[1], nullptr, 0) : 1 << 20;
	size_t bytes = count * sizeof(float);
	std::vector<float> a(count, 1), b(count, 2), sum(count);
	float *device_a, *device_b, *device_sum;

	CHECK(cudaMalloc(&device_a, bytes));
	CHECK(cudaMalloc(&device_b, bytes));
	CHECK(cudaMalloc(&device_sum, bytes));
	CHECK(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice));
	add<<<(unsigned)((count + 255) / 256), 256>>>(device_a, device_b, device_sum, count);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(sum.data(), device_sum, bytes, cudaMemcpyDeviceToHost));
	CHECK(cudaFree(device_a));
	CHECK(cudaFree(device_b));
	CHECK(cudaFree(device_sum));
	for (size_t i = 0; i < count; i++)
		if (sum[i] != 3)
			return fprintf(stderr, "wrong at %zu\n", i), 1;
	printf("%zu sums are right\n", count);
	return 0;
}
