/* SPDX-License-Identifier: MIT */
/* The records of all streams of all processes in one order of time, earliest
 * first; of equal times, the stream that came first in the session first.
 *
 * Memory: a block of some KiB for each thread that was alive at the same moment
 * (a thread's first and last packet bound its life), MERGE_BLOCKS_BYTES in all;
 * it does not grow with the trace. Borrows the session and changes nothing in it. Events' thread
 * names last until it is closed. One thread, which may be another one than the session's
 * (trace/ahead.h).
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
#include "trace/stream/records.h"
#include "util/intern.h"

#define MERGE_BLOCKS_BYTES (8u << 20)
#define MERGE_IN_A_ROW 3u /* so many of one stream make it likely that more follow */

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
	struct intern names;		/* of threads, as events have them */
	/* A tournament of losers (Knuth, volume 3, 5.4.1), by key: the first of all
	 * is at [0], and from [1] on stands who lost the match there; the children
	 * of [i] are [2i] and [2i + 1], and stream s comes in from place leaves + s.
	 * Keys count from `base`; one from `too_far` on says no more than that: when
	 * it is the first, base moves on and all keys are made anew. */
	uint64_t *tree;
	uint64_t base, too_far;
	uint64_t most;		       /* ticks since base that a key may have */
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

/* What trace_merge_next() does seldom. Up to when the first stays the first without another look:
 * the earliest of those that it won against. */
void merge_limit(struct trace_merge *merge);

void merge_end_stream(struct trace_merge *merge, uint64_t index);

/* The same as merge_take(), when it may not be. Returns 1, 0 at the end, -ENOMEM. */
int merge_settle(struct trace_merge *merge);

/* What the matches are about, as one number: ticks since `base`, then the stream's
 * index, as at the same tick the lower one goes first. */
static inline uint64_t merge_key(const struct trace_merge *merge, uint64_t ticks, uint64_t index)
{
	uint64_t since = ticks > merge->base ? ticks - merge->base : 0;

	return (since < merge->most ? since : merge->most) << merge->index_bits | index;
}

/* The first of all plays its matches anew, from its leaf to the root. Who comes
 * first is as good as random, so that there must be no branch on it. */
static inline void merge_play(struct trace_merge *merge, uint64_t index, uint64_t key)
{
	uint64_t *tree = merge->tree;

	for (size_t at = (merge->leaves + index) / 2; at; at /= 2) {
		uint64_t other = tree[at];
		uint64_t first = other < key ? other : key;

		tree[at] = other < key ? key : other;
		key = first;
	}
	tree[0] = key;
}

/* The stream at the top becomes the current one, if it has begun and is not over. */
static inline bool merge_take(struct trace_merge *merge)
{
	struct trace_records *before = merge->current, *first;
	uint64_t key = merge->tree[0];

	if (__builtin_expect(key >= merge->too_far, 0))
		return false;
	first = merge->records[key & ~merge->too_far];
	if (__builtin_expect(!first, 0))
		return false;
	merge->current = first;
	/* Worth a look only where one stream has several in a row. */
	merge->limit = 0;
	merge->in_a_row = first == before ? merge->in_a_row + 1 : 0;
	if (merge->in_a_row >= MERGE_IN_A_ROW)
		merge_limit(merge);
	return true;
}

/* The current stream has come to its next record, or to its end. */
static inline __attribute__((always_inline)) int merge_go_on(struct trace_merge *merge,
							     struct trace_records *records)
{
	uint64_t index = records->stream->index, key;
	int status = trace_records_next(records);

	if (status < 0)
		return status;
	if (!status) {
		merge_end_stream(merge, index);
		return merge_settle(merge);
	}
	key = merge_key(merge, records->event.ticks, index);
	if (key <= merge->limit)
		return 1;
	merge_play(merge, index, key);
	return merge_take(merge) ? 1 : merge_settle(merge);
}

/* Returns 1 and the next event (borrowed until the next call), 0 at the end, or
 * -ENOMEM. Inline: a third of what it did at each event was to begin and to return. */
static inline __attribute__((always_inline)) int trace_merge_next(struct trace_merge *merge,
								  const struct trace_event **event)
{
	int status = merge->current ? merge_go_on(merge, merge->current) : merge_settle(merge);
	const struct trace_clock *clock = &merge->session->clock;
	struct trace_event *first;

	if (status <= 0)
		return status;
	first = &merge->current->event;
	first->ns = trace_clock_ns_by(clock, &merge->line, first->ticks);
	if (first->end_ticks)
		first->end_ns = trace_clock_ns_by(clock, &merge->line, first->end_ticks);
	*event = first;
	return 1;
}

/* Bytes of content that were read, of session->content_bytes. */
uint64_t trace_merge_read_bytes(const struct trace_merge *merge);

void trace_merge_close(struct trace_merge *merge);

#endif
