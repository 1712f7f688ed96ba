/* SPDX-License-Identifier: MIT */
/* What the host takes of a device that is the CPU, in the replays of a dependence graph
 * (graph.h): work of a thread that a replay moves next to a command has one of the device's cores,
 * and the command ends later by that. What ran side by side in the recording already is in its
 * times. One thread.
 */
#ifndef TANDEM_ANALYSIS_MODEL_SHARED_CORES_H
#define TANDEM_ANALYSIS_MODEL_SHARED_CORES_H

#include "analysis/model/graph.h"

/* A thread slept then. Returns 0 or -ENOMEM. */
int shared_cores_slept(struct graph *graph, uint32_t stream, int64_t from_ns, int64_t to_ns);

/* How many cores a command of a device that is the CPU keeps busy, on average until now: where the
 * scheduler's records say nothing, all; where it has no threads, the one that enqueues. */
double shared_cores_used(const struct graph *graph, const struct graph_queue *device);

/* How many cores there are for its commands: those of the machine, where each runs in the thread that
 * enqueued it. */
double shared_cores_all(const struct graph *graph, const struct graph_queue *device);

/* The thread did work of its own from where it is until `ns`; it is not moved. Inline, as most
 * devices are none of the CPU's. */
void shared_cores_take(struct graph *graph, const struct graph_thread *thread, int64_t ns);

static inline void shared_cores_work(struct graph *graph, const struct graph_thread *thread,
				     int64_t ns)
{
	if (graph->cpu_devices && ns > thread->at.ns)
		shared_cores_take(graph, thread, ns);
}

#endif
