/* Goes once through a session in the order of time and hands out every event
 * with all that is known of it: calls with a number, commands together with the
 * call that enqueued them and placed on the host's clock, allocations with what
 * is in use then. This is what exports and findings are made of.
 *
 *	struct walk walk;
 *	const struct walk_item *item;
 *
 *	if (walk_open(&walk, &session, NULL))
 *		return -ENOMEM;
 *	while ((status = walk_next(&walk, &item)) > 0)
 *		if (item->kind == WALK_COMMAND)
 *			puts(item->command.name);
 *	walk_close(&walk);
 *
 * Opening makes a pass of its own, for the clocks. Items come in the order in
 * which their records were written: a command when its end was seen. Memory
 * grows with objects and commands in flight, not with the trace. Borrows the
 * session; items live until the next one. One thread.
 */
#ifndef TANDEM_ANALYSIS_EVENTS_EVENT_ITERATOR_H
#define TANDEM_ANALYSIS_EVENTS_EVENT_ITERATOR_H

#include "analysis/clocksync/clock_sync.h"
#include "analysis/operations/memory.h"
#include "analysis/sched/engines.h"
#include "trace/merge.h"

enum walk_kind {
	WALK_CALL,	 /* an API call, at its begin */
	WALK_COMMAND,	 /* a command whose end was seen */
	WALK_UNFINISHED, /* one whose end never was; these come last */
	WALK_MEMORY,	 /* an allocation or a free: memory */
	WALK_BUILD,
	WALK_OBJECT, /* a description */
	WALK_LOST,
	WALK_ENGINES, /* what GPU engines hold has changed: engines */
	WALK_OTHER,
};

struct walk_item {
	enum walk_kind kind;
	const struct trace_event *event; /* NULL of WALK_UNFINISHED */
	/* Of a call: its number in the session, from 1. Of other records: that of
	 * the latest call of the same thread, 0: none. */
	uint64_t call;
	int64_t end_ns; /* when the call returned; INT64_MIN: it has not */
	struct command command;
	/* Row of walk->memory that changed, and bytes in use there now; row is
	 * TRACE_NONE where the record changes nothing. */
	uint32_t memory_row;
	uint64_t memory_live_bytes;
	/* Indices in walk->engines.engines of those whose content changed. */
	const uint32_t *engines;
	size_t engine_count;
};

struct walk {
	struct trace_session *session; /* borrowed */
	struct devices devices;
	struct align align;
	struct commands commands;
	struct memory memory;
	struct engines engines;
	uint32_t *changed; /* of the engines, by this event */
	size_t change_count, change_capacity;
	struct arena arena;   /* of the devices' names */
	uint64_t *last_calls; /* by stream: number of its latest call */
	uint64_t calls, events;
	struct trace_merge merge;
	bool merged; /* all events were handed out */
	size_t unfinished_at;
	const struct progress *progress;
	struct walk_item item;
};

/* `progress` may be NULL; it is told of both passes as one. Returns 0 or -ENOMEM;
 * on error there is nothing to close. */
int walk_open(struct walk *walk, struct trace_session *session, const struct progress *progress);

/* Returns 1 and the next item, 0 at the end, or -ENOMEM. */
int walk_next(struct walk *walk, const struct walk_item **item);

/* A device as it is shown everywhere: its name, " #2" behind where several have
 * the same. Belongs to the walk. */
const char *walk_device_name(struct walk *walk, uint32_t device);

void walk_close(struct walk *walk);

#endif
