/* SPDX-License-Identifier: MIT */
/* Arrows along the edges of task graphs, between the operations that did the work: kept until
 * the session's end, as an edge may become known when the operation that it leads from is long
 * written. Memory grows with nodes and edges. Belongs to a format; one thread.
 *
 *	task_flows_operation(&flows, process, node, place)      the first of a node
 *	task_flows_edge(&flows, &edge)
 *	while (task_flows_next(&flows, &at, &from, &to)) ...    indices of places
 */
#ifndef TANDEM_EXPORT_TASK_FLOWS_H
#define TANDEM_EXPORT_TASK_FLOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/tasks/tasks.h"
#include "util/map.h"

struct task_place { /* where an operation was drawn */
	uint64_t track, pid;
	int64_t start_ns, end_ns;
};

struct task_flows {
	struct map nodes; /* process and node -> place */
	struct task_place *places;
	size_t place_count, place_capacity;
	struct task_edge *edges;
	size_t edge_count, edge_capacity;
};

/* Returns 1: it is kept; 0: the node has one already; or -ENOMEM. */
int task_flows_operation(struct task_flows *flows, uint32_t process, uint32_t node,
			 const struct task_place *place);

/* Returns 0 or -ENOMEM. */
int task_flows_edge(struct task_flows *flows, const struct task_edge *edge);

/* The next edge whose ends are both drawn, from `*at` on, which begins at 0 and is then the
 * edge's number, from 1. */
bool task_flows_next(const struct task_flows *flows, size_t *at, size_t *from, size_t *to);

void task_flows_free(struct task_flows *flows);

#endif
