/* SPDX-License-Identifier: MIT */
/* The longest chain of a task graph: of nodes that each depend on the one before, those whose
 * executions take longest together. However many devices there are, the graph takes no less.
 *
 *	struct task_chain chain;
 *	task_chain_find(&chain, executing_ns, nodes, links, links_count);
 *	chain.nodes[0 .. chain.count - 1]          from the first to the last
 *	task_chain_free(&chain);
 *
 * Memory while it is found: 24 bytes for each node, 4 for each link. One thread.
 */
#ifndef TANDEM_ANALYSIS_TASKS_CHAIN_H
#define TANDEM_ANALYSIS_TASKS_CHAIN_H

#include <stddef.h>
#include <stdint.h>

struct task_link { /* indices of nodes */
	uint32_t from, to;
};

struct task_chain {
	uint64_t executing_ns; /* of its nodes together */
	uint32_t *nodes;       /* indices */
	size_t count;
};

/* `executing_ns` is of each node; links must join nodes below `nodes`. What is in a cycle, which
 * only damage makes, is part of no chain. Returns 0 or -ENOMEM; it is to be freed either way. */
int task_chain_find(struct task_chain *chain, const uint64_t *executing_ns, size_t nodes,
		    const struct task_link *links, size_t link_count);

void task_chain_free(struct task_chain *chain);

#endif
