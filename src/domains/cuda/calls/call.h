/* SPDX-License-Identifier: MIT */
/* One call of an API function, as CUPTI's callback hands it over, and its record.
 *
 * Any of the callback's pointers may be NULL: a function without arguments has none, one
 * that returns no status (CUDA_NO_STATUS) has no result, or one of another type and size. */
#ifndef TANDEM_DOMAINS_CUDA_CALLS_CALL_H
#define TANDEM_DOMAINS_CUDA_CALLS_CALL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/call/call.h"
#include "domains/cuda/api.h"
#include "domains/cuda/cupti/cupti.h"

/* Begins the record, by the tables of gen/api.c. */
void cuda_call_begin(struct tandem_call *call, const struct cuda_api *api,
		     const struct cupti_call *data);

/* Streams that are being captured into a graph: calls on them make no operations. */
extern _Atomic uint32_t cuda_captures;

/* Whether an API function that returns a status said that it did what was asked. */
static inline bool cuda_call_succeeded(const struct cupti_call *data)
{
	const int32_t *status = data->result;

	return status && !*status;
}

/* An argument of the call at `offset` of its arguments. */
#define CUDA_ARGUMENT(call, type, offset) \
	(*(const type *)((const uint8_t *)(call)->arguments + (offset)))

#endif
