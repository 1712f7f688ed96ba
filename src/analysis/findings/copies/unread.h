/* SPDX-License-Identifier: MIT */
/* Transfers to the host of which it had no time to look at a half, before the next one came to the same
 * host memory: a result among much that nobody needs. What a thread does outside of calls, waits for other
 * threads and for files included, is its time for that. Only where the host's memory is recorded
 * (transfer_ends.h), and not of what went on to a device from there. One thread.
 *
 *	struct unread unread = {0};
 *	unread_begin(&unread, session);
 *	unread_call(&unread, item);			each call
 *	unread_recorded(&unread, event);		each record of a content, which took time as well
 *	earlier = unread_transfer(&unread, operation, &taken);	each transfer, as its end is seen
 *	unread_free(&unread);
 *
 * Memory is bounded: of each thread the latest transfers are remembered. */
#ifndef TANDEM_ANALYSIS_FINDINGS_COPIES_UNREAD_H
#define TANDEM_ANALYSIS_FINDINGS_COPIES_UNREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/events/event_iterator.h"

struct unread_taken { /* by a transfer to the host */
	uint32_t row; /* of its buffer (buffers.h) */
	uint64_t bytes, ns, moved_ns;
	uint16_t api;
	bool counted; /* it is, whether it was looked at or not */
};

struct unread {
	struct unread_thread *threads; /* by stream */
	size_t count;
};

/* Return 0 or -ENOMEM; then unread_free() is called as well. */
int unread_begin(struct unread *unread, const struct trace_session *session);
int unread_call(struct unread *unread, const struct event_item *item);
void unread_recorded(struct unread *unread, const struct trace_event *event);

/* What the read before it took that came to the same memory, where nobody had time to look at it: valid
 * until the next call. Else NULL. */
const struct unread_taken *unread_transfer(struct unread *unread, const struct operation *operation,
					   const struct unread_taken *taken);

void unread_free(struct unread *unread);

#endif
