/* SPDX-License-Identifier: MIT */
/* How events make the nodes of a dependence graph (graph.h). One thread. */
#ifndef TANDEM_ANALYSIS_MODEL_GRAPH_EVENT_H
#define TANDEM_ANALYSIS_MODEL_GRAPH_EVENT_H

#include "analysis/model/graph_thread.h" /* graph_interval() */

/* Returns 0, -ENOMEM, or what the taker of a path's pieces returned (graph_follow()). */
int graph_event(struct graph *graph, const struct sequence_event *event);

#endif
