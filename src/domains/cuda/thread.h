/* SPDX-License-Identifier: MIT */
/* What one thread has of CUDA: its calls under way, and its latest stream. Only its own
 * thread touches it. */
#ifndef TANDEM_DOMAINS_CUDA_THREAD_H
#define TANDEM_DOMAINS_CUDA_THREAD_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/call/call.h"

#define CUDA_NEST 8u

struct cuda_open_call {
	struct tandem_call call;
	uint32_t correlation;
	uint32_t generation; /* of the subscription: an exit may never be delivered */
	bool runtime;
	bool has_status;  /* the function returns one */
	uint16_t content; /* flags of CUDA_CONTENTS */
};

struct cuda_thread {
	uint32_t in_tool; /* calls of our own under way: they are not traced */
	int saved_errno;  /* when the first began: only such calls can change errno */
	uint32_t depth;
	struct cuda_open_call open[CUDA_NEST];
	const void *queue_handle; /* the latest stream: nearly always the next */
	uint32_t queue_context, queue_number;
	uint64_t queue_valid;
};

extern __thread struct cuda_thread cuda_thread __attribute__((tls_model("initial-exec")));

/* Around every call of ours into CUPTI or the driver. Nests. */
static inline void cuda_in_tool_begin(void)
{
	if (!cuda_thread.in_tool++)
		cuda_thread.saved_errno = errno;
}

static inline void cuda_in_tool_end(void)
{
	if (!--cuda_thread.in_tool)
		errno = cuda_thread.saved_errno;
}

#endif
