/* SPDX-License-Identifier: MIT */
/* The events of a session in the order of time, as trace/merge.h makes them. A thread of its
 * own reads and merges ahead while the caller is busy with what came before; it is started
 * where the session is long and this process may use two CPUs, and otherwise the caller reads
 * by itself. The events, their order, and when a problem is reported are the same either way.
 *
 *	struct trace_ahead ahead;
 *	const struct trace_event *event;
 *
 *	if (trace_ahead_open(&ahead, session, 0))
 *		return -ENOMEM;
 *	while ((status = trace_ahead_next(&ahead, &event)) > 0)
 *		... event, until the next call
 *	trace_ahead_close(&ahead);
 *
 * Memory: what the merge needs, and AHEAD_BLOCKS blocks of copied events. The reading thread
 * uses the session's files, layouts, streams and clock, which nobody changes meanwhile.
 * Problems go to session->problems in the caller's thread. Borrows the session. One thread
 * calls.
 *
 * A caller that hands events on to yet another thread sets `holds` before the first one: then events
 * of a block last until that thread gives the block back, in the order in which `taken` counts them:
 *
 *	if (ahead.reader)
 *		ahead.holds = true;
 *	...
 *	trace_ahead_give(&ahead);	the oldest block that was taken and not given; any thread
 */
#ifndef TANDEM_TRACE_AHEAD_H
#define TANDEM_TRACE_AHEAD_H

#include "trace/event.h"
#include "trace/merge.h"

#define AHEAD_BLOCKS 8u
#define AHEAD_BLOCK_BYTES (256u << 10)
#define AHEAD_PREFETCH_BYTES 1024u

enum trace_ahead_flags {
	AHEAD_TRACED = 1, /* of the traced processes only, without the operating system's side */
	AHEAD_ALONE = 2,  /* no thread in any case ... */
	AHEAD_THREAD = 4, /* ... or in each, as far as one can be started */
};

struct ahead_reader;

struct ahead_entry {	/* in a block; the next one is behind it */
	uint32_t bytes; /* to the next, a multiple of 8 */
	uint32_t kind;	/* 0: an event, with its record behind; others are ahead.c's */
	struct trace_event event;
};

struct trace_ahead {
	struct trace_session *session;
	struct ahead_reader *reader; /* NULL: the caller reads by itself, from `merge` */
	struct trace_merge merge;
	const uint8_t *at, *limit;	     /* entries of the current block that are left */
	const struct trace_stream **streams; /* by index */
	size_t *streams_left;		     /* by process: its streams that are not over */
	size_t processes_over;		     /* that had streams, and have none left */
	bool holds;
	uint64_t taken; /* blocks so far, the current one included */
};

/* Returns 0 or -ENOMEM (nothing to close). The struct may not move while it is open. */
int trace_ahead_open(struct trace_ahead *ahead, struct trace_session *session, unsigned flags);

/* The same as trace_ahead_next(), whatever comes next. */
int trace_ahead_search(struct trace_ahead *ahead, const struct trace_event **event);

/* Returns 1 and the next event (borrowed until the next call), 0 at the end, or -ENOMEM. */
static inline int trace_ahead_next(struct trace_ahead *ahead, const struct trace_event **event)
{
	const struct ahead_entry *entry = (const void *)ahead->at;

	if (__builtin_expect(ahead->at == ahead->limit || entry->kind, 0))
		return trace_ahead_search(ahead, event);
	/* Another CPU has just written it. */
	__builtin_prefetch(ahead->at + AHEAD_PREFETCH_BYTES);
	__builtin_prefetch(ahead->at + AHEAD_PREFETCH_BYTES + 64);
	ahead->at += entry->bytes;
	*event = &entry->event;
	return 1;
}

/* Of the session, by its index. */
static inline const struct trace_stream *trace_ahead_stream(const struct trace_ahead *ahead,
							    uint32_t index)
{
	return ahead->streams[index];
}

/* Of one that holds: the caller and whoever it handed events to are done with the oldest block. */
void trace_ahead_give(struct trace_ahead *ahead);

/* Bytes of content that were read, of session->content_bytes, about. */
uint64_t trace_ahead_read_bytes(const struct trace_ahead *ahead);

/* Also before the end: the thread ends. */
void trace_ahead_close(struct trace_ahead *ahead);

#endif
