/* SPDX-License-Identifier: MIT */
/* Goes once through a session in the order of time and hands out every event
 * with all that is known of it: calls with a number, operations together with the
 * call that enqueued them and placed on the host's clock, allocations with what
 * is in use then. This is what reports, findings, exports and the index of the view
 * are made of.
 *
 *	struct event_iterator iterator;
 *	const struct event_item *item;
 *
 *	if (event_iterator_open(&iterator, &session, NULL))
 *		return -ENOMEM;
 *	while ((status = event_iterator_next(&iterator, &item)) > 0)
 *		if (item->kind == ITEM_OPERATION)
 *			puts(item->operation.name);
 *	event_iterator_close(&iterator);
 *
 * To place operations, opening reads the traced processes' streams once before, for
 * the devices' clocks. Items come in the order in which their records were written: an
 * operation when its end was seen. Memory grows with objects and operations in flight,
 * not with the trace. Borrows the session; items live until the next one. One thread; of a
 * long session another one reads ahead (trace/ahead.h). An open iterator may not move.
 */
#ifndef TANDEM_ANALYSIS_EVENTS_EVENT_ITERATOR_H
#define TANDEM_ANALYSIS_EVENTS_EVENT_ITERATOR_H

#include "analysis/clocksync/clock_sync.h"
#include "analysis/events/progress.h"
#include "analysis/operations/memory.h"
#include "analysis/operations/operation_matcher.h"
#include "analysis/operations/transfer_directions.h"
#include "analysis/sched/engines.h"
#include "analysis/tasks/tasks.h"
#include "trace/ahead.h"

enum event_item_kind {
	ITEM_CALL,	 /* an API call, at its begin */
	ITEM_OPERATION,	 /* an operation whose end was seen */
	ITEM_UNFINISHED, /* one whose end never was; these come last */
	ITEM_MEMORY,	 /* an allocation or a free: memory */
	ITEM_BUILD,
	ITEM_OBJECT, /* a description */
	ITEM_LOST,
	ITEM_ENGINES, /* what GPU engines hold has changed: engines */
	ITEM_OTHER,
};

#define ITEM_KINDS (ITEM_OTHER + 1)

struct event_item {
	enum event_item_kind kind;
	bool system;			 /* the operating system recorded it */
	const struct trace_event *event; /* NULL of ITEM_UNFINISHED */
	/* Of a call: its number in the session, from 1. Of other records: that of
	 * the latest call of the same thread, 0: none. */
	uint64_t call;
	int64_t end_ns; /* when the call returned; INT64_MIN: it has not */
	/* Of a build, a page fault or a link: row of the device; TRACE_NONE: it says none. */
	uint32_t device;
	struct operation operation;
	/* Row of iterator->memory that changed, and bytes in use there now; row is
	 * TRACE_NONE where the record changes nothing. */
	uint32_t memory_row;
	uint64_t memory_live_bytes;
	/* Indices in iterator->engines.engines of those whose content changed. */
	const uint32_t *engines;
	size_t engine_count;
};

/* What costs time and not everybody wants. */
enum event_iterator_flags {
	EVENT_PLACED = 1,	/* operations have their times on the host's clock */
	EVENT_LAUNCH_SIZES = 2, /* they have `size` */
	EVENT_ENGINES = 4,	/* items have `engines` */
	EVENT_HOST_BOUNDS = 8,	/* clock_sync has host_bounds */
	EVENT_ALL = EVENT_PLACED | EVENT_LAUNCH_SIZES | EVENT_ENGINES,
};

struct event_iterator {
	struct trace_session *session; /* borrowed */
	unsigned flags;
	struct devices devices;
	struct clock_sync clock_sync; /* without EVENT_PLACED it is finished by the caller */
	struct operation_matcher matcher;
	struct memory memory;
	struct transfer_directions directions;
	struct tasks tasks;
	struct engines engines;
	uint32_t *changed; /* of the engines, by this event */
	size_t change_count, change_capacity;
	struct arena arena;   /* of the devices' names */
	uint64_t *last_calls; /* by stream: number of its latest call */
	uint64_t calls, events;
	struct trace_ahead ahead;
	const struct progress *progress;
	struct event_item item;
};

/* Of a call. */
static inline int64_t event_item_end_ns(const struct trace_event *event)
{
	return event->end_ticks ? event->end_ns : INT64_MIN;
}

/* `progress` may be NULL; it has word of all that is read. Returns 0 or -ENOMEM; on
 * error there is nothing to close. */
int event_iterator_open(struct event_iterator *iterator, struct trace_session *session,
			const struct progress *progress);

/* The same with chosen flags: event_iterator_open() has EVENT_ALL. */
int event_iterator_open_with(struct event_iterator *iterator, struct trace_session *session,
			     unsigned flags, const struct progress *progress);

/* Makes the item of any event. Returns 0 or -ENOMEM. */
int event_iterator_take(struct event_iterator *iterator, const struct trace_event *event);

/* The same as event_iterator_next(), when all events were handed out. */
int event_iterator_unfinished(struct event_iterator *iterator);

void event_iterator_progress(struct event_iterator *iterator);

/* Returns 1 and the next item, 0 at the end, or -ENOMEM. Inline, as most events are calls of
 * which nothing but the number is to be noted. */
static inline int event_iterator_next(struct event_iterator *iterator,
				      const struct event_item **item)
{
	struct event_item *taken = &iterator->item;
	const struct trace_event *event;
	int status = trace_ahead_next(&iterator->ahead, &event);

	*item = taken;
	if (__builtin_expect(status <= 0, 0))
		return status ? status : event_iterator_unfinished(iterator);
	taken->event = event;
	if (__builtin_expect(!(++iterator->events & (PROGRESS_EVENTS - 1)), 0))
		event_iterator_progress(iterator);
	if (!event->layout->is_plain) {
		status = event_iterator_take(iterator, event);
		return status ? status : 1;
	}
	taken->kind = ITEM_CALL;
	taken->system = false;
	taken->call = ++iterator->calls;
	taken->end_ns = event_item_end_ns(event);
	iterator->last_calls[event->stream->index] = taken->call;
	return 1;
}

/* The place in the program whose task the operation is of; NULL: none, or not known. */
static inline const struct task_construct *
event_iterator_construct(const struct event_iterator *iterator, const struct operation *operation)
{
	return tasks_construct(&iterator->tasks, operation->process, operation->node);
}

/* The edge of a task graph that the event makes, between nodes that did the work as far as
 * they are known. False: it makes none. */
bool event_iterator_edge(const struct event_iterator *iterator, const struct trace_event *event,
			 struct task_edge *edge);

/* A device as it is shown everywhere: its name, " #2" behind where several have
 * the same. Belongs to the iterator. */
const char *event_iterator_device_name(struct event_iterator *iterator, uint32_t device);

void event_iterator_close(struct event_iterator *iterator);

#endif
