/* SPDX-License-Identifier: MIT */
#include "domains/cuda/calls/content.h"

#include "core/call/content.h"
#include "core/control.h"
#include "domains/cuda/calls/call.h"
#include "domains/cuda/cupti/driver.h"
#include "domains/cuda/operation_id.h"
#include "domains/cuda/state.h"

#define TO_DEVICE 1 /* enum cudaMemcpyKind: cudaMemcpyHostToDevice */

/* Of cudaMemcpy(), cuMemcpyHtoD_v2() and both functions' asynchronous ones. */
struct transfer {
	const void *to, *from;
	uint64_t bytes;
	int32_t kind; /* the runtime's only */
};

void cuda_content(const struct cupti_call *data, bool runtime)
{
	const struct transfer *transfer = data->arguments;

	/* What is captured into a graph moves nothing yet. */
	if (tandem_control.args_level != TANDEM_ARGS_FULL || !transfer || !transfer->bytes ||
	    (runtime && transfer->kind != TO_DEVICE) || !cuda_call_succeeded(data) ||
	    !cuda_recording() || !cuda_wanted(TANDEM_CUDA_kernels) ||
	    atomic_load_explicit(&cuda_captures, memory_order_relaxed) ||
	    transfer->bytes < CONTENT_LEAST || !cuda_driver_is_host_memory(transfer->from))
		return;
	tandem_content_record(cuda_operation_id(data->correlation), transfer->from, 0,
			      transfer->bytes);
}
