#include "cli/event_json.h"

#include <stdio.h>
#include <string.h>

#include "cli/event_value.h"
#include "schema/gen/core_records.h"
#include "trace/field.h"
#include "trace/operation.h"
#include "trace/session.h"
#include "util/json.h"

struct json_event {
	struct trace_objects *objects;
	struct trace_session *session;
	const struct trace_event *event;
	struct json json;
	struct text value;
};

static void add_text(struct json_event *line, const char *key)
{
	json_bytes(&line->json, key, line->value.data ? line->value.data : "",
		   line->value.length);
	text_clear(&line->value);
}

static void add_element(struct json_event *line, const char *key,
			const struct tandem_field *field, const uint8_t *at)
{
	uint64_t value = trace_element_unsigned(field, at);
	const char *name;

	switch ((enum tandem_field_kind)field->kind) {
	case TANDEM_FIELD_INT:
		json_signed(&line->json, key, trace_element_signed(field, at));
		break;
	case TANDEM_FIELD_ENUM:
		name = trace_name_find(field->names, trace_element_signed(field, at));
		if (!name)
			name = trace_name_find(field->names, (int64_t)value);
		if (name)
			json_string(&line->json, key, name);
		else
			json_signed(&line->json, key, trace_element_signed(field, at));
		break;
	case TANDEM_FIELD_FLAGS:
		event_flags(&line->value, field->names, value);
		add_text(line, key);
		break;
	case TANDEM_FIELD_FLOAT:
		json_float(&line->json, key, trace_element_float(field, at), 9);
		break;
	case TANDEM_FIELD_OBJECT:
		if (value == UINT32_MAX)
			json_null(&line->json, key);
		else
			json_unsigned(&line->json, key, value);
		break;
	case TANDEM_FIELD_OP:
		if (!value || value == UINT64_MAX) {
			json_null(&line->json, key);
		} else {
			event_op(&line->value, value);
			add_text(line, key);
		}
		break;
	case TANDEM_FIELD_HEX:
		text_format(&line->value, "0x%llx", (unsigned long long)value);
		add_text(line, key);
		break;
	case TANDEM_FIELD_UINT:
	case TANDEM_FIELD_STRING:
		json_unsigned(&line->json, key, value);
		break;
	}
}

static void add_field(struct json_event *line, const struct tandem_field *field)
{
	const struct trace_event *event = line->event;
	const uint8_t *at = (const uint8_t *)event->record + field->offset;
	size_t count = 0;
	char key[80];

	if (field->variable)
		at = trace_field_elements(event, field, &count);
	if (field->kind == TANDEM_FIELD_STRING) {
		json_bytes(&line->json, field->name, (const char *)at, count);
		return;
	}
	if (field->variable) {
		json_begin_array(&line->json, field->name);
		for (size_t i = 0; i < count; i++)
			add_element(line, NULL, field, at + i * field->bytes);
		json_end_array(&line->json);
		return;
	}
	add_element(line, field->name, field, at);
	if (field->kind == TANDEM_FIELD_OBJECT) {
		const char *name = event_object_name(line->objects, event, field->object,
						     (uint32_t)trace_element_unsigned(field, at));

		snprintf(key, sizeof(key), "%s_name", field->name);
		if (*name)
			json_string(&line->json, key, name);
	}
}

/* Sizes of a launch are written in the width that they need: whole here. */
static bool add_shape(struct json_event *line, const struct tandem_field *field,
		      const struct event_shape *shape)
{
	const uint64_t *sizes = NULL;
	unsigned count = 0;

	if (!strcmp(field->name, "high"))
		return true;
	if (!strcmp(field->name, "global")) {
		sizes = shape->global;
		count = shape->globals;
	} else if (!strcmp(field->name, "local")) {
		sizes = shape->local;
		count = shape->locals;
	} else if (!strcmp(field->name, "offset")) {
		sizes = shape->offset;
		count = shape->offsets;
	}
	if (!sizes)
		return false;
	json_begin_array(&line->json, field->name);
	for (unsigned i = 0; i < count; i++)
		json_unsigned(&line->json, NULL, sizes[i]);
	json_end_array(&line->json);
	return true;
}

static void add_call(struct json_event *line)
{
	const struct trace_event *event = line->event;
	const struct tandem_event *descriptor = event->layout->event;
	const char *name;

	if (!event->end_ticks) {
		json_null(&line->json, "duration_ns");
		return;
	}
	json_signed(&line->json, "duration_ns",
		    trace_clock_ns(&line->session->clock, event->end_ticks) - event->ns);
	if (!descriptor->has_result)
		return;
	json_signed(&line->json, "result", trace_event_result(event));
	name = trace_name_find(descriptor->results, trace_event_result(event));
	if (name)
		json_string(&line->json, "result_name", name);
}

/* An operation whose times are on the session's clock: beside the ticks that lie
 * in its record, what all other times are counted in. */
static void add_operation(struct json_event *line)
{
	const struct tandem_rec_operation *record = (const void *)line->event->record;
	struct trace_operation_times times;

	if (!trace_operation_times(line->session, record, &times) || !times.on_host)
		return;
	json_signed(&line->json, "start_ns", (int64_t)times.start - line->session->start_ns);
	json_signed(&line->json, "end_ns", (int64_t)times.end - line->session->start_ns);
}

int event_json_line(struct trace_objects *objects, struct trace_session *session,
		    struct text *out, const struct trace_event *event)
{
	struct json_event line = {.objects = objects, .session = session, .event = event};
	const struct tandem_layout *layout = event->layout->layout;
	const struct tandem_domain *domain =
		tandem_domain_get(TANDEM_ID_DOMAIN(event->record->id));
	struct event_shape shape;
	bool shaped = event->layout->variable_count >= 4 && event_shape_read(event, &shape);
	int status = trace_objects_learn(objects, event);

	if (status)
		return status;
	json_init(&line.json, out, false);
	json_begin_object(&line.json, NULL);
	json_signed(&line.json, "time_ns", event->ns - session->start_ns);
	json_signed(&line.json, "monotonic_ns", event->ns);
	json_unsigned(&line.json, "process", event->stream->process->pid);
	json_unsigned(&line.json, "thread", event->tid);
	json_string(&line.json, "thread_name", event->thread_name);
	json_string(&line.json, "domain", domain ? domain->name : "");
	json_string(&line.json, "name", event->layout->event->name);
	if (trace_event_is_call(event))
		add_call(&line);
	else if (event->record->id == TANDEM_EVENT_operation)
		add_operation(&line);
	json_begin_object(&line.json, "args");
	for (unsigned i = 0; i < layout->field_count; i++) {
		if (!shaped || !add_shape(&line, &layout->fields[i], &shape))
			add_field(&line, &layout->fields[i]);
	}
	json_end_object(&line.json);
	json_end_object(&line.json);
	text_add_char(out, '\n');
	text_free(&line.value);
	return 0;
}
