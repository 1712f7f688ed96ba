/* SPDX-License-Identifier: MIT */
#include "view/query/details/details.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/core_records.h"
#include "trace/schema/layout.h"

/* A description that the index kept, as if it came from the trace. */
static int note_record(struct view_details *details, const struct view_record *head,
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

static int note_records(struct view_details *details)
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
		status = note_record(details, head, streams);
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
	status = details->rows ? note_records(details) : -ENOMEM;
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
	view_records_close(&details->records);
	trace_objects_free(&details->objects);
	map_free(&details->memory_bytes);
	free(details->rows);
	memset(details, 0, sizeof(*details));
}
