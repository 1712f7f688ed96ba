/* SPDX-License-Identifier: MIT */
/* Nodes for the events of a reorder buffer. Millions wait one after another and few at a
 * time, so that those that are done with are kept for the next ones. Owner: a reorder
 * buffer. One thread.
 *
 *	struct reorder_nodes nodes = {0};
 *	node = reorder_nodes_take(&nodes, event->bytes);
 *	reorder_nodes_give(&nodes, node);
 *	reorder_nodes_free(&nodes);
 */
#ifndef TANDEM_ANALYSIS_EVENTS_REORDER_NODES_H
#define TANDEM_ANALYSIS_EVENTS_REORDER_NODES_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/events/reorder/event.h"

#define REORDER_NODE_STEP 64u /* bytes of payload that nodes differ by */
#define REORDER_NODE_SIZES 8u /* of nodes that are kept */

/* An event that waits. */
struct reorder_node {
	struct reorder_event event; /* the payload is behind the node */
	uint64_t tie;		    /* order of events of the same time */
	char payload[];
};

struct reorder_nodes {
	struct reorder_node *kept[REORDER_NODE_SIZES]; /* linked by event.payload */
	size_t count;
};

/* One with room for a payload of so many bytes, nothing filled in; NULL if there is no
 * memory. */
struct reorder_node *reorder_nodes_take(struct reorder_nodes *nodes, uint32_t bytes);

/* Takes it back; event.bytes is what it was taken for. */
void reorder_nodes_give(struct reorder_nodes *nodes, struct reorder_node *node);

void reorder_nodes_free(struct reorder_nodes *nodes);

#endif
