/* SPDX-License-Identifier: MIT */
/* What happened, in the order in which it happened, as plain events: each call's
 * begin and end, and each command's four device times at their own places among
 * them. A chronicle (chronicle.h) for whoever wants nothing else of an event. One
 * thread.
 *
 *	event_sequence_open(&sequence, &iterator, take_event, context);
 *	while (event_iterator_next(&iterator, &item) > 0)
 *		event_sequence_item(&sequence, item);
 *	event_sequence_finish(&sequence);
 *	event_sequence_close(&sequence);
 */
#ifndef TANDEM_ANALYSIS_EVENTS_EVENT_SEQUENCE_H
#define TANDEM_ANALYSIS_EVENTS_EVENT_SEQUENCE_H

#include <stddef.h>

#include "analysis/events/ordered_events.h"
#include "analysis/events/range.h"

enum sequence_event_kind {
	SEQUENCE_CALL_BEGIN = ORDERED_BEGIN,
	SEQUENCE_CALL_END = ORDERED_END,
	SEQUENCE_QUEUED = ORDERED_QUEUED,
	SEQUENCE_SUBMITTED = ORDERED_SUBMITTED,
	SEQUENCE_START = ORDERED_START,
	SEQUENCE_END = ORDERED_STOP,
	SEQUENCE_RECORD = ORDERED_RECORD, /* another record that somebody wanted: `wants` */
	SEQUENCE_KINDS,
};

/* What all have stands first, then what calls have: who passes one on needs no more of it. */
struct sequence_event {
	uint8_t kind;  /* enum sequence_event_kind */
	bool blocking; /* of a call: it waits for the device before it returns: */
	uint8_t wait;  /* enum tandem_wait_scope: for what; of a blocking enqueue `event` */
	uint8_t order; /* of a command's queue: enum queue_order */
	uint8_t operation_kind; /* of a command: enum tandem_operation_kind */
	uint32_t process;	/* index in the session */
	int64_t ns;		/* CLOCK_MONOTONIC */
	int64_t other_ns; /* its end, at the begin; its begin, at the end; of a command when it was queued */
	uint64_t call;	 /* number of the call; of a command its call's, or 0 */
	uint64_t op;	 /* of an enqueue or a command; else 0 */
	uint32_t stream; /* of the call; of a command its call's, or TRACE_NONE */
	uint32_t queue;	 /* number in the process, of a call too; 0: not known */

	/* Of a call. */
	const struct tandem_event *api;
	uint64_t waited_op; /* the operation, where it is a single one; else 0 */

	/* Of a command. */
	uint32_t device;  /* row of devices */
	uint32_t context; /* number in the process, 0: not known */
	const char *name;
	uint64_t bytes, duration_ns, bound_ns;

	/* Of a record: what `wants` made of it. */
	uint64_t tag;
};

/* Of a call: bytes of it that say something. */
#define SEQUENCE_CALL_BYTES offsetof(struct sequence_event, device)

/* Takes the next event, borrowed. Returns 0, or an error that comes back. */
typedef int event_sequence_consume(void *context, const struct sequence_event *event);

struct event_sequence {
	struct ordered_events ordered_events;
	event_sequence_consume *take;
	void *context;
	/* Whether a record that is no call and no command is to be handed out, at its place,
	 * with this tag; NULL, if not set: none is. Returns 1, 0 or -errno. */
	int (*wants)(void *context, const struct event_item *item, uint64_t *tag);
	struct range range;	    /* what is handed out (item_range.h): all, if not set */
	unsigned unwanted;	    /* bits 1 << kind: these are not handed out; none, if not set */
	struct sequence_event kept; /* what is kept of the item at hand */
};

/* Returns 0 or -ENOMEM; on error there is nothing to close. The timeline may not
 * move. */
int event_sequence_open(struct event_sequence *sequence, struct event_iterator *iterator,
			event_sequence_consume *take, void *context);

/* Takes the iterator's next item. Calls that never returned have no end; commands
 * without device times are not there. Returns 0, -ENOMEM, an error of the files,
 * or what `take` returned. */
int event_sequence_item(struct event_sequence *sequence, const struct event_item *item);

/* Hands out the rest. Returns as event_sequence_item(). */
int event_sequence_finish(struct event_sequence *sequence);

void event_sequence_close(struct event_sequence *sequence);

#endif
