/* SPDX-License-Identifier: MIT */
/* How a queue keeps the order with the others of its process (CUDA, HIP): no other domain has one that all
 * wait for. */
#ifndef TANDEM_ANALYSIS_OPERATIONS_QUEUE_ORDER_H
#define TANDEM_ANALYSIS_OPERATIONS_QUEUE_ORDER_H

#include <stdint.h>

#include "schema/traits.h"
#include "trace/objects.h"

/* Of the properties of CUDA's and HIP's queues. */
#define QUEUE_NON_BLOCKING 1u

enum queue_order {
	QUEUE_UNKNOWN,
	QUEUE_APART,	/* it waits for none, and none for it */
	QUEUE_BLOCKING, /* it waits for the default queue, and that for it */
	QUEUE_DEFAULT,
};

static inline enum queue_order queue_order(const struct trace_queue *queue)
{
	return queue->in_order == TANDEM_IN_ORDER_all	? QUEUE_DEFAULT
	       : queue->properties & QUEUE_NON_BLOCKING ? QUEUE_APART
							: QUEUE_BLOCKING;
}

#endif
