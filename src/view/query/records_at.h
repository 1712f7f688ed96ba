/* SPDX-License-Identifier: MIT */
/* Finds records of the trace again, by their stream and their time. Where one search follows
 * another, as for the details of all events of a track, the stream stays open in between: a
 * search goes on where the last one began, or from the start of what is in memory, and opens
 * the stream again only for what is before that. One thread.
 *
 *	struct view_records records = VIEW_RECORDS_INIT;
 *	struct view_cursor *cursor;
 *	struct trace_event event;
 *
 *	cursor = view_records_at(&records, VIEW_CURSOR_call, stream, ns);
 *	if (!cursor)
 *		return -ENOMEM;
 *	while ((status = view_cursor_next(cursor, &event)) > 0 && event.ns <= ns)
 *		... is it this one?
 *	view_records_close(&records);
 */
#ifndef TANDEM_VIEW_QUERY_RECORDS_AT_H
#define TANDEM_VIEW_QUERY_RECORDS_AT_H

#include "trace/stream/records.h"

/* Searches of two uses go through a stream at places of their own: a thread enqueues a
 * command long before it sees the end of it. */
enum view_cursor_use { VIEW_CURSOR_call, VIEW_CURSOR_end };

/* A place between two records of the block in memory. */
struct view_place {
	uint64_t ticks;	  /* of the record before */
	int64_t after_ns; /* every record that is later than this comes after the place */
	size_t at;	  /* in the block */
};

struct view_cursor {
	struct trace_records records;
	const struct trace_stream *stream; /* NULL: not open */
	enum view_cursor_use use;
	uint64_t used;			 /* at which search */
	int64_t from_ns;		 /* of the last search */
	bool found;			 /* a record of it was returned */
	bool over;			 /* at the end: no block is in memory */
	uint64_t seq_num, block_offset;	 /* the packet, and the block of it ... */
	const struct trace_file *file;	 /* ... in this file that is in memory */
	struct view_place block, search; /* where the block begins, and the last search did */
};

#define VIEW_CURSORS 16u

struct view_records {
	struct view_cursor cursors[VIEW_CURSORS];
	uint64_t searches, opened; /* how many */
};

#define VIEW_RECORDS_INIT     \
	{                     \
		.searches = 0 \
	}

/* Goes to the records of `stream` from `ns` (CLOCK_MONOTONIC) on. Returns the cursor, which is
 * valid until the next call, or NULL where memory ran out. */
struct view_cursor *view_records_at(struct view_records *records, enum view_cursor_use use,
				    struct trace_stream *stream, int64_t ns);

/* Returns 1 and the next event, its `ns` filled in, 0 at the end, or -ENOMEM. */
int view_cursor_next(struct view_cursor *cursor, struct trace_event *event);

/* Closes all streams; `records` can be used again. */
void view_records_close(struct view_records *records);

#endif
