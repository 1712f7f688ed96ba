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
#include "analysis/ranges/range_names.h"
#include "schema/gen/annotation_records.h"
#include "util/map.h"

/* What one device did of what was enqueued inside of a range. */
struct range_projection {
	uint32_t device; /* row of devices */
	uint64_t operations, kernels;
	uint64_t untimed; /* of the operations: not in the times */
	/* From the first operation's start to the last one's end: of placed operations
	 * (EVENT_PLACED) on CLOCK_MONOTONIC, else on the device's own clock. */
	int64_t begin_ns, end_ns;
	uint64_t executing_ns; /* sum of the executions */
};

struct range_instance {
	uint64_t number; /* in the session, from 1, in the order of begins */
	uint64_t parent; /* number of the nested range of the same scope around it; 0: none */
	enum tandem_annotation_kind kind;  /* nested, start_end; marker: begin_ns is its time */
	uint8_t source;			   /* enum tandem_annotation_interface */
	uint32_t process;		   /* index in the session */
	uint32_t stream;		   /* index of its thread's; of start-end: that began it */
	const struct trace_stream *thread; /* that stream */
	uint32_t depth;			   /* of nested ones: how many of its scope are around it */
	int64_t begin_ns, end_ns;	   /* CLOCK_MONOTONIC; end_ns INT64_MIN: not recorded */
	const char *name;		   /* NUL behind; may hold any bytes */
	size_t name_length;
	uint32_t scope; /* number of its domain (NVTX) in the process; 0: the program's own */
	const char *scope_name;	   /* "": of the program's own */
	const char *category_name; /* "": none, or the category's number has no name */
	uint32_t category, color;  /* ARGB; 0: none */
	uint8_t payload_type;	   /* enum tandem_annotation_payload */
	uint64_t payload;
	uint64_t operations, kernels; /* of all devices */
	uint64_t unfinished; /* operations whose end was not recorded: not in `operations` */
	const struct range_projection *projections;
	size_t projection_count;
};

/* Takes a range, borrowed. Returns 0, or an error that comes back. */
typedef int ranges_emit(void *user, const struct range_instance *range);

struct range_open;
struct range_stream;
struct range_process;
struct range_graph;

struct ranges {
	struct trace_session *session; /* borrowed */
	ranges_emit *emit;
	void *user;
	struct range_stream *streams;	 /* by index */
	struct range_process *processes; /* by index */
	struct map start_end;		 /* process and number -> the open range */
	struct map launches;		 /* call's number -> ranges that it was made in */
	struct range_names names;
	uint64_t count; /* of ranges and markers so far */
	size_t open;	/* that have begun and not ended */
	struct range_graph *oldest_graph, *latest_graph;
	uint64_t ended; /* operations, so far */
};

/* Returns 0 or -ENOMEM; on error there is nothing to free. */
int ranges_init(struct ranges *ranges, struct trace_session *session, ranges_emit *emit,
		void *user);

/* Takes the iterator's next item. Returns 0, -ENOMEM, or what `emit` returned. */
int ranges_call(struct ranges *ranges, const struct event_item *item);
int ranges_operation(struct ranges *ranges, const struct operation *operation);
int ranges_record(struct ranges *ranges, const struct trace_event *event);

static inline int ranges_item(struct ranges *ranges, const struct event_item *item)
{
	switch (item->kind) {
	case ITEM_CALL:
		return ranges->open && item->event->layout->op_offset ? ranges_call(ranges, item)
								      : 0;
	case ITEM_OPERATION:
	case ITEM_UNFINISHED:
		return ranges->launches.count ? ranges_operation(ranges, &item->operation) : 0;
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
