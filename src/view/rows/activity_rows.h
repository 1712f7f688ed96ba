/* SPDX-License-Identifier: MIT */
/* What a runtime tells besides calls and commands, as rows: its overhead and the modules that it
 * loaded below their process, page faults of unified memory below their device, or, of the CPU, their
 * process; and the program's own numbers of commands, which details of these have. Collected
 * while the session is read, written in the order of their begins. Part of building an index. One
 * thread.
 *
 *	activity_rows_init(&rows, &writer, iterator);
 *	activity_rows_item(&rows, item);               each item of the iterator
 *	activity_rows_finish(&rows, &threads, &resources);
 *	activity_rows_free(&rows);
 */
#ifndef TANDEM_VIEW_ROWS_ACTIVITY_ROWS_H
#define TANDEM_VIEW_ROWS_ACTIVITY_ROWS_H

#include "analysis/events/event_iterator.h"
#include "view/index/index_writer.h"
#include "view/rows/depth_packing.h"
#include "view/rows/resources.h"
#include "view/rows/threads/threads.h"

struct activity_span;

struct activity_rows {
	struct index_writer *writer;	 /* borrowed */
	struct event_iterator *iterator; /* borrowed */
	struct activity_span *spans;
	size_t count, capacity;
	struct depth_packing *rows; /* that spans are packed into */
	size_t row_count, row_capacity;
	struct map row_of; /* kind of row and what it is below -> row */
};

void activity_rows_init(struct activity_rows *rows, struct index_writer *writer,
			struct event_iterator *iterator);

/* Both return 0 or -errno. */
int activity_rows_item(struct activity_rows *rows, const struct event_item *item);
int activity_rows_finish(struct activity_rows *rows, const struct view_threads *threads,
			 struct view_resources *resources);

void activity_rows_free(struct activity_rows *rows);

#endif
