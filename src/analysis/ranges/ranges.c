/* SPDX-License-Identifier: MIT */
#include "analysis/ranges/ranges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/core_records.h"
#include "util/array.h"

/* A launch of a graph has any number of operations: it stays known until so many others
 * have ended since its latest one. */
#define KEPT 16384u

struct range_open { /* a range that has begun, until it is handed out */
	struct range_instance range;
	struct range_projection *projections;
	size_t projection_capacity;
	struct range_open *below;	    /* of a nested one: the next outer of its thread */
	struct range_open *next, *previous; /* of a start-end one: in its process */
	uint64_t references;		    /* of sets */
	bool ended;
	char name[];
};

struct range_set {	     /* the ranges that a call is made in */
	uint64_t references; /* its calls in flight, and its stream */
	size_t count;
	struct range_open *of[];
};

struct range_stream {
	struct range_open *top; /* innermost nested range */
	struct range_set *set;	/* of the latest call; NULL: to be made */
	uint64_t generation;	/* of its process, when the set was made */
};

struct range_process {
	struct range_open *first; /* start-end ranges that are open */
	uint64_t generation;	  /* counts their changes */
};

struct range_graph { /* a graph's launch */
	struct range_graph *next;
	struct range_set *set;
	uint64_t call;
	uint64_t ended_at; /* ranges->ended at its latest operation */
};

/* A value of `launches`: a set, or with this bit a graph's launch. */
#define IS_GRAPH 1u

static struct range_graph *launch_graph(uint64_t value)
{
	return value & IS_GRAPH ? (struct range_graph *)(uintptr_t)(value & ~(uint64_t)IS_GRAPH)
				: NULL;
}

static struct range_set *launch_set(uint64_t value)
{
	const struct range_graph *graph = launch_graph(value);

	return graph ? graph->set : (struct range_set *)(uintptr_t)value;
}

int ranges_init(struct ranges *ranges, struct trace_session *session, ranges_emit *emit, void *user)
{
	memset(ranges, 0, sizeof(*ranges));
	ranges->session = session;
	ranges->emit = emit;
	ranges->user = user;
	ranges->streams = calloc(session->stream_count + 1, sizeof(*ranges->streams));
	ranges->processes = calloc(session->process_count + 1, sizeof(*ranges->processes));
	if (ranges->streams && ranges->processes)
		return 0;
	ranges_free(ranges);
	return -ENOMEM;
}

static void open_free(struct range_open *open)
{
	free(open->projections);
	free(open);
}

/* Hands it out if nothing more can come. */
static int open_settle(struct ranges *ranges, struct range_open *open)
{
	struct range_instance *range = &open->range;
	int status;

	if (!open->ended || open->references)
		return 0;
	range->scope_name = range_names_scope(&ranges->names, range->process, range->scope);
	if (!range->scope_name)
		range->scope_name = "";
	range->category_name = range->category
				       ? range_names_category(&ranges->names, range->process,
							      range->scope, range->category)
				       : NULL;
	if (!range->category_name)
		range->category_name = "";
	range->projections = open->projections;
	status = ranges->emit(ranges->user, range);
	open_free(open);
	return status;
}

/* One reference less. */
static int set_put(struct ranges *ranges, struct range_set *set)
{
	int status = 0;

	if (!set || --set->references)
		return 0;
	for (size_t i = 0; i < set->count; i++) {
		int settled;

		set->of[i]->references--;
		settled = open_settle(ranges, set->of[i]);
		if (!status)
			status = settled;
	}
	free(set);
	return status;
}

static int stream_invalidate(struct ranges *ranges, struct range_stream *stream)
{
	struct range_set *set = stream->set;

	stream->set = NULL;
	return set_put(ranges, set);
}

/* Makes stream->set; NULL where no range is open there. */
static int set_make(struct range_stream *stream, const struct range_process *process)
{
	struct range_set *set;
	size_t count = 0;

	for (struct range_open *open = stream->top; open; open = open->below)
		count++;
	for (struct range_open *open = process->first; open; open = open->next)
		count++;
	stream->generation = process->generation;
	if (!count)
		return 0;
	set = malloc(sizeof(*set) + count * sizeof(struct range_open *));
	if (!set)
		return -ENOMEM;
	set->references = 1;
	set->count = 0;
	for (struct range_open *open = stream->top; open; open = open->below)
		set->of[set->count++] = open;
	for (struct range_open *open = process->first; open; open = open->next)
		set->of[set->count++] = open;
	for (size_t i = 0; i < count; i++)
		set->of[i]->references++;
	stream->set = set;
	return 0;
}

static int graph_add(struct ranges *ranges, struct range_set *set, uint64_t call)
{
	struct range_graph *graph = malloc(sizeof(*graph));

	if (!graph)
		return -ENOMEM;
	*graph = (struct range_graph){.set = set, .call = call, .ended_at = ranges->ended};
	if (map_set(&ranges->launches, call, (uint64_t)(uintptr_t)graph | IS_GRAPH)) {
		free(graph);
		return -ENOMEM;
	}
	if (ranges->latest_graph)
		ranges->latest_graph->next = graph;
	else
		ranges->oldest_graph = graph;
	ranges->latest_graph = graph;
	return 0;
}

static struct range_graph *graph_remove_oldest(struct ranges *ranges)
{
	struct range_graph *graph = ranges->oldest_graph;

	ranges->oldest_graph = graph->next;
	if (!graph->next)
		ranges->latest_graph = NULL;
	map_remove(&ranges->launches, graph->call);
	return graph;
}

int ranges_call(struct ranges *ranges, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	struct range_stream *stream = &ranges->streams[event->stream->index];
	const struct range_process *process = &ranges->processes[event->stream->process->index];
	int status = 0;

	if (!trace_event_op(event) || trace_event_failed(event))
		return 0;
	if (stream->set && stream->generation != process->generation)
		status = stream_invalidate(ranges, stream);
	if (!status && !stream->set)
		status = set_make(stream, process);
	if (status || !stream->set)
		return status;
	if (event->layout->event->traits.graph)
		status = graph_add(ranges, stream->set, item->call);
	else
		status = map_set(&ranges->launches, item->call, (uint64_t)(uintptr_t)stream->set);
	if (!status)
		stream->set->references++;
	return status;
}

static struct range_projection *projection_of(struct range_open *open, uint32_t device)
{
	struct range_projection *projection;

	for (size_t i = 0; i < open->range.projection_count; i++)
		if (open->projections[i].device == device)
			return &open->projections[i];
	if (array_reserve(&open->projections, &open->projection_capacity,
			  open->range.projection_count + 1, sizeof(*open->projections)))
		return NULL;
	projection = &open->projections[open->range.projection_count++];
	*projection = (struct range_projection){
		.device = device, .begin_ns = INT64_MAX, .end_ns = INT64_MIN};
	return projection;
}

static void projection_extend(struct range_projection *projection, int64_t begin_ns, int64_t end_ns)
{
	if (begin_ns < projection->begin_ns)
		projection->begin_ns = begin_ns;
	if (end_ns > projection->end_ns)
		projection->end_ns = end_ns;
}

static int open_operation(struct range_open *open, const struct operation *operation)
{
	const struct trace_operation_times *times = &operation->device_times;
	bool kernel = operation->kind == TANDEM_OPERATION_KIND_kernel;
	struct range_projection *projection;

	if (!operation->record) {
		open->range.unfinished++;
		return 0;
	}
	projection = projection_of(open, operation->device);
	if (!projection)
		return -ENOMEM;
	open->range.operations++;
	open->range.kernels += kernel;
	projection->operations++;
	projection->kernels += kernel;
	if (!operation->record->time_domain || times->start > times->end) {
		projection->untimed++;
		return 0;
	}
	projection->executing_ns += times->end - times->start;
	if (operation->placed)
		projection_extend(projection, operation->times.start_ns, operation->times.end_ns);
	else
		projection_extend(projection, (int64_t)times->start, (int64_t)times->end);
	return 0;
}

static int graphs_expire(struct ranges *ranges)
{
	int status = 0;

	while (!status && ranges->oldest_graph &&
	       ranges->ended - ranges->oldest_graph->ended_at > KEPT) {
		struct range_graph *graph = graph_remove_oldest(ranges);

		status = set_put(ranges, graph->set);
		free(graph);
	}
	return status;
}

int ranges_operation(struct ranges *ranges, const struct operation *operation)
{
	uint64_t value = operation->call ? map_get(&ranges->launches, operation->call) : MAP_NONE;
	struct range_graph *graph;
	struct range_set *set;

	ranges->ended++;
	if (value == MAP_NONE)
		return graphs_expire(ranges);
	set = launch_set(value);
	for (size_t i = 0; i < set->count; i++)
		if (open_operation(set->of[i], operation))
			return -ENOMEM;
	graph = launch_graph(value);
	if (graph) {
		graph->ended_at = ranges->ended;
		return graphs_expire(ranges);
	}
	map_remove(&ranges->launches, operation->call);
	return set_put(ranges, set);
}

static struct range_open *open_make(struct ranges *ranges, const struct trace_event *event)
{
	const struct tandem_annotation_range *record = (const void *)event->record;
	struct range_open *open = calloc(1, sizeof(*open) + record->text_count + 1u);

	if (!open)
		return NULL;
	memcpy(open->name, record + 1, record->text_count);
	open->range = (struct range_instance){
		.number = ++ranges->count,
		.kind = record->kind,
		.source = record->source,
		.process = event->stream->process->index,
		.stream = event->stream->index,
		.thread = event->stream,
		.begin_ns = event->ns,
		.end_ns = INT64_MIN,
		.name = open->name,
		.name_length = record->text_count,
		.scope = record->scope,
		.category = record->category,
		.color = record->color,
		.payload_type = record->payload_type,
		.payload = record->payload,
	};
	return open;
}

static int nested_begin(struct ranges *ranges, struct range_open *open)
{
	struct range_stream *stream = &ranges->streams[open->range.stream];

	open->below = stream->top;
	for (const struct range_open *outer = open->below; outer; outer = outer->below) {
		if (outer->range.scope != open->range.scope)
			continue;
		open->range.parent = outer->range.number;
		open->range.depth = outer->range.depth + 1;
		break;
	}
	stream->top = open;
	ranges->open++;
	return stream_invalidate(ranges, stream);
}

static uint64_t start_end_key(uint32_t process, uint64_t number)
{
	return (uint64_t)process << 48 ^ number;
}

static int start_end_begin(struct ranges *ranges, struct range_open *open, uint64_t number)
{
	struct range_process *process = &ranges->processes[open->range.process];

	if (map_set(&ranges->start_end, start_end_key(open->range.process, number),
		    (uint64_t)(uintptr_t)open)) {
		open_free(open);
		return -ENOMEM;
	}
	open->next = process->first;
	if (open->next)
		open->next->previous = open;
	process->first = open;
	process->generation++;
	ranges->open++;
	return 0;
}

static int range_begin(struct ranges *ranges, const struct trace_event *event)
{
	const struct tandem_annotation_range *record = (const void *)event->record;
	struct range_open *open = open_make(ranges, event);

	if (!open)
		return -ENOMEM;
	switch (record->kind) {
	case TANDEM_ANNOTATION_KIND_nested:
		return nested_begin(ranges, open);
	case TANDEM_ANNOTATION_KIND_start_end:
		return start_end_begin(ranges, open, record->range);
	default:
		open->range.end_ns = event->ns;
		open->ended = true;
		return open_settle(ranges, open);
	}
}

/* The innermost one of its scope. Ends of ranges that began before the recording did
 * have none. */
static int nested_end(struct ranges *ranges, const struct trace_event *event, uint32_t scope)
{
	struct range_stream *stream = &ranges->streams[event->stream->index];
	struct range_open **at = &stream->top, *open;
	int status;

	while (*at && (*at)->range.scope != scope)
		at = &(*at)->below;
	open = *at;
	if (!open)
		return 0;
	*at = open->below;
	ranges->open--;
	open->range.end_ns = event->ns;
	status = stream_invalidate(ranges, stream);
	open->ended = true;
	return status ? status : open_settle(ranges, open);
}

static int start_end_end(struct ranges *ranges, const struct trace_event *event, uint64_t number)
{
	uint32_t index = event->stream->process->index;
	struct range_process *process = &ranges->processes[index];
	uint64_t known = map_remove(&ranges->start_end, start_end_key(index, number));
	struct range_open *open;

	if (known == MAP_NONE)
		return 0;
	open = (struct range_open *)(uintptr_t)known;
	if (open->previous)
		open->previous->next = open->next;
	else
		process->first = open->next;
	if (open->next)
		open->next->previous = open->previous;
	process->generation++;
	ranges->open--;
	open->range.end_ns = event->ns;
	open->ended = true;
	return open_settle(ranges, open);
}

/* Earlier versions wrote the same as records of core. */
int ranges_record(struct ranges *ranges, const struct trace_event *event)
{
	const struct tandem_annotation_range_end *end = (const void *)event->record;

	switch (event->record->id) {
	case TANDEM_ANNOTATION_EVENT_range:
	case TANDEM_EVENT_range:
		return range_begin(ranges, event);
	case TANDEM_ANNOTATION_EVENT_range_end:
	case TANDEM_EVENT_range_end:
		return end->range ? start_end_end(ranges, event, end->range)
				  : nested_end(ranges, event, end->scope);
	default:
		return range_names_record(&ranges->names, event);
	}
}

_Static_assert(sizeof(struct tandem_rec_range) == sizeof(struct tandem_annotation_range) &&
		       sizeof(struct tandem_rec_range_end) ==
			       sizeof(struct tandem_annotation_range_end),
	       "core's records of ranges are laid out as annotation's");

/* Drops all references to the ranges. */
static int release(struct ranges *ranges)
{
	uint64_t key, value;
	size_t at = 0;
	int status = 0;

	while (ranges->oldest_graph) {
		struct range_graph *graph = graph_remove_oldest(ranges);
		int put = set_put(ranges, graph->set);

		status = status ? status : put;
		free(graph);
	}
	while (map_next(&ranges->launches, &at, &key, &value)) {
		int put = set_put(ranges, launch_set(value));

		status = status ? status : put;
	}
	map_clear(&ranges->launches);
	for (size_t i = 0; ranges->streams && i < ranges->session->stream_count; i++) {
		struct range_stream *stream = &ranges->streams[i];
		int put = stream_invalidate(ranges, stream);

		status = status ? status : put;
	}
	return status;
}

static int end_open(struct ranges *ranges, struct range_open *open)
{
	ranges->open--;
	open->ended = true;
	return open_settle(ranges, open);
}

static int end_all(struct ranges *ranges)
{
	int status = 0;

	for (size_t i = 0; ranges->streams && i < ranges->session->stream_count; i++) {
		struct range_stream *stream = &ranges->streams[i];

		while (stream->top) {
			struct range_open *open = stream->top;
			int settled;

			stream->top = open->below;
			settled = end_open(ranges, open);
			status = status ? status : settled;
		}
	}
	for (size_t i = 0; ranges->processes && i < ranges->session->process_count; i++) {
		struct range_process *process = &ranges->processes[i];

		while (process->first) {
			struct range_open *open = process->first;
			int settled;

			process->first = open->next;
			settled = end_open(ranges, open);
			status = status ? status : settled;
		}
	}
	return status;
}

int ranges_finish(struct ranges *ranges)
{
	int status = release(ranges);
	int ended = end_all(ranges);

	return status ? status : ended;
}

static int drop(void *user, const struct range_instance *range)
{
	(void)user;
	(void)range;
	return 0;
}

void ranges_free(struct ranges *ranges)
{
	ranges->emit = drop;
	if (ranges->session)
		ranges_finish(ranges);
	free(ranges->streams);
	free(ranges->processes);
	map_free(&ranges->start_end);
	map_free(&ranges->launches);
	range_names_free(&ranges->names);
	memset(ranges, 0, sizeof(*ranges));
}
