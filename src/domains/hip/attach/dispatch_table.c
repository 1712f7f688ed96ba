/* SPDX-License-Identifier: MIT */
#include "domains/hip/attach/dispatch_table.h"

#include <string.h>

#include "domains/hip/calls/thread.h"
#include "domains/hip/functions.h"
#include "domains/hip/wrappers.h"

void (*hip_reals[HIP_REALS])(void);

/* The first word of a table is its size in bytes: an older runtime has less, a newer one
 * more than this tandem knows. */
uint32_t hip_dispatch_table_wrap(void *table, bool compiler)
{
	const struct hip_wrapper *wrapper = compiler ? hip_wrappers_compiler : hip_wrappers_runtime;
	uint32_t count = compiler ? hip_wrapper_count_compiler : hip_wrapper_count_runtime;
	uint64_t *words = table;
	uint64_t size = words[0] / sizeof(*words);

	for (uint32_t i = 0; i < count; i++, wrapper++) {
		if (wrapper->place >= size || !words[wrapper->place] ||
		    hip_reals[wrapper->function])
			continue;
		memcpy(&hip_reals[wrapper->function], &words[wrapper->place], sizeof(*words));
		memcpy(&words[wrapper->place], &wrapper->wrapper, sizeof(*words));
	}
	wrapper--;
	return size > wrapper->place + 1u ? (uint32_t)(size - wrapper->place - 1) : 0;
}

void hip_wrapped_begin(struct hip_call *call, uint32_t function, const void *arguments)
{
	struct hip_thread *thread = &hip_thread;

	call->operation = thread->operation;
	call->frame = call;
	if (!hip_call_prepare(call, function, false))
		return;
	thread->operation = call->op;
	hip_call_record(call, arguments);
}

void hip_wrapped_end(struct hip_call *call, const void *arguments, int32_t status)
{
	hip_thread.operation = call->operation;
	hip_call_end(call, arguments, status);
}
