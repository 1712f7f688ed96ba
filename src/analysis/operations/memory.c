/* SPDX-License-Identifier: MIT */
#include "analysis/operations/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/core_records.h"
#include "util/array.h"

void memory_init(struct memory *memory, struct devices *devices)
{
	memset(memory, 0, sizeof(*memory));
	memory->devices = devices;
	memory->range = RANGE_WHOLE;
}

static int row_find(struct memory *memory, const struct memory_row *wanted, uint32_t *index)
{
	for (size_t i = 0; i < memory->row_count; i++) {
		const struct memory_row *row = &memory->rows[i];

		if (row->domain == wanted->domain && row->device == wanted->device &&
		    row->shared == wanted->shared) {
			*index = (uint32_t)i;
			return 0;
		}
	}
	*index = (uint32_t)memory->row_count;
	return ARRAY_ADD(memory->rows, memory->row_capacity, memory->row_count, *wanted);
}

/* Where an allocation lies: its device, else the context's. */
static int place_find(struct memory *memory, const struct trace_event *event, uint32_t *row)
{
	const struct tandem_rec_memory *record = (const void *)event->record;
	struct memory_row place = {.domain = record->domain, .device = TRACE_NONE};
	struct trace_objects *objects = &memory->devices->objects;
	uint32_t device = record->device, context;
	int status = 0;

	if (record->kind == TANDEM_MEMORY_KIND_host || record->kind == TANDEM_MEMORY_KIND_usm_host)
		return row_find(memory, &place, row);
	if (!device && record->context)
		status = trace_objects_look(objects, event, TANDEM_OBJECT_context, record->context);
	context = trace_objects_context(objects, event->stream->process->index, record->context);
	if (!device && context != TRACE_NONE) {
		if (objects->contexts[context].device_count == 1)
			device = objects->contexts[context].first_device;
		else
			place.shared = objects->contexts[context].device_count;
	}
	if (!status && !place.shared)
		status = devices_of_number(memory->devices, event, device, record->domain,
					   &place.device);
	return status ? status : row_find(memory, &place, row);
}

static int live_add(struct memory *memory, uint64_t key, uint32_t row, uint64_t bytes)
{
	uint32_t index = memory->free_list - 1;

	if (memory->free_list) {
		memory->free_list = memory->live[index].next_free;
	} else {
		if (array_reserve(&memory->live, &memory->live_capacity, memory->live_count + 1,
				  sizeof(*memory->live)))
			return -ENOMEM;
		index = (uint32_t)memory->live_count++;
	}
	memory->live[index] = (struct memory_live){.row = row, .bytes = bytes};
	return map_set(&memory->known, key, index);
}

static int memory_allocated(struct memory *memory, const struct trace_event *event)
{
	const struct tandem_rec_memory *record = (const void *)event->record;
	uint32_t process = event->stream->process->index;
	uint64_t key = (uint64_t)process << 32 | record->memory;
	struct memory_row *row;
	uint32_t index;
	int status;

	/* A part of another allocation, or described anew after a resume. */
	if (record->kind == TANDEM_MEMORY_KIND_sub_buffer ||
	    map_get(&memory->known, key) != MAP_NONE)
		return 0;
	status = place_find(memory, event, &index);
	if (!status)
		status = live_add(memory, key, index, record->bytes);
	if (status)
		return status;
	row = &memory->rows[index];
	memory->latest = index;
	row->live += record->bytes;
	if (!range_holds(&memory->range, event->ns))
		return 0;
	row->allocations++;
	row->allocated += record->bytes;
	if (row->live > row->peak)
		row->peak = row->live;
	return 0;
}

static void memory_freed(struct memory *memory, const struct trace_event *event)
{
	const struct tandem_rec_memory_free *record = (const void *)event->record;
	uint64_t key = (uint64_t)event->stream->process->index << 32 | record->memory;
	uint64_t index = map_remove(&memory->known, key);
	struct memory_live *live;
	struct memory_row *row;

	/* What was allocated while nothing was recorded, or a sub-buffer. */
	if (index == MAP_NONE)
		return;
	live = &memory->live[index];
	row = &memory->rows[live->row];
	memory->latest = live->row;
	if (range_holds(&memory->range, event->ns)) {
		row->frees++;
		row->freed += live->bytes;
	}
	row->live -= live->bytes;
	live->next_free = memory->free_list;
	memory->free_list = (uint32_t)index + 1;
}

/* What was held when the range began was held in it. */
static void range_begin(struct memory *memory)
{
	memory->inside = true;
	for (size_t i = 0; i < memory->row_count; i++)
		memory->rows[i].peak = memory->rows[i].live;
}

int memory_add(struct memory *memory, const struct trace_event *event)
{
	memory->latest = TRACE_NONE;
	if (!memory->inside && event->ns >= memory->range.from_ns)
		range_begin(memory);
	if (event->record->id == TANDEM_EVENT_memory)
		return memory_allocated(memory, event);
	memory_freed(memory, event);
	return 0;
}

void memory_settle(struct memory *memory)
{
	if (!memory->inside)
		range_begin(memory);
}

void memory_free(struct memory *memory)
{
	free(memory->rows);
	free(memory->live);
	map_free(&memory->known);
	memset(memory, 0, sizeof(*memory));
}
