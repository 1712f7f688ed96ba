/* SPDX-License-Identifier: MIT */
#include "analysis/findings/builds/loads.h"

#include <errno.h>
#include <stdlib.h>

#include "trace/field.h"
#include "util/array.h"
#include "util/keyed_row.h"
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

struct load_sum { /* of what is loaded again in a process */
	const struct load_row *most;
	uint64_t codes, count, ns;
};

static int add_sum(struct findings *findings, const struct load_sum *sum)
{
	const struct load_row *row = sum->most;
	struct finding *finding = findings_add(findings, "builds", "repeated");
	char count[UNITS_BYTES], bytes[UNITS_BYTES];

	if (!finding)
		return -ENOMEM;
	units_count(count, sum->count);
	finding->count = sum->count;
	finding->cost_ns = sum->ns;
	finding->removes = GRAPH_BUILD_AGAIN;
	finding->object = row->api->name;
	finding->what =
		sum->codes > 1
			? findings_text(findings,
					"%llu pieces of device code, always the same, were loaded "
					"%s times in all (%s)",
					(unsigned long long)sum->codes, count, row->api->name)
			: findings_text(
				  findings, "the same device code (%s) was loaded %s times (%s)",
				  units_bytes(bytes, (double)row->bytes), count, row->api->name);
	finding->why = "the code's hash is the same; what its unloading takes is not counted";
	finding->suggestion =
		"load it once, and keep the module; where a library does (for a plan or "
		"a handle that is made), make that once";
	finding_place(findings, finding, row->stream);
	finding_time(findings, finding, row->begin_ns, row->end_ns);
	return 0;
}

int loads_add(const struct loads *loads, struct findings *findings)
{
	size_t devices = findings->iterator->devices.count, processes = 0, capacity = 0;
	struct load_sum *sums = NULL;
	struct map sum_of = {0};
	int status = 0;

	for (size_t i = 0; !status && i < loads->count; i++) {
		const struct load_row *row = &loads->rows[i];
		const struct load_sum fresh = {.most = row};
		struct load_sum *sum;

		if (row->count < HABIT_COUNT * (devices ? devices : 1))
			continue;
		sum = keyed_row(&sum_of, row->process, &sums, &capacity, &processes, &fresh,
				sizeof(fresh));
		status = sum ? 0 : -ENOMEM;
		if (!sum)
			continue;
		sum->codes++;
		sum->count += row->count;
		sum->ns += row->ns - row->first_ns;
		if (row->ns > sum->most->ns)
			sum->most = row;
	}
	for (size_t i = 0; !status && i < processes; i++)
		status = add_sum(findings, &sums[i]);
	map_free(&sum_of);
	free(sums);
	return status;
}

void loads_release(struct loads *loads)
{
	free(loads->rows);
	map_free(&loads->row_of);
}
