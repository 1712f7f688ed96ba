/* SPDX-License-Identifier: MIT */
/* Sorted runs of events in files, and the earliest event of them all. A run is
 * written once, then read once; each has a file of its own without a name, which
 * goes when the run is used up. Many runs are merged into one before more are
 * made, so that files and memory are bounded.
 *
 * Owner: a reorder buffer. One thread. Errors are -ENOMEM and those of the files.
 */
#ifndef TANDEM_ANALYSIS_EVENTS_REORDER_RUNS_H
#define TANDEM_ANALYSIS_EVENTS_REORDER_RUNS_H

#include <stdio.h>

#include "analysis/events/reorder/nodes.h"
#include "util/order/heap.h"
#include "util/order/reorder_queue.h"

#define REORDER_RUNS_MOST 64

struct reorder_runs {
	const char *directory; /* borrowed, and the next too */
	struct reorder_nodes *nodes;
	FILE *files[REORDER_RUNS_MOST];
	struct heap_item heads[REORDER_RUNS_MOST]; /* next of each run; value 0: none */
	struct heap reorder_buffer;		   /* key: time, tie: tie, value: run */
	uint64_t made;
};

void reorder_runs_init(struct reorder_runs *runs, struct reorder_nodes *nodes,
		       const char *directory);
void reorder_runs_free(struct reorder_runs *runs);

/* Makes a run of the events of a queue (value: the node's address), gives back what they
 * use of the nodes, and empties the queue. */
int reorder_runs_spill(struct reorder_runs *runs, struct reorder_queue *waiting);

/* The earliest event of all runs; borrowed. NULL if there is none. */
const struct heap_item *reorder_runs_peek(const struct reorder_runs *runs);

/* Takes the earliest event of all runs, which exists; the caller gives its node back. */
int reorder_runs_take(struct reorder_runs *runs, struct heap_item *item);

static inline struct reorder_node *reorder_node_of(struct heap_item item)
{
	return (struct reorder_node *)(uintptr_t)item.value;
}

#endif
