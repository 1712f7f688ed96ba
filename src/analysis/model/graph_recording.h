/* SPDX-License-Identifier: MIT */
/* What recording took of a run, as far as it is known: a runtime's own tracing makes its calls longer
 * (tandem_domain_row), and the contents that a transfer moved are hashed behind its call. Part of the
 * dependence graph (graph.h), whose replays go without it. One thread.
 *
 *	graph_recording_item(&graph, item);	each item, before its events
 *	int64_t ns = graph_recording_within(&graph, stream, from_ns, to_ns);
 */
#ifndef TANDEM_ANALYSIS_MODEL_GRAPH_RECORDING_H
#define TANDEM_ANALYSIS_MODEL_GRAPH_RECORDING_H

#include "analysis/model/graph.h"

/* Returns 0 or -ENOMEM. */
int graph_recording_item(struct graph *graph, const struct event_item *item);

/* What the thread hashed in that time. */
int64_t graph_recording_within(const struct graph *graph, uint32_t stream, int64_t from_ns,
			       int64_t to_ns);

/* By how much a call is longer, at its begin. */
int64_t graph_recording_call(const struct sequence_event *event);

/* By how much later the next command starts behind one of this call, and the call itself is longer. */
int64_t graph_recording_command(const struct tandem_event *api);

/* The runtime's part in what took `took_ns`: a half of it at most. */
static inline int64_t graph_recording_part(int64_t ns, int64_t took_ns)
{
	return ns < took_ns / 2 ? ns : took_ns > 0 ? took_ns / 2 : 0;
}

/* The point comes so much earlier in each replay but that of the unchanged run. */
void graph_recording_remove(struct graph_point *point, int64_t ns);

#endif
