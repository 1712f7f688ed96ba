#include "analysis/event_args.h"

#include <stdio.h>
#include <string.h>

#include "analysis/event_value.h"
#include "trace/field.h"
#include "trace/session.h"

struct args {
	struct trace_objects *objects;
	struct trace_session *session;
	const struct trace_event *event;
	struct json *json;
	struct text value; /* being put together */
};

static void add_text(struct args *args, const char *key)
{
	json_bytes(args->json, key, args->value.data ? args->value.data : "",
		   args->value.length);
	text_clear(&args->value);
}

static void add_element(struct args *args, const char *key,
			const struct tandem_field *field, const uint8_t *at)
{
	uint64_t value = trace_element_unsigned(field, at);
	const char *name;

	switch ((enum tandem_field_kind)field->kind) {
	case TANDEM_FIELD_INT:
		json_signed(args->json, key, trace_element_signed(field, at));
		break;
	case TANDEM_FIELD_ENUM:
		name = trace_name_find(field->names, trace_element_signed(field, at));
		if (!name)
			name = trace_name_find(field->names, (int64_t)value);
		if (name)
			json_string(args->json, key, name);
		else
			json_signed(args->json, key, trace_element_signed(field, at));
		break;
	case TANDEM_FIELD_FLAGS:
		event_flags(&args->value, field->names, value);
		add_text(args, key);
		break;
	case TANDEM_FIELD_FLOAT:
		json_float(args->json, key, trace_element_float(field, at), 9);
		break;
	case TANDEM_FIELD_OBJECT:
		if (value == UINT32_MAX)
			json_null(args->json, key);
		else
			json_unsigned(args->json, key, value);
		break;
	case TANDEM_FIELD_OP:
		if (!value || value == UINT64_MAX) {
			json_null(args->json, key);
		} else {
			event_op(&args->value, value);
			add_text(args, key);
		}
		break;
	case TANDEM_FIELD_HEX:
		text_format(&args->value, "0x%llx", (unsigned long long)value);
		add_text(args, key);
		break;
	case TANDEM_FIELD_UINT:
	case TANDEM_FIELD_STRING:
		json_unsigned(args->json, key, value);
		break;
	}
}

static void add_field(struct args *args, const struct tandem_field *field)
{
	const struct trace_event *event = args->event;
	const uint8_t *at = (const uint8_t *)event->record + field->offset;
	size_t count = 0;
	char key[80];

	if (field->variable)
		at = trace_field_elements(event, field, &count);
	if (field->kind == TANDEM_FIELD_STRING) {
		json_bytes(args->json, field->name, (const char *)at, count);
		return;
	}
	if (field->variable) {
		json_begin_array(args->json, field->name);
		for (size_t i = 0; i < count; i++)
			add_element(args, NULL, field, at + i * field->bytes);
		json_end_array(args->json);
		return;
	}
	add_element(args, field->name, field, at);
	if (field->kind == TANDEM_FIELD_OBJECT) {
		const char *name = event_object_name(args->objects, args->session,
						     event->stream->process->index, field->object,
						     (uint32_t)trace_element_unsigned(field, at));

		snprintf(key, sizeof(key), "%s_name", field->name);
		if (*name)
			json_string(args->json, key, name);
	}
}

/* Sizes of a launch are written in the width that they need: whole here. */
static bool add_shape(struct args *args, const struct tandem_field *field,
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
	json_begin_array(args->json, field->name);
	for (unsigned i = 0; i < count; i++)
		json_unsigned(args->json, NULL, sizes[i]);
	json_end_array(args->json);
	return true;
}

void event_args_json(struct json *json, struct trace_objects *objects,
		     struct trace_session *session, const struct trace_event *event)
{
	struct args args = {
		.objects = objects, .session = session, .event = event, .json = json};
	const struct tandem_layout *layout = event->layout->layout;
	struct event_shape shape;
	bool shaped = event->layout->variable_count >= 4 && event_shape_read(event, &shape);

	for (unsigned i = 0; i < layout->field_count; i++) {
		if (!shaped || !add_shape(&args, &layout->fields[i], &shape))
			add_field(&args, &layout->fields[i]);
	}
	if (args.value.failed)
		json->text->failed = true;
	text_free(&args.value);
}
