/* SPDX-License-Identifier: MIT */
#include "analysis/operations/used_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/event_iterator.h"
#include "analysis/operations/kernel_signature.h"
#include "analysis/operations/kernel_source.h"
#include "trace/field.h"
#include "util/demangle.h"
#include "util/hash.h"
#include "util/keyed_row.h"

/* Parts of an object that are told apart. */
#define PARTS 32u

struct used_memory_kernel { /* by the argument's place */
	uint32_t memory[USED_MEMORY_MOST];
	uint32_t reads, keeps; /* bits of arguments */
	struct kernel_signature signature;
	bool unknown;
};

struct used_memory_part {
	uint64_t from, to; /* bytes */
	uint32_t memory;
};

struct used_memory_whole {
	struct used_memory_part parts[PARTS];
	uint32_t count;
	bool mixed; /* some share bytes, or there are too many: each counts as the whole */
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

/* Its handle is where it lies. */
static bool has_address(uint8_t kind)
{
	switch (kind) {
	case TANDEM_MEMORY_KIND_device:
	case TANDEM_MEMORY_KIND_host:
	case TANDEM_MEMORY_KIND_managed:
	case TANDEM_MEMORY_KIND_pooled:
		return true;
	default:
		return false;
	}
}

static int note_memory(struct used_memory *used, const struct trace_event *event)
{
	const struct tandem_rec_memory *record = (const void *)event->record;
	uint32_t process = event->stream->process->index;

	if (record->parent && map_set(&used->parents, key_of(process, record->memory),
				      whole_of(used, process, record->parent)))
		return -ENOMEM;
	if (has_address(record->kind))
		return address_ranges_add(&used->ranges, process, record->handle, record->bytes,
					  record->memory);
	return map_set(&used->memory_of, mixed(process, record->handle), record->memory);
}

static void note_free(struct used_memory *used, const struct trace_event *event)
{
	const struct tandem_rec_memory_free *record = (const void *)event->record;

	address_ranges_remove(&used->ranges, event->stream->process->index, record->memory);
}

static int whole_find(struct used_memory *used, uint64_t key, struct used_memory_whole **whole)
{
	static const struct used_memory_whole fresh;

	*whole = keyed_row(&used->whole_of, key, &used->wholes, &used->whole_capacity,
			   &used->whole_count, &fresh, sizeof(fresh));
	return *whole ? 0 : -ENOMEM;
}

/* The number of the first part that is the same bytes; 0: it shares bytes with another one. */
static uint32_t part_place(struct used_memory_whole *whole, const struct used_memory_part *part)
{
	for (unsigned i = 0; i < whole->count; i++) {
		const struct used_memory_part *known = &whole->parts[i];

		if (known->from == part->from && known->to == part->to)
			return known->memory;
		if (known->from < part->to && part->from < known->to)
			return 0;
	}
	if (whole->count == PARTS)
		return 0;
	whole->parts[whole->count++] = *part;
	return part->memory;
}

/* A call that makes a part of an object. */
static int note_part(struct used_memory *used, const struct trace_event *event,
		     const struct tandem_field *origin)
{
	const struct tandem_field *of = trace_field_role(event->layout, TANDEM_ROLE_memory);
	const struct tandem_field *made = trace_field_role(event->layout, TANDEM_ROLE_returned);
	const struct tandem_field *bytes = trace_field_role(event->layout, TANDEM_ROLE_bytes);
	uint32_t process = event->stream->process->index, parent;
	struct used_memory_part part = {.from = trace_field_unsigned(event, origin)};
	struct used_memory_whole *whole;

	if (!of || !made || !bytes || trace_event_failed(event))
		return 0;
	part.to = part.from + trace_field_unsigned(event, bytes);
	part.memory = (uint32_t)trace_field_unsigned(event, made);
	parent = whole_of(used, process, (uint32_t)trace_field_unsigned(event, of));
	if (!part.memory || !parent)
		return 0;
	if (whole_find(used, key_of(process, parent), &whole))
		return -ENOMEM;
	parent = part_place(whole, &part);
	whole->mixed |= !parent;
	return parent ? map_set(&used->part_of, key_of(process, part.memory), parent) : 0;
}

static int kernel_find(struct used_memory *used, uint64_t key, struct used_memory_kernel **kernel)
{
	static const struct used_memory_kernel fresh;

	*kernel = keyed_row(&used->kernel_of, key, &used->kernels, &used->capacity, &used->count,
			    &fresh, sizeof(fresh));
	return *kernel ? 0 : -ENOMEM;
}

/* What a source says of a kernel: reads, and above them keeps. */
static int note_reads(struct used_memory *used, const struct trace_event *event)
{
	const struct tandem_rec_kernel_reads *record = (const void *)event->record;

	return map_set(&used->reads_of, kernel_source_key(event, record->program, "kernel"),
		       (uint64_t)record->keeps << 32 | record->arguments);
}

/* Returns whether the name has one that says something. */
static bool find_signature(const uint8_t *name, size_t bytes, struct kernel_signature *signature)
{
	char *mangled = strndup((const char *)name, bytes), *text;
	bool found;

	text = mangled ? demangle(mangled) : NULL;
	found = text && kernel_signature(text, signature) && signature->reads;
	free(text);
	free(mangled);
	return found;
}

/* A kernel object, of such a source or with a signature. */
static int note_kernel(struct used_memory *used, const struct trace_event *event)
{
	const struct tandem_rec_kernel *record = (const void *)event->record;
	const struct tandem_field *field = trace_field_find(event->layout, "name");
	uint32_t process = event->stream->process->index;
	struct kernel_signature signature;
	struct used_memory_kernel *kernel;
	const uint8_t *name;
	uint64_t reads;
	size_t bytes;
	bool is_signed;

	name = trace_field_elements(event, field, &bytes);
	reads = map_get(&used->reads_of, kernel_source_key(event, record->program, "name"));
	is_signed = find_signature(name, bytes, &signature);
	if (reads == MAP_NONE && !is_signed)
		return 0;
	if (kernel_find(used, key_of(process, record->kernel), &kernel))
		return -ENOMEM;
	if (reads != MAP_NONE) {
		kernel->reads = (uint32_t)reads;
		kernel->keeps = (uint32_t)(reads >> 32);
	}
	if (is_signed)
		kernel->signature = signature;
	return 0;
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
	if (item->kind == ITEM_MEMORY)
		note_free(used, item->event);
	if (item->kind == ITEM_OBJECT && item->event->record->id == TANDEM_EVENT_kernel)
		return note_kernel(used, item->event);
	if ((item->kind == ITEM_OBJECT || item->kind == ITEM_OTHER) && item->event &&
	    item->event->record->id == TANDEM_EVENT_kernel_reads)
		return note_reads(used, item->event);
	if (item->kind != ITEM_CALL)
		return 0;
	value = trace_field_role(item->event->layout, TANDEM_ROLE_origin);
	if (value && item->event->layout->event->class == TANDEM_CLASS_CREATE)
		return note_part(used, item->event, value);
	value = trace_field_role(item->event->layout, TANDEM_ROLE_argument);
	return value ? note_argument(used, item->event, value) : 0;
}

static void list_add(const struct used_memory *used, struct used_memory_list *list,
		     uint32_t process, uint32_t memory)
{
	uint32_t whole = memory ? whole_of(used, process, memory) : 0;
	uint64_t part, parts;

	if (!memory)
		return;
	if (list->count == USED_MEMORY_MOST) {
		list->unknown = true;
		return;
	}
	part = whole == memory ? MAP_NONE : map_get(&used->part_of, key_of(process, memory));
	parts = part == MAP_NONE ? MAP_NONE : map_get(&used->whole_of, key_of(process, whole));
	list->memory[list->count] =
		parts == MAP_NONE || used->wholes[parts].mixed ? whole : (uint32_t)part;
	list->whole[list->count++] = whole;
}

/* What is given twice, and is written once, is written. */
static void list_add_argument(const struct used_memory *used, struct used_memory_list *list,
			      uint32_t process, const struct used_memory_kernel *kernel,
			      unsigned at)
{
	bool reads = kernel->reads >> at & 1;
	uint32_t memory = kernel->memory[at], count = list->count;

	for (unsigned i = 0; reads && i < USED_MEMORY_MOST; i++)
		reads = kernel->memory[i] != memory || kernel->reads >> i & 1;
	list_add(used, list, process, memory);
	if (list->count == count)
		return;
	list->reads |= (uint32_t)reads << count;
	list->keeps |= (kernel->keeps >> at & 1) << count;
}

/* A part of memory, or all of it. */
static void list_add_part(struct used_memory_list *list, uint32_t memory, uint32_t part)
{
	for (unsigned i = 0; i < list->count; i++) {
		if (list->memory[i] == (part ? part : memory))
			return;
	}
	if (list->count == USED_MEMORY_MOST) {
		list->unknown = true;
		return;
	}
	list->by_places |= part != 0;
	list->memory[list->count] = part ? part : memory;
	list->whole[list->count++] = memory;
}

/* What a transfer moves from and to addresses; what lies in no memory that is known is the host's. */
static void list_add_ends(const struct used_memory *used, struct used_memory_list *list,
			  const struct trace_event *event)
{
	static const enum tandem_role roles[] = {TANDEM_ROLE_source, TANDEM_ROLE_destination,
						 TANDEM_ROLE_address};
	const struct tandem_field *bytes = trace_field_role(event->layout, TANDEM_ROLE_bytes);
	uint32_t process = event->stream->process->index;

	for (unsigned i = 0; i < sizeof(roles) / sizeof(*roles); i++) {
		const struct tandem_field *field = trace_field_role(event->layout, roles[i]);
		uint64_t address =
			field && !field->variable ? trace_field_unsigned(event, field) : 0;
		uint32_t memory = address_ranges_find(&used->ranges, process, address);

		if (memory)
			list_add_part(list, memory,
				      bytes ? memory_places_within(
						      &used->places, key_of(process, memory),
						      address, trace_field_unsigned(event, bytes))
					    : 0);
	}
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
			list_add(used, list, process, (uint32_t)trace_field_unsigned(event, field));
	}
	if (!kernel) {
		if (!list->count)
			list_add_ends(used, list, event);
		return;
	}
	known = map_get(&used->kernel_of, key_of(process, trace_field_unsigned(event, kernel)));
	list->unknown = known == MAP_NONE || used->kernels[known].unknown;
	for (unsigned i = 0; !list->unknown && i < USED_MEMORY_MOST; i++)
		list_add_argument(used, list, process, &used->kernels[known], i);
}

uint64_t used_memory_op(const struct trace_event *event)
{
	const struct tandem_rec_kernel_memory *record = (const void *)event->record;

	return event->record->id == TANDEM_EVENT_kernel_memory ? record->op : 0;
}

/* Where each of its pointers is an address of the list, those of them that it only reads. */
static uint32_t reads_of(const struct used_memory *used, uint64_t kernel, size_t addresses)
{
	uint64_t known = map_get(&used->kernel_of, kernel);
	const struct kernel_signature *signature =
		known == MAP_NONE ? NULL : &used->kernels[known].signature;

	return signature && signature->pointers == addresses ? signature->reads : 0;
}

/* One that is given twice, and is written once, is written. */
static void list_add_address(struct used_memory_list *list, uint32_t memory, uint32_t part,
			     bool reads)
{
	uint32_t count = list->count;

	list_add_part(list, memory, part);
	if (list->count > count) {
		list->reads |= (uint32_t)reads << count;
		return;
	}
	for (unsigned i = 0; !reads && i < list->count; i++) {
		if (list->memory[i] == (part ? part : memory))
			list->reads &= ~(UINT32_C(1) << i);
	}
}

int used_memory_addresses(struct used_memory *used, const struct trace_event *event,
			  uint32_t kernel, uint32_t queue, struct used_memory_list *list)
{
	const struct tandem_field *field = trace_field_find(event->layout, "addresses");
	uint32_t process = event->stream->process->index, reads;
	const uint8_t *elements;
	size_t count;

	elements = trace_field_elements(event, field, &count);
	reads = reads_of(used, key_of(process, kernel), count);
	*list = (struct used_memory_list){.count = 0};
	for (size_t i = 0; i < count; i++) {
		uint64_t address = trace_element_unsigned(field, elements + i * field->bytes);
		uint32_t memory = address_ranges_find(&used->ranges, process, address);
		uint64_t key = key_of(process, memory);

		if (!memory)
			list->unknown = true;
		else if (memory_places_used(&used->places, key, address, queue))
			return -ENOMEM;
		if (memory)
			list_add_address(list, memory,
					 memory_places_find(&used->places, key, address, queue),
					 i < 32 && reads >> i & 1);
	}
	return 0;
}

void used_memory_settle(const struct used_memory *used, struct used_memory_list *list)
{
	if (!list->by_places)
		return;
	list->by_places = false;
	for (unsigned i = 0; i < list->count; i++) {
		if (list->memory[i] < MEMORY_PLACE)
			continue;
		if (memory_places_is_part(&used->places, list->memory[i]))
			list->by_places = true;
		else
			list->memory[i] = list->whole[i];
	}
}

/* Of one object, where one at least is all of it, or both are the same part, and one is written. */
static bool share(const struct used_memory_list *a, unsigned i, const struct used_memory_list *b,
		  unsigned j)
{
	return a->whole[i] == b->whole[j] && !(a->reads >> i & b->reads >> j & 1) &&
	       (a->memory[i] == b->memory[j] || a->memory[i] == a->whole[i] ||
		b->memory[j] == b->whole[j]);
}

bool used_memory_is_apart(const struct used_memory_list *a, const struct used_memory_list *b)
{
	if (a->unknown || b->unknown || !a->count || !b->count)
		return false;
	for (unsigned i = 0; i < a->count; i++) {
		for (unsigned j = 0; j < b->count; j++) {
			if (share(a, i, b, j))
				return false;
		}
	}
	return true;
}

void used_memory_free(struct used_memory *used)
{
	map_free(&used->memory_of);
	address_ranges_free(&used->ranges);
	memory_places_free(&used->places);
	map_free(&used->parents);
	map_free(&used->part_of);
	map_free(&used->reads_of);
	map_free(&used->whole_of);
	free(used->wholes);
	map_free(&used->kernel_of);
	free(used->kernels);
	memset(used, 0, sizeof(*used));
}
