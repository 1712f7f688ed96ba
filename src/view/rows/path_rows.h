/* SPDX-License-Identifier: MIT */
/* The critical path as a row: what the run was waiting for at each moment, from its begin to its
 * end, one piece after the other. Part of building an index. One thread.
 *
 *	path_rows_init(&rows, &writer, &iterator, session_row);
 *	path_rows_item(&rows, item);	each item of the iterator, the kernel's too
 *	path_rows_finish(&rows);
 *	path_rows_free(&rows);
 *
 * An item's ref is the stream of the thread that the piece is of, or that enqueued the command,
 * or VIEW_NONE.
 */
#ifndef TANDEM_VIEW_ROWS_PATH_ROWS_H
#define TANDEM_VIEW_ROWS_PATH_ROWS_H

#include "analysis/events/event_sequence.h"
#include "analysis/model/graph.h"
#include "analysis/sched/waits.h"
#include "view/index/index_writer.h"

struct path_rows {
	struct index_writer *writer;	 /* borrowed */
	struct event_iterator *iterator; /* borrowed */
	struct waits waits;
	struct graph graph;
	struct event_sequence sequence;
	bool opened, sequenced;
	uint32_t session_row;
	struct track_writer *track; /* NULL: nothing is on the path yet */
	struct map label_of;	    /* name and kind of a piece -> label */
	int failed;
};

/* These return 0 or -errno; path_rows_free() is right after each. The rows may not move. */
int path_rows_init(struct path_rows *rows, struct index_writer *writer,
		   struct event_iterator *iterator, uint32_t session_row);
int path_rows_item(struct path_rows *rows, const struct event_item *item);
int path_rows_finish(struct path_rows *rows);

void path_rows_free(struct path_rows *rows);

#endif
