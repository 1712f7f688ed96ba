/* SPDX-License-Identifier: MIT */
/* What is known of a node of the task graph, from whichever records name it: a line for each
 * fact, NAME and VALUE with a tab between. Those of one node at a time are collected; the
 * writer's node gets them when another's turn comes. One thread.
 *
 *	struct task_facts facts = {.writer = &writer, .node = VIEW_NONE};
 *
 *	task_facts_add(&facts, &iterator, node, event);
 *	task_facts_flush(&facts);
 *	text_free(&facts.text);
 */
#ifndef TANDEM_VIEW_ROWS_TASK_FACTS_H
#define TANDEM_VIEW_ROWS_TASK_FACTS_H

#include "analysis/events/event_iterator.h"
#include "util/text.h"
#include "view/index/index_writer.h"

struct task_facts {
	struct index_writer *writer; /* borrowed */
	struct text text;	     /* of `node`, not yet written */
	uint32_t node;		     /* in the writer's task_nodes; VIEW_NONE: of none */
};

/* Both return 0 or -ENOMEM. */
int task_facts_add(struct task_facts *facts, struct event_iterator *iterator, uint32_t node,
		   const struct trace_event *event);
int task_facts_flush(struct task_facts *facts);

#endif
