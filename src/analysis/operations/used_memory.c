/* SPDX-License-Identifier: MIT */
#include "analysis/operations/used_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/event_iterator.h"
#include "trace/field.h"
#include "util/keyed_row.h"

struct used_memory_kernel { /* by the argument's place */
	uint32_t memory[USED_MEMORY_MOST];
	bool unknown;
};

static uint64_t key_of(uint32_t process, uint64_t number)
{
	return (uint64_t)process << 32 | (uint32_t)number;
}

static uint64_t mixed(uint32_t process, uint64_t handle)
{
	return handle ^ (uint64_t)(process + 1) * UINT64_C(0x9E3779B97F4A7C15);
}

static uint32_t whole_of(const struct used_memory *used, uint32_t process, uint32_t memory)
{
	uint64_t parent = map_get(&used->parents, key_of(process, memory));

	return parent == MAP_NONE ? memory : (uint32_t)parent;
}

static int note_memory(struct used_memory *used, const struct trace_event *event)
{
	const struct tandem_rec_memory *record = (const void *)event->record;
	uint32_t process = event->stream->process->index;

	if (record->parent && map_set(&used->parents, key_of(process, record->memory),
				      whole_of(used, process, record->parent)))
		return -ENOMEM;
	return map_set(&used->memory_of, mixed(process, record->handle),
		       whole_of(used, process, record->memory));
}

static int kernel_find(struct used_memory *used, uint64_t key, struct used_memory_kernel **kernel)
{
	static const struct used_memory_kernel fresh;

	*kernel = keyed_row(&used->kernel_of, key, &used->kernels, &used->capacity, &used->count,
			    &fresh, sizeof(fresh));
	return *kernel ? 0 : -ENOMEM;
}

/* A handle of a memory object, or a value. */
static uint32_t memory_of(const struct used_memory *used, const struct trace_event *event,
			  const struct tandem_field *value)
{
	uint64_t handle = 0, memory;
	const uint8_t *elements;
	size_t count;

	elements = trace_field_elements(event, value, &count);
	if (count != sizeof(handle))
		return 0;
	memcpy(&handle, elements, sizeof(handle));
	memory = map_get(&used->memory_of, mixed(event->stream->process->index, handle));
	return memory == MAP_NONE ? 0 : (uint32_t)memory;
}

/* A kernel is given an argument. */
static int note_argument(struct used_memory *used, const struct trace_event *event,
			 const struct tandem_field *value)
{
	const struct tandem_field *kernel = trace_field_role(event->layout, TANDEM_ROLE_kernel);
	const struct tandem_field *at = trace_field_role(event->layout, TANDEM_ROLE_index);
	struct used_memory_kernel *known;
	uint64_t index;

	if (!kernel || !at || trace_event_failed(event))
		return 0;
	if (kernel_find(used,
			key_of(event->stream->process->index, trace_field_unsigned(event, kernel)),
			&known))
		return -ENOMEM;
	index = trace_field_unsigned(event, at);
	if (!value->variable)
		known->unknown = true;
	else if (index < USED_MEMORY_MOST)
		known->memory[index] = memory_of(used, event, value);
	else if (memory_of(used, event, value))
		known->unknown = true;
	return 0;
}

int used_memory_item(struct used_memory *used, const struct event_item *item)
{
	const struct tandem_field *value;

	if (item->kind == ITEM_MEMORY && item->event->record->id == TANDEM_EVENT_memory)
		return note_memory(used, item->event);
	if (item->kind != ITEM_CALL)
		return 0;
	value = trace_field_role(item->event->layout, TANDEM_ROLE_argument);
	return value ? note_argument(used, item->event, value) : 0;
}

static void list_add(struct used_memory_list *list, uint32_t memory)
{
	if (!memory)
		return;
	if (list->count == USED_MEMORY_MOST)
		list->unknown = true;
	else
		list->memory[list->count++] = memory;
}

void used_memory_find(const struct used_memory *used, const struct trace_event *event,
		      struct used_memory_list *list)
{
	static const enum tandem_role roles[] = {TANDEM_ROLE_memory, TANDEM_ROLE_memory_from,
						 TANDEM_ROLE_memory_to};
	const struct tandem_field *kernel = trace_field_role(event->layout, TANDEM_ROLE_kernel);
	uint32_t process = event->stream->process->index;
	uint64_t known;

	*list = (struct used_memory_list){.count = 0};
	for (unsigned i = 0; i < sizeof(roles) / sizeof(*roles); i++) {
		const struct tandem_field *field = trace_field_role(event->layout, roles[i]);

		if (field && field->kind == TANDEM_FIELD_OBJECT && !field->variable)
			list_add(list, whole_of(used, process,
						(uint32_t)trace_field_unsigned(event, field)));
	}
	if (!kernel)
		return;
	known = map_get(&used->kernel_of, key_of(process, trace_field_unsigned(event, kernel)));
	list->unknown = known == MAP_NONE || used->kernels[known].unknown;
	for (unsigned i = 0; !list->unknown && i < USED_MEMORY_MOST; i++)
		list_add(list, used->kernels[known].memory[i]);
}

bool used_memory_is_apart(const struct used_memory_list *a, const struct used_memory_list *b)
{
	if (a->unknown || b->unknown || !a->count || !b->count)
		return false;
	for (unsigned i = 0; i < a->count; i++) {
		for (unsigned j = 0; j < b->count; j++) {
			if (a->memory[i] == b->memory[j])
				return false;
		}
	}
	return true;
}

void used_memory_free(struct used_memory *used)
{
	map_free(&used->memory_of);
	map_free(&used->parents);
	map_free(&used->kernel_of);
	free(used->kernels);
	memset(used, 0, sizeof(*used));
}
