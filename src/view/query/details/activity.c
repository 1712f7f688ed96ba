/* SPDX-License-Identifier: MIT */
#include "view/query/details/activity.h"

#include <inttypes.h>
#include <stdio.h>

/* The process, and the thread where it is one's that the trace knows: a runtime's own number of a
 * thread may be none of the system's. */
static void add_process(const struct view_details *details, struct json *json,
			const struct view_activity *activity, uint64_t tid)
{
	const struct trace_process *process;
	struct text text = TEXT_INIT;

	if (activity->process >= details->session->process_count)
		return;
	process = &details->session->processes[activity->process];
	for (size_t i = 0; tid && i < process->stream_count; i++) {
		if (process->streams[i].tid == tid) {
			details_stream(json, &process->streams[i]);
			return;
		}
	}
	text_format(&text, "%s (%" PRIu64 ")", process->name, process->pid);
	if (text.data)
		details_text(json, "process", text.data);
	text_free(&text);
}

static void add_hex(struct json *json, const char *is, const char *format, uint64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), format, number);
	details_text(json, is, text);
}

static void add_fault(const struct view_details *details, const struct details_span *span,
		      struct json *json, const struct view_activity *activity)
{
	const struct view_index *index = details->index;

	if (activity->on_device && span->row->device < index->rows_count)
		details_text(json, "device",
			     view_index_text(index, index->rows[span->row->device].name));
	if (activity->on_device)
		details_number(json, "faults", "count", activity->number);
	add_hex(json, "address", "0x%" PRIx64, activity->address);
	if (!activity->on_device && activity->number)
		add_hex(json, "instruction", "0x%" PRIx64, activity->number);
}

static void add_module(struct json *json, const struct view_activity *activity)
{
	add_hex(json, "program", "%" PRIu64, activity->number);
	details_number(json, "size", "bytes", activity->bytes);
	add_hex(json, "hash", "%016" PRIx64, activity->hash);
	details_text(json, "saved in the session", activity->saved ? "yes" : "no");
}

void details_activity(const struct view_details *details, const struct details_span *span,
		      struct json *json)
{
	const struct view_index *index = details->index;
	uint32_t ref = view_index_ref(index, span->track, span->item);
	const struct view_activity *activity;

	if (ref >= index->activities_count)
		return;
	activity = &index->activities[ref];
	json_begin_array(json, "facts");
	add_process(details, json, activity,
		    span->label->kind == VIEW_SPAN_overhead ? activity->number : 0);
	details_text(json, "domain", view_index_text(index, activity->domain));
	if (span->label->kind == VIEW_SPAN_fault)
		add_fault(details, span, json, activity);
	else if (span->label->kind == VIEW_SPAN_module)
		add_module(json, activity);
	json_end_array(json);
}

/* The first one of the operation, or of what follows it. */
static uint64_t first_of(const struct view_index *index, uint32_t process, uint64_t op)
{
	uint64_t low = 0, high = index->external_ids_count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		const struct view_external_id *id = &index->external_ids[middle];

		if (id->process < process || (id->process == process && id->op < op))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void details_external_ids(const struct view_index *index, struct json *json, uint32_t process,
			  uint64_t op)
{
	for (uint64_t i = first_of(index, process, op); i < index->external_ids_count; i++) {
		const struct view_external_id *id = &index->external_ids[i];
		char text[64];

		if (id->process != process || id->op != op)
			return;
		snprintf(text, sizeof(text), "%" PRIu64 " (%.32s)", id->id,
			 view_index_text(index, id->kind));
		details_text(json, "external id", text);
	}
}
