/* SPDX-License-Identifier: MIT */
/* The ranges and markers that a program puts around what it does (NVTX and its like),
 * each with the device operations that were enqueued inside of it. Fed with the items
 * of an event iterator; a range is handed out, once, when it has ended and all its
 * operations have.
 *
 *	static int take(void *user, const struct range_instance *range) {...}
 *
 *	ranges_init(&ranges, session, take, user);
 *	while (event_iterator_next(&iterator, &item) > 0)
 *		ranges_item(&ranges, item);
 *	ranges_finish(&ranges);
 *	ranges_free(&ranges);
 *
 * An operation belongs to every nested range that is open in the thread that enqueues it,
 * of any scope, and to every start-end range that is open in its process, whichever thread
 * enqueues. Memory grows with the ranges that are open or have operations in flight. One
 * thread.
 */
#ifndef TANDEM_ANALYSIS_RANGES_RANGES_H
#define TANDEM_ANALYSIS_RANGES_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/events/event_iterator.h"
#include "analysis/ranges/range_launches.h"
#include "analysis/ranges/range_open.h"
#include "util/map.h"

struct ranges {
	struct trace_session *session;	 /* borrowed */
	struct range_stream *streams;	 /* by index */
	struct range_process *processes; /* by index */
	struct map start_end;		 /* process and number -> the open range */
	struct range_launches launches;
	struct range_output output;
	uint64_t count; /* of ranges and markers so far */
	size_t open;	/* that have begun and not ended */
};

/* Returns 0 or -ENOMEM; on error there is nothing to free. */
int ranges_init(struct ranges *ranges, struct trace_session *session, ranges_emit *emit,
		void *user);

/* Takes the iterator's next item. Returns 0, -ENOMEM, or what `emit` returned. */
int ranges_call(struct ranges *ranges, const struct event_item *item);
int ranges_record(struct ranges *ranges, const struct trace_event *event);

static inline int ranges_item(struct ranges *ranges, const struct event_item *item)
{
	switch (item->kind) {
	case ITEM_CALL:
		return ranges->open && item->event->layout->op_offset ? ranges_call(ranges, item)
								      : 0;
	case ITEM_OPERATION:
	case ITEM_UNFINISHED:
		return ranges->launches.sets.count
			       ? range_launches_operation(&ranges->launches, &ranges->output,
							  &item->operation)
			       : 0;
	case ITEM_OTHER:
		return item->system ? 0 : ranges_record(ranges, item->event);
	default:
		return 0;
	}
}

/* No more items come: hands out the rest. Returns as ranges_item(). */
int ranges_finish(struct ranges *ranges);

void ranges_free(struct ranges *ranges);

#endif
