/* SPDX-License-Identifier: MIT */
/* What recording took of a run, as far as it is known: a runtime's own tracing makes its calls longer
 * (tandem_domain_row), and the contents that a transfer moved are hashed behind its call, or before the one
 * that unmaps them. The replays
 * of the dependence graph (graph.h) go without it. One thread.
 *
 *	graph_recording_item(&thread, item);	each item of a thread, before its events
 *	int64_t ns = graph_recording_within(&thread, from_ns, to_ns);
 */
#ifndef TANDEM_ANALYSIS_MODEL_GRAPH_RECORDING_H
#define TANDEM_ANALYSIS_MODEL_GRAPH_RECORDING_H

#include "analysis/events/event_sequence.h"
#include "analysis/sched/recent.h"

struct graph_recorded { /* of a thread */
	struct recent hashed;
	int64_t call_end_ns; /* of its latest call, or what was hashed behind it */
	int64_t mapped_ns; /* when what is mapped began to be hashed, until its next call; 0: it did not */
};

/* Returns 0 or -ENOMEM. */
int graph_recording_item(struct graph_recorded *thread, const struct event_item *item);

/* What the thread hashed in that time. */
int64_t graph_recording_within(const struct graph_recorded *thread, int64_t from_ns, int64_t to_ns);

void graph_recorded_free(struct graph_recorded *thread);

/* By how much a call is longer, at its begin. */
int64_t graph_recording_call(const struct sequence_event *event);

/* By how much later the next command starts behind one of this call, and the call itself is longer. */
int64_t graph_recording_command(const struct tandem_event *api);

/* The runtime's part in what took `took_ns`: a half of it at most. */
static inline int64_t graph_recording_part(int64_t ns, int64_t took_ns)
{
	return ns < took_ns / 2 ? ns : took_ns > 0 ? took_ns / 2 : 0;
}

/* Same, of a gap between two commands: where it is shorter, that is not in it. */
static inline int64_t graph_recording_gap(int64_t ns, int64_t took_ns)
{
	return took_ns < ns ? 0 : graph_recording_part(ns, took_ns);
}

#endif
