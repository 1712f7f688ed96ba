/* SPDX-License-Identifier: MIT */
#include "cli/record/phase.h"

#include <inttypes.h>

#include "analysis/events/event_args.h"
#include "analysis/events/event_value.h"
#include "analysis/operations/operation.h"
#include "cli/colour.h"
#include "trace/field.h"
#include "util/json.h"
#include "util/units.h"

static const char *phase_word(enum ordered_event_kind kind)
{
	switch (kind) {
	case ORDERED_QUEUED:
		return "queued";
	case ORDERED_SUBMITTED:
		return "submitted";
	case ORDERED_START:
		return "start";
	default:
		return "end";
	}
}

/* By the device's clock, which is more exact than the places; INT64_MIN where it
 * contradicts itself. */
static int64_t phase_duration(enum ordered_event_kind kind,
			      const struct tandem_rec_operation *record)
{
	const uint64_t at[] = {record->queued, record->submitted, record->start, record->end};
	unsigned index = kind - ORDERED_QUEUED;

	if (!index || at[index] < at[index - 1])
		return INT64_MIN;
	return (int64_t)(at[index] - at[index - 1]);
}

struct phase_thread {
	const struct trace_stream *stream;
	uint32_t tid;
	const char *name;
};

static struct phase_thread phase_thread(const struct event_iterator *iterator,
					const struct event_item *item)
{
	const struct trace_event *event = item->event;
	uint32_t stream = item->operation.stream;

	if (stream == TRACE_NONE || stream == event->stream->index)
		return (struct phase_thread){event->stream, event->tid, event->thread_name};
	return (struct phase_thread){trace_ahead_stream(&iterator->ahead, stream),
				     trace_ahead_stream(&iterator->ahead, stream)->tid,
				     trace_ahead_stream(&iterator->ahead, stream)->thread_name};
}

static void add_end(const struct event_text *view, struct text *out, const struct event_item *item)
{
	const struct operation *operation = &item->operation;
	char buffer[UNITS_BYTES];

	if (operation->record->bytes)
		text_format(out, ", %s", units_bytes(buffer, (double)operation->record->bytes));
	if (operation->record->status)
		text_format(out, ", %sfailed: %" PRId32 "%s",
			    colour_begin(view->colour, COLOUR_RED), operation->record->status,
			    colour_end(view->colour));
	text_format(out, ", completion seen via %s",
		    trace_field_word(item->event, "completion_source", "?"));
	if (operation->times.bound_ns != CLOCKFIT_UNBOUNDED)
		text_format(out, ", \302\261%s",
			    units_ns(buffer, (double)operation->times.bound_ns));
	if (!operation->times.causal)
		text_format(out, ", %stimestamp precedes its call%s",
			    colour_begin(view->colour, COLOUR_YELLOW), colour_end(view->colour));
}

/* "  of node 12, sycl.cpp:40": whose task it is. */
static void add_task(const struct event_iterator *iterator, struct text *out,
		     const struct operation *operation)
{
	const struct task_construct *construct = event_iterator_construct(iterator, operation);

	if (!construct)
		return;
	text_format(out, "  of node %" PRIu32, operation->node);
	if (*construct->place) {
		text_add_string(out, ", ");
		text_escape(out, construct->place, strlen(construct->place));
	}
}

static void add_task_json(const struct event_iterator *iterator, struct json *json,
			  const struct operation *operation)
{
	const struct task_construct *construct = event_iterator_construct(iterator, operation);

	if (!construct)
		return;
	json_begin_object(json, "task");
	json_unsigned(json, "node", operation->node);
	json_string(json, "kind", task_kind_name(construct->kind));
	json_string(json, "name", construct->name);
	json_string(json, "place", construct->place);
	json_string(json, "file", construct->file);
	json_unsigned(json, "line", construct->line);
	json_end_object(json);
}

void phase_text(struct event_text *view, struct event_iterator *iterator, struct text *out,
		enum ordered_event_kind kind, int64_t ns, const struct event_item *item)
{
	const struct operation *operation = &item->operation;
	struct phase_thread thread = phase_thread(iterator, item);

	event_text_columns(view, out, ns, phase_duration(kind, operation->record), thread.stream,
			   thread.tid, thread.name);
	text_format(out, "%s %s \"", phase_word(kind), operation_kind_name(operation->kind));
	text_escape(out, operation->name, strlen(operation->name));
	text_format(out, "\" on queue %" PRIu32, operation->queue_number);
	if (kind == ORDERED_STOP)
		add_end(view, out, item);
	text_add_string(out, colour_begin(view->colour, COLOUR_CYAN));
	text_add_string(out, "  op ");
	event_op(out, operation->op);
	text_add_string(out, colour_end(view->colour));
	add_task(iterator, out, operation);
	text_add_char(out, '\n');
}

void phase_json(struct event_iterator *iterator, struct text *out, enum ordered_event_kind kind,
		int64_t ns, const struct event_item *item)
{
	const struct operation *operation = &item->operation;
	struct phase_thread thread = phase_thread(iterator, item);
	struct text op = TEXT_INIT;
	struct json json;

	event_op(&op, operation->op);
	json_init(&json, out, false);
	json_begin_object(&json, NULL);
	json_signed(&json, "time_ns", ns - iterator->session->start_ns);
	json_signed(&json, "monotonic_ns", ns);
	json_unsigned(&json, "process", thread.stream->process->pid);
	if (thread.stream->process->instance)
		json_unsigned(&json, "instance", thread.stream->process->instance);
	json_unsigned(&json, "thread", thread.tid);
	json_string(&json, "thread_name", thread.name);
	json_string(&json, "domain", devices_domain(iterator->session, operation->domain));
	json_string(&json, "name", "operation");
	json_string(&json, "phase", phase_word(kind));
	json_string(&json, "kind", operation_kind_name(operation->kind));
	json_string(&json, "operation", operation->name);
	json_string(&json, "device", event_iterator_device_name(iterator, operation->device));
	json_unsigned(&json, "queue", operation->queue_number);
	json_string(&json, "op", op.data ? op.data : "");
	if (operation->times.bound_ns != CLOCKFIT_UNBOUNDED)
		json_unsigned(&json, "bound_ns", operation->times.bound_ns);
	else
		json_null(&json, "bound_ns");
	json_bool(&json, "causal", operation->times.causal);
	add_task_json(iterator, &json, operation);
	if (kind == ORDERED_STOP) {
		json_begin_object(&json, "args");
		event_args_json(&json, &iterator->devices.objects, iterator->session, item->event);
		json_end_object(&json);
	}
	json_end_object(&json);
	text_add_char(out, '\n');
	out->failed |= op.failed;
	text_free(&op);
}
