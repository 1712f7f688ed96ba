/* SPDX-License-Identifier: MIT */
/* Objects that are made and released again and again: queues, kernels, contexts and the like,
 * made inside a loop. Memory is told of by `allocations`, programs by `builds`. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/events/event_value.h"
#include "analysis/findings/finding.h"
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
	uint64_t ns, first_ns;	  /* of the calls that made and released them */
	int64_t begin_ns, end_ns; /* of the second */
};

struct objects {
	struct object_row *rows;
	size_t count, capacity;
	struct map row_of; /* function and process -> row */
	struct map live;   /* process, type and number -> row */
};

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
static uint64_t object_key(uint32_t process, const struct tandem_field *field,
			   const struct trace_event *event)
{
	return (uint64_t)process << 36 | (uint64_t)field->object << 32 |
	       (uint32_t)trace_field_unsigned(event, field);
}

static int row_find(struct objects *objects, const struct trace_event *event, uint8_t type,
		    size_t *index)
{
	uint32_t process = event->stream->process->index;
	uint64_t key = (uint64_t)process << 32 | event->layout->event->id;
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
		(struct object_row){.api = event->layout->event, .process = process, .type = type};
	return 0;
}

static int count_new(struct graph *graph, struct objects *objects, const struct event_item *item)
{
	const struct trace_event *event = item->event;
	const struct tandem_field *field = trace_field_role(event->layout, TANDEM_ROLE_returned);
	uint64_t ns = (uint64_t)(item->end_ns - event->ns), key;
	struct object_row *row;
	size_t index;

	if (!is_counted(field) || !trace_field_unsigned(event, field))
		return 0;
	key = object_key(event->stream->process->index, field, event);
	if (map_get(&objects->live, key) != MAP_NONE)
		return 0;
	if (row_find(objects, event, field->object, &index) || map_set(&objects->live, key, index))
		return -ENOMEM;
	row = &objects->rows[index];
	row->count++;
	row->ns += ns;
	if (row->count == 1)
		row->first_ns += ns;
	if (row->count == 2) {
		row->stream = event->stream->index;
		row->begin_ns = event->ns;
		row->end_ns = item->end_ns;
	}
	if (++row->live > row->most_live)
		row->most_live = row->live;
	return row->count > 1 ? graph_remove(graph, item->call, GRAPH_OBJECT) : 0;
}

static int count_release(struct graph *graph, struct objects *objects,
			 const struct event_item *item)
{
	const struct trace_event *event = item->event;
	const struct tandem_layout *layout = event->layout->layout;
	struct object_row *row;
	uint64_t index;

	for (unsigned i = 0; i < layout->field_count; i++) {
		if (!is_counted(&layout->fields[i]))
			continue;
		index = map_remove(&objects->live, object_key(event->stream->process->index,
							      &layout->fields[i], event));
		if (index == MAP_NONE)
			return 0;
		row = &objects->rows[index];
		row->live--;
		row->ns += (uint64_t)(item->end_ns - event->ns);
		if (row->freed++)
			return graph_remove(graph, item->call, GRAPH_OBJECT);
		row->first_ns += (uint64_t)(item->end_ns - event->ns);
		return 0;
	}
	return 0;
}

static int objects_item(struct findings *findings, void *state, const struct event_item *item)
{
	if (item->kind != ITEM_CALL || item->end_ns == INT64_MIN || trace_event_failed(item->event))
		return 0;
	if (item->event->layout->event->class == TANDEM_CLASS_CREATE)
		return count_new(findings->graph, state, item);
	if (item->event->layout->event->class == TANDEM_CLASS_RELEASE)
		return count_release(findings->graph, state, item);
	return 0;
}

static int add_row(struct findings *findings, const struct object_row *row)
{
	char count[UNITS_BYTES], live[UNITS_BYTES];
	struct finding *finding = findings_add(findings, "objects", "loop");
	const char *noun = event_object_noun(row->type);

	if (!finding)
		return -ENOMEM;
	finding->count = row->count;
	finding->cost_ns = row->ns - row->first_ns;
	finding->removes = GRAPH_OBJECT;
	finding->object = row->api->name;
	finding->what = findings_text(
		findings, "%s made %s %s objects, and at most %s of them were in use at a time",
		row->api->name, units_count(count, row->count), noun,
		units_count(live, row->most_live));
	finding->why = "the time of the calls that made and released them, but for the first";
	finding->suggestion = findings_text(
		findings, "make the %s once, before the loop, and use it again", noun);
	finding_place(findings, finding, row->stream);
	finding_time(findings, finding, row->begin_ns, row->end_ns);
	return 0;
}

static int objects_end(struct findings *findings, void *state)
{
	struct objects *objects = state;
	int status = 0;

	for (size_t i = 0; !status && i < objects->count; i++) {
		const struct object_row *row = &objects->rows[i];

		if (row->freed >= LOOP_COUNT && row->most_live <= row->count / LOOP_LIVE_PART)
			status = add_row(findings, row);
	}
	return status;
}

static void objects_release(struct findings *findings, void *state)
{
	struct objects *objects = state;

	(void)findings;
	free(objects->rows);
	map_free(&objects->row_of);
	map_free(&objects->live);
}

const struct finding_ops finding_objects = {
	.name = "objects",
	.words = "queues, kernels and the like that are made in a loop",
	.state_bytes = sizeof(struct objects),
	.graph = true,
	.item = objects_item,
	.end = objects_end,
	.release = objects_release,
};
