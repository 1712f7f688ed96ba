/* SPDX-License-Identifier: MIT */
/* Objects that are made and released again and again: queues, kernels, contexts and the like,
 * made inside a loop. Memory is told of by `allocations`, programs by `builds`. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/events/event_value.h"
#include "analysis/findings/finding.h"
#include "analysis/findings/objects/first_uses.h"
#include "analysis/findings/objects/unnumbered.h"
#include "trace/field.h"
#include "util/array.h"
#include "util/units.h"

/* So often is a loop, if no more than a quarter of them lived at a time. */
#define LOOP_COUNT 16u
#define LOOP_LIVE_PART 4u

struct object_row { /* one function that makes one type, in a process */
	const struct tandem_event *api;
	uint32_t process, stream;
	uint8_t type;
	uint64_t count, freed, live, most_live;
	uint64_t call;		  /* the latest that made some */
	uint64_t ns, first_ns;	  /* of the calls that made and released them */
	int64_t begin_ns, end_ns; /* of the second */
};

struct objects {
	struct unnumbered unnumbered;
	struct first_uses first_uses; /* of kernels */
	bool *asks;		      /* by stream: it has made one more, and only asked since */
	struct object_row *rows;
	size_t count, capacity;
	struct map row_of; /* function and process -> row */
	struct map live;   /* process, type and number -> row */
};

static int objects_begin(struct findings *findings, void *state)
{
	struct objects *objects = state;

	objects->asks = calloc(findings->session->stream_count + 1, sizeof(*objects->asks));
	return objects->asks ? first_uses_begin(&objects->first_uses, findings->session) : -ENOMEM;
}

static bool is_counted(const struct tandem_field *field)
{
	if (!field || field->kind != TANDEM_FIELD_OBJECT || field->variable)
		return false;
	switch (field->object) {
	case TANDEM_OBJECT_context:
	case TANDEM_OBJECT_queue:
	case TANDEM_OBJECT_kernel:
	case TANDEM_OBJECT_sampler:
	case TANDEM_OBJECT_event:
	case TANDEM_OBJECT_command_buffer:
		return true;
	default:
		return false;
	}
}

/* Numbers of objects are 32 bits, types 4, processes the rest. */
static uint64_t object_key(uint32_t process, uint8_t type, uint64_t number)
{
	return (uint64_t)process << 36 | (uint64_t)type << 32 | (uint32_t)number;
}

static int row_find(struct objects *objects, const struct tandem_event *api, uint32_t process,
		    uint8_t type, size_t *index)
{
	uint64_t key = (uint64_t)process << 32 | api->id;
	uint64_t known = map_get(&objects->row_of, key);

	*index = (size_t)known;
	if (known != MAP_NONE)
		return 0;
	*index = objects->count;
	if (array_reserve(&objects->rows, &objects->capacity, objects->count + 1,
			  sizeof(*objects->rows)) ||
	    map_set(&objects->row_of, key, objects->count))
		return -ENOMEM;
	objects->rows[objects->count++] =
		(struct object_row){.api = api, .process = process, .type = type};
	return 0;
}

/* Made by `call`, of a thread of `stream`. */
static int count_new(struct graph *graph, struct objects *objects, const struct finding_call *call,
		     const struct trace_stream *stream, uint8_t type, uint64_t number)
{
	uint64_t key = object_key(stream->process->index, type, number);
	uint64_t ns = (uint64_t)(call->end_ns - call->begin_ns);
	struct object_row *row;
	size_t index;

	if (!number || map_get(&objects->live, key) != MAP_NONE)
		return 0;
	if (row_find(objects, call->api, stream->process->index, type, &index) ||
	    map_set(&objects->live, key, index))
		return -ENOMEM;
	row = &objects->rows[index];
	row->count++;
	if (row->call == call->call)
		ns = 0;
	row->call = call->call;
	row->ns += ns;
	if (row->count == 1)
		row->first_ns += ns;
	if (row->count == 2) {
		row->stream = stream->index;
		row->begin_ns = call->begin_ns;
		row->end_ns = call->end_ns;
	}
	if (++row->live > row->most_live)
		row->most_live = row->live;
	objects->asks[stream->index] = row->count > 1;
	if (type == TANDEM_OBJECT_kernel && row->count > 1 &&
	    first_uses_made(&objects->first_uses, stream->process->index, number))
		return -ENOMEM;
	return row->count > 1 ? graph_remove(graph, call->call, GRAPH_OBJECT) : 0;
}

static int count_call(struct findings *findings, struct objects *objects,
		      const struct event_item *item)
{
	const struct trace_event *event = item->event;
	const struct tandem_field *field = trace_field_role(event->layout, TANDEM_ROLE_returned);

	if (!field)
		return unnumbered_made(&objects->unnumbered, findings, item);
	if (!is_counted(field))
		return 0;
	return count_new(findings->graph, objects, &findings->calls[event->stream->index],
			 event->stream, field->object, trace_field_unsigned(event, field));
}

/* Where a call returns new objects through a pointer, they are described within that call, or
 * behind it. */
static int count_described(struct findings *findings, struct objects *objects,
			   const struct event_item *item)
{
	const struct tandem_rec_kernel *kernel = (const void *)item->event->record;
	const struct tandem_rec_queue *queue = (const void *)item->event->record;
	const struct finding_call *call = findings_call(findings, item);
	bool is_queue = item->event->record->id == TANDEM_EVENT_queue;

	if (!call || call->api->class != TANDEM_CLASS_CREATE)
		return 0;
	if (unnumbered_known(&objects->unnumbered, call->api))
		return -ENOMEM;
	return count_new(findings->graph, objects, call, item->event->stream,
			 is_queue ? TANDEM_OBJECT_queue : TANDEM_OBJECT_kernel,
			 is_queue ? queue->queue : kernel->kernel);
}

static int count_release(struct findings *findings, struct objects *objects,
			 const struct event_item *item)
{
	const struct trace_event *event = item->event;
	const struct tandem_layout *layout = event->layout->layout;
	struct object_row *row;
	uint64_t index;

	for (unsigned i = 0; i < layout->field_count; i++) {
		if (!is_counted(&layout->fields[i]))
			continue;
		index = map_remove(&objects->live,
				   object_key(event->stream->process->index,
					      layout->fields[i].object,
					      trace_field_unsigned(event, &layout->fields[i])));
		if (index == MAP_NONE)
			break;
		row = &objects->rows[index];
		row->live--;
		row->ns += (uint64_t)(item->end_ns - event->ns);
		if (row->freed++)
			return graph_remove(findings->graph, item->call, GRAPH_OBJECT);
		row->first_ns += (uint64_t)(item->end_ns - event->ns);
		return 0;
	}
	return unnumbered_released(&objects->unnumbered, findings, item);
}

/* What a wrapper asks of a new object, and what it does in between, is part of making it. */
static int asks_on(struct graph *graph, struct objects *objects, const struct event_item *item)
{
	switch (item->event->layout->event->class) {
	case TANDEM_CLASS_QUERY:
	case TANDEM_CLASS_RETAIN:
	case TANDEM_CLASS_RELEASE:
		return graph_remove_since(graph, item->call, GRAPH_OBJECT);
	default:
		objects->asks[item->event->stream->index] = false;
		return 0;
	}
}

/* Whether it says what a call made: device code, which `builds` reports. */
static bool is_code(const struct event_item *item)
{
	return item->kind == ITEM_BUILD ||
	       (item->kind == ITEM_OBJECT && item->event->record->id == TANDEM_EVENT_program) ||
	       (item->kind == ITEM_OTHER && item->event &&
		item->event->layout->event->traits.record == TANDEM_RECORD_module);
}

static int objects_item(struct findings *findings, void *state, const struct event_item *item)
{
	struct objects *objects = state;
	const struct finding_call *call;

	if (item->kind == ITEM_OBJECT && (item->event->record->id == TANDEM_EVENT_queue ||
					  item->event->record->id == TANDEM_EVENT_kernel))
		return count_described(findings, objects, item);
	if (is_code(item)) {
		call = findings_call(findings, item);
		return call ? unnumbered_known(&objects->unnumbered, call->api) : 0;
	}
	if (item->kind != ITEM_CALL)
		return 0;
	unnumbered_sample(&objects->unnumbered, item->event->stream->process->index);
	if (objects->asks[item->event->stream->index] && asks_on(findings->graph, objects, item))
		return -ENOMEM;
	if (item->end_ns == INT64_MIN || trace_event_failed(item->event))
		return 0;
	if (first_uses_call(&objects->first_uses, item->event))
		return -ENOMEM;
	if (item->event->layout->event->class == TANDEM_CLASS_CREATE)
		return count_call(findings, objects, item);
	if (item->event->layout->event->class == TANDEM_CLASS_RELEASE)
		return count_release(findings, objects, item);
	/* What is built of an object belongs to it. */
	if (item->event->layout->event->class == TANDEM_CLASS_BUILD &&
	    !trace_field_object(item->event->layout))
		return unnumbered_made(&objects->unnumbered, findings, item);
	return 0;
}

static int add_row(struct findings *findings, const struct first_uses *first_uses,
		   const struct object_row *row)
{
	char count[UNITS_BYTES], live[UNITS_BYTES];
	struct finding *finding = findings_add(findings, "objects", "loop");
	const char *noun = event_object_noun(row->type);
	uint64_t first_ns =
		row->type == TANDEM_OBJECT_kernel ? first_uses_ns(first_uses, row->process) : 0;

	if (!finding)
		return -ENOMEM;
	finding->count = row->count;
	finding->cost_ns = row->ns - row->first_ns;
	finding->removes = GRAPH_OBJECT;
	/* The replay does without the calls, not without what the driver does at the first use. */
	if (first_ns) {
		finding->cost_ns = first_ns;
		finding->at_least = true;
		finding->confidence = CONFIDENCE_MEDIUM;
	}
	finding->object = row->api->name;
	finding->what = findings_text(
		findings, "%s made %s %s objects, and at most %s of them were in use at a time",
		row->api->name, units_count(count, row->count), noun,
		units_count(live, row->most_live));
	finding->why =
		first_ns ? "the time of the calls that made and released them, but for the first, "
			   "or that by which the device waits longer before such a kernel's first "
			   "command than before others"
			 : "the time of the calls that made and released them, but for the first, "
			   "and until the last that only asked of a new one";
	finding->suggestion = findings_text(
		findings, "make the %s once, before the loop, and use it again", noun);
	finding_place(findings, finding, row->stream);
	finding_time(findings, finding, row->begin_ns, row->end_ns);
	return 0;
}

static int objects_event(struct findings *findings, void *state, const struct sequence_event *event)
{
	struct objects *objects = state;

	(void)findings;
	return first_uses_event(&objects->first_uses, event);
}

static int objects_end(struct findings *findings, void *state)
{
	struct objects *objects = state;
	int status = 0;

	for (size_t i = 0; !status && i < objects->count; i++) {
		const struct object_row *row = &objects->rows[i];

		if (row->freed >= LOOP_COUNT && row->most_live <= row->count / LOOP_LIVE_PART)
			status = add_row(findings, &objects->first_uses, row);
	}
	return status ? status : unnumbered_add(&objects->unnumbered, findings);
}

static void objects_release(struct findings *findings, void *state)
{
	struct objects *objects = state;

	(void)findings;
	unnumbered_free(&objects->unnumbered);
	first_uses_free(&objects->first_uses);
	free(objects->asks);
	free(objects->rows);
	map_free(&objects->row_of);
	map_free(&objects->live);
}

const struct finding_ops finding_objects = {
	.name = "objects",
	.words = "queues, kernels and the like that are made in a loop",
	.state_bytes = sizeof(struct objects),
	.graph = true,
	.begin = objects_begin,
	.item = objects_item,
	.items = 1u << ITEM_CALL | 1u << ITEM_OBJECT | 1u << ITEM_OTHER | 1u << ITEM_BUILD,
	.event = objects_event,
	.events = 1u << SEQUENCE_START | 1u << SEQUENCE_END,
	.end = objects_end,
	.release = objects_release,
};
