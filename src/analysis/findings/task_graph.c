/* SPDX-License-Identifier: MIT */
/* Task graphs: dependencies that an accessor less would not make, tasks that ran one after
 * another though nothing keeps them apart, buffers that go back and forth between host and
 * device, and tasks too small for what their submission costs.
 *
 * Memory: 24 bytes for each node, 24 for each edge, 16 for each operation of a task. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/findings/finding.h"
#include "analysis/tasks/chain.h"
#include "trace/field.h"
#include "util/array.h"
#include "util/units.h"

#define SMALL_LEAST 100u /* tasks of a place: fewer are no habit */
#define BOUNCE_LEAST 4u	 /* transfers of a buffer: in and out are two */
#define SERIAL_PART 1.25 /* busy longer than the longest chain by this */

struct graph_node {
	uint64_t executing_ns;
	uint32_t buffer, submit_ns;
	uint32_t stream; /* + 1; 0: has no task */
};

struct graph_edge {
	uint32_t from, to, buffer;
	uint8_t access, from_access; /* enum task_access */
};

struct graph_span {
	int64_t begin_ns, end_ns;
};

struct graph_process {
	struct graph_node *nodes; /* by number */
	size_t node_count;
	struct graph_edge *edges;
	size_t edge_count, edge_capacity;
};

struct graph_pair { /* two places that edges keep apart */
	const struct task_construct *from, *to;
	uint64_t count, cost_ns;
	uint32_t stream;
};

struct graph_place {
	uint64_t count, submit_ns, executing_ns;
	uint32_t stream;
};

struct graph_state {
	struct graph_process *processes; /* by index */
	struct graph_span *spans;	 /* of the tasks' operations */
	size_t span_count, span_capacity;
	struct graph_pair *pairs;
	size_t pair_count, pair_capacity;
	struct map pair_of; /* indices of the constructs -> pair */
};

static int graph_begin(struct findings *findings, void *state)
{
	struct graph_state *graph = state;

	graph->processes = calloc(findings->session->process_count + 1, sizeof(*graph->processes));
	return graph->processes ? 0 : -ENOMEM;
}

#define NODE_STEP_MOST (1u << 24) /* as in tasks.c */

/* NULL: without memory, or a number that no node has. */
static struct graph_node *node_get(struct graph_process *process, uint32_t number)
{
	size_t count = process->node_count;
	struct graph_node *grown;

	if (number < count)
		return &process->nodes[number];
	if (number - count > NODE_STEP_MOST)
		return NULL;
	count = (size_t)number + number / 2 + 64;
	grown = realloc(process->nodes, count * sizeof(*grown));
	if (!grown)
		return NULL;
	memset(grown + process->node_count, 0, (count - process->node_count) * sizeof(*grown));
	process->nodes = grown;
	process->node_count = count;
	return &process->nodes[number];
}

static int add_operation(struct findings *findings, struct graph_state *graph,
			 const struct operation *operation)
{
	struct graph_process *process = &graph->processes[operation->process];
	struct graph_node *node = node_get(process, operation->node);

	(void)findings;
	if (!node || !operation->timed)
		return 0;
	node->executing_ns += operation->device_times.end - operation->device_times.start;
	if (!operation->placed)
		return 0;
	if (array_reserve(&graph->spans, &graph->span_capacity, graph->span_count + 1,
			  sizeof(*graph->spans)))
		return -ENOMEM;
	graph->spans[graph->span_count++] =
		(struct graph_span){operation->times.start_ns, operation->times.end_ns};
	return 0;
}

static void add_task(struct graph_state *graph, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	uint32_t number = tasks_submitted_node(event);
	struct graph_node *node =
		number ? node_get(&graph->processes[event->stream->process->index], number) : NULL;
	int64_t ns = item->end_ns - event->ns;

	if (!node || item->end_ns == INT64_MIN)
		return;
	node->submit_ns += ns < UINT32_MAX / 2 ? (uint32_t)ns : UINT32_MAX / 2;
	node->stream = event->stream->index + 1;
}

/* How a node has a buffer, by the edges that lead to it so far: the latest are last. */
static uint8_t access_of(const struct graph_process *process, uint32_t node, uint32_t buffer)
{
	for (size_t i = process->edge_count; i-- && process->edge_count - i < 64;) {
		const struct graph_edge *edge = &process->edges[i];

		if (edge->to == node && edge->buffer == buffer)
			return edge->access;
	}
	return TASK_EVENT;
}

static int add_edge(struct graph_state *graph, const struct task_edge *edge)
{
	struct graph_process *process = &graph->processes[edge->process];

	if (!edge->from || !edge->to || !node_get(process, edge->from) ||
	    !node_get(process, edge->to))
		return 0;
	if (array_reserve(&process->edges, &process->edge_capacity, process->edge_count + 1,
			  sizeof(*process->edges)))
		return -ENOMEM;
	process->edges[process->edge_count] = (struct graph_edge){
		.from = edge->from,
		.to = edge->to,
		.buffer = edge->buffer,
		.access = (uint8_t)edge->access,
		.from_access = edge->buffer ? access_of(process, edge->from, edge->buffer)
					    : (uint8_t)TASK_EVENT,
	};
	process->edge_count++;
	return 0;
}

static void add_node(struct graph_state *graph, const struct trace_event *event)
{
	const struct tandem_field *number = trace_field_find(event->layout, "node");
	const struct tandem_field *buffer = trace_field_find(event->layout, "buffer");
	struct graph_node *node =
		number ? node_get(&graph->processes[event->stream->process->index],
				  (uint32_t)trace_field_unsigned(event, number))
		       : NULL;

	if (node && buffer)
		node->buffer = (uint32_t)trace_field_unsigned(event, buffer);
}

static int task_graph_item(struct findings *findings, void *state, const struct event_item *item)
{
	struct task_edge edge;

	if (item->kind == ITEM_OPERATION && item->operation.node)
		return add_operation(findings, state, &item->operation);
	if (item->kind == ITEM_CALL && item->event->layout->class == TANDEM_CLASS_TASK)
		add_task(state, item);
	if (item->kind != ITEM_OTHER || item->system || !tasks_concerns(item->event))
		return 0;
	if (item->event->layout->event->traits.record == TANDEM_RECORD_task_node)
		add_node(state, item->event);
	else if (event_iterator_edge(findings->iterator, item->event, &edge))
		return add_edge(state, &edge);
	return 0;
}

/* --- false dependencies */

/* One of the two only reads, and the other says that it reads and writes. */
static bool may_be_false(const struct graph_edge *edge)
{
	return (edge->access == TASK_READ_WRITE && edge->from_access == TASK_READ) ||
	       (edge->access == TASK_READ && edge->from_access == TASK_READ_WRITE);
}

static int add_pair(struct findings *findings, struct graph_state *graph, uint32_t process_index,
		    const struct graph_edge *edge)
{
	const struct tasks *tasks = &findings->iterator->tasks;
	const struct task_construct *from = tasks_construct(tasks, process_index, edge->from);
	const struct task_construct *to = tasks_construct(tasks, process_index, edge->to);
	struct graph_process *process = &graph->processes[process_index];
	const struct graph_node *first = &process->nodes[edge->from];
	const struct graph_node *second = &process->nodes[edge->to];
	uint64_t key, known;

	if (!from || !to || from->kind != TASK_KERNEL || to->kind != TASK_KERNEL)
		return 0;
	key = ((uint64_t)from->number << 32 | to->number) ^ (uint64_t)process_index << 60;
	known = map_get(&graph->pair_of, key);
	if (known == MAP_NONE) {
		known = graph->pair_count;
		if (array_reserve(&graph->pairs, &graph->pair_capacity, graph->pair_count + 1,
				  sizeof(*graph->pairs)) ||
		    map_set(&graph->pair_of, key, known))
			return -ENOMEM;
		graph->pairs[graph->pair_count++] =
			(struct graph_pair){.from = from, .to = to, .stream = second->stream};
	}
	graph->pairs[known].count++;
	graph->pairs[known].cost_ns += first->executing_ns < second->executing_ns
					       ? first->executing_ns
					       : second->executing_ns;
	return 0;
}

/* Edges of one pair of nodes that come one after another: all must be of that kind. */
static int find_pairs(struct findings *findings, struct graph_state *graph, uint32_t process_index)
{
	const struct graph_process *process = &graph->processes[process_index];
	int status = 0;

	for (size_t i = 0, next; !status && i < process->edge_count; i = next) {
		const struct graph_edge *edge = &process->edges[i];
		bool all = true;

		for (next = i; next < process->edge_count && process->edges[next].to == edge->to &&
			       process->edges[next].from == edge->from;
		     next++)
			all = all && may_be_false(&process->edges[next]);
		if (all)
			status = add_pair(findings, graph, process_index, edge);
	}
	return status;
}

static const char *place(const struct task_construct *construct)
{
	return *construct->place ? construct->place : "an unknown place";
}

static int report_pairs(struct findings *findings, const struct graph_state *graph)
{
	for (size_t i = 0; i < graph->pair_count; i++) {
		const struct graph_pair *pair = &graph->pairs[i];
		struct finding *finding = findings_add(findings, "task-graph", "false-dependency");
		char count[UNITS_BYTES];

		if (!finding)
			return -ENOMEM;
		finding->count = pair->count;
		finding->cost_ns = pair->cost_ns;
		finding->object = pair->to->name;
		finding->what = findings_text(
			findings,
			"%s (%s) waited for %s (%s) %s times for a buffer that one of them only "
			"reads and the other declares read-write",
			pair->to->name, place(pair->to), pair->from->name, place(pair->from),
			units_count(count, pair->count));
		finding->confidence = CONFIDENCE_LOW;
		finding->why = "what a kernel does with a buffer is not recorded";
		finding->suggestion = "if the other does not write it either, declare its accessor "
				      "read-only: then they can run at the same time";
		if (pair->stream)
			finding_place(findings, finding, pair->stream - 1);
	}
	return 0;
}

/* --- the longest chain */

/* Adds the nodes that executed anything, and makes `longest_ns` that of the process's longest
 * chain where it is longer. */
static int find_chain(const struct graph_process *process, uint64_t *longest_ns, uint32_t *nodes)
{
	struct task_link *links = malloc((process->edge_count + 1) * sizeof(*links));
	uint64_t *executing_ns = malloc((process->node_count + 1) * sizeof(*executing_ns));
	struct task_chain chain = {.nodes = NULL};
	int status = links && executing_ns ? 0 : -ENOMEM;

	for (size_t i = 0; !status && i < process->edge_count; i++)
		links[i] = (struct task_link){process->edges[i].from, process->edges[i].to};
	for (size_t i = 0; !status && i < process->node_count; i++) {
		executing_ns[i] = process->nodes[i].executing_ns;
		*nodes += executing_ns[i] != 0;
	}
	if (!status)
		status = task_chain_find(&chain, executing_ns, process->node_count, links,
					 process->edge_count);
	if (!status && chain.executing_ns > *longest_ns)
		*longest_ns = chain.executing_ns;
	task_chain_free(&chain);
	free(executing_ns);
	free(links);
	return status;
}

static int span_compare(const void *a, const void *b)
{
	const struct graph_span *left = a, *right = b;

	return left->begin_ns < right->begin_ns ? -1 : left->begin_ns > right->begin_ns;
}

static uint64_t busy_ns(struct graph_state *graph)
{
	uint64_t busy = 0;
	int64_t until = INT64_MIN;

	if (graph->span_count > 1)
		qsort(graph->spans, graph->span_count, sizeof(*graph->spans), span_compare);
	for (size_t i = 0; i < graph->span_count; i++) {
		const struct graph_span *span = &graph->spans[i];
		int64_t from = span->begin_ns > until ? span->begin_ns : until;

		if (span->end_ns <= from)
			continue;
		busy += (uint64_t)(span->end_ns - from);
		until = span->end_ns;
	}
	return busy;
}

static int report_chain(struct findings *findings, struct graph_state *graph)
{
	uint64_t longest = 0, busy = busy_ns(graph);
	char chain[UNITS_BYTES], whole[UNITS_BYTES];
	struct finding *finding;
	uint32_t nodes = 0;

	for (size_t i = 0; i < findings->session->process_count; i++) {
		if (graph->processes[i].edge_count &&
		    find_chain(&graph->processes[i], &longest, &nodes))
			return -ENOMEM;
	}
	if (!longest || (double)busy < SERIAL_PART * (double)longest)
		return 0;
	finding = findings_add(findings, "task-graph", "serial");
	if (!finding)
		return -ENOMEM;
	finding->count = nodes;
	finding->cost_ns = busy - longest;
	finding->what =
		findings_text(findings,
			      "devices were busy with tasks for %s, and the longest chain "
			      "of the task graph takes %s: tasks that do not depend on "
			      "each other ran one after another",
			      units_ns(whole, (double)busy), units_ns(chain, (double)longest));
	finding->confidence = CONFIDENCE_MEDIUM;
	finding->why = "what each would take next to others is not recorded";
	finding->suggestion = "submit them before waiting, and to a queue that is not in-order, or "
			      "to several";
	return 0;
}

/* --- buffers that go back and forth */

struct graph_buffer {
	uint64_t transfers, cost_ns;
	uint32_t process, number, stream;
};

static int buffer_find(struct map *known, struct graph_buffer **buffers, size_t *count,
		       size_t *capacity, uint32_t process, uint32_t number,
		       struct graph_buffer **found)
{
	uint64_t key = (uint64_t)process << 32 | number, index = map_get(known, key);

	if (index == MAP_NONE) {
		index = *count;
		if (array_reserve(buffers, capacity, *count + 1, sizeof(**buffers)) ||
		    map_set(known, key, index))
			return -ENOMEM;
		(*buffers)[(*count)++] =
			(struct graph_buffer){.process = process, .number = number};
	}
	*found = &(*buffers)[index];
	return 0;
}

static int report_buffer(struct findings *findings, const struct graph_buffer *buffer)
{
	struct finding *finding = findings_add(findings, "task-graph", "bouncing-buffer");
	char count[UNITS_BYTES];

	if (!finding)
		return -ENOMEM;
	finding->count = buffer->transfers;
	finding->cost_ns = buffer->cost_ns;
	finding->object = findings_text(findings, "buffer %u", buffer->number);
	finding->what =
		findings_text(findings, "buffer %u was moved between host and device %s times",
			      buffer->number, units_count(count, buffer->transfers));
	finding->confidence = CONFIDENCE_HIGH;
	finding->why = "the runtime made these transfers";
	finding->suggestion = "keep the work on it on one side: each access by the host between "
			      "kernels brings it back";
	if (buffer->stream)
		finding_place(findings, finding, buffer->stream - 1);
	return 0;
}

static int report_buffers(struct findings *findings, const struct graph_state *graph)
{
	const struct tasks *tasks = &findings->iterator->tasks;
	struct graph_buffer *buffers = NULL, *buffer;
	struct map known = {0};
	size_t count = 0, capacity = 0;
	int status = 0;

	for (uint32_t i = 0; !status && i < findings->session->process_count; i++) {
		const struct graph_process *process = &graph->processes[i];

		for (uint32_t n = 1; !status && n < process->node_count; n++) {
			const struct graph_node *node = &process->nodes[n];
			const struct task_construct *construct =
				node->buffer && node->stream ? tasks_construct(tasks, i, n) : NULL;

			if (!construct || construct->kind != TASK_TRANSFER)
				continue;
			status = buffer_find(&known, &buffers, &count, &capacity, i, node->buffer,
					     &buffer);
			/* The first two bring it there and back. */
			if (!status && ++buffer->transfers > 2)
				buffer->cost_ns += node->executing_ns + node->submit_ns;
			if (!status)
				buffer->stream = node->stream;
		}
	}
	for (size_t i = 0; !status && i < count; i++)
		if (buffers[i].transfers >= BOUNCE_LEAST)
			status = report_buffer(findings, &buffers[i]);
	free(buffers);
	map_free(&known);
	return status;
}

/* --- small tasks */

static int report_place(struct findings *findings, const struct task_construct *construct,
			const struct graph_place *sum)
{
	struct finding *finding = findings_add(findings, "task-graph", "small-tasks");
	char count[UNITS_BYTES], submit[UNITS_BYTES], executing[UNITS_BYTES];

	if (!finding)
		return -ENOMEM;
	finding->count = sum->count;
	finding->cost_ns = sum->submit_ns - sum->executing_ns;
	finding->object = construct->name;
	finding->what = findings_text(
		findings, "%s tasks of %s (%s) took %s to submit and %s to execute, on average",
		units_count(count, sum->count), construct->name, place(construct),
		units_ns(submit, (double)sum->submit_ns / (double)sum->count),
		units_ns(executing, (double)sum->executing_ns / (double)sum->count));
	finding->confidence = CONFIDENCE_HIGH;
	finding->why = "both were recorded";
	finding->suggestion =
		"give each task more to do, or record them once as a graph of commands";
	if (sum->stream)
		finding_place(findings, finding, sum->stream - 1);
	return 0;
}

static int report_small(struct findings *findings, const struct graph_state *graph)
{
	const struct tasks *tasks = &findings->iterator->tasks;
	struct graph_place *sums = calloc(tasks->count + 1, sizeof(*sums));
	int status = sums ? 0 : -ENOMEM;

	for (uint32_t i = 0; !status && i < findings->session->process_count; i++) {
		const struct graph_process *process = &graph->processes[i];

		for (uint32_t n = 1; n < process->node_count; n++) {
			const struct graph_node *node = &process->nodes[n];
			const struct task_construct *construct =
				node->executing_ns ? tasks_construct(tasks, i, n) : NULL;
			struct graph_place *sum;

			if (!construct || construct->kind != TASK_KERNEL)
				continue;
			sum = &sums[map_get(&tasks->construct_of,
					    (uint64_t)i << 32 | construct->number)];
			sum->count++;
			sum->submit_ns += node->submit_ns;
			sum->executing_ns += node->executing_ns;
			sum->stream = node->stream;
		}
	}
	for (size_t i = 0; !status && i < tasks->count; i++)
		if (sums[i].count >= SMALL_LEAST && sums[i].submit_ns > sums[i].executing_ns)
			status = report_place(findings, tasks->constructs[i], &sums[i]);
	free(sums);
	return status;
}

static int graph_end(struct findings *findings, void *state)
{
	struct graph_state *graph = state;
	int status = 0;

	for (uint32_t i = 0; !status && i < findings->session->process_count; i++)
		status = find_pairs(findings, graph, i);
	if (!status)
		status = report_pairs(findings, graph);
	if (!status)
		status = report_chain(findings, graph);
	if (!status)
		status = report_buffers(findings, graph);
	return status ? status : report_small(findings, graph);
}

static void graph_release(struct findings *findings, void *state)
{
	struct graph_state *graph = state;

	for (size_t i = 0; graph->processes && i < findings->session->process_count; i++) {
		free(graph->processes[i].nodes);
		free(graph->processes[i].edges);
	}
	free(graph->processes);
	free(graph->spans);
	free(graph->pairs);
	map_free(&graph->pair_of);
}

const struct finding_ops finding_task_graph = {
	.name = "task-graph",
	.words = "tasks that wait for each other without need, are serialised, move "
		 "buffers back and forth, or are too small",
	.state_bytes = sizeof(struct graph_state),
	.begin = graph_begin,
	.item = task_graph_item,
	.end = graph_end,
	.release = graph_release,
};
