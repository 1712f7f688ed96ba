/* SPDX-License-Identifier: MIT */
#include "view/query/details/command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "analysis/events/event_args.h"
#include "analysis/events/event_value.h"
#include "schema/gen/core_records.h"
#include "trace/field.h"
#include "trace/operation.h"
#include "view/query/details/activity.h"
#include "view/query/details/call.h"
#include "view/query/details/task.h"
#include "view/query/graph.h"

static void add_shape(struct json *json, const struct trace_event *call)
{
	struct event_launch_size launch;
	struct text text = TEXT_INIT;
	const uint64_t *sizes[] = {launch.global, launch.local, launch.offset};
	static const char *const names[] = {"global size", "local size", "offset"};

	if (!trace_field_role(call->layout, TANDEM_ROLE_global) ||
	    !event_launch_size_read(call, &launch))
		return;
	for (unsigned i = 0; i < 3; i++) {
		unsigned count = i == 0 ? launch.globals : i == 1 ? launch.locals : launch.offsets;

		text_clear(&text);
		for (unsigned j = 0; j < count; j++)
			text_format(&text, "%s%" PRIu64, j ? " x " : "", sizes[i][j]);
		if (count && text.data)
			details_text(json, names[i], text.data);
		else if (i == 1 && launch.globals)
			details_text(json, names[i], "left to the runtime");
	}
	text_free(&text);
}

static void add_proof(struct json *json, const struct tandem_rec_operation *record)
{
	static const char *const sources[] = {
		[TANDEM_COMPLETION_SOURCE_never] = "none",
		[TANDEM_COMPLETION_SOURCE_blocking_call] = "the blocking call returned",
		[TANDEM_COMPLETION_SOURCE_finish] = "a finish returned",
		[TANDEM_COMPLETION_SOURCE_wait] = "a wait returned",
		[TANDEM_COMPLETION_SOURCE_status] = "a status query",
		[TANDEM_COMPLETION_SOURCE_callback] = "a callback",
		[TANDEM_COMPLETION_SOURCE_later_command] =
			"completion of a later command in the queue",
		[TANDEM_COMPLETION_SOURCE_release] = "its event was released",
		[TANDEM_COMPLETION_SOURCE_exit] = "the process ended",
		[TANDEM_COMPLETION_SOURCE_delivered] = "the runtime delivered it",
	};

	if (record->completion_source < sizeof(sources) / sizeof(*sources) &&
	    sources[record->completion_source])
		details_text(json, "completion source", sources[record->completion_source]);
}

static void add_status(struct json *json, const struct trace_session *session,
		       const struct tandem_rec_operation *record)
{
	const struct tandem_event *api = trace_session_event(session, record->api);
	const char *name = api ? trace_name_find(api->results, record->status) : NULL;
	char number[16];

	if (record->status >= 0)
		return;
	snprintf(number, sizeof(number), "%" PRId32, record->status);
	details_text(json, "ended with", name ? name : number);
}

/* The four times, at their places on the host's clock, and the waits between. */
static void add_times(struct json *json, const struct view_command *command,
		      const struct tandem_rec_operation *record)
{
	uint64_t shift = (uint64_t)command->begin_ns - record->start;
	bool waits = record->queued <= record->submitted && record->submitted <= record->start;

	if (waits) {
		details_time(json, "queued", (int64_t)(record->queued + shift));
		details_time(json, "submitted", (int64_t)(record->submitted + shift));
	}
	details_time(json, "started", (int64_t)(record->start + shift));
	details_time(json, "ended", (int64_t)(record->end + shift));
	if (waits) {
		details_number(json, "queued→submit", "ns", record->submitted - record->queued);
		details_number(json, "submit→start", "ns", record->start - record->submitted);
	}
	details_number(json, "executing", "ns", record->end - record->start);
	details_number(json, "timestamp error ±", "ns", command->bound_ns);
}

/* Bytes a second; what a damaged record says may be more than a number holds. */
static uint64_t rate_of(uint64_t bytes, uint64_t ns)
{
	double rate = 1e9 * (double)bytes / (double)ns;

	return rate < (double)UINT64_MAX ? (uint64_t)rate : UINT64_MAX;
}

static void add_bytes(struct json *json, const struct tandem_rec_operation *record, bool timed)
{
	if (!record->bytes)
		return;
	details_number(json, "bytes", "bytes", record->bytes);
	if (timed && record->end > record->start)
		details_number(json, "throughput", "rate",
			       rate_of(record->bytes, record->end - record->start));
}

/* The record of its end, valid until the next search. Returns 1, 0 or -ENOMEM. */
static int find_record(struct view_details *details, const struct view_command *command,
		       struct trace_event *event)
{
	struct trace_stream *stream = details_find_stream(details, command->seen_stream);
	int64_t ns = details->session->start_ns + command->seen_ns;
	struct view_cursor *cursor;
	int status;

	if (!stream)
		return 0;
	cursor = view_records_at(&details->records, VIEW_CURSOR_end, stream, ns);
	if (!cursor)
		return -ENOMEM;
	while ((status = view_cursor_next(cursor, event)) > 0 && event->ns <= ns) {
		const struct tandem_rec_operation *record = (const void *)event->record;

		if (event->ns == ns && record->head.id == TANDEM_EVENT_operation &&
		    record->op == command->op)
			return 1;
	}
	return status < 0 ? status : 0;
}

/* Only a callback comes on a thread that may be in no call of its own. */
static bool seen_by_call(const struct tandem_rec_operation *record)
{
	return record->completion_source != TANDEM_COMPLETION_SOURCE_callback &&
	       record->completion_source != TANDEM_COMPLETION_SOURCE_delivered;
}

static int add_record(struct view_details *details, const struct details_span *span,
		      const struct view_command *command, struct json *json, bool *by_call)
{
	const struct tandem_rec_operation *record;
	struct tandem_rec_operation shown;
	struct trace_operation_times times;
	struct trace_event event;
	bool timed;
	int status;

	if (command->seen_stream == VIEW_NONE)
		return 0;
	status = find_record(details, command, &event);
	if (status <= 0)
		return status;
	record = (const void *)event.record;
	timed = !(span->label->flags & (VIEW_FLAG_untimed | VIEW_FLAG_unfinished));
	/* Ticks of the session's clock: in ns like the others. */
	if (trace_operation_times(details->session, record, &times) && times.on_host) {
		shown = *record;
		shown.start = times.start;
		shown.end = times.end;
		shown.queued = times.waits ? times.queued : UINT64_MAX;
		shown.submitted = times.submitted;
		record = &shown;
	}
	if (timed)
		add_times(json, command, record);
	add_bytes(json, record, timed);
	add_status(json, details->session, record);
	add_proof(json, record);
	*by_call = seen_by_call(record);
	return 0;
}

static int add_call(struct view_details *details, const struct view_command *command,
		    struct json *json)
{
	struct view_cursor *cursor;
	struct trace_event event;
	int status = 0;

	if (command->call_stream != VIEW_NONE)
		status = details_find_call(details, command->call_stream, command->call_begin_ns,
					   INT64_MIN, &cursor, &event);
	if (status <= 0)
		return status;
	add_shape(json, &event);
	details_stream(json, event.stream);
	json_end_array(json);
	json_begin_object(json, "args");
	event_args_json(json, &details->objects, details->session, &event);
	json_end_object(json);
	return 1;
}

static void add_links(struct view_details *details, const struct details_span *span,
		      const struct view_command *command, struct json *json, bool by_call)
{
	uint32_t node = graph_node_of_op(details->index, command->process, command->op);
	struct details_more more = {.before = 0};

	json_begin_array(json, "links");
	if (command->call_stream != VIEW_NONE)
		details_link_call(json, details, "call", command->call_stream,
				  command->call_begin_ns);
	if (command->seen_stream != VIEW_NONE)
		details_link_during(json, details, "seen", command->seen_stream, command->seen_ns,
				    by_call);
	if (command->track != span->track_number)
		details_link_command(json, details->index, "command", command);
	details_task_links(details, json, node, DETAILS_OPERATION, &more);
	json_end_array(json);
	json_begin_object(json, "more_links");
	details_task_more(json, &more);
	json_end_object(json);
	details_task(details->index, json, node);
}

int details_command(struct view_details *details, const struct details_span *span,
		    struct json *json)
{
	const struct view_index *index = details->index;
	const struct view_command *command = view_index_command(index, span->track, span->item);
	const struct view_row *queue;
	bool by_call = false;
	int status;

	if (!command || command->track >= index->tracks_count)
		return 0;
	queue = &index->rows[index->tracks[command->track].row];
	json_begin_array(json, "facts");
	if (queue->parent < index->rows_count)
		details_text(json, "queue",
			     view_index_text(index, index->rows[queue->parent].name));
	if (queue->device < index->rows_count)
		details_text(json, "device",
			     view_index_text(index, index->rows[queue->device].name));
	details_op(json, "operation", command->op);
	details_external_ids(index, json, command->process, command->op);
	status = add_record(details, span, command, json, &by_call);
	if (!status)
		status = add_call(details, command, json);
	/* With the call's arguments the facts are over already. */
	if (status != 1)
		json_end_array(json);
	add_links(details, span, command, json, by_call);
	return status < 0 ? status : 0;
}
