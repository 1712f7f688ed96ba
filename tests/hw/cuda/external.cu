// Numbers of the program's own for what it launches, pushed by CUPTI's interface
// for external correlation, as frameworks do.
#include <cupti.h>

#include "common.h"

int main()
{
	uint64_t last;

	for (uint64_t step = 1; step <= 5; step++) {
		cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0,
						       step * 100);
		nothing<<<1, 32>>>();
		nothing<<<1, 32>>>();
		cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last);
	}
	nothing<<<1, 32>>>();
	CHECK(cudaDeviceSynchronize());
	expect("kernels", 11);
	expect("external", 10);
	return last == 500 ? 0 : 1;
}
