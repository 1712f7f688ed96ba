/* SPDX-License-Identifier: MIT */
/* The true order of events. A command's four device times become known only when
 * its end was seen, long after the events beside which they belong. The sequencer
 * takes events as they come, and hands them out in the order of time, each as
 * soon as nothing earlier can come any more.
 *
 * That is known from the commands in flight: none of its events is earlier than
 * the call that enqueued a command. So whatever is earlier than the begin of the
 * oldest enqueue still in flight goes out, and memory is bounded by what happens
 * while a command is in flight (the CLUST paper's section 3.3.2 lets the events
 * of a command wait for all commands enqueued until its end was seen; to wait
 * for those enqueued before the event in question is enough). If that is too
 * much, as after a command that never ended, sorted runs go to files and are
 * merged (an external merge sort).
 *
 *	reorder_buffer_create(&reorder_buffer, &options, emit, context);
 *	for each record of the input, in the order of time:
 *		reorder_buffer_reach(order, now);
 *		reorder_buffer_add(order, events, 2);              a call, and its end
 *		reorder_buffer_enqueue(order, process, op, now);   if it enqueued a command
 *	or
 *		reorder_buffer_operation(order, process, op, events, 4);
 *	reorder_buffer_finish(order);
 *	reorder_buffer_destroy(order);
 *
 * Events of the same time: what a command did stands before what a thread did,
 * and after the begin of its own enqueue; otherwise as they were given.
 *
 * Owner: the caller. One thread. Times are host ns.
 */
#ifndef TANDEM_ANALYSIS_EVENTS_REORDER_BUFFER_H
#define TANDEM_ANALYSIS_EVENTS_REORDER_BUFFER_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/events/reorder/event.h"

struct reorder_buffer;

struct reorder_options {
	size_t max_bytes;      /* of waiting events in memory; more goes to files */
	const char *directory; /* for these files; borrowed */
};

#define REORDER_DEFAULTS                                   \
	{                                                  \
		.max_bytes = 64 << 20, .directory = "/tmp" \
	}

struct reorder_stats {
	uint64_t events;     /* handed out */
	uint64_t late;	     /* of these, too late for their place */
	int64_t latest_ns;   /* the most that one of them was late */
	uint64_t unknown;    /* operations whose enqueue was not seen */
	uint64_t unfinished; /* commands without an operation, given up */
	size_t most_in_flight, most_waiting, most_bytes;
	uint64_t runs; /* written to files */
};

/* Takes the next event, borrowed until it returns; 0 to go on, or an error that
 * the call that led here returns. */
typedef int reorder_emit(void *context, const struct reorder_event *event);

/* Returns 0, -EINVAL (max_bytes is 0) or -ENOMEM. `options` is copied. */
int reorder_buffer_create(struct reorder_buffer **reorder_buffer,
			  const struct reorder_options *options, reorder_emit *emit, void *context);
void reorder_buffer_destroy(struct reorder_buffer *reorder_buffer);

/* All functions below return 0, -ENOMEM, an error of the files (as -ENOSPC), or
 * what emit returned. After an error only reorder_buffer_destroy() makes sense. */

/* The input is at now_ns: nothing earlier comes but from commands in flight. */
int reorder_buffer_reach(struct reorder_buffer *reorder_buffer, int64_t now_ns);

/* Events at their times, which are not before the time reached. */
int reorder_buffer_add(struct reorder_buffer *reorder_buffer, const struct reorder_event *events,
		       size_t count);

/* A command went in flight: its operation has no time before since_ns. A command
 * that is in flight already is taken for a new one. `process` is a small number,
 * and op is unique in it. */
int reorder_buffer_enqueue(struct reorder_buffer *reorder_buffer, uint32_t process, uint64_t op,
			   int64_t since_ns);

/* The same of a graph's launch, which has any number of operations: it is in flight until none of them
 * has come for long (in_flight.c), or it is abandoned. */
int reorder_buffer_enqueue_many(struct reorder_buffer *reorder_buffer, uint32_t process,
				uint64_t op, int64_t since_ns);

/* A command ended: its events, in the order in which they happened; none if it
 * has no times. */
int reorder_buffer_operation(struct reorder_buffer *reorder_buffer, uint32_t process, uint64_t op,
			     const struct reorder_event *events, size_t count);

/* A command will not be heard of any more: its process has ended. */
int reorder_buffer_abandon(struct reorder_buffer *reorder_buffer, uint32_t process, uint64_t op);

/* The input has ended: all that waits goes out. */
int reorder_buffer_finish(struct reorder_buffer *reorder_buffer);

struct reorder_stats reorder_stats(const struct reorder_buffer *reorder_buffer);

#endif
