/* SPDX-License-Identifier: MIT */
#include "domains/cuda/calls/content.h"

#include "core/call/content.h"
#include "core/control.h"
#include "domains/cuda/calls/call.h"
#include "domains/cuda/cupti/driver.h"
#include "domains/cuda/operation_id.h"
#include "domains/cuda/state.h"

enum { TO_DEVICE = 1, TO_HOST = 2 }; /* cudaMemcpyKind */

/* Of cudaMemcpy(), cuMemcpyHtoD_v2(), cuMemcpyDtoH_v2() and the first two's asynchronous ones. */
struct transfer {
	const void *to, *from;
	uint64_t bytes;
	int32_t kind; /* the runtime's only */
};

/* What is captured into a graph moves nothing yet. */
static bool is_looked_at(const struct cupti_call *data, const struct transfer *transfer)
{
	return tandem_control.args_level == TANDEM_ARGS_FULL && transfer &&
	       transfer->bytes >= CONTENT_LEAST && cuda_call_succeeded(data) && cuda_recording() &&
	       cuda_wanted(TANDEM_CUDA_kernels) &&
	       !atomic_load_explicit(&cuda_captures, memory_order_relaxed);
}

void cuda_content(const struct cupti_call *data, bool runtime)
{
	const struct transfer *transfer = data->arguments;

	if (is_looked_at(data, transfer) && (!runtime || transfer->kind == TO_DEVICE) &&
	    cuda_driver_is_host_memory(transfer->from))
		tandem_content_record(cuda_operation_id(data->correlation), transfer->from, 0,
				      transfer->bytes);
}

void cuda_content_read(const struct cupti_call *data, bool runtime)
{
	const struct transfer *transfer = data->arguments;

	if (is_looked_at(data, transfer) && (!runtime || transfer->kind == TO_HOST) &&
	    cuda_driver_is_host_memory(transfer->to))
		tandem_content_read_record(cuda_operation_id(data->correlation), transfer->to, 0,
					   transfer->bytes);
}
