/* The events of a session in their true order: a call's begin and its end, and a
 * command's four times, each at its own place (order.h). What is kept of an event
 * until its turn comes is up to the user: bytes, made while it can be looked at,
 * and handed back when nothing earlier can come any more.
 *
 *	static const struct chronicle_ops ops = {.keep = keep_line, .take = print_line};
 *
 *	chronicle_open(&chronicle, &walk, &ops, user);
 *	while ((status = walk_next(&walk, &item)) > 0)
 *		chronicle_add(&chronicle, item);
 *	chronicle_finish(&chronicle);
 *	chronicle_close(&chronicle);
 *
 * Memory grows with what happens while a command is in flight; beyond
 * ORDER_DEFAULTS it goes to files in $TMPDIR. Commands that never ended hold the
 * others until their process is over. One thread.
 */
#ifndef TANDEM_ANALYSIS_EVENTS_ORDERED_EVENTS_H
#define TANDEM_ANALYSIS_EVENTS_ORDERED_EVENTS_H

#include "analysis/events/event_iterator.h"
#include "analysis/events/reorder_buffer.h"
#include "util/text.h"

enum chronicle_kind {
	CHRONICLE_BEGIN, /* a call began */
	CHRONICLE_END,	 /* ... and returned */
	/* A command: the item's, with its times. */
	CHRONICLE_QUEUED,
	CHRONICLE_SUBMITTED,
	CHRONICLE_START,
	CHRONICLE_STOP,
	/* A record of its own time; also a command that has no times, when its end
	 * was seen. */
	CHRONICLE_RECORD,
};

struct chronicle_ops {
	/* Writes into `kept` (empty) what is wanted of the event when its turn
	 * comes; if that is nothing, it has no turn. Returns 0 or -errno. */
	int (*keep)(void *user, enum chronicle_kind kind, int64_t time_ns,
		    const struct walk_item *item, struct text *kept);
	/* Its turn: event->kind is the chronicle's, ->payload what was kept, ->op
	 * of calls the call's number. Returns 0, or what the function that led here
	 * is to return. */
	order_emit *take;
};

struct chronicle {
	struct walk *walk; /* borrowed */
	const struct chronicle_ops *ops;
	void *user;
	struct order *order;
	struct text kept, phases;
	bool *over; /* by process: its commands were given up */
	size_t processes_over;
};

/* Returns 0 or -ENOMEM; on error there is nothing to close. */
int chronicle_open(struct chronicle *chronicle, struct walk *walk,
		   const struct chronicle_ops *ops, void *user);

/* Takes the walk's next item. Returns 0, -ENOMEM, an error of the files, or what
 * an operation returned; after an error only chronicle_close() makes sense. */
int chronicle_add(struct chronicle *chronicle, const struct walk_item *item);

/* The walk is at its end. Returns as chronicle_add(). */
int chronicle_finish(struct chronicle *chronicle);

/* Of what was handed out. */
struct order_stats chronicle_stats(const struct chronicle *chronicle);

void chronicle_close(struct chronicle *chronicle);

#endif
