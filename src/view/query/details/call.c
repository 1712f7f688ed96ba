/* SPDX-License-Identifier: MIT */
#include "view/query/details/call.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/events/event_args.h"
#include "analysis/tasks/tasks.h"
#include "schema/gen/core_records.h"
#include "trace/field.h"
#include "view/index/overlap.h"
#include "view/query/details/activity.h"
#include "view/query/details/task.h"
#include "view/query/graph.h"

/* Commands that one call enqueued, ended, or waits for, of which links are given. */
#define LINKS_MOST 64u

int details_find_call(struct view_details *details, uint32_t stream, int64_t begin_ns,
		      int64_t end_ns, struct view_cursor **cursor, struct trace_event *event)
{
	struct trace_stream *found = details_find_stream(details, stream);
	int64_t start_ns = details->session->start_ns;
	int status;

	if (!found)
		return 0;
	*cursor = view_records_at(&details->records, VIEW_CURSOR_call, found, start_ns + begin_ns);
	if (!*cursor)
		return -ENOMEM;
	while ((status = view_cursor_next(*cursor, event)) > 0) {
		int64_t end;

		if (event->ns < start_ns + begin_ns || !trace_event_is_call(event)) {
			if (event->ns > start_ns + begin_ns)
				break;
			continue;
		}
		if (event->ns > start_ns + begin_ns)
			break;
		end = trace_clock_ns(&details->session->clock, event->end_ticks) - start_ns;
		if (!event->end_ticks || end_ns == INT64_MIN || end == end_ns)
			return 1;
	}
	return status < 0 ? status : 0;
}

static void add_result(struct json *json, const struct trace_event *event)
{
	const struct tandem_event *descriptor = event->layout->event;
	char number[16];
	const char *name;

	if (!event->end_ticks) {
		details_text(json, "returned", "never");
		return;
	}
	if (!trace_event_has_result(event))
		return;
	snprintf(number, sizeof(number), "%" PRId32, trace_event_result(event));
	name = trace_name_find(descriptor->results, trace_event_result(event));
	details_text(json, "returned", name ? name : number);
}

/* What the thread did during the call, where that was recorded. */
struct call_states {
	const struct view_index *index;
	int64_t begin_ns, end_ns;
	uint64_t ns[VIEW_SPAN_COUNT]; /* by state */
};

static int add_state(void *states_of, uint32_t item, const struct view_span *span, int64_t end_ns)
{
	struct call_states *states = states_of;
	int64_t from = span->begin_ns > states->begin_ns ? span->begin_ns : states->begin_ns;
	int64_t to = end_ns < states->end_ns ? end_ns : states->end_ns;

	(void)item;
	if (to > from)
		states->ns[view_index_label(states->index, span->label)->kind] +=
			(uint64_t)(to - from);
	return 0;
}

static void add_states(struct json *json, const struct view_index *index,
		       const struct details_span *span)
{
	static const struct {
		enum view_span_kind kind;
		const char *text;
	} parts[] = {
		{VIEW_SPAN_running, "running"},
		{VIEW_SPAN_wait_cpu, "runnable"},
		{VIEW_SPAN_wait_blocked, "blocked"},
	};
	const struct view_track *track = &index->tracks[span->row->first_track];
	struct call_states states = {
		.index = index, .begin_ns = span->span.begin_ns, .end_ns = span->end_ns};

	if (!span->row->track_count || track->type != VIEW_TRACK_state)
		return;
	view_overlap(index, track, states.begin_ns, states.end_ns, add_state, &states);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (states.ns[parts[i].kind])
			details_number(json, parts[i].text, "ns", states.ns[parts[i].kind]);
}

/* Sizes of the memory objects among the arguments. */
static void add_memory(struct view_details *details, struct json *json,
		       const struct trace_event *event)
{
	const struct tandem_layout *layout = event->layout->layout;

	for (unsigned i = 0; i < layout->field_count; i++) {
		const struct tandem_field *field = &layout->fields[i];
		uint64_t number, bytes;
		char is[32];

		if (field->kind != TANDEM_FIELD_OBJECT || field->variable ||
		    field->object != TANDEM_OBJECT_memory)
			continue;
		number = trace_field_unsigned(event, field);
		bytes = map_get(&details->memory_bytes,
				(uint64_t)event->stream->process->index << 32 | number);
		if (bytes == MAP_NONE)
			continue;
		snprintf(is, sizeof(is), "memory %" PRIu64, number);
		details_number(json, is, "bytes", bytes);
	}
}

/* What a build said, from the record that follows the call's own. */
static void add_build(struct json *json, const struct trace_event *event)
{
	static const char *const fields[] = {"options", "log"};

	for (unsigned i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		const struct tandem_field *field = trace_field_find(event->layout, fields[i]);
		struct text text = TEXT_INIT;
		const uint8_t *at;
		size_t count = 0;

		if (!field)
			continue;
		at = trace_field_elements(event, field, &count);
		text_add(&text, (const char *)at, count);
		if (count && text.data)
			details_text(json, i ? "build log" : "build options", text.data);
		text_free(&text);
	}
}

/* Operations, the first ones and the last one of all: what a wait was for ends with that. */
struct op_list {
	uint64_t ops[LINKS_MOST];
	size_t count; /* of all */
};

static void op_list_add(struct op_list *list, uint64_t op)
{
	list->ops[list->count < LINKS_MOST ? list->count : LINKS_MOST - 1] = op;
	list->count++;
}

static int read_on(struct view_details *details, const struct details_span *span,
		   struct view_cursor *cursor, struct json *json, struct op_list *ended)
{
	int64_t end_ns = details->session->start_ns + span->end_ns;
	struct trace_event event;
	int status;

	/* What a call found out may be recorded just after it returned: up to the
	 * next call it is this one's. */
	while ((status = view_cursor_next(cursor, &event)) > 0 &&
	       (event.ns <= end_ns || !trace_event_is_call(&event))) {
		const struct tandem_rec_operation *operation = (const void *)event.record;

		/* The commands whose ends this call saw: their records follow its own. */
		if (event.record->id == TANDEM_EVENT_operation)
			op_list_add(ended, operation->op);
		else if (event.record->id == TANDEM_EVENT_build)
			add_build(json, &event);
	}
	return status < 0 ? status : 0;
}

/* Links to the commands of an operation, of which a graph's launch has many: the first ones and
 * the last. Returns how many there are without a link. */
static size_t link_op(struct view_details *details, const struct details_span *span,
		      struct json *json, const char *is, uint64_t op)
{
	const struct view_command *last = NULL, *command;
	size_t count = 0;

	while ((command = view_index_find_op(details->index, span->row->process, op,
					     (uint32_t)count))) {
		if (++count < LINKS_MOST)
			details_link_command(json, details->index, is, command);
		last = command;
	}
	if (count >= LINKS_MOST)
		details_link_command(json, details->index, is, last);
	return count > LINKS_MOST ? count - LINKS_MOST : 0;
}

static size_t link_ops(struct view_details *details, const struct details_span *span,
		       struct json *json, const char *is, const struct op_list *list)
{
	size_t linked = list->count < LINKS_MOST ? list->count : LINKS_MOST;
	size_t more = list->count - linked;

	for (size_t i = 0; i < linked; i++)
		more += link_op(details, span, json, is, list->ops[i]);
	return more;
}

/* Events that the call waits for: fields that are operation ids, but not the
 * call's own. */
static void read_waits(const struct trace_event *event, struct op_list *waits)
{
	const struct tandem_layout *layout = event->layout->layout;

	for (unsigned i = 0; i < layout->field_count; i++) {
		const struct tandem_field *field = &layout->fields[i];
		const uint8_t *at;
		size_t count = 0;

		if (field->kind != TANDEM_FIELD_OP || !field->variable)
			continue;
		at = trace_field_elements(event, field, &count);
		for (size_t j = 0; j < count; j++)
			op_list_add(waits, trace_element_unsigned(field, at + j * field->bytes));
	}
}

int details_call(struct view_details *details, const struct details_span *span, struct json *json)
{
	struct view_cursor *cursor;
	struct trace_event event;
	struct op_list waits = {.count = 0}, ended = {.count = 0};
	size_t more_commands = 0, more_waits, more_ended;
	struct details_more more = {.before = 0};
	uint32_t node;
	uint64_t op;
	int status = details_find_call(details, span->row->stream, span->span.begin_ns,
				       span->label->flags & VIEW_FLAG_unfinished ? INT64_MIN
										 : span->end_ns,
				       &cursor, &event);

	if (status <= 0)
		return status;
	op = trace_event_op(&event);
	node = graph_node_find(details->index, span->row->process, tasks_submitted_node(&event));
	read_waits(&event, &waits);
	json_begin_object(json, "args");
	event_args_json(json, &details->objects, details->session, &event);
	json_end_object(json);
	json_begin_array(json, "facts");
	details_stream(json, event.stream);
	add_result(json, &event);
	if (op) {
		details_op(json, "operation", op);
		details_external_ids(details->index, json, span->row->process, op);
	}
	add_memory(details, json, &event);
	add_states(json, details->index, span);
	/* The event is gone once the next record is read. */
	status = read_on(details, span, cursor, json, &ended);
	json_end_array(json);
	json_begin_array(json, "links");
	if (op)
		more_commands = link_op(details, span, json, "command", op);
	more_waits = link_ops(details, span, json, "after", &waits);
	more_ended = link_ops(details, span, json, "ended", &ended);
	details_task_links(details, json, node, DETAILS_TASK, &more);
	json_end_array(json);
	json_begin_object(json, "more_links");
	if (more_commands)
		json_unsigned(json, "command", more_commands);
	if (more_waits)
		json_unsigned(json, "after", more_waits);
	if (more_ended)
		json_unsigned(json, "ended", more_ended);
	details_task_more(json, &more);
	json_end_object(json);
	details_task(details->index, json, node);
	return status;
}
