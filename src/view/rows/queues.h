/* SPDX-License-Identifier: MIT */
/* Queues as rows, of a process with several contexts below these, commands as spans:
 * below each queue a row of kernels and one of transfers (packing where commands
 * overlap), further ones for barriers and markers and for commands without device
 * times. Commands are
 * collected while the session is walked and written in the order of their start,
 * once for their queue and once for their device (view/rows/resources.h). Memory: 120
 * bytes a command. Part of building an index. One thread.
 *
 *	view_queues_init(&queues, &writer, iterator, threads.process_rows, end_ns);
 *	view_queues_command(&queues, item);    each command of the iterator
 *	view_queues_finish(&queues, &resources, session_row);
 *	view_queues_free(&queues);
 */
#ifndef TANDEM_VIEW_ROWS_QUEUES_H
#define TANDEM_VIEW_ROWS_QUEUES_H

#include "analysis/events/event_iterator.h"
#include "view/index/index_writer.h"
#include "view/rows/activity.h"
#include "view/rows/depth_packing.h"
#include "view/rows/resources.h"

struct view_queue;

struct view_queues {
	struct index_writer *writer;	 /* borrowed */
	struct event_iterator *iterator; /* borrowed */
	const uint32_t *process_rows;	 /* borrowed */
	int64_t end_ns;			 /* of the session: where unfinished commands end */
	struct view_queue *queues;
	size_t queue_count, queue_capacity;
	struct map queue_of;	      /* process and number -> queue */
	struct map context_of;	      /* process and number -> row */
	struct map label_of;	      /* name, kind and flags -> label */
	struct view_pending *pending; /* of each command of the writer */
	size_t pending_capacity;
	uint64_t untimed, unfinished, noncausal;
};

void view_queues_init(struct view_queues *queues, struct index_writer *writer,
		      struct event_iterator *iterator, const uint32_t *process_rows,
		      int64_t end_ns);

/* Both return 0 or -errno. */
int view_queues_command(struct view_queues *queues, const struct event_item *item);
int view_queues_finish(struct view_queues *queues, struct view_resources *resources,
		       uint32_t session_row);

void view_queues_free(struct view_queues *queues);

#endif
