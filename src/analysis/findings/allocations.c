/* SPDX-License-Identifier: MIT */
/* Memory that is allocated and freed again and again: an allocation inside a
 * loop. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/findings/finding.h"
#include "util/array.h"
#include "util/units.h"

/* So often is a loop, if no more than a quarter of them lived at a time. */
#define LOOP_COUNT 8u
#define LOOP_LIVE_PART 4u

struct allocation_row { /* one function, and sizes up to the next power of two */
	const struct tandem_event *api;
	uint64_t bytes; /* of all */
	uint64_t count, freed, live, most_live;
	uint64_t ns, first_ns; /* of the calls that made and freed them */
	uint32_t stream;
	int64_t begin_ns, end_ns; /* of the second */
};

struct last_call { /* of a stream */
	const struct tandem_event *api;
	int64_t begin_ns, end_ns;
};

struct allocations {
	struct allocation_row *rows;
	size_t count, capacity;
	struct map row_of; /* function and class of sizes -> row */
	struct map live;   /* process and number -> row */
	struct last_call *last;
};

static int allocations_begin(struct findings *findings, void *state)
{
	struct allocations *allocations = state;

	allocations->last = calloc(findings->session->stream_count + 1, sizeof(*allocations->last));
	return allocations->last ? 0 : -ENOMEM;
}

static int row_find(struct allocations *allocations, const struct tandem_event *api, uint64_t bytes,
		    size_t *row)
{
	uint64_t class = (uint64_t)(63 - __builtin_clzll(bytes | 1));
	uint64_t key = class << 32 | api->id;
	uint64_t known = map_get(&allocations->row_of, key);

	*row = (size_t)known;
	if (known != MAP_NONE)
		return 0;
	*row = allocations->count;
	if (map_set(&allocations->row_of, key, *row) ||
	    array_reserve(&allocations->rows, &allocations->capacity, allocations->count + 1,
			  sizeof(*allocations->rows)))
		return -ENOMEM;
	allocations->rows[allocations->count++] = (struct allocation_row){.api = api};
	return 0;
}

static uint64_t call_ns(const struct last_call *call)
{
	return call->end_ns > call->begin_ns ? (uint64_t)(call->end_ns - call->begin_ns) : 0;
}

static int count_new(struct graph *graph, struct allocations *allocations,
		     const struct event_item *item, uint64_t key)
{
	const struct trace_event *event = item->event;
	const struct tandem_rec_memory *record = (const void *)event->record;
	const struct last_call *call = &allocations->last[event->stream->index];
	struct allocation_row *row;
	size_t index;

	/* Parts of others cost nothing; what is described anew is no new one. */
	if (record->kind == TANDEM_MEMORY_KIND_sub_buffer || !call->api ||
	    call->api->class != TANDEM_CLASS_CREATE || map_get(&allocations->live, key) != MAP_NONE)
		return 0;
	if (row_find(allocations, call->api, record->bytes, &index) ||
	    map_set(&allocations->live, key, index))
		return -ENOMEM;
	row = &allocations->rows[index];
	row->count++;
	row->bytes += record->bytes;
	row->ns += call_ns(call);
	if (row->count == 1)
		row->first_ns = call_ns(call);
	if (++row->live > row->most_live)
		row->most_live = row->live;
	if (row->count == 2) {
		row->stream = event->stream->index;
		row->begin_ns = call->begin_ns;
		row->end_ns = call->end_ns;
	}
	return row->count > 1 ? graph_remove(graph, item->call, GRAPH_ALLOCATION) : 0;
}

static int count_free(struct graph *graph, struct allocations *allocations,
		      const struct event_item *item, uint64_t key)
{
	const struct trace_event *event = item->event;
	const struct last_call *call = &allocations->last[event->stream->index];
	uint64_t index = map_remove(&allocations->live, key);
	struct allocation_row *row;

	if (index == MAP_NONE)
		return 0;
	row = &allocations->rows[index];
	row->live--;
	row->freed++;
	if (!call->api || call->api->class != TANDEM_CLASS_RELEASE)
		return 0;
	row->ns += call_ns(call);
	if (row->freed > 1)
		return graph_remove(graph, item->call, GRAPH_ALLOCATION);
	row->first_ns += call_ns(call);
	return 0;
}

static int allocations_item(struct findings *findings, void *state, const struct event_item *item)
{
	struct allocations *allocations = state;
	const struct trace_event *event = item->event;
	const struct tandem_rec_memory *record;
	uint64_t key;

	if (item->kind == ITEM_CALL) {
		allocations->last[event->stream->index] =
			(struct last_call){event->layout->event, event->ns, item->end_ns};
		return 0;
	}
	if (item->kind != ITEM_MEMORY)
		return 0;
	/* Both records begin with the number. */
	record = (const void *)event->record;
	key = (uint64_t)event->stream->process->index << 32 | record->memory;
	if (event->record->id == TANDEM_EVENT_memory)
		return count_new(findings->graph, allocations, item, key);
	return count_free(findings->graph, allocations, item, key);
}

static int add_row(struct findings *findings, const struct allocation_row *row)
{
	struct finding *finding = findings_add(findings, "allocations", "loop");
	char count[UNITS_BYTES], bytes[UNITS_BYTES], live[UNITS_BYTES];

	if (!finding)
		return -ENOMEM;
	finding->count = row->count;
	finding->cost_ns = row->ns - row->first_ns;
	finding->removes = GRAPH_ALLOCATION;
	finding->object = row->api->name;
	finding->what = findings_text(
		findings,
		"%s allocated %s %s times and at most %s of them were in use "
		"at a time",
		row->api->name, units_bytes(bytes, (double)row->bytes / (double)row->count),
		units_count(count, row->count), units_count(live, row->most_live));
	finding->why = "the calls' own time; first uses of fresh memory cost more";
	finding->suggestion = "allocate once before the loop and use it again";
	finding_place(findings, finding, row->stream);
	finding_time(findings, finding, row->begin_ns, row->end_ns);
	return 0;
}

static int allocations_end(struct findings *findings, void *state)
{
	struct allocations *allocations = state;
	int status = 0;

	for (size_t i = 0; !status && i < allocations->count; i++) {
		const struct allocation_row *row = &allocations->rows[i];

		if (row->freed >= LOOP_COUNT && row->most_live <= row->count / LOOP_LIVE_PART)
			status = add_row(findings, row);
	}
	return status;
}

static void allocations_release(struct findings *findings, void *state)
{
	struct allocations *allocations = state;

	(void)findings;
	free(allocations->rows);
	free(allocations->last);
	map_free(&allocations->row_of);
	map_free(&allocations->live);
}

const struct finding_ops finding_allocations = {
	.name = "allocations",
	.words = "memory that is allocated and freed in a loop",
	.state_bytes = sizeof(struct allocations),
	.graph = true,
	.begin = allocations_begin,
	.item = allocations_item,
	.end = allocations_end,
	.release = allocations_release,
};
