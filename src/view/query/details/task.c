/* SPDX-License-Identifier: MIT */
#include "view/query/details/task.h"

#include <inttypes.h>
#include <string.h>

#include "view/query/graph.h"

/* Nodes before, and nodes after, that are linked. */
#define LINKS_MOST 32u

static bool link_node(const struct view_details *details, struct json *json, const char *is,
		      uint32_t node, enum details_of_node of)
{
	uint32_t track, item;
	bool found;

	if (node >= details->index->task_nodes_count)
		return false;
	found = of == DETAILS_NODE ? graph_find_span(details->index, node, &track, &item)
				   : of == DETAILS_OPERATION &&
					     graph_find_operation(details, node, &track, &item);
	if (!found)
		found = graph_find_task(details, node, &track, &item);
	if (!found && of == DETAILS_TASK)
		found = graph_find_operation(details, node, &track, &item);
	if (found)
		details_link(json, details->index, is, track, item);
	return found;
}

void details_task_links(const struct view_details *details, struct json *json, uint32_t node,
			enum details_of_node of, struct details_more *more)
{
	const struct view_index *index = details->index;
	const struct view_task_edge *edge;
	uint32_t last = VIEW_NONE, linked = 0, track, item;

	if (node == VIEW_NONE)
		return;
	if (of == DETAILS_OPERATION && graph_find_task(details, node, &track, &item))
		details_link(json, index, "task", track, item);
	if (of == DETAILS_NODE && graph_find_task(details, node, &track, &item))
		details_link(json, index, "call", track, item);
	if (of != DETAILS_OPERATION && graph_find_operation(details, node, &track, &item))
		details_link(json, index, "operation", track, item);
	/* Several edges may join the same two, one for each buffer. */
	for (uint64_t i = graph_edges_in(index, node); graph_edge_in(index, i, node); i++) {
		if (index->task_edges[i].from == last)
			continue;
		last = index->task_edges[i].from;
		if (linked == LINKS_MOST)
			more->before++;
		else
			linked += link_node(details, json, "predecessor", last, of);
	}
	last = VIEW_NONE;
	linked = 0;
	for (uint64_t i = graph_edges_out(index, node); (edge = graph_edge_out(index, i, node));
	     i++) {
		if (edge->to == last)
			continue;
		last = edge->to;
		if (linked == LINKS_MOST)
			more->after++;
		else
			linked += link_node(details, json, "successor", last, of);
	}
}

void details_task_more(struct json *json, const struct details_more *more)
{
	if (more->before)
		json_unsigned(json, "predecessor", more->before);
	if (more->after)
		json_unsigned(json, "successor", more->after);
}

static void add_place(const struct view_index *index, struct json *json,
		      const struct view_task_place *place)
{
	const char *file = view_index_text(index, place->file);
	const char *function = view_index_text(index, place->function);
	const char *device = view_index_text(index, place->device);
	struct text source = TEXT_INIT;

	details_text(json, "name", view_index_text(index, place->name));
	details_text(json, "kind", view_index_text(index, place->kind));
	text_add_string(&source, file);
	if (*file && place->line)
		text_format(&source, ":%" PRIu32, place->line);
	if (*file && place->line && place->column)
		text_format(&source, ":%" PRIu32, place->column);
	if (*file && source.data)
		details_text(json, "source", source.data);
	text_free(&source);
	if (*function)
		details_text(json, "function", function);
	if (*device)
		details_text(json, "device", device);
}

/* Lines of a name, a tab and a value. */
static void add_facts(struct json *json, const char *facts)
{
	struct text name = TEXT_INIT, value = TEXT_INIT;

	while (*facts) {
		const char *end = strchrnul(facts, '\n');
		const char *tab = memchr(facts, '\t', (size_t)(end - facts));

		text_clear(&name);
		text_clear(&value);
		if (tab) {
			text_add(&name, facts, (size_t)(tab - facts));
			text_add(&value, tab + 1, (size_t)(end - tab - 1));
			if (name.data && value.data)
				details_text(json, name.data, value.data);
		}
		facts = *end ? end + 1 : end;
	}
	text_free(&name);
	text_free(&value);
}

void details_task(const struct view_index *index, struct json *json, uint32_t node)
{
	const struct view_task_node *of;

	if (node == VIEW_NONE)
		return;
	of = &index->task_nodes[node];
	json_begin_object(json, "task");
	json_unsigned(json, "node", node);
	json_begin_array(json, "facts");
	details_number(json, "node", "count", of->number);
	if (of->place < index->task_places_count)
		add_place(index, json, &index->task_places[of->place]);
	add_facts(json, view_index_text(index, of->facts));
	if (of->operations)
		details_number(json, "operations", "count", of->operations);
	if (of->operations)
		details_number(json, "device time", "ns", of->device_ns);
	if (of->critical)
		details_text(json, "critical chain", "part of the longest chain of the graph");
	json_end_array(json);
	json_end_object(json);
}

void details_node(const struct view_details *details, const struct details_span *span,
		  struct json *json)
{
	const struct view_index *index = details->index;
	uint32_t node = view_index_ref(index, span->track, span->item);
	struct details_more more = {.before = 0};

	if (node >= index->task_nodes_count)
		return;
	json_begin_array(json, "links");
	details_task_links(details, json, node, DETAILS_NODE, &more);
	json_end_array(json);
	json_begin_object(json, "more_links");
	details_task_more(json, &more);
	json_end_object(json);
	details_task(index, json, node);
}
