/* SPDX-License-Identifier: MIT */
/* Commands and queues of a dependence graph (graph.h): from the call that enqueues to the end of
 * the execution. One thread. */
#ifndef TANDEM_ANALYSIS_MODEL_GRAPH_COMMAND_H
#define TANDEM_ANALYSIS_MODEL_GRAPH_COMMAND_H

#include "analysis/model/graph.h"

/* NULL: none is in flight. */
struct graph_command *graph_command_find(struct graph *graph, const struct sequence_event *event,
					 uint64_t op);

/* That which the call enqueues; `removed`: causes, a bit for each. Returns 0 or -ENOMEM. */
int graph_command_make(struct graph *graph, const struct sequence_event *event,
		       const struct graph_thread *thread, uint32_t removed);

/* The queue of that key, which is made where there is none. Returns 0 or -ENOMEM. */
int graph_queue_find(struct graph *graph, uint64_t key, struct graph_queue **queue);
uint64_t graph_queue_key(const struct sequence_event *event);

/* The driver's thread that called the program was not free before: that, where it is the
 * later one. */
const struct graph_point *graph_behind_callback(const struct graph *graph,
						const struct sequence_event *event,
						const struct graph_point *before);

/* The events of these kinds; return 0, -ENOMEM, or what the taker of a path's pieces returned. */

/* A command can be kept back until a later call submits it: then that one gave it to the
 * queue, unless it was the end of a command before it. */
int graph_command_submitted(struct graph *graph, const struct sequence_event *event);
int graph_command_start(struct graph *graph, const struct sequence_event *event);
int graph_command_end(struct graph *graph, const struct sequence_event *event);

#endif
