/* SPDX-License-Identifier: MIT */
/* Operations of the runtime below by the events that the SYCL runtime hands over: the earlier
 * generation gives the event itself, the later one an object of its adapter whose second word
 * it is (doc/SYCL.md). Which of the two it is decides the table of operations alone. */
#ifndef TANDEM_DOMAINS_SYCL_OPERATION_H
#define TANDEM_DOMAINS_SYCL_OPERATION_H

#include <stdint.h>

#include "core/object.h"

/* `handle` is alive, or NULL: 0. TANDEM_OP_UNKNOWN: no operation that was recorded. */
static inline uint64_t sycl_operation_of(const void *handle)
{
	uint64_t op = tandem_event_op(TANDEM_KIND(opencl, event), handle);

	if (op == TANDEM_OP_UNKNOWN)
		op = tandem_event_op(TANDEM_KIND(opencl, event), ((void *const *)handle)[1]);
	return handle && !op ? TANDEM_OP_UNKNOWN : op;
}

#endif
