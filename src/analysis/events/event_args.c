/* SPDX-License-Identifier: MIT */
#include "analysis/events/event_args.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/events/event_value.h"
#include "trace/field.h"
#include "trace/session/session.h"

struct visit {
	const struct event_args_sink *sink;
	void *user;
	struct trace_objects *objects;
	struct trace_session *session;
	const struct trace_event *event;
	struct text value; /* being put together */
};

static void give_text(struct visit *visit, const char *name, enum event_arg_kind kind,
		      const char *text, size_t length)
{
	struct event_arg arg = {.kind = kind, .text = text, .length = length};

	visit->sink->value(visit->user, name, &arg);
}

static void give_value(struct visit *visit, const char *name, enum event_arg_kind kind)
{
	if (!visit->value.failed)
		give_text(visit, name, kind, visit->value.data, visit->value.length);
	text_clear(&visit->value);
}

static void give_enumerator(struct visit *visit, const char *name, const struct tandem_field *field,
			    const uint8_t *at)
{
	int64_t value = trace_element_signed(field, at);
	const char *word = trace_name_find(field->names, value);
	struct event_arg arg = {.kind = EVENT_ARG_SIGNED, .signed_number = value};

	if (!word)
		word = trace_name_find(field->names, (int64_t)trace_element_unsigned(field, at));
	if (word)
		give_text(visit, name, EVENT_ARG_WORD, word, strlen(word));
	else
		visit->sink->value(visit->user, name, &arg);
}

static void give_element(struct visit *visit, const char *name, const struct tandem_field *field,
			 const uint8_t *at)
{
	struct event_arg arg = {.kind = EVENT_ARG_UNSIGNED,
				.number = trace_element_unsigned(field, at)};

	switch ((enum tandem_field_kind)field->kind) {
	case TANDEM_FIELD_ENUM:
		give_enumerator(visit, name, field, at);
		return;
	case TANDEM_FIELD_FLAGS:
		event_flags(&visit->value, field->names, arg.number);
		give_value(visit, name, EVENT_ARG_WORD);
		return;
	case TANDEM_FIELD_OP:
		if (arg.number && arg.number != UINT64_MAX) {
			event_op(&visit->value, arg.number);
			give_value(visit, name, EVENT_ARG_TEXT);
			return;
		}
		arg.kind = EVENT_ARG_NONE;
		break;
	case TANDEM_FIELD_OBJECT:
		if (arg.number == UINT32_MAX)
			arg.kind = EVENT_ARG_NONE;
		break;
	case TANDEM_FIELD_INT:
		arg.kind = EVENT_ARG_SIGNED;
		arg.signed_number = trace_element_signed(field, at);
		break;
	case TANDEM_FIELD_FLOAT:
		arg.kind = EVENT_ARG_FLOAT;
		arg.real = trace_element_float(field, at);
		break;
	case TANDEM_FIELD_HEX:
		arg.kind = EVENT_ARG_HEX;
		break;
	case TANDEM_FIELD_UINT:
	case TANDEM_FIELD_STRING:
		break;
	}
	visit->sink->value(visit->user, name, &arg);
}

static void give_object_name(struct visit *visit, const struct tandem_field *field,
			     const uint8_t *at)
{
	const char *name = event_object_name(visit->objects, visit->event, field->object,
					     (uint32_t)trace_element_unsigned(field, at));
	char key[80];

	if (!*name)
		return;
	snprintf(key, sizeof(key), "%s_name", field->name);
	give_text(visit, key, EVENT_ARG_WORD, name, strlen(name));
}

static void give_field(struct visit *visit, const struct tandem_field *field)
{
	const struct trace_event *event = visit->event;
	const uint8_t *at = (const uint8_t *)event->record + field->offset;
	size_t count = 0;

	if (field->variable)
		at = trace_field_elements(event, field, &count);
	if (field->kind == TANDEM_FIELD_STRING) {
		give_text(visit, field->name, EVENT_ARG_TEXT, (const char *)at, count);
	} else if (field->variable) {
		visit->sink->begin_array(visit->user, field->name);
		for (size_t i = 0; i < count; i++)
			give_element(visit, NULL, field, at + i * field->bytes);
		visit->sink->end_array(visit->user);
	} else {
		give_element(visit, field->name, field, at);
		if (field->kind == TANDEM_FIELD_OBJECT)
			give_object_name(visit, field, at);
	}
}

/* Sizes of a launch are written in the width that they need: whole here. */
static bool give_launch_size(struct visit *visit, const struct tandem_field *field,
			     const struct event_launch_size *launch)
{
	const uint64_t *sizes = NULL;
	unsigned count = 0;

	if (!strcmp(field->name, "high"))
		return true;
	if (!strcmp(field->name, "global")) {
		sizes = launch->global;
		count = launch->globals;
	} else if (!strcmp(field->name, "local")) {
		sizes = launch->local;
		count = launch->locals;
	} else if (!strcmp(field->name, "offset")) {
		sizes = launch->offset;
		count = launch->offsets;
	}
	if (!sizes)
		return false;
	visit->sink->begin_array(visit->user, field->name);
	for (unsigned i = 0; i < count; i++) {
		struct event_arg arg = {.kind = EVENT_ARG_UNSIGNED, .number = sizes[i]};

		visit->sink->value(visit->user, NULL, &arg);
	}
	visit->sink->end_array(visit->user);
	return true;
}

void event_args_visit(const struct event_args_sink *sink, void *user, struct trace_objects *objects,
		      struct trace_session *session, const struct trace_event *event)
{
	struct visit visit = {
		.sink = sink, .user = user, .objects = objects, .session = session, .event = event};
	const struct tandem_layout *layout = event->layout->layout;
	struct event_launch_size launch;
	bool sized = event->layout->variable_count >= 4 && event_launch_size_read(event, &launch);

	for (unsigned i = 0; i < layout->field_count; i++) {
		if (!sized || !give_launch_size(&visit, &layout->fields[i], &launch))
			give_field(&visit, &layout->fields[i]);
	}
	text_free(&visit.value);
}

static void json_value(void *user, const char *name, const struct event_arg *arg)
{
	struct json *json = user;
	char hex[24];

	switch (arg->kind) {
	case EVENT_ARG_NONE:
		json_null(json, name);
		break;
	case EVENT_ARG_UNSIGNED:
		json_unsigned(json, name, arg->number);
		break;
	case EVENT_ARG_SIGNED:
		json_signed(json, name, arg->signed_number);
		break;
	case EVENT_ARG_FLOAT:
		json_float(json, name, arg->real, 9);
		break;
	case EVENT_ARG_HEX:
		snprintf(hex, sizeof(hex), "0x%" PRIx64, arg->number);
		json_string(json, name, hex);
		break;
	case EVENT_ARG_WORD:
	case EVENT_ARG_TEXT:
		json_bytes(json, name, arg->text, arg->length);
		break;
	}
}

static void json_array(void *user, const char *name)
{
	json_begin_array(user, name);
}

static void json_array_end(void *user)
{
	json_end_array(user);
}

void event_args_json(struct json *json, struct trace_objects *objects,
		     struct trace_session *session, const struct trace_event *event)
{
	static const struct event_args_sink sink = {
		.value = json_value,
		.begin_array = json_array,
		.end_array = json_array_end,
	};

	event_args_visit(&sink, json, objects, session, event);
}
