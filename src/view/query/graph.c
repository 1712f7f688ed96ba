/* SPDX-License-Identifier: MIT */
#include "view/query/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/json.h"
#include "view/query/details/json.h"

uint32_t graph_node_find(const struct view_index *index, uint32_t process, uint32_t number)
{
	uint64_t low = 0, high = number ? index->task_nodes_count : 0;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		const struct view_task_node *node = &index->task_nodes[middle];

		if (node->process < process || (node->process == process && node->number < number))
			low = middle + 1;
		else
			high = middle;
	}
	if (!number || low >= index->task_nodes_count ||
	    index->task_nodes[low].process != process || index->task_nodes[low].number != number)
		return VIEW_NONE;
	return (uint32_t)low;
}

uint32_t graph_node_of_op(const struct view_index *index, uint32_t process, uint64_t op)
{
	uint64_t low = 0, high = index->task_ops_count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		const struct view_task_op *of = &index->task_ops[middle];

		if (of->process < process || (of->process == process && of->op < op))
			low = middle + 1;
		else
			high = middle;
	}
	if (low >= index->task_ops_count || index->task_ops[low].process != process ||
	    index->task_ops[low].op != op)
		return VIEW_NONE;
	return index->task_ops[low].node < index->task_nodes_count ? index->task_ops[low].node
								   : VIEW_NONE;
}

uint64_t graph_edges_in(const struct view_index *index, uint32_t node)
{
	uint64_t low = 0, high = index->task_edges_count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (index->task_edges[middle].to < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const struct view_task_edge *edge_out(const struct view_index *index, uint64_t place)
{
	static const struct view_task_edge none = {VIEW_NONE, VIEW_NONE, VIEW_NONE, 0};
	uint32_t edge = index->task_edges_out[place];

	return edge < index->task_edges_count ? &index->task_edges[edge] : &none;
}

uint64_t graph_edges_out(const struct view_index *index, uint32_t node)
{
	uint64_t low = 0, high = index->task_edges_out_count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (edge_out(index, middle)->from < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct view_task_edge *graph_edge_out(const struct view_index *index, uint64_t place,
					    uint32_t node)
{
	const struct view_task_edge *edge =
		place < index->task_edges_out_count ? edge_out(index, place) : NULL;

	return edge && edge->from == node ? edge : NULL;
}

bool graph_find_task(const struct view_details *details, uint32_t node, uint32_t *track,
		     uint32_t *item)
{
	const struct view_task_node *of = &details->index->task_nodes[node];

	return of->submit_ns != INT64_MIN &&
	       details_find_call_at(details, of->stream, of->submit_ns, track, item);
}

bool graph_find_span(const struct view_index *index, uint32_t node, uint32_t *track, uint32_t *item)
{
	const struct view_task_node *of = &index->task_nodes[node];

	for (uint32_t i = 0; i < index->tracks_count; i++) {
		const struct view_track *in = &index->tracks[i];

		if (in->refs != VIEW_REFS_node || index->rows[in->row].process != of->process)
			continue;
		for (uint32_t at = view_index_lower(index, in, of->submit_ns);
		     at < in->items &&
		     view_index_item(index, in, at)->span.begin_ns == of->submit_ns;
		     at++) {
			if (view_index_ref(index, in, at) != node)
				continue;
			*track = i;
			*item = at;
			return true;
		}
	}
	return false;
}

bool graph_find_operation(const struct view_details *details, uint32_t node, uint32_t *track,
			  uint32_t *item)
{
	const struct view_task_node *of = &details->index->task_nodes[node];
	const struct view_command *command =
		of->operations ? view_index_find_op(details->index, of->process, of->op, 0) : NULL;

	if (!command || !details_find_command(details->index, command, item))
		return false;
	*track = command->track;
	return true;
}

/* --- for the page */

struct place_sum {
	uint64_t nodes, device_ns, operations, critical;
};

/* Nodes without a place are summed as one more, the last. */
static uint64_t place_of(const struct view_index *index, const struct view_task_node *node)
{
	return node->place < index->task_places_count ? node->place : index->task_places_count;
}

static void add_place(const struct view_details *details, struct json *json, uint64_t number,
		      const struct place_sum *sum)
{
	const struct view_index *index = details->index;
	static const struct view_task_place unknown = {
		VIEW_NONE, VIEW_NONE, VIEW_NONE, VIEW_NONE, 0, 0, VIEW_NONE, VIEW_NONE, VIEW_NONE};
	const struct view_task_place *place =
		number < index->task_places_count ? &index->task_places[number] : &unknown;
	const char *name = view_index_text(index, place->name);

	json_begin_array(json, NULL);
	json_string(json, NULL, *name ? name : "unknown");
	json_string(json, NULL, view_index_text(index, place->kind));
	json_string(json, NULL, view_index_text(index, place->place));
	json_string(json, NULL, view_index_text(index, place->device));
	json_string(json, NULL,
		    place->process < details->session->process_count
			    ? details->session->processes[place->process].name
			    : "");
	json_unsigned(json, NULL, sum->nodes);
	json_unsigned(json, NULL, sum->device_ns);
	json_unsigned(json, NULL, sum->operations);
	json_unsigned(json, NULL, sum->critical);
	json_end_array(json);
}

/* Returns device time on the longest chain, or -ENOMEM. */
static int add_places(const struct view_details *details, struct json *json, uint64_t *chain_ns)
{
	const struct view_index *index = details->index;
	uint64_t count = index->task_places_count + 1;
	struct place_sum *sums = calloc(count, sizeof(*sums));

	if (!sums)
		return -ENOMEM;
	for (uint64_t i = 0; i < index->task_nodes_count; i++) {
		const struct view_task_node *node = &index->task_nodes[i];
		struct place_sum *sum = &sums[place_of(index, node)];

		sum->nodes++;
		sum->device_ns += node->device_ns;
		sum->operations += node->operations;
		sum->critical += node->critical != 0;
		*chain_ns += node->critical ? node->device_ns : 0;
	}
	json_begin_array(json, "places");
	for (uint64_t i = 0; i < count; i++)
		add_place(details, json, i, &sums[i]);
	json_end_array(json);
	free(sums);
	return 0;
}

static int add_place_edges(const struct view_index *index, struct json *json)
{
	uint64_t places = index->task_places_count + 1, key, count;
	struct map counts = {.count = 0};
	size_t at = 0;
	int status = 0;

	for (uint64_t i = 0; i < index->task_edges_count && !status; i++) {
		const struct view_task_edge *edge = &index->task_edges[i];

		if (edge->from >= index->task_nodes_count || edge->to >= index->task_nodes_count)
			continue;
		key = place_of(index, &index->task_nodes[edge->from]) * places +
		      place_of(index, &index->task_nodes[edge->to]);
		count = map_get(&counts, key);
		status = map_set(&counts, key, count == MAP_NONE ? 1 : count + 1);
	}
	json_begin_array(json, "place_edges");
	while (!status && map_next(&counts, &at, &key, &count)) {
		json_begin_array(json, NULL);
		json_unsigned(json, NULL, key / places);
		json_unsigned(json, NULL, key % places);
		json_unsigned(json, NULL, count);
		json_end_array(json);
	}
	json_end_array(json);
	map_free(&counts);
	return status;
}

static void add_drawn(struct json *json, bool found, uint32_t track, uint32_t item)
{
	json_signed(json, NULL, found ? (int64_t)track : -1);
	json_signed(json, NULL, found ? (int64_t)item : -1);
}

static void add_node(const struct view_details *details, struct json *json, uint32_t number)
{
	const struct view_index *index = details->index;
	const struct view_task_node *node = &index->task_nodes[number];
	uint32_t track = 0, item = 0;
	bool found;

	json_begin_array(json, NULL);
	json_unsigned(json, NULL, place_of(index, node));
	json_unsigned(json, NULL, node->number);
	if (node->submit_ns == INT64_MIN)
		json_null(json, NULL);
	else
		json_signed(json, NULL, node->submit_ns);
	json_unsigned(json, NULL, node->device_ns);
	json_unsigned(json, NULL, node->critical);
	found = graph_find_task(details, number, &track, &item);
	add_drawn(json, found, track, item);
	found = graph_find_operation(details, number, &track, &item);
	add_drawn(json, found, track, item);
	json_end_array(json);
}

int graph_json(const struct view_details *details, struct text *out)
{
	const struct view_index *index = details->index;
	uint64_t nodes = index->task_nodes_count < GRAPH_NODES_MOST ? index->task_nodes_count
								    : GRAPH_NODES_MOST;
	uint64_t chain_ns = 0;
	struct json json;
	int status;

	json_init(&json, out, false);
	json_begin_object(&json, NULL);
	json_unsigned(&json, "total", index->task_nodes_count);
	json_unsigned(&json, "total_edges", index->task_edges_count);
	status = add_places(details, &json, &chain_ns);
	if (!status)
		status = add_place_edges(index, &json);
	json_unsigned(&json, "chain_ns", chain_ns);
	json_begin_array(&json, "nodes");
	for (uint32_t i = 0; i < nodes && !status; i++)
		add_node(details, &json, i);
	json_end_array(&json);
	json_begin_array(&json, "edges");
	for (uint64_t i = 0; i < index->task_edges_count && !status; i++) {
		const struct view_task_edge *edge = &index->task_edges[i];

		if (edge->from >= nodes || edge->to >= nodes)
			continue;
		json_begin_array(&json, NULL);
		json_unsigned(&json, NULL, edge->from);
		json_unsigned(&json, NULL, edge->to);
		json_string(&json, NULL, view_index_text(index, edge->access));
		json_unsigned(&json, NULL, edge->buffer);
		json_end_array(&json);
	}
	json_end_array(&json);
	json_end_object(&json);
	return status ? status : out->failed ? -ENOMEM : 0;
}
