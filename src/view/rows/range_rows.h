/* SPDX-License-Identifier: MIT */
/* Ranges and markers of a program (NVTX and its like) as spans: nested ones and markers above the calls
 * of their thread, start-end ones in a row of their process, and each that enqueued something once
 * more on its device, from its first operation's start to its last one's end. Collected while the
 * session is read, written in the order of their begins. Part of building an index. One thread.
 *
 *	range_rows_init(&rows, &writer, iterator, end_ns);
 *	range_rows_item(&rows, item);               each item of the iterator
 *	range_rows_finish(&rows, &threads, &resources);
 *	range_rows_free(&rows);
 */
#ifndef TANDEM_VIEW_ROWS_RANGE_ROWS_H
#define TANDEM_VIEW_ROWS_RANGE_ROWS_H

#include "analysis/ranges/ranges.h"
#include "view/index/index_writer.h"
#include "view/rows/resources.h"
#include "view/rows/threads/threads.h"

struct range_span;
struct range_row;

struct range_rows {
	struct index_writer *writer;	 /* borrowed */
	struct event_iterator *iterator; /* borrowed */
	struct ranges ranges;
	int64_t end_ns; /* of the session: where ranges without an end end */
	struct range_span *spans;
	size_t count, capacity;
	struct range_row *rows; /* that spans are packed into */
	size_t row_count, row_capacity;
	struct map row_of; /* kind of row and its number -> row */
};

/* Returns 0 or -ENOMEM; on error there is nothing to free. */
int range_rows_init(struct range_rows *rows, struct index_writer *writer,
		    struct event_iterator *iterator, int64_t end_ns);

/* Both return 0 or -errno. */
int range_rows_item(struct range_rows *rows, const struct event_item *item);
int range_rows_finish(struct range_rows *rows, const struct view_threads *threads,
		      struct view_resources *resources);

void range_rows_free(struct range_rows *rows);

#endif
