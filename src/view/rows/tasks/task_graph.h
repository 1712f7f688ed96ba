/* SPDX-License-Identifier: MIT */
/* The task graph of a layer above a runtime, as sections of the index: places in the program,
 * the nodes that they made with what is known of each, edges, and which operation is of which
 * node. Collected while the session is read; nothing is kept where there is no such layer. Part
 * of building an index. One thread.
 *
 *	task_graph_init(&graph, &writer, &iterator);
 *	task_graph_item(&graph, item);              each item of the iterator
 *	task_graph_finish(&graph);
 *	task_graph_free(&graph);
 */
#ifndef TANDEM_VIEW_ROWS_TASK_GRAPH_H
#define TANDEM_VIEW_ROWS_TASK_GRAPH_H

#include "analysis/events/event_iterator.h"
#include "view/index/index_writer.h"
#include "view/rows/tasks/task_facts.h"

struct task_graph {
	struct index_writer *writer;	 /* borrowed */
	struct event_iterator *iterator; /* borrowed */
	struct map node_of;		 /* process and number -> in the writer's task_nodes */
	struct map place_of;		 /* index of the construct -> in its task_places */
	struct task_facts facts;
};

void task_graph_init(struct task_graph *graph, struct index_writer *writer,
		     struct event_iterator *iterator);

/* Both return 0 or -ENOMEM. */
int task_graph_item(struct task_graph *graph, const struct event_item *item);
int task_graph_finish(struct task_graph *graph);

void task_graph_free(struct task_graph *graph);

#endif
