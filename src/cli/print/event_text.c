/* SPDX-License-Identifier: MIT */
#include "cli/print/event_text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "analysis/events/event_value.h"
#include "cli/colour.h"
#include "cli/print/event_tracepoint.h"
#include "schema/gen/core_records.h"
#include "trace/field.h"
#include "trace/operation.h"
#include "trace/session/session.h"
#include "util/units.h"

/* Longer lists and texts are cut in a line; --format json has all of them. */
#define LIST_MOST 16u
#define TEXT_MOST 200u

static void add_right(struct text *out, const char *text, size_t width)
{
	for (size_t i = strlen(text); i < width; i++)
		text_add_char(out, ' ');
	text_add_string(out, text);
}

void event_text_header(const struct event_text *view, struct text *out)
{
	text_add_string(out, colour_begin(view->colour, COLOUR_DIM));
	text_format(out, "%*s  %*s  %-13s  %-15s  %s", 15, "time (s)", 9, "duration", "process/tid",
		    "thread", "event");
	text_format(out, "%s\n", colour_end(view->colour));
}

static void add_object(struct event_text *view, struct text *out, const struct trace_event *event,
		       uint8_t object, uint32_t number)
{
	const char *name;

	text_add_string(out, event_object_noun(object));
	text_add_char(out, ' ');
	if (number == UINT32_MAX) {
		text_add_char(out, '?');
		return;
	}
	name = event_object_name(view->objects, event, object, number);
	if (!number) {
		text_add_string(out, "NULL");
	} else if (*name) {
		text_add_char(out, '"');
		text_escape(out, name, strlen(name));
		text_add_char(out, '"');
	} else {
		text_add_unsigned(out, number);
	}
}

static void add_element(struct event_text *view, struct text *out, const struct trace_event *event,
			const struct tandem_field *field, const uint8_t *at)
{
	uint64_t value = trace_element_unsigned(field, at);
	const char *name;

	switch ((enum tandem_field_kind)field->kind) {
	case TANDEM_FIELD_INT:
		text_format(out, "%" PRId64, trace_element_signed(field, at));
		break;
	case TANDEM_FIELD_HEX:
		text_format(out, value ? "0x%" PRIx64 : "0", value);
		break;
	case TANDEM_FIELD_ENUM:
		name = trace_name_find(field->names, trace_element_signed(field, at));
		if (!name)
			name = trace_name_find(field->names, (int64_t)value);
		if (name)
			text_add_string(out, name);
		else
			text_format(out, "%" PRId64, trace_element_signed(field, at));
		break;
	case TANDEM_FIELD_FLAGS:
		event_flags(out, field->names, value);
		break;
	case TANDEM_FIELD_FLOAT:
		text_format(out, "%g", trace_element_float(field, at));
		break;
	case TANDEM_FIELD_OBJECT:
		add_object(view, out, event, field->object, (uint32_t)value);
		break;
	case TANDEM_FIELD_OP:
		event_op(out, value);
		break;
	case TANDEM_FIELD_UINT:
	case TANDEM_FIELD_STRING:
		text_add_unsigned(out, value);
		break;
	}
}

static void add_list(struct event_text *view, struct text *out, const struct trace_event *event,
		     const struct tandem_field *field)
{
	size_t count = 0;
	const uint8_t *at = trace_field_elements(event, field, &count);
	size_t shown;

	if (field->kind == TANDEM_FIELD_STRING) {
		shown = count > TEXT_MOST ? TEXT_MOST : count;
		text_add_char(out, '"');
		text_escape(out, (const char *)at, shown);
		text_add_string(out, count > shown ? "\"..." : "\"");
		return;
	}
	shown = count > LIST_MOST ? LIST_MOST : count;
	text_add_char(out, '[');
	for (size_t i = 0; i < shown; i++) {
		if (i)
			text_add_string(out, ", ");
		add_element(view, out, event, field, at + i * field->bytes);
	}
	text_add_string(out, count > shown ? ", ...]" : "]");
}

static void add_sizes(struct text *out, const uint64_t *sizes, unsigned count)
{
	text_add_char(out, '[');
	for (unsigned i = 0; i < count; i++) {
		if (i)
			text_add_char(out, 'x');
		text_add_unsigned(out, sizes[i]);
	}
	text_add_char(out, ']');
}

/* "[1920x1080] / [16x16]": what is launched, and in groups of what. */
static void add_launch_size(struct text *out, const struct event_launch_size *launch)
{
	add_sizes(out, launch->global, launch->globals);
	if (launch->locals) {
		text_add_string(out, " / ");
		add_sizes(out, launch->local, launch->locals);
	}
	if (launch->offsets) {
		text_add_string(out, " from ");
		add_sizes(out, launch->offset, launch->offsets);
	}
}

static bool field_is(const struct tandem_field *field, const char *name)
{
	return !strcmp(field->name, name);
}

/* Fields that the line shows elsewhere, or by other words. */
static bool field_hidden(const struct tandem_field *field, bool call, bool sized)
{
	if (call && (field_is(field, "op") || field_is(field, "returned")))
		return true;
	return sized && (field_is(field, "work_dim") || field_is(field, "local") ||
			 field_is(field, "offset") || field_is(field, "high"));
}

/* Empty lists and texts; in a description also what it does not have. */
static bool field_may_be_left_out(const struct tandem_field *field, bool call)
{
	return field->variable ||
	       (!call && (field->kind == TANDEM_FIELD_HEX || field->kind == TANDEM_FIELD_OBJECT));
}

static void add_arguments(struct event_text *view, struct text *out,
			  const struct trace_event *event)
{
	const struct tandem_layout *layout = event->layout->layout;
	bool call = trace_event_is_call(event), first = true;
	struct event_launch_size launch;
	bool sized = event->layout->variable_count >= 4 && event_launch_size_read(event, &launch);

	for (unsigned i = 0; i < layout->field_count; i++) {
		const struct tandem_field *field = &layout->fields[i];

		if (field_hidden(field, call, sized) ||
		    (field_may_be_left_out(field, call) && !trace_field_unsigned(event, field)))
			continue;
		text_add_string(out, first ? "" : ", ");
		first = false;
		if (sized && field_is(field, "global")) {
			add_launch_size(out, &launch);
			continue;
		}
		/* "queue 1", not "queue=queue 1". */
		if (field->kind != TANDEM_FIELD_OBJECT || field->variable ||
		    !field_is(field, event_object_noun(field->object))) {
			text_add_string(out, field->name);
			text_add_char(out, '=');
		}
		if (field->variable)
			add_list(view, out, event, field);
		else
			add_element(view, out, event, field,
				    (const uint8_t *)event->record + field->offset);
	}
}

static void add_result(struct event_text *view, struct text *out, const struct trace_event *event)
{
	const struct tandem_event *descriptor = event->layout->event;
	const struct tandem_field *returned = trace_field_find(event->layout, "returned");
	int32_t result = trace_event_result(event);
	bool failed = trace_event_failed(event);
	const char *name;

	if (!event->end_ticks) {
		text_format(out, "  %sdid not return%s", colour_begin(view->colour, COLOUR_YELLOW),
			    colour_end(view->colour));
		return;
	}
	if (returned && !failed) {
		text_add_string(out, returned->kind == TANDEM_FIELD_OP ? " = event " : " = ");
		add_element(view, out, event, returned,
			    (const uint8_t *)event->record + returned->offset);
		return;
	}
	if (!trace_event_has_result(event))
		return;
	name = trace_name_find(descriptor->results, result);
	text_add_string(out, " = ");
	text_add_string(out, colour_begin(view->colour && failed, COLOUR_RED));
	if (name)
		text_add_string(out, name);
	else
		text_format(out, "%" PRId32, result);
	text_add_string(out, colour_end(view->colour && failed));
}

static void add_call(struct event_text *view, struct text *out, const struct trace_event *event,
		     enum event_part part)
{
	uint64_t op = trace_event_op(event);

	if (part == EVENT_END)
		text_add_string(out, "... ");
	text_add_string(out, event->layout->event->name);
	if (part != EVENT_END) {
		text_add_char(out, '(');
		add_arguments(view, out, event);
		text_add_char(out, ')');
	}
	if (part == EVENT_BEGIN)
		text_add_string(out, " ...");
	else
		add_result(view, out, event);
	if (op) {
		text_add_string(out, colour_begin(view->colour, COLOUR_CYAN));
		text_add_string(out, "  op ");
		event_op(out, op);
		text_add_string(out, colour_end(view->colour));
	}
}

static void add_ns(struct text *out, const char *words, uint64_t from, uint64_t to)
{
	char buffer[UNITS_BYTES];

	text_format(out, ", %s %s", words,
		    from <= to ? units_ns(buffer, (double)(to - from)) : "?");
}

static const char *enum_name(const struct trace_event *event, const char *field_name)
{
	const struct tandem_field *field = trace_field_find(event->layout, field_name);
	const char *name = NULL;

	if (field)
		name = trace_name_find(field->names, (int64_t)trace_field_unsigned(event, field));
	return name ? name : "?";
}

/* "operation kernel "mandelbrot" on queue 1, queued 1.2 us, waited 3 us, ran 4 ms" */
static void add_operation(struct event_text *view, struct text *out,
			  const struct trace_event *event)
{
	const struct tandem_rec_operation *record = (const void *)event->record;
	const struct tandem_event *api =
		trace_session_event(event->stream->process->session, record->api);
	struct trace_operation_times times;
	char buffer[UNITS_BYTES];

	text_format(out, "operation %s ", enum_name(event, "kind"));
	if (record->kernel) {
		const char *name = event_object_name(view->objects, event, TANDEM_OBJECT_kernel,
						     record->kernel);

		text_add_char(out, '"');
		text_escape(out, name, strlen(name));
		text_add_char(out, '"');
	} else {
		text_add_string(out, api ? api->name : "of the runtime");
	}
	text_format(out, " on queue %" PRIu32, record->queue);
	if (record->bytes)
		text_format(out, ", %s", units_bytes(buffer, (double)record->bytes));
	if (trace_operation_times(view->session, record, &times)) {
		if (times.on_host)
			text_format(out, ", began at %s",
				    units_seconds(buffer,
						  (int64_t)times.start - view->session->start_ns));
		if (times.waits) {
			add_ns(out, "queued to submit", times.queued, times.submitted);
			add_ns(out, "submit to start", times.submitted, times.start);
		}
		add_ns(out, "ran", times.start, times.end);
	} else {
		text_add_string(out, ", no device times");
	}
	if (record->status)
		text_format(out, ", %sfailed: %" PRId32 "%s",
			    colour_begin(view->colour, COLOUR_RED), record->status,
			    colour_end(view->colour));
	text_format(out, ", completion seen via %s%s  op ", enum_name(event, "completion_source"),
		    colour_begin(view->colour, COLOUR_CYAN));
	event_op(out, record->op);
	text_add_string(out, colour_end(view->colour));
}

static void add_record(struct event_text *view, struct text *out, const struct trace_event *event)
{
	text_add_string(out, event->layout->event->name);
	text_add_char(out, '(');
	add_arguments(view, out, event);
	text_add_char(out, ')');
}

void event_text_columns(const struct event_text *view, struct text *out, int64_t ns,
			int64_t duration_ns, const struct trace_stream *stream, uint32_t tid,
			const char *thread_name)
{
	char buffer[UNITS_BYTES];
	size_t begin = out->length, column;

	add_right(out, units_seconds(buffer, ns - view->session->start_ns), 15);
	text_add_string(out, "  ");
	add_right(out, duration_ns == INT64_MIN ? "" : units_ns(buffer, (double)duration_ns), 9);
	text_add_string(out, "  ");
	column = out->length - begin;
	text_add_unsigned(out, stream->process->pid);
	text_add_char(out, '/');
	text_add_unsigned(out, tid);
	text_pad(out, begin, column + 13);
	text_add_string(out, "  ");
	column = out->length;
	text_escape(out, thread_name, strlen(thread_name));
	text_pad(out, column, 15);
	text_add_string(out, "  ");
}

void event_text_line(struct event_text *view, struct text *out, const struct trace_event *event,
		     enum event_part part)
{
	int64_t end_ns = event->end_ticks ? trace_clock_ns(&view->session->clock, event->end_ticks)
					  : INT64_MIN;
	int64_t duration_ns =
		event->end_ticks && part != EVENT_BEGIN ? end_ns - event->ns : INT64_MIN;

	event_text_columns(view, out, part == EVENT_END ? end_ns : event->ns, duration_ns,
			   event->stream, event->tid, event->thread_name);
	if (trace_event_is_call(event))
		add_call(view, out, event, part);
	else if (event->record->id == TANDEM_EVENT_operation)
		add_operation(view, out, event);
	else if (!event_tracepoint_text(out, view->objects, event) &&
		 !event_sample_text(out, view->stacks, event))
		add_record(view, out, event);
	text_add_char(out, '\n');
}
