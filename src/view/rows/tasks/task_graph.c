/* SPDX-License-Identifier: MIT */
#include "view/rows/tasks/task_graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tasks/chain.h"
#include "trace/field.h"
#include "util/array.h"
#include "util/order/compare.h"

void task_graph_init(struct task_graph *graph, struct index_writer *writer,
		     struct event_iterator *iterator)
{
	memset(graph, 0, sizeof(*graph));
	graph->writer = writer;
	graph->iterator = iterator;
	graph->facts = (struct task_facts){.writer = writer, .node = VIEW_NONE};
}

static uint64_t node_key(uint32_t process, uint32_t number)
{
	return (uint64_t)process << 32 | number;
}

static int node_get(struct task_graph *graph, uint32_t process, uint32_t number, uint32_t *node)
{
	struct index_writer *writer = graph->writer;
	uint64_t key = node_key(process, number), known = map_get(&graph->node_of, key);

	*node = (uint32_t)known;
	if (known != MAP_NONE)
		return 0;
	if (writer->task_node_count == VIEW_NONE)
		return -EOVERFLOW;
	if (array_reserve(&writer->task_nodes, &writer->task_node_capacity,
			  writer->task_node_count + 1, sizeof(*writer->task_nodes)) ||
	    map_set(&graph->node_of, key, writer->task_node_count))
		return -ENOMEM;
	*node = (uint32_t)writer->task_node_count++;
	writer->task_nodes[*node] = (struct view_task_node){
		.process = process,
		.number = number,
		.submit_ns = INT64_MIN,
		.end_ns = INT64_MIN,
		.place = VIEW_NONE,
		.stream = VIEW_NONE,
	};
	return 0;
}

static int place_get(struct task_graph *graph, const struct task_construct *construct,
		     uint32_t *place)
{
	struct index_writer *writer = graph->writer;
	uint64_t key = node_key(construct->process, construct->number);
	uint64_t known = map_get(&graph->place_of, key);
	struct view_task_place made = {
		.process = construct->process,
		.line = construct->line,
		.column = construct->column,
	};
	int status;

	*place = (uint32_t)known;
	if (known != MAP_NONE)
		return 0;
	status = index_writer_name(writer, construct->name, &made.name);
	if (!status)
		status = index_writer_name(writer, construct->function, &made.function);
	if (!status)
		status = index_writer_name(writer, construct->file, &made.file);
	if (!status)
		status = index_writer_name(writer, construct->device, &made.device);
	if (!status)
		status = index_writer_name(writer, construct->place, &made.place);
	if (!status)
		status = index_writer_name(writer, task_kind_name(construct->kind), &made.kind);
	if (status)
		return status;
	if (array_reserve(&writer->task_places, &writer->task_place_capacity,
			  writer->task_place_count + 1, sizeof(*writer->task_places)) ||
	    map_set(&graph->place_of, key, writer->task_place_count))
		return -ENOMEM;
	*place = (uint32_t)writer->task_place_count;
	writer->task_places[writer->task_place_count++] = made;
	return 0;
}

/* A record that is about one node. */
static int add_record(struct task_graph *graph, const struct trace_event *event,
		      const struct tandem_field *field)
{
	uint32_t process = event->stream->process->index, node;
	uint32_t number = (uint32_t)trace_field_unsigned(event, field);
	const struct task_construct *construct =
		tasks_construct(&graph->iterator->tasks, process, number);
	int status = node_get(graph, process, number, &node);

	if (!status && construct && graph->writer->task_nodes[node].place == VIEW_NONE) {
		uint32_t place;

		status = place_get(graph, construct, &place);
		if (!status)
			graph->writer->task_nodes[node].place = place;
	}
	return status ? status : task_facts_add(&graph->facts, graph->iterator, node, event);
}

static int add_edge(struct task_graph *graph, const struct task_edge *edge)
{
	struct index_writer *writer = graph->writer;
	struct view_task_edge made = {.buffer = edge->buffer};
	int status;

	if (!edge->from || !edge->to)
		return 0;
	status = node_get(graph, edge->process, edge->from, &made.from);
	if (!status)
		status = node_get(graph, edge->process, edge->to, &made.to);
	if (!status)
		status = index_writer_name(writer, task_access_name(edge->access), &made.access);
	if (status)
		return status;
	return ARRAY_ADD(writer->task_edges, writer->task_edge_capacity, writer->task_edge_count,
			 made);
}

static int add_other(struct task_graph *graph, const struct trace_event *event)
{
	const struct tandem_field *field;
	struct task_edge edge;

	if (event_iterator_edge(graph->iterator, event, &edge))
		return add_edge(graph, &edge);
	/* Which operation a node's task became comes with that operation. */
	if (event->layout->event->traits.record == TANDEM_RECORD_task_signal)
		return 0;
	field = trace_field_find(event->layout, "node");
	if (!field || field->variable || field->kind != TANDEM_FIELD_OBJECT ||
	    field->object != TANDEM_OBJECT_node || !trace_field_unsigned(event, field))
		return 0;
	return add_record(graph, event, field);
}

/* A task is complete when its call has returned and the last of its operations has ended. */
static void complete_at(const struct task_graph *graph, struct view_task_node *node, int64_t ns)
{
	if (ns != INT64_MAX)
		ns -= graph->iterator->session->start_ns;
	if (node->end_ns < ns)
		node->end_ns = ns;
}

static int add_submission(struct task_graph *graph, const struct trace_event *event)
{
	uint32_t number = tasks_submitted_node(event), node;
	struct view_task_node *made;
	int status;

	if (!number)
		return 0;
	status = node_get(graph, event->stream->process->index, number, &node);
	if (status)
		return status;
	made = &graph->writer->task_nodes[node];
	if (made->submit_ns == INT64_MIN) {
		made->submit_ns = event->ns - graph->iterator->session->start_ns;
		made->stream = event->stream->index;
	}
	complete_at(graph, made, event->end_ticks ? event->end_ns : INT64_MAX);
	return 0;
}

static int add_operation(struct task_graph *graph, const struct operation *operation)
{
	struct index_writer *writer = graph->writer;
	struct view_task_node *made;
	int64_t from_ns, to_ns;
	uint32_t node;
	int status = node_get(graph, operation->process, operation->node, &node);

	if (status)
		return status;
	made = &writer->task_nodes[node];
	if (!made->operations++)
		made->op = operation->op;
	operation_span(operation, INT64_MAX, &from_ns, &to_ns);
	complete_at(graph, made, operation->record ? to_ns : INT64_MAX);
	if (operation->record && operation->timed)
		made->device_ns += operation->device_times.end - operation->device_times.start;
	return ARRAY_ADD(writer->task_ops, writer->task_op_capacity, writer->task_op_count,
			 (struct view_task_op){operation->op, operation->process, node});
}

int task_graph_item(struct task_graph *graph, const struct event_item *item)
{
	switch (item->kind) {
	case ITEM_OPERATION:
	case ITEM_UNFINISHED:
		return item->operation.node ? add_operation(graph, &item->operation) : 0;
	case ITEM_CALL:
		return item->event->layout->class == TANDEM_CLASS_TASK
			       ? add_submission(graph, item->event)
			       : 0;
	case ITEM_OTHER:
		return !item->system && graph->iterator->tasks.count ? add_other(graph, item->event)
								     : 0;
	case ITEM_MEMORY:
	case ITEM_OBJECT:
	case ITEM_LOST:
	case ITEM_BUILD:
	case ITEM_ENGINES:
		break;
	}
	return 0;
}

/* --- in order */

static int node_compare(const void *a, const void *b, void *nodes_of)
{
	const struct view_task_node *nodes = nodes_of;
	const struct view_task_node *left = &nodes[*(const uint32_t *)a];
	const struct view_task_node *right = &nodes[*(const uint32_t *)b];

	return COMPARE(left->process, right->process) ?: COMPARE(left->number, right->number);
}

static int edge_compare(const void *a, const void *b)
{
	const struct view_task_edge *left = a, *right = b;

	return COMPARE(left->to, right->to)
	       ?: COMPARE(left->from, right->from)
	       ?: COMPARE(left->buffer, right->buffer);
}

static int op_compare(const void *a, const void *b)
{
	const struct view_task_op *left = a, *right = b;

	return COMPARE(left->process, right->process) ?: COMPARE(left->op, right->op);
}

/* What only stands for an event, and joins nothing, is no part of the graph. */
static bool node_wanted(const struct index_writer *writer, const bool *joined, uint32_t number)
{
	const struct view_task_node *node = &writer->task_nodes[number];
	bool external = node->place != VIEW_NONE &&
			!strcmp(intern_text(&writer->names, writer->task_places[node->place].kind),
				task_kind_name(TASK_EXTERNAL));

	return joined[number] || node->operations || node->submit_ns != INT64_MIN || !external;
}

/* Nodes by their numbers; `places` is of each node where it is then, or VIEW_NONE. */
static int order_nodes(struct index_writer *writer, uint32_t *places)
{
	size_t count = writer->task_node_count, kept = 0;
	struct view_task_node *sorted = malloc((count + 1) * sizeof(*sorted));
	uint32_t *order = malloc((count + 1) * sizeof(*order));
	bool *joined = calloc(count + 1, sizeof(*joined));

	if (!sorted || !order || !joined) {
		free(sorted);
		free(order);
		free(joined);
		return -ENOMEM;
	}
	for (size_t i = 0; i < writer->task_edge_count; i++)
		joined[writer->task_edges[i].from] = joined[writer->task_edges[i].to] = true;
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, count, sizeof(*order), node_compare, writer->task_nodes);
	for (size_t i = 0; i < count; i++) {
		bool wanted = node_wanted(writer, joined, order[i]);

		places[order[i]] = wanted ? (uint32_t)kept : VIEW_NONE;
		if (wanted)
			sorted[kept++] = writer->task_nodes[order[i]];
	}
	free(order);
	free(joined);
	free(writer->task_nodes);
	writer->task_nodes = sorted;
	writer->task_node_count = kept;
	writer->task_node_capacity = count + 1;
	return 0;
}

static int mark_chain(struct index_writer *writer)
{
	struct task_link *links = malloc((writer->task_edge_count + 1) * sizeof(*links));
	uint64_t *executing_ns = malloc((writer->task_node_count + 1) * sizeof(*executing_ns));
	struct task_chain chain = {.nodes = NULL};
	int status = links && executing_ns ? 0 : -ENOMEM;

	for (size_t i = 0; !status && i < writer->task_edge_count; i++)
		links[i] = (struct task_link){writer->task_edges[i].from, writer->task_edges[i].to};
	for (size_t i = 0; !status && i < writer->task_node_count; i++)
		executing_ns[i] = writer->task_nodes[i].device_ns;
	if (!status)
		status = task_chain_find(&chain, executing_ns, writer->task_node_count, links,
					 writer->task_edge_count);
	for (size_t i = 0; !status && chain.executing_ns && i < chain.count; i++)
		writer->task_nodes[chain.nodes[i]].critical = (uint32_t)i + 1;
	task_chain_free(&chain);
	free(executing_ns);
	free(links);
	return status;
}

int task_graph_finish(struct task_graph *graph)
{
	struct index_writer *writer = graph->writer;
	uint32_t *places;
	int status = task_facts_flush(&graph->facts);

	if (status || !writer->task_node_count)
		return status;
	places = malloc(writer->task_node_count * sizeof(*places));
	status = places ? order_nodes(writer, places) : -ENOMEM;
	for (size_t i = 0; !status && i < writer->task_edge_count; i++) {
		writer->task_edges[i].from = places[writer->task_edges[i].from];
		writer->task_edges[i].to = places[writer->task_edges[i].to];
	}
	for (size_t i = 0; !status && i < writer->task_op_count; i++)
		writer->task_ops[i].node = places[writer->task_ops[i].node];
	free(places);
	if (status)
		return status;
	if (writer->task_edge_count)
		qsort(writer->task_edges, writer->task_edge_count, sizeof(*writer->task_edges),
		      edge_compare);
	if (writer->task_op_count)
		qsort(writer->task_ops, writer->task_op_count, sizeof(*writer->task_ops),
		      op_compare);
	return mark_chain(writer);
}

void task_graph_free(struct task_graph *graph)
{
	map_free(&graph->node_of);
	map_free(&graph->place_of);
	text_free(&graph->facts.text);
	memset(graph, 0, sizeof(*graph));
}
