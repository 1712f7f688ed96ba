/* SPDX-License-Identifier: MIT */
#include "cli/print/event_tracepoint.h"

#include <inttypes.h>

static void add_field(struct text *out, const struct tracepoint_field *field,
		      const struct tracepoint_data *data)
{
	uint64_t value = tracepoint_number(field, data);
	const char *string;
	size_t length;

	text_format(out, "%s=", field->name);
	switch ((enum tracepoint_kind)field->kind) {
	case TRACEPOINT_STRING:
		string = tracepoint_string(field, data, &length);
		text_add_char(out, '"');
		text_escape(out, string, length);
		text_add_char(out, '"');
		break;
	case TRACEPOINT_SIGNED:
		text_format(out, "%" PRId64, (int64_t)value);
		break;
	case TRACEPOINT_ADDRESS:
		text_format(out, "0x%" PRIx64, value);
		break;
	case TRACEPOINT_BYTES:
		text_add_string(out, "...");
		break;
	case TRACEPOINT_UNSIGNED:
		text_format(out, "%" PRIu64, value);
		break;
	}
}

bool event_tracepoint_text(struct text *out, const struct trace_objects *objects,
			   const struct trace_event *event)
{
	struct tracepoint_data data;
	uint32_t tid;
	const struct tracepoint *kind = tracepoints_of(objects->tracepoints, event, &data, &tid);

	if (!kind)
		return false;
	text_format(out, "%s:%s(tid=%" PRIu32, kind->system, kind->name, tid);
	for (size_t i = 0; i < kind->field_count; i++) {
		text_add_string(out, ", ");
		add_field(out, &kind->fields[i], &data);
	}
	text_add_char(out, ')');
	return true;
}

void event_tracepoint_json(struct json *json, const struct trace_objects *objects,
			   const struct trace_event *event)
{
	struct tracepoint_data data;
	uint32_t tid;
	const struct tracepoint *kind = tracepoints_of(objects->tracepoints, event, &data, &tid);
	const char *string;
	size_t length;

	if (!kind)
		return;
	json_begin_object(json, "tracepoint");
	json_string(json, "system", kind->system);
	json_string(json, "name", kind->name);
	json_begin_object(json, "fields");
	for (size_t i = 0; i < kind->field_count; i++) {
		const struct tracepoint_field *field = &kind->fields[i];

		if (field->kind == TRACEPOINT_STRING) {
			string = tracepoint_string(field, &data, &length);
			json_bytes(json, field->name, string, length);
		} else if (field->kind == TRACEPOINT_SIGNED) {
			json_signed(json, field->name, (int64_t)tracepoint_number(field, &data));
		} else if (field->kind != TRACEPOINT_BYTES) {
			json_unsigned(json, field->name, tracepoint_number(field, &data));
		}
	}
	json_end_object(json);
	json_end_object(json);
}
