/* SPDX-License-Identifier: MIT */
#include "analysis/findings/builds/loads.h"

#include <errno.h>
#include <stdlib.h>

#include "trace/field.h"
#include "util/array.h"
#include "util/units.h"

/* Fewer for each device are no habit. */
#define HABIT_COUNT 8u

struct load_row { /* one code, in a process */
	const struct tandem_event *api;
	uint64_t bytes, count, ns, first_ns;
	uint32_t process, stream;
	int64_t begin_ns, end_ns; /* of the second */
};

static int row_find(struct loads *loads, uint32_t process, uint64_t hash, uint64_t bytes,
		    struct load_row **row)
{
	uint64_t key = (hash ^ bytes * UINT64_C(0xFF51AFD7ED558CCD)) +
		       process * UINT64_C(0x9E3779B97F4A7C15);
	uint64_t known = map_get(&loads->row_of, key);

	if (known == MAP_NONE) {
		known = loads->count;
		if (array_reserve(&loads->rows, &loads->capacity, loads->count + 1,
				  sizeof(*loads->rows)) ||
		    map_set(&loads->row_of, key, known))
			return -ENOMEM;
		loads->rows[loads->count++] = (struct load_row){.process = process, .bytes = bytes};
	}
	*row = &loads->rows[known];
	return 0;
}

/* It lies within the call that loads the code. */
static int count_module(struct loads *loads, struct findings *findings,
			const struct event_item *item)
{
	const struct trace_event *event = item->event;
	const struct finding_call *call = findings_call(findings, item);
	struct load_row *row;

	if (!call || call->api->class != TANDEM_CLASS_BUILD)
		return 0;
	if (row_find(loads, event->stream->process->index, trace_field_number(event, "hash"),
		     trace_field_number(event, "bytes"), &row))
		return -ENOMEM;
	row->count++;
	row->api = call->api;
	row->ns += (uint64_t)(call->end_ns - call->begin_ns);
	if (row->count == 1)
		row->first_ns = row->ns;
	if (row->count == 2) {
		row->stream = event->stream->index;
		row->begin_ns = call->begin_ns;
		row->end_ns = call->end_ns;
	}
	return row->count > 1 ? graph_remove(findings->graph, item->call, GRAPH_BUILD_AGAIN) : 0;
}

int loads_item(struct loads *loads, struct findings *findings, const struct event_item *item)
{
	if (item->kind != ITEM_OTHER || !item->event ||
	    item->event->layout->event->traits.record != TANDEM_RECORD_module)
		return 0;
	return count_module(loads, findings, item);
}

static int add_row(struct findings *findings, const struct load_row *row)
{
	struct finding *finding = findings_add(findings, "builds", "repeated");
	char count[UNITS_BYTES], bytes[UNITS_BYTES];

	if (!finding)
		return -ENOMEM;
	finding->count = row->count;
	finding->cost_ns = row->ns - row->first_ns;
	finding->removes = GRAPH_BUILD_AGAIN;
	finding->object = row->api->name;
	finding->what =
		findings_text(findings, "the same device code (%s) was loaded %s times (%s)",
			      units_bytes(bytes, (double)row->bytes),
			      units_count(count, row->count), row->api->name);
	finding->why = "the code's hash is the same; what its unloading takes is not counted";
	finding->suggestion = "load it once, and keep the module";
	finding_place(findings, finding, row->stream);
	finding_time(findings, finding, row->begin_ns, row->end_ns);
	return 0;
}

int loads_add(const struct loads *loads, struct findings *findings)
{
	size_t devices = findings->iterator->devices.count;
	int status = 0;

	for (size_t i = 0; !status && i < loads->count; i++)
		if (loads->rows[i].count >= HABIT_COUNT * (devices ? devices : 1))
			status = add_row(findings, &loads->rows[i]);
	return status;
}

void loads_release(struct loads *loads)
{
	free(loads->rows);
	map_free(&loads->row_of);
}
