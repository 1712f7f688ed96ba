/* SPDX-License-Identifier: MIT */
#include "export/task_flows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/keyed_row.h"

static uint64_t node_key(uint32_t process, uint32_t node)
{
	return (uint64_t)process << 32 | node;
}

int task_flows_operation(struct task_flows *flows, uint32_t process, uint32_t node,
			 const struct task_place *place)
{
	size_t known = flows->place_count;

	if (!keyed_row(&flows->nodes, node_key(process, node), &flows->places,
		       &flows->place_capacity, &flows->place_count, place, sizeof(*place)))
		return -ENOMEM;
	return flows->place_count > known;
}

int task_flows_edge(struct task_flows *flows, const struct task_edge *edge)
{
	return ARRAY_ADD(flows->edges, flows->edge_capacity, flows->edge_count, *edge);
}

bool task_flows_next(const struct task_flows *flows, size_t *at, size_t *from, size_t *to)
{
	while (*at < flows->edge_count) {
		const struct task_edge *edge = &flows->edges[(*at)++];
		uint64_t first = map_get(&flows->nodes, node_key(edge->process, edge->from));
		uint64_t then = map_get(&flows->nodes, node_key(edge->process, edge->to));

		if (first == MAP_NONE || then == MAP_NONE || first == then)
			continue;
		*from = (size_t)first;
		*to = (size_t)then;
		return true;
	}
	return false;
}

void task_flows_free(struct task_flows *flows)
{
	map_free(&flows->nodes);
	free(flows->places);
	free(flows->edges);
	memset(flows, 0, sizeof(*flows));
}
