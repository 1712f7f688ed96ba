/* SPDX-License-Identifier: MIT */
#include "trace/field.h"

#include <string.h>

const struct tandem_field *trace_field_object(const struct trace_layout *layout)
{
	for (unsigned i = 0; i < layout->layout->field_count; i++) {
		const struct tandem_field *field = &layout->layout->fields[i];

		if (field->kind == TANDEM_FIELD_OBJECT && !field->variable)
			return field;
	}
	return NULL;
}

const struct tandem_field *trace_field_find(const struct trace_layout *layout, const char *name)
{
	for (unsigned i = 0; i < layout->layout->field_count; i++) {
		const struct tandem_field *field = &layout->layout->fields[i];

		if (!strcmp(field->name, name))
			return field;
	}
	return NULL;
}

static uint64_t read_unsigned(const uint8_t *bytes, unsigned count)
{
	uint64_t value = 0;
	uint32_t half;
	uint16_t quarter;

	/* Little endian, as the trace is. Nearly all have one of these sizes. */
	switch (count) {
	case sizeof(uint8_t):
		return *bytes;
	case sizeof(quarter):
		memcpy(&quarter, bytes, sizeof(quarter));
		return quarter;
	case sizeof(half):
		memcpy(&half, bytes, sizeof(half));
		return half;
	default:
		memcpy(&value, bytes, count <= sizeof(value) ? count : sizeof(value));
		return value;
	}
}

uint64_t trace_element_unsigned(const struct tandem_field *field, const uint8_t *element)
{
	return read_unsigned(element, field->bytes);
}

int64_t trace_element_signed(const struct tandem_field *field, const uint8_t *element)
{
	unsigned shift = field->bytes < 8 ? 64 - 8u * field->bytes : 0;

	return (int64_t)(read_unsigned(element, field->bytes) << shift) >> shift;
}

double trace_element_float(const struct tandem_field *field, const uint8_t *element)
{
	double wide;
	float narrow;

	if (field->bytes == sizeof(narrow)) {
		memcpy(&narrow, element, sizeof(narrow));
		return (double)narrow;
	}
	if (field->bytes != sizeof(wide))
		return 0;
	memcpy(&wide, element, sizeof(wide));
	return wide;
}

uint64_t trace_field_unsigned(const struct trace_event *event, const struct tandem_field *field)
{
	const uint8_t *record = (const uint8_t *)event->record;

	return read_unsigned(record + field->offset,
			     field->variable ? field->count_bytes : field->bytes);
}

uint64_t trace_field_number(const struct trace_event *event, const char *name)
{
	const struct tandem_field *field = trace_field_find(event->layout, name);

	return field ? trace_field_unsigned(event, field) : 0;
}

int64_t trace_field_signed(const struct trace_event *event, const struct tandem_field *field)
{
	return trace_element_signed(field, (const uint8_t *)event->record + field->offset);
}

const uint8_t *trace_field_elements(const struct trace_event *event,
				    const struct tandem_field *field, size_t *count)
{
	const uint8_t *at = (const uint8_t *)event->record + event->layout->layout->fixed_bytes;

	/* The reader checked that all of them lie in the record. */
	for (unsigned i = 0; i < event->layout->variable_count; i++) {
		if (event->layout->variables[i] == field) {
			*count = (size_t)trace_field_unsigned(event, field);
			return at;
		}
		at += trace_variable_bytes(event->layout->sizes[i], event->record);
	}
	*count = 0;
	return at;
}

const char *trace_name_find(const struct tandem_names *names, int64_t value)
{
	for (size_t i = 0; names && i < names->count; i++) {
		if (names->names[i].value == value)
			return names->names[i].name;
	}
	return NULL;
}

const char *trace_field_word(const struct trace_event *event, const char *name, const char *unknown)
{
	const struct tandem_field *field = trace_field_find(event->layout, name);
	const char *word =
		field ? trace_name_find(field->names, trace_field_signed(event, field)) : NULL;

	return word ? word : unknown;
}

/* Value of the role `direction` where the host has neither end. */
#define WITHIN_DEVICES 3u

bool trace_event_blocks(const struct trace_event *event)
{
	const struct tandem_field *direction;

	if (event->layout->event->class == TANDEM_CLASS_WAIT)
		return true;
	if (event->layout->event->class != TANDEM_CLASS_ENQUEUE || !trace_event_synchronous(event))
		return false;
	direction = trace_field_role(event->layout, TANDEM_ROLE_direction);
	return !direction || trace_field_unsigned(event, direction) != WITHIN_DEVICES;
}
