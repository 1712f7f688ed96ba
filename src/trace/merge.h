/* SPDX-License-Identifier: MIT */
/* The records of all streams of all processes in one order of time, earliest
 * first; of equal times, the stream that came first in the session first.
 *
 * Memory: a block of some KiB for each thread that was alive at the same moment
 * (a thread's first and last packet bound its life), MERGE_BLOCKS_BYTES in all;
 * it does not grow with the trace. Borrows the session and changes nothing in it. One
 * thread, which may be another one than the session's (trace/ahead.h).
 *
 *	struct trace_merge merge;
 *	const struct trace_event *event;
 *
 *	if (trace_merge_open(&merge, session, 0))
 *		return -ENOMEM;
 *	while ((status = trace_merge_next(&merge, &event)) > 0)
 *		... event, until the next call
 *	trace_merge_close(&merge);
 */
#ifndef TANDEM_TRACE_MERGE_H
#define TANDEM_TRACE_MERGE_H

#include "trace/event.h"
#include "trace/session/session.h"

#define MERGE_BLOCKS_BYTES (8u << 20)

struct trace_records;

struct trace_merge {
	const struct trace_session *session;
	struct trace_problems *problems; /* the session's, unless changed before the first event */
	/* Called when a stream is over. NULL: nobody asks. */
	void (*stream_over)(void *user, const struct trace_stream *stream);
	void *user;
	const struct trace_clock_line *line; /* of the latest conversion */
	struct trace_stream **streams;	     /* by index */
	bool *over;
	struct trace_records **records; /* by index; NULL: not begun, or over */
	/* A tournament of losers (Knuth, volume 3, 5.4.1), by key: the first of all
	 * is at [0], and from [1] on stands who lost the match there; the children
	 * of [i] are [2i] and [2i + 1], and stream s comes in from place leaves + s.
	 * Keys count from `base`; one from `too_far` on says no more than that: when
	 * it is the first, base moves on and all keys are made anew. */
	uint64_t *tree;
	uint64_t base, too_far;
	size_t leaves;		       /* streams, 1 at least */
	unsigned index_bits;	       /* of a key: the stream's index */
	struct trace_records *current; /* handed out last; it is at [0] */
	uint64_t limit;		       /* a key: current stays the first up to here, inclusive */
	unsigned in_a_row;	       /* how often it was the first again */
	size_t block_bytes;
	uint64_t skip_before;
	uint64_t read_bytes; /* of streams that are over */
};

/* Returns 0 or -ENOMEM (nothing to close). Packets that ended before
 * `skip_before` ticks may be passed over; 0 for all. */
int trace_merge_open(struct trace_merge *merge, struct trace_session *session,
		     uint64_t skip_before);

/* The same of the traced processes only, without the operating system's side. */
int trace_merge_open_traced(struct trace_merge *merge, struct trace_session *session);

/* Returns 1 and the next event (borrowed until the next call), 0 at the end, or
 * -ENOMEM. */
int trace_merge_next(struct trace_merge *merge, const struct trace_event **event);

/* Bytes of content that were read, of session->content_bytes. */
uint64_t trace_merge_read_bytes(const struct trace_merge *merge);

void trace_merge_close(struct trace_merge *merge);

#endif
