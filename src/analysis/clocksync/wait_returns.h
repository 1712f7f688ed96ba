/* SPDX-License-Identifier: MIT */
/* When waiting calls returned, by the queue that they waited for: what was enqueued
 * there before such a call began had ended when it returned. For a pass that wants a
 * good sample: the latest of each queue are known. One thread.
 *
 *	wait_returns_call(&wait_returns, event, one_device);  each wait, in the order of time
 *	if (wait_returns_find(&wait_returns, process, queue, enqueued_ns, &returned_ns))
 *		...
 *	wait_returns_free(&wait_returns);
 */
#ifndef TANDEM_ANALYSIS_CLOCKSYNC_WAIT_RETURNS_H
#define TANDEM_ANALYSIS_CLOCKSYNC_WAIT_RETURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "util/map.h"

#define WAIT_RETURNS_LATEST 1024u

struct wait_returns_span {
	int64_t begin_ns, end_ns;
};

struct wait_returns_queue {
	struct wait_returns_span *spans; /* a ring, once it has its full size */
	size_t capacity;
	uint32_t count;
};

struct wait_returns {
	struct wait_returns_queue *queues;
	size_t queue_count, queue_capacity;
	struct map queue_of; /* process and number -> queue */
};

/* Waits for a whole device count only where `one_device` says that the process has
 * no other: the call does not name it. Returns 0 or -ENOMEM. */
int wait_returns_call(struct wait_returns *wait_returns, const struct trace_event *event,
		      bool one_device);

/* The end of the first known wait that began at `from_ns` or later. */
bool wait_returns_find(const struct wait_returns *wait_returns, uint32_t process, uint32_t queue,
		       int64_t from_ns, int64_t *end_ns);

void wait_returns_free(struct wait_returns *wait_returns);

#endif
