/* SPDX-License-Identifier: MIT */
/* What threads do in a dependence graph (graph.h): where one is, and who woke it. One thread. */
#ifndef TANDEM_ANALYSIS_MODEL_GRAPH_THREAD_H
#define TANDEM_ANALYSIS_MODEL_GRAPH_THREAD_H

#include "analysis/model/graph.h"

/* The call that it is in; NULL: in none. */
static inline struct graph_frame *graph_frame_of(struct graph_thread *thread)
{
	unsigned depth = thread->depth < GRAPH_DEPTH_MOST ? thread->depth : GRAPH_DEPTH_MOST;

	return depth ? &thread->frames[depth - 1] : NULL;
}

/* All return 0, -ENOMEM, or what the taker of a path's pieces returned (graph_follow()). */

/* A thread begins behind what its process did last. */
int graph_thread_begin(struct graph *graph, struct graph_thread *thread,
		       const struct sequence_event *event);

/* Brings the thread to `ns` with what it is doing. One that waits stays where it began to. */
int graph_thread_reach(struct graph *graph, struct graph_thread *thread, int64_t ns);

/* In a call that does not wait for the device, it sleeps for others that woke it up to `ns`: what it
 * enqueues there follows from them. */
void graph_thread_wakes(struct graph *graph, struct graph_thread *thread, int64_t ns);

/* An interval of the scheduler's, as soon as it is known. */
int graph_interval(struct graph *graph, const struct wait_thread *thread,
		   const struct states_interval *interval);

/* Wakes that lie before `ns`: what the waker was at then is known now. */
int graph_threads_wake(struct graph *graph, int64_t ns);

#endif
