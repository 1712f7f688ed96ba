/* SPDX-License-Identifier: MIT */
/* Kernels that a thread enqueues one after another: recorded as one (a command buffer, a graph), or as
 * one launch with more work, they would take one call, and start one right behind the other. They are
 * taken out of the replay so, but their execution. One struct for each thread.
 *
 *	struct series series = {.in = false};
 *
 *	series_call(&series, findings->graph, item);	each call of the thread, as it returned
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_IDLE_SERIES_H
#define TANDEM_ANALYSIS_FINDINGS_IDLE_SERIES_H

#include "analysis/events/event_iterator.h"
#include "analysis/model/graph.h"

struct series {
	bool in;	  /* its latest command is a kernel, and it did not wait since */
	int64_t ended_ns; /* its latest call */
};

/* Returns 0 or -ENOMEM. */
int series_call(struct series *series, struct graph *graph, const struct event_item *item);

#endif
