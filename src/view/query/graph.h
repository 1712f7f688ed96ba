/* SPDX-License-Identifier: MIT */
/* The task graph of an index: what is asked of it, and as one object for the page. Read-only,
 * any thread.
 *
 *	uint32_t node = graph_node_of_op(index, process, op);
 *	for (uint64_t i = graph_edges_in(index, node); graph_edge_in(index, i, node); i++)
 *		use(index->task_edges[i].from);
 */
#ifndef TANDEM_VIEW_QUERY_GRAPH_H
#define TANDEM_VIEW_QUERY_GRAPH_H

#include <stdbool.h>

#include "util/text.h"
#include "view/index/index.h"
#include "view/query/details/details.h"

/* Nodes of an answer: the page draws no more one by one. */
#define GRAPH_NODES_MOST 20000u

/* A node by its number, or by an operation of its task; VIEW_NONE where there is none. */
uint32_t graph_node_find(const struct view_index *index, uint32_t process, uint32_t number);
uint32_t graph_node_of_op(const struct view_index *index, uint32_t process, uint64_t op);

/* The first edge that leads to the node, in `task_edges`. */
uint64_t graph_edges_in(const struct view_index *index, uint32_t node);

/* Whether that edge is there and leads to the node. */
static inline bool graph_edge_in(const struct view_index *index, uint64_t edge, uint32_t node)
{
	return edge < index->task_edges_count && index->task_edges[edge].to == node;
}

/* The same of edges that lead away from it, in `task_edges_out`. */
uint64_t graph_edges_out(const struct view_index *index, uint32_t node);

/* NULL: there are no more. */
const struct view_task_edge *graph_edge_out(const struct view_index *index, uint64_t place,
					    uint32_t node);

/* Where the node's task (submit_ns) or its first operation is drawn; false: nowhere. */
bool graph_find_task(const struct view_details *details, uint32_t node, uint32_t *track,
		     uint32_t *item);
bool graph_find_operation(const struct view_details *details, uint32_t node, uint32_t *track,
			  uint32_t *item);

/* The same in the row of tasks. */
bool graph_find_span(const struct view_index *index, uint32_t node, uint32_t *track,
		     uint32_t *item);

/* {"total": nodes, "total_edges", "chain_ns": device time of the longest chain, "places": [[name,
 * kind, place, device, process's name, nodes, device_ns, operations, nodes on the chain]...],
 * "place_edges": [[from, to, edges]...], "nodes": [[place or -1, number, submit_ns or null,
 * device_ns, place in the chain or 0, track, item, track, item]...], "edges": [[from, to, access, buffer]...]}:
 * where a node's task is drawn and where its first operation, each -1 where it is not. Of
 * places all nodes and edges are counted; one by one are the first GRAPH_NODES_MOST nodes, and
 * the edges between them. Returns 0 or -ENOMEM. */
int graph_json(const struct view_details *details, struct text *out);

#endif
