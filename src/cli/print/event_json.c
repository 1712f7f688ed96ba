/* SPDX-License-Identifier: MIT */
#include "cli/print/event_json.h"

#include "analysis/events/event_args.h"
#include "cli/print/event_tracepoint.h"
#include "schema/gen/core_records.h"
#include "trace/field.h"
#include "trace/operation.h"
#include "trace/session/session.h"
#include "util/json.h"

static void add_call(struct json *json, struct trace_session *session,
		     const struct trace_event *event)
{
	const struct tandem_event *descriptor = event->layout->event;
	const char *name;

	if (!event->end_ticks) {
		json_null(json, "duration_ns");
		return;
	}
	json_signed(json, "duration_ns",
		    trace_clock_ns(&session->clock, event->end_ticks) - event->ns);
	if (!trace_event_has_result(event))
		return;
	json_signed(json, "result", trace_event_result(event));
	name = trace_name_find(descriptor->results, trace_event_result(event));
	if (name)
		json_string(json, "result_name", name);
}

/* An operation whose times are on the session's clock: beside the ticks that lie
 * in its record, what all other times are counted in. */
static void add_operation(struct json *json, struct trace_session *session,
			  const struct trace_event *event)
{
	const struct tandem_rec_operation *record = (const void *)event->record;
	struct trace_operation_times times;

	if (!trace_operation_times(session, record, &times) || !times.on_host)
		return;
	json_signed(json, "start_ns", (int64_t)times.start - session->start_ns);
	json_signed(json, "end_ns", (int64_t)times.end - session->start_ns);
}

static void add_columns(struct json *json, const struct trace_session *session,
			const struct trace_event *event, int64_t ns)
{
	json_signed(json, "time_ns", ns - session->start_ns);
	json_signed(json, "monotonic_ns", ns);
	json_unsigned(json, "process", event->stream->process->pid);
	/* Its objects and operations are numbered anew. */
	if (event->stream->process->instance)
		json_unsigned(json, "instance", event->stream->process->instance);
	json_unsigned(json, "thread", event->tid);
	json_string(json, "thread_name", event->thread_name);
	json_string(json, "domain",
		    trace_session_event_domain(session, event->layout->event)->name);
	json_string(json, "name", event->layout->event->name);
}

static void add_args(struct json *json, struct trace_objects *objects,
		     struct trace_session *session, const struct trace_event *event)
{
	json_begin_object(json, "args");
	event_args_json(json, objects, session, event);
	json_end_object(json);
}

void event_json_line(struct trace_objects *objects, struct trace_session *session,
		     const struct event_samples *stacks, struct text *out,
		     const struct trace_event *event)
{
	struct json json;

	json_init(&json, out, false);
	json_begin_object(&json, NULL);
	add_columns(&json, session, event, event->ns);
	if (trace_event_is_call(event))
		add_call(&json, session, event);
	else if (event->record->id == TANDEM_EVENT_operation)
		add_operation(&json, session, event);
	add_args(&json, objects, session, event);
	event_tracepoint_json(&json, objects, event);
	event_sample_json(&json, stacks, event);
	json_end_object(&json);
	text_add_char(out, '\n');
}

void event_json_call(struct trace_objects *objects, struct trace_session *session, struct text *out,
		     const struct trace_event *event, bool end, uint64_t number)
{
	int64_t ns = end ? trace_clock_ns(&session->clock, event->end_ticks) : event->ns;
	struct json json;

	json_init(&json, out, false);
	json_begin_object(&json, NULL);
	add_columns(&json, session, event, ns);
	json_string(&json, "phase", end ? "end" : "begin");
	json_unsigned(&json, "call", number);
	add_call(&json, session, event);
	if (!end)
		add_args(&json, objects, session, event);
	json_end_object(&json);
	text_add_char(out, '\n');
}
