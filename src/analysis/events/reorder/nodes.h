/* SPDX-License-Identifier: MIT */
/* What events of a reorder buffer keep until their turn. Several events of one command, or
 * call, share one node. Millions wait one after another and few at a time, so that nodes
 * that are done with are kept for the next ones. Owner: a reorder buffer. One thread.
 *
 *	struct reorder_nodes nodes = {0};
 *	node = reorder_nodes_take(&nodes, event->bytes);
 *	node->uses++;                                       one more event has it
 *	reorder_nodes_give(&nodes, node);                   once for each use
 *	reorder_nodes_free(&nodes);
 */
#ifndef TANDEM_ANALYSIS_EVENTS_REORDER_NODES_H
#define TANDEM_ANALYSIS_EVENTS_REORDER_NODES_H

#include <stddef.h>
#include <stdint.h>

#define REORDER_NODE_STEP 64u /* bytes of payload that nodes differ by */
#define REORDER_NODE_SIZES 8u /* of nodes that are kept */

struct reorder_node {
	uint32_t uses;	/* the last one gives it back */
	uint32_t bytes; /* of payload */
	union {
		uint64_t op;
		struct reorder_node *next; /* of those that are kept */
	};
	_Alignas(16) char payload[];
};

struct reorder_nodes {
	struct reorder_node *kept[REORDER_NODE_SIZES];
	size_t count;
};

/* One with room for a payload of so many bytes and one use, else nothing filled in; NULL
 * if there is no memory. */
struct reorder_node *reorder_nodes_take(struct reorder_nodes *nodes, uint32_t bytes);

/* Ends a use. */
void reorder_nodes_give(struct reorder_nodes *nodes, struct reorder_node *node);

void reorder_nodes_free(struct reorder_nodes *nodes);

#endif
