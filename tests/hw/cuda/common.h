/* SPDX-License-Identifier: MIT */
/* What the programs here share: a check that names the call, a clock, and the
 * lines by which they say what a recording of them must hold:
 *
 *	expect kernels 12
 *
 * check.py compares these with the trace. */
#ifndef TANDEM_TESTS_HW_CUDA_COMMON_H
#define TANDEM_TESTS_HW_CUDA_COMMON_H

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <cuda.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                                   \
	do {                                                                          \
		cudaError_t failed_ = (call);                                         \
		if (failed_ != cudaSuccess) {                                         \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
				cudaGetErrorString(failed_));                         \
			exit(1);                                                      \
		}                                                                     \
	} while (0)

static inline double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static inline void expect(const char *what, long long number)
{
	printf("expect %s %lld\n", what, number);
	fflush(stdout);
}

/* Runs for so many cycles of the multiprocessor's clock. */
static __global__ void spin(long long cycles)
{
	long long begin = clock64();

	while (clock64() - begin < cycles)
		;
}

static __global__ void nothing(void)
{
}

static __global__ void add(float *data, int count, float value)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		data[i] += value;
}

#endif
