/* SPDX-License-Identifier: MIT */
#include "view/query/details.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/core_records.h"
#include "trace/layout.h"
#include "view/query/details_call.h"
#include "view/query/details_command.h"
#include "view/query/details_json.h"
#include "view/query/details_sample.h"
#include "view/query/details_state.h"

/* A description that the index kept, as if it came from the trace. */
static int learn_record(struct view_details *details, const struct view_record *head,
			struct trace_stream *const *streams)
{
	const struct tandem_record *record = (const void *)(head + 1);
	struct trace_event event = {.record = record, .bytes = head->bytes};
	const struct tandem_rec_memory *memory = (const void *)record;

	if (head->stream >= details->session->stream_count || head->bytes < sizeof(*record))
		return 0;
	event.stream = streams[head->stream];
	event.layout = trace_layouts_get(event.stream->process->layouts, record->id);
	if (!event.layout || !event.layout->event ||
	    !trace_layout_fits_made(event.layout, record, head->bytes))
		return 0;
	if (record->id == TANDEM_EVENT_memory)
		return map_set(&details->memory_bytes,
			       (uint64_t)event.stream->process->index << 32 | memory->memory,
			       memory->bytes);
	return trace_objects_learn(&details->objects, &event);
}

static int learn_records(struct view_details *details)
{
	const struct view_index *index = details->index;
	struct trace_stream **streams =
		calloc(details->session->stream_count + 1, sizeof(struct trace_stream *));
	uint64_t at = 0;
	int status = streams ? 0 : -ENOMEM;

	for (size_t i = 0; streams && i < details->session->process_count; i++) {
		struct trace_process *process = &details->session->processes[i];

		for (size_t j = 0; j < process->stream_count; j++)
			streams[process->streams[j].index] = &process->streams[j];
	}
	while (!status && index->records_count - at >= sizeof(struct view_record)) {
		const struct view_record *head = (const void *)(index->records + at);

		at += sizeof(*head);
		if (head->bytes > index->records_count - at)
			break;
		status = learn_record(details, head, streams);
		at += ((uint64_t)head->bytes + 7) & ~UINT64_C(7);
		if (at > index->records_count)
			break;
	}
	free(streams);
	/* What is not there is nowhere in the trace. */
	for (size_t i = 0; !status && i < details->session->process_count; i++)
		status = map_set(&details->objects.complete, i, 1);
	return status;
}

int view_details_open(struct view_details *details, const struct view_index *index,
		      struct trace_session *session)
{
	int status;

	*details = (struct view_details){.index = index, .session = session};
	details->rows = malloc((session->stream_count + 1) * sizeof(*details->rows));
	status = details->rows ? learn_records(details) : -ENOMEM;
	if (status) {
		view_details_close(details);
		return status;
	}
	for (size_t i = 0; i < session->stream_count; i++)
		details->rows[i] = VIEW_NONE;
	for (uint32_t i = 0; i < index->rows_count; i++)
		if (index->rows[i].kind == VIEW_ROW_thread &&
		    index->rows[i].stream < session->stream_count)
			details->rows[index->rows[i].stream] = i;
	return 0;
}

void view_details_close(struct view_details *details)
{
	trace_objects_free(&details->objects);
	map_free(&details->memory_bytes);
	free(details->rows);
	memset(details, 0, sizeof(*details));
}

static void add_flags(struct json *json, unsigned flags)
{
	json_begin_array(json, "flags");
#define X(bit, name)       \
	if (flags & (bit)) \
		json_string(json, NULL, #name);
	VIEW_FLAGS(X)
#undef X
	json_end_array(json);
}

int view_details_json(struct view_details *details, uint32_t track_number, uint32_t item,
		      struct text *out)
{
	const struct view_index *index = details->index;
	struct details_span span = {.track_number = track_number, .item = item};
	struct json json;
	int status = 0;

	if (track_number >= index->tracks_count)
		return -EINVAL;
	span.track = &index->tracks[track_number];
	if (item >= span.track->items || span.track->type == VIEW_TRACK_counter)
		return -EINVAL;
	span.row = &index->rows[span.track->row];
	span.span = view_index_item(index, span.track, item)->span;
	span.end_ns = view_index_end(index, span.track, item, &span.span);
	span.label = view_index_label(index, span.span.label);

	json_init(&json, out, false);
	json_begin_object(&json, NULL);
	json_string(&json, "name", view_index_text(index, span.label->name));
	json_string(&json, "kind", view_span_name(span.label->kind));
	add_flags(&json, span.label->flags);
	json_signed(&json, "begin_ns", span.span.begin_ns);
	json_signed(&json, "end_ns", span.end_ns);
	json_unsigned(&json, "row", span.track->row);
	if (span.track->refs == VIEW_REFS_command)
		status = details_command(details, &span, &json);
	else if (span.track->refs == VIEW_REFS_state)
		details_state(details, &span, &json);
	else if (span.track->refs == VIEW_REFS_sample)
		details_sample(details, &span, &json);
	else if (span.row->kind == VIEW_ROW_thread)
		status = details_call(details, &span, &json);
	json_end_object(&json);
	return status ? status : out->failed ? -ENOMEM : 0;
}
