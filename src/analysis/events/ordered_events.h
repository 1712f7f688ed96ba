/* SPDX-License-Identifier: MIT */
/* The events of a session in their true order: a call's begin and its end, and a
 * command's four times, each at its own place (order.h). What is kept of an event
 * until its turn comes is up to the user: bytes, made while it can be looked at,
 * and handed back when nothing earlier can come any more.
 *
 *	static const struct ordered_events_ops ops = {.keep = keep_line, .take = print_line};
 *
 *	ordered_events_open(&ordered_events, &iterator, &ops, user);
 *	while ((status = event_iterator_next(&iterator, &item)) > 0)
 *		ordered_events_add(&ordered_events, item);
 *	ordered_events_finish(&ordered_events);
 *	ordered_events_close(&ordered_events);
 *
 * Memory grows with what happens while a command is in flight; beyond
 * REORDER_DEFAULTS it goes to files in $TMPDIR. Commands that never ended hold the
 * others until their process is over. One thread.
 */
#ifndef TANDEM_ANALYSIS_EVENTS_ORDERED_EVENTS_H
#define TANDEM_ANALYSIS_EVENTS_ORDERED_EVENTS_H

#include "analysis/events/event_iterator.h"
#include "analysis/events/reorder/buffer.h"
#include "util/text.h"

enum ordered_event_kind {
	ORDERED_BEGIN, /* a call began */
	ORDERED_END,   /* ... and returned */
	/* A command: the item's, with its times. */
	ORDERED_QUEUED,
	ORDERED_SUBMITTED,
	ORDERED_START,
	ORDERED_STOP,
	/* A record of its own time; also a command that has no times, when its end
	 * was seen. */
	ORDERED_RECORD,
};

/* What is kept of all turns of an item. */
struct ordered_kept {
	const void *bytes; /* the user's, until it is asked again */
	uint32_t length;
	unsigned turns; /* bits 1 << kind: at these it is handed back */
};

struct ordered_events_ops {
	/* Writes into `kept` (empty) what is wanted of the event when its turn
	 * comes; if that is nothing, it has no turn. Returns 0 or -errno. */
	int (*keep)(void *user, enum ordered_event_kind kind, int64_t time_ns,
		    const struct event_item *item, struct text *kept);
	/* In place of `keep`: what is wanted at all turns of an item, once. `kept` is {0}, for
	 * none. Returns 0 or -errno. */
	int (*keep_once)(void *user, const struct event_item *item, struct ordered_kept *kept);
	/* Its turn: event->kind is the chronicle's, ->payload what was kept, ->op
	 * of calls the call's number. Returns 0, or what the function that led here
	 * is to return. */
	reorder_emit *take;
};

struct ordered_events {
	struct event_iterator *iterator; /* borrowed */
	const struct ordered_events_ops *ops;
	void *user;
	struct reorder_buffer *reorder_buffer;
	struct text kept, turns; /* of one turn; of those of an item, one behind the other */
	bool *over;		 /* by process: its commands were given up */
	size_t processes_over;
	/* An event has its turn so long after its time at the earliest, by the time of the items: who learns
	 * of it from records behind it has them by then. 0, if not set. */
	int64_t lag_ns;
};

/* Returns 0 or -ENOMEM; on error there is nothing to close. */
int ordered_events_open(struct ordered_events *ordered_events, struct event_iterator *iterator,
			const struct ordered_events_ops *ops, void *user);

/* Takes the iterator's next item. Returns 0, -ENOMEM, an error of the files, or what
 * an operation returned; after an error only ordered_events_close() makes sense. */
int ordered_events_add(struct ordered_events *ordered_events, const struct event_item *item);

/* The iterator is at its end. Returns as ordered_events_add(). */
int ordered_events_finish(struct ordered_events *ordered_events);

void ordered_events_close(struct ordered_events *ordered_events);

#endif
