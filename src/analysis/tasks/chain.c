/* SPDX-License-Identifier: MIT */
#include "analysis/tasks/chain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_NODE UINT32_MAX

struct chain_node {
	uint64_t until_ns;  /* of the longest chain that ends with it */
	uint32_t before;    /* in that chain */
	uint32_t waits_for; /* links that lead to it and were not followed yet */
};

struct chain_search {
	struct chain_node *nodes;
	uint32_t *first; /* place in `order` of the first link of each node, and of none */
	uint32_t *order; /* links by where they come from */
	uint32_t *ready; /* nodes that no link to is left of */
};

static void search_free(struct chain_search *search)
{
	free(search->nodes);
	free(search->first);
	free(search->order);
	free(search->ready);
}

static int search_init(struct chain_search *search, size_t nodes, const struct task_link *links,
		       size_t link_count)
{
	search->nodes = calloc(nodes + 1, sizeof(*search->nodes));
	search->first = calloc(nodes + 2, sizeof(*search->first));
	search->order = malloc((link_count + 1) * sizeof(*search->order));
	search->ready = malloc((nodes + 1) * sizeof(*search->ready));
	if (!search->nodes || !search->first || !search->order || !search->ready)
		return -ENOMEM;
	/* Counted, then placed: each from the end of its node's place to the begin. */
	for (size_t i = 0; i < link_count; i++) {
		search->first[links[i].from]++;
		search->nodes[links[i].to].waits_for++;
	}
	for (size_t i = 1; i <= nodes; i++)
		search->first[i] += search->first[i - 1];
	for (size_t i = link_count; i--;)
		search->order[--search->first[links[i].from]] = (uint32_t)i;
	return 0;
}

/* By Kahn's algorithm: nodes without a predecessor left, one after another. Returns the last
 * node of the longest chain. */
static uint32_t search_run(struct chain_search *search, const uint64_t *executing_ns, size_t nodes,
			   const struct task_link *links)
{
	uint32_t last = NO_NODE;
	size_t count = 0;

	for (size_t i = 0; i < nodes; i++) {
		search->nodes[i].until_ns = executing_ns[i];
		search->nodes[i].before = NO_NODE;
		if (!search->nodes[i].waits_for)
			search->ready[count++] = (uint32_t)i;
	}
	for (size_t at = 0; at < count; at++) {
		uint32_t number = search->ready[at];
		const struct chain_node *node = &search->nodes[number];

		if (last == NO_NODE || node->until_ns > search->nodes[last].until_ns)
			last = number;
		for (uint32_t i = search->first[number]; i < search->first[number + 1]; i++) {
			uint32_t to = links[search->order[i]].to;
			struct chain_node *next = &search->nodes[to];

			if (next->before == NO_NODE ||
			    node->until_ns + executing_ns[to] > next->until_ns) {
				next->until_ns = node->until_ns + executing_ns[to];
				next->before = number;
			}
			if (!--next->waits_for)
				search->ready[count++] = to;
		}
	}
	return last;
}

int task_chain_find(struct task_chain *chain, const uint64_t *executing_ns, size_t nodes,
		    const struct task_link *links, size_t link_count)
{
	struct chain_search search;
	uint32_t last = NO_NODE;
	int status;

	memset(chain, 0, sizeof(*chain));
	status = search_init(&search, nodes, links, link_count);
	if (!status)
		last = search_run(&search, executing_ns, nodes, links);
	for (uint32_t at = last; at != NO_NODE; at = search.nodes[at].before)
		chain->count++;
	chain->nodes = status ? NULL : malloc((chain->count + 1) * sizeof(*chain->nodes));
	if (!status && !chain->nodes)
		status = -ENOMEM;
	if (!status && last != NO_NODE) {
		size_t at = chain->count;

		chain->executing_ns = search.nodes[last].until_ns;
		for (; last != NO_NODE; last = search.nodes[last].before)
			chain->nodes[--at] = last;
	}
	search_free(&search);
	return status;
}

void task_chain_free(struct task_chain *chain)
{
	free(chain->nodes);
	memset(chain, 0, sizeof(*chain));
}
