/* What happened, in the order in which it happened, as plain events: each call's
 * begin and end, and each command's four device times at their own places among
 * them. A chronicle (chronicle.h) for whoever wants nothing else of an event. One
 * thread.
 *
 *	timeline_open(&timeline, &walk, take_event, context);
 *	while (walk_next(&walk, &item) > 0)
 *		timeline_item(&timeline, item);
 *	timeline_finish(&timeline);
 *	timeline_close(&timeline);
 */
#ifndef TANDEM_ANALYSIS_EVENTS_EVENT_SEQUENCE_H
#define TANDEM_ANALYSIS_EVENTS_EVENT_SEQUENCE_H

#include "analysis/events/ordered_events.h"

enum timeline_kind {
	TIMELINE_CALL_BEGIN,
	TIMELINE_CALL_END,
	TIMELINE_QUEUED,
	TIMELINE_SUBMITTED,
	TIMELINE_START,
	TIMELINE_END,
};

struct timeline_event {
	enum timeline_kind kind;
	int64_t ns; /* CLOCK_MONOTONIC */

	uint32_t process; /* index in the session */
	uint32_t stream;  /* of the call; of a command its call's, or TRACE_NONE */
	uint64_t call;	  /* number of the call; of a command its call's, or 0 */
	uint64_t op;	  /* of an enqueue or a command; else 0 */

	/* Of a call. */
	const struct tandem_event *api;
	bool blocking; /* it waits for the device before it returns */
	int64_t other_ns; /* its end, at the begin; its begin, at the end */

	/* Of a command. */
	uint32_t device, queue; /* row of devices; number in the process */
	uint32_t context;	/* number in the process, 0: not known */
	uint8_t command_kind;	/* enum tandem_operation_kind */
	const char *name;
	uint64_t bytes, duration_ns, bound_ns;
};

/* Takes the next event, borrowed. Returns 0, or an error that comes back. */
typedef int timeline_take(void *context, const struct timeline_event *event);

struct timeline {
	struct chronicle chronicle;
	timeline_take *take;
	void *context;
};

/* Returns 0 or -ENOMEM; on error there is nothing to close. The timeline may not
 * move. */
int timeline_open(struct timeline *timeline, struct walk *walk, timeline_take *take,
		  void *context);

/* Takes the walk's next item. Calls that never returned have no end; commands
 * without device times are not there. Returns 0, -ENOMEM, an error of the files,
 * or what `take` returned. */
int timeline_item(struct timeline *timeline, const struct walk_item *item);

/* Hands out the rest. Returns as timeline_item(). */
int timeline_finish(struct timeline *timeline);

void timeline_close(struct timeline *timeline);

/* Whether the call comes back only when the device has done something. */
bool timeline_call_blocks(const struct trace_event *event);

#endif
