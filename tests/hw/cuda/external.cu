/* SPDX-License-Identifier: MIT */
// Numbers of the program's own for what it launches, pushed by CUPTI's interface
// for external correlation, as frameworks do.
#include <cupti.h>

#include "common.h"

int main()
{
	uint64_t last;
	char *data;

	for (uint64_t step = 1; step <= 5; step++) {
		cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0,
						       step * 100);
		nothing<<<1, 32>>>();
		nothing<<<1, 32>>>();
		cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last);
	}
	CHECK(cudaMalloc(&data, 64));
	cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 600);
	CHECK(cudaMemset(data, 0, 64));
	cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last);
	nothing<<<1, 32>>>();
	CHECK(cudaDeviceSynchronize());
	expect("kernels", 11);
	expect("fill", 1);
	expect("external", 11);
	return last == 600 ? 0 : 1;
}
