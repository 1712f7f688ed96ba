/* SPDX-License-Identifier: MIT */
#include "trace/tracepoint.h"

#include <errno.h>
#include <event-parse.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/kernel_records.h"
#include "trace/external/format_text.h"
#include "trace/field.h"
#include "util/arena.h"
#include "util/array.h"
#include "util/map.h"

struct tracepoints {
	struct tracepoint **kinds;
	size_t count, capacity;
	struct map by_id; /* -> index */
	struct arena arena;
};

struct tracepoints *tracepoints_create(void)
{
	return calloc(1, sizeof(struct tracepoints));
}

void tracepoints_destroy(struct tracepoints *tracepoints)
{
	if (!tracepoints)
		return;
	free(tracepoints->kinds);
	map_free(&tracepoints->by_id);
	arena_free(&tracepoints->arena);
	free(tracepoints);
}

static uint8_t kind_of(const struct tep_format_field *field)
{
	if (field->flags & TEP_FIELD_IS_STRING)
		return TRACEPOINT_STRING;
	/* A ring's name is a pointer in some kernels: nothing to read behind it. */
	if (field->flags & TEP_FIELD_IS_POINTER && field->size <= 8)
		return TRACEPOINT_ADDRESS;
	if (field->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC) || field->size > 8)
		return TRACEPOINT_BYTES;
	return field->flags & TEP_FIELD_IS_SIGNED ? TRACEPOINT_SIGNED : TRACEPOINT_UNSIGNED;
}

static int parse_fields(struct tracepoints *tracepoints, struct tracepoint *kind,
			const struct tep_format_field *from)
{
	struct tracepoint_field *fields;
	size_t count = 0;

	for (const struct tep_format_field *at = from; at; at = at->next)
		count++;
	fields = arena_alloc(&tracepoints->arena, (count + 1) * sizeof(*fields));
	if (!fields)
		return -ENOMEM;
	for (; from; from = from->next) {
		struct tracepoint_field *field = &fields[kind->field_count];

		if (from->offset < 0 || from->size <= 0)
			continue;
		*field = (struct tracepoint_field){
			.name = arena_copy(&tracepoints->arena, from->name, strlen(from->name)),
			.kind = kind_of(from),
			.located = from->flags & TEP_FIELD_IS_DYNAMIC,
			.relative = from->flags & TEP_FIELD_IS_RELATIVE,
			.offset = (uint32_t)from->offset,
			.bytes = (uint32_t)from->size,
		};
		if (!field->name)
			return -ENOMEM;
		kind->field_count++;
	}
	kind->fields = fields;
	return 0;
}

static int keep(struct tracepoints *tracepoints, uint32_t id, const char *system, const char *name,
		const struct tep_event *event)
{
	struct tracepoint *kind = arena_alloc(&tracepoints->arena, sizeof(*kind));

	if (!kind || array_reserve(&tracepoints->kinds, &tracepoints->capacity,
				   tracepoints->count + 1, sizeof(struct tracepoint *)))
		return -ENOMEM;
	kind->id = id;
	kind->index = (uint32_t)tracepoints->count;
	kind->system = arena_copy(&tracepoints->arena, system, strlen(system));
	kind->name = arena_copy(&tracepoints->arena, name, strlen(name));
	if (!kind->system || !kind->name || parse_fields(tracepoints, kind, event->format.fields) ||
	    map_set(&tracepoints->by_id, id, tracepoints->count))
		return -ENOMEM;
	tracepoints->kinds[tracepoints->count++] = kind;
	return 0;
}

int tracepoints_describe(struct tracepoints *tracepoints, uint32_t id, const char *system,
			 const char *name, const char *text, size_t length)
{
	struct tep_event *event;
	struct tep_handle *tep;
	char *checked;
	int status = 0;

	if (!tracepoints || map_get(&tracepoints->by_id, id) != MAP_NONE)
		return 0;
	checked = format_text_check(text, length);
	if (!checked)
		return 0;
	tep = tep_alloc();
	if (tep) {
		tep_set_loglevel(TEP_LOG_NONE);
		tep_set_long_size(tep, sizeof(long));
		tep_parse_event(tep, checked, strlen(checked), system);
		event = tep_find_event_by_name(tep, system, name);
		if (event)
			status = keep(tracepoints, id, system, name, event);
		tep_free(tep);
	} else {
		status = -ENOMEM;
	}
	free(checked);
	return status;
}

int tracepoints_learn(struct tracepoints *tracepoints, const struct trace_event *event)
{
	const struct tandem_kernel_format *record = (const void *)event->record;
	const struct tandem_field *field;
	const char *texts[3];
	size_t lengths[3];
	char system[64], name[64];
	static const char *const names[] = {"system", "name", "text"};

	if (!tracepoints || event->record->id != TANDEM_KERNEL_EVENT_format)
		return 0;
	for (int i = 0; i < 3; i++) {
		field = trace_field_find(event->layout, names[i]);
		texts[i] = field ? (const char *)trace_field_elements(event, field, &lengths[i])
				 : NULL;
		if (!texts[i])
			return 0;
	}
	if (lengths[0] >= sizeof(system) || lengths[1] >= sizeof(name))
		return 0;
	memcpy(system, texts[0], lengths[0]);
	system[lengths[0]] = '\0';
	memcpy(name, texts[1], lengths[1]);
	name[lengths[1]] = '\0';
	return tracepoints_describe(tracepoints, record->format, system, name, texts[2],
				    lengths[2]);
}

const struct tracepoint *tracepoints_find(const struct tracepoints *tracepoints, uint32_t id)
{
	uint64_t index = tracepoints ? map_get(&tracepoints->by_id, id) : MAP_NONE;

	return index == MAP_NONE ? NULL : tracepoints->kinds[index];
}

const struct tracepoint *tracepoints_of(const struct tracepoints *tracepoints,
					const struct trace_event *event,
					struct tracepoint_data *data, uint32_t *tid)
{
	const struct tandem_kernel_tracepoint *record = (const void *)event->record;

	if (!tracepoints || event->record->id != TANDEM_KERNEL_EVENT_tracepoint)
		return NULL;
	data->bytes = (const uint8_t *)(record + 1);
	data->count = record->data_count;
	*tid = record->tid;
	return tracepoints_find(tracepoints, record->format);
}

const struct tracepoint_field *tracepoint_field(const struct tracepoint *tracepoint,
						const char *name)
{
	for (size_t i = 0; i < tracepoint->field_count; i++) {
		if (!strcmp(tracepoint->fields[i].name, name))
			return &tracepoint->fields[i];
	}
	return NULL;
}

static bool field_in(const struct tracepoint_field *field, const struct tracepoint_data *data)
{
	return field->offset <= data->count && field->bytes <= data->count - field->offset;
}

uint64_t tracepoint_number(const struct tracepoint_field *field, const struct tracepoint_data *data)
{
	uint64_t value = 0;

	if (field->bytes > sizeof(value) || !field_in(field, data))
		return 0;
	memcpy(&value, data->bytes + field->offset, field->bytes);
	if (field->kind == TRACEPOINT_SIGNED && field->bytes < sizeof(value) &&
	    value >> (8 * field->bytes - 1))
		value |= UINT64_MAX << 8 * field->bytes;
	return value;
}

const char *tracepoint_string(const struct tracepoint_field *field,
			      const struct tracepoint_data *data, size_t *length)
{
	uint32_t offset = field->offset, bytes = field->bytes, place;

	*length = 0;
	if (field->kind != TRACEPOINT_STRING || !field_in(field, data))
		return "";
	if (field->located) {
		if (bytes != sizeof(place))
			return "";
		memcpy(&place, data->bytes + offset, sizeof(place));
		offset = (place & 0xffff) + (field->relative ? offset + bytes : 0);
		bytes = place >> 16;
	}
	if (offset > data->count || bytes > data->count - offset)
		return "";
	*length = strnlen((const char *)data->bytes + offset, bytes);
	return (const char *)data->bytes + offset;
}
