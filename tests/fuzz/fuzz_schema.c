/* SPDX-License-Identifier: MIT */
/* Fuzz target of the reader's descriptors: any bytes as the text of DIR/schema or of a
 * metadata file, and behind a byte 0 as records that have these layouts. Everything that
 * a description names is looked at, to the last byte. */
#include <stdlib.h>
#include <string.h>

#include "schema/tsdl.h"
#include "trace/event.h"
#include "trace/field.h"
#include "trace/schema/layout.h"
#include "trace/schema/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static volatile uint64_t sink;

static void look_at_names(const struct tandem_names *names)
{
	for (size_t i = 0; names && i < names->count; i++)
		sink += strlen(names->names[i].name) + (uint64_t)names->names[i].value;
}

static void look_at_record(const struct trace_layout *layout, const void *record, uint32_t bytes)
{
	struct trace_event event = {.layout = layout, .record = record, .bytes = bytes};
	size_t count;

	for (unsigned i = 0; i < layout->layout->field_count; i++) {
		const struct tandem_field *field = &layout->layout->fields[i];
		const uint8_t *at;

		if (!field->variable) {
			sink += trace_field_unsigned(&event, field);
			continue;
		}
		at = trace_field_elements(&event, field, &count);
		for (size_t k = 0; k < count; k++)
			sink += trace_element_unsigned(field, at + k * field->bytes);
	}
	for (unsigned role = 0; role < TANDEM_ROLE_COUNT; role++)
		if (trace_field_role(layout, (enum tandem_role)role))
			sink++;
	sink += trace_event_op(&event);
}

/* As records.c does it. */
static void look_at_records(const struct trace_layouts *layouts, const uint8_t *data, size_t bytes)
{
	static char made[TRACE_RECORD_BYTES];
	struct tandem_record head;
	uint8_t *copy;

	while (bytes >= sizeof(head)) {
		const struct trace_layout *layout;
		size_t step;

		memcpy(&head, data, sizeof(head));
		if (head.size < sizeof(head) || head.size > bytes)
			return;
		/* A block of just its size: what lies behind is nobody's. */
		copy = malloc(head.size);
		memcpy(copy, data, head.size);
		layout = trace_layouts_get(layouts, head.id);
		if (layout && layout->event && layout->conversion) {
			uint32_t size = trace_layout_convert(layout, copy, head.size, made);

			if (size && trace_layout_fits_made(layout, made, size))
				look_at_record(layout, made, size);
			else if (size)
				abort();
		} else if (layout && layout->event && trace_layout_fits(layout, copy, head.size)) {
			look_at_record(layout, copy, head.size);
		}
		free(copy);
		step = ((size_t)head.size + 7) & ~(size_t)7;
		data += step < bytes ? step : bytes;
		bytes -= step < bytes ? step : bytes;
	}
}

static void look_at_events(const struct trace_schema *schema)
{
	struct text text = TEXT_INIT;

	for (unsigned id = 0; id <= UINT16_MAX; id++) {
		const struct tandem_event *event = trace_schema_event(schema, id);

		if (!event || schema->domains[trace_schema_domain_of(schema, id)].domain ==
				      tandem_domain_get(trace_schema_domain_of(schema, id)))
			continue;
		sink += strlen(event->name);
		look_at_names(event->results);
		for (unsigned i = 0; i < event->layout[0].field_count; i++)
			look_at_names(event->layout[0].fields[i].names);
		/* What an export makes of it. */
		text_clear(&text);
		tandem_tsdl_fields(&text, event, &event->layout[0],
				   event->class != TANDEM_CLASS_RECORD);
	}
	text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const uint8_t *end = bytes ? memchr(data, 0, bytes) : NULL;
	size_t text_bytes = end ? (size_t)(end - data) : bytes;
	struct trace_schema schema = {.text_count = 0};
	struct trace_layouts *layouts;
	struct trace_schema_said said;
	char *text = malloc(text_bytes ? text_bytes : 1);

	memcpy(text, data, text_bytes);
	/* In two parts: a session has the texts of several processes. */
	if (!trace_schema_add(&schema, TANDEM_ARGS_BASIC, text, text_bytes / 2, &said) &&
	    !trace_schema_add(&schema, TANDEM_ARGS_BASIC, text, text_bytes, &said)) {
		/* Without this build's own events: they are many, and known to be right. */
		layouts = trace_layouts_create(&schema, TANDEM_ARGS_BASIC);
		if (layouts && end)
			look_at_records(layouts, end + 1, bytes - text_bytes - 1);
		look_at_events(&schema);
		trace_layouts_destroy(layouts);
	}
	trace_schema_free(&schema);
	free(text);
	return 0;
}
