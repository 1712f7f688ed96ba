/* Sorted runs of events in files, and the earliest event of them all. A run is
 * written once, then read once; each has a file of its own without a name, which
 * goes when the run is used up. Many runs are merged into one before more are
 * made, so that files and memory are bounded.
 *
 * Owner: a sequencer. One thread. Errors are -ENOMEM and those of the files.
 */
#ifndef TANDEM_ANALYSIS_EVENTS_REORDER_RUNS_H
#define TANDEM_ANALYSIS_EVENTS_REORDER_RUNS_H

#include <stdio.h>

#include "analysis/events/reorder_buffer.h"
#include "util/heap.h"

#define ORDER_RUNS_MOST 64

/* An event that waits. */
struct order_node {
	struct order_event event; /* the payload is behind the node */
	uint64_t tie;		  /* order of events of the same time */
	char payload[];
};

/* A node for an event, with its payload copied; NULL if there is no memory. The
 * owner frees it. */
struct order_node *order_node_create(const struct order_event *event, uint64_t tie);

struct order_runs {
	const char *directory; /* borrowed */
	FILE *files[ORDER_RUNS_MOST];
	struct order_node *heads[ORDER_RUNS_MOST]; /* next of each run */
	struct heap order; /* key: time, tie: tie, value: run */
	uint64_t made, written_bytes;
};

void order_runs_init(struct order_runs *runs, const char *directory);
void order_runs_free(struct order_runs *runs);

/* Makes a run of the nodes of a heap (key and tie as in the node, value the
 * node's address), frees them and empties the heap. */
int order_runs_spill(struct order_runs *runs, struct heap *waiting);

/* The earliest event of all runs; borrowed. NULL if there is none. */
const struct order_node *order_runs_peek(const struct order_runs *runs);

/* Takes the earliest event of all runs, which exists; the caller frees it. */
int order_runs_take(struct order_runs *runs, struct order_node **node);

#endif
