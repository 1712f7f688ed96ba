/* SPDX-License-Identifier: MIT */
#include "analysis/events/reorder/nodes.h"

#include <stdlib.h>

#define KEPT_MOST 4096u

static size_t size_of(uint32_t bytes)
{
	return ((size_t)bytes + REORDER_NODE_STEP - 1) / REORDER_NODE_STEP;
}

struct reorder_node *reorder_nodes_take(struct reorder_nodes *nodes, uint32_t bytes)
{
	size_t size = size_of(bytes);
	struct reorder_node *node = size < REORDER_NODE_SIZES ? nodes->kept[size] : NULL;

	if (node) {
		nodes->kept[size] = node->next;
		__builtin_prefetch(node->next);
		nodes->count--;
	} else {
		node = malloc(sizeof(*node) + size * REORDER_NODE_STEP);
		if (!node)
			return NULL;
	}
	node->uses = 1;
	node->bytes = bytes;
	return node;
}

void reorder_nodes_give(struct reorder_nodes *nodes, struct reorder_node *node)
{
	size_t size = size_of(node->bytes);

	if (--node->uses)
		return;
	if (size >= REORDER_NODE_SIZES || nodes->count == KEPT_MOST) {
		free(node);
		return;
	}
	node->next = nodes->kept[size];
	nodes->kept[size] = node;
	nodes->count++;
}

void reorder_nodes_free(struct reorder_nodes *nodes)
{
	for (size_t i = 0; i < REORDER_NODE_SIZES; i++) {
		while (nodes->kept[i]) {
			struct reorder_node *node = nodes->kept[i];

			nodes->kept[i] = node->next;
			free(node);
		}
	}
	nodes->count = 0;
}
