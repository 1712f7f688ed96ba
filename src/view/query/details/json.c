/* SPDX-License-Identifier: MIT */
#include "view/query/details/json.h"

#include <inttypes.h>
#include <stdio.h>

#include "trace/operation.h"

void details_text(struct json *json, const char *is, const char *text)
{
	json_begin_object(json, NULL);
	json_string(json, "is", is);
	json_string(json, "text", text);
	json_end_object(json);
}

void details_number(struct json *json, const char *is, const char *unit, uint64_t number)
{
	json_begin_object(json, NULL);
	json_string(json, "is", is);
	json_unsigned(json, unit, number);
	json_end_object(json);
}

void details_time(struct json *json, const char *is, int64_t at_ns)
{
	json_begin_object(json, NULL);
	json_string(json, "is", is);
	json_signed(json, "at_ns", at_ns);
	json_end_object(json);
}

void details_thread(struct json *json, const struct view_index *index, const struct view_row *row)
{
	struct text text = TEXT_INIT;

	text_format(&text, "%s (%" PRIu64 ")", view_index_text(index, row->name), row->number);
	if (text.data)
		details_text(json, "thread", text.data);
	text_free(&text);
}

void details_stream(struct json *json, const struct trace_stream *stream)
{
	struct text text = TEXT_INIT;

	text_format(&text, "%s (%" PRIu64 ")", stream->process->name, stream->process->pid);
	if (text.data)
		details_text(json, "process", text.data);
	text_clear(&text);
	text_format(&text, "%s (%" PRIu32 ")", stream->thread_name, stream->tid);
	if (text.data)
		details_text(json, "thread", text.data);
	text_free(&text);
}

void details_op(struct json *json, const char *is, uint64_t op)
{
	char text[48];

	snprintf(text, sizeof(text), "%" PRIu64 ":%" PRIu64, trace_operation_thread(op),
		 trace_operation_number(op));
	details_text(json, is, text);
}

void details_link(struct json *json, const struct view_index *index, const char *is,
		  uint32_t track_number, uint32_t item)
{
	const struct view_track *track = &index->tracks[track_number];
	const struct view_span *span = &view_index_item(index, track, item)->span;

	json_begin_object(json, NULL);
	json_string(json, "is", is);
	json_unsigned(json, "track", track_number);
	json_unsigned(json, "item", item);
	json_string(json, "name",
		    view_index_text(index, view_index_label(index, span->label)->name));
	json_signed(json, "begin_ns", span->begin_ns);
	json_signed(json, "end_ns", view_index_end(index, track, item, span));
	json_end_object(json);
}

bool details_find_command(const struct view_index *index, const struct view_command *command,
			  uint32_t *item)
{
	const struct view_track *track;

	if (command->track >= index->tracks_count)
		return false;
	track = &index->tracks[command->track];
	for (*item = view_index_lower(index, track, command->begin_ns);
	     *item < track->items &&
	     view_index_item(index, track, *item)->span.begin_ns == command->begin_ns;
	     ++*item)
		if (view_index_command(index, track, *item) == command)
			return true;
	return false;
}

void details_link_command(struct json *json, const struct view_index *index, const char *is,
			  const struct view_command *command)
{
	uint32_t item;

	if (details_find_command(index, command, &item))
		details_link(json, index, is, command->track, item);
}

bool details_find_call_at(const struct view_details *details, uint32_t stream, int64_t begin_ns,
			  uint32_t *track_number, uint32_t *item)
{
	const struct view_index *index = details->index;
	const struct view_row *row;

	if (stream >= details->session->stream_count || details->rows[stream] == VIEW_NONE)
		return false;
	row = &index->rows[details->rows[stream]];
	for (uint32_t i = 0; i < row->track_count; i++) {
		const struct view_track *track = &index->tracks[row->first_track + i];

		if (track->type != VIEW_TRACK_spans || track->refs)
			continue;
		*item = view_index_lower(index, track, begin_ns);
		if (*item < track->items &&
		    view_index_item(index, track, *item)->span.begin_ns == begin_ns) {
			*track_number = row->first_track + i;
			return true;
		}
	}
	return false;
}

void details_link_call(struct json *json, const struct view_details *details, const char *is,
		       uint32_t stream, int64_t begin_ns)
{
	uint32_t track, item;

	if (details_find_call_at(details, stream, begin_ns, &track, &item))
		details_link(json, details->index, is, track, item);
}

/* The call of a track that began last before at_ns; track->items: none. */
static uint32_t begun_before(const struct view_index *index, const struct view_track *track,
			     int64_t at_ns)
{
	uint32_t item = view_index_lower(index, track, at_ns + 1);

	return track->type == VIEW_TRACK_spans && item ? item - 1 : track->items;
}

void details_link_during(struct json *json, const struct view_details *details, const char *is,
			 uint32_t stream, int64_t at_ns, bool latest)
{
	const struct view_index *index = details->index;
	uint32_t best_track = VIEW_NONE, best_item = 0;
	int64_t best_ns = INT64_MIN;
	const struct view_row *row;

	if (stream >= details->session->stream_count || details->rows[stream] == VIEW_NONE)
		return;
	row = &index->rows[details->rows[stream]];
	for (uint32_t i = 0; i < row->track_count; i++) {
		const struct view_track *track = &index->tracks[row->first_track + i];
		uint32_t item = begun_before(index, track, at_ns);
		const struct view_span *span;
		int64_t end_ns;

		if (item == track->items)
			continue;
		span = &view_index_item(index, track, item)->span;
		end_ns = view_index_end(index, track, item, span);
		/* Whatever goes on counts more than what is over. */
		if (end_ns < at_ns && !latest)
			continue;
		if (end_ns >= at_ns)
			latest = false;
		if (end_ns >= at_ns || span->begin_ns > best_ns) {
			best_ns = span->begin_ns;
			best_track = row->first_track + i;
			best_item = item;
		}
	}
	if (best_track != VIEW_NONE)
		details_link(json, index, is, best_track, best_item);
}

struct trace_stream *details_find_stream(const struct view_details *details, uint32_t stream)
{
	for (size_t i = 0; i < details->session->process_count; i++) {
		struct trace_process *process = &details->session->processes[i];

		for (size_t j = 0; j < process->stream_count; j++)
			if (process->streams[j].index == stream)
				return &process->streams[j];
	}
	return NULL;
}
