/* SPDX-License-Identifier: MIT */
/* What the scheduler's records took of a run: each makes the way to a thread longer that has to run. Of
 * the latest changes of state of the traced threads, each of which left a record. One thread.
 *
 *	graph_switches_add(&switches, ns);		in the order of time
 *	int64_t ns = graph_switches_within(&switches, record_ns, from_ns, to_ns);
 *	graph_switches_free(&switches);
 */
#ifndef TANDEM_ANALYSIS_MODEL_GRAPH_SWITCHES_H
#define TANDEM_ANALYSIS_MODEL_GRAPH_SWITCHES_H

#include <stdint.h>

struct graph_switches {
	int64_t *ns; /* a ring, made at the first */
	uint64_t count;
};

/* Returns 0 or -ENOMEM. */
int graph_switches_add(struct graph_switches *switches, int64_t ns);

/* How much shorter that time would be without records of `record_ns` each. */
int64_t graph_switches_within(const struct graph_switches *switches, int64_t record_ns,
			      int64_t from_ns, int64_t to_ns);

void graph_switches_free(struct graph_switches *switches);

#endif
