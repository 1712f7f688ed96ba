/* SPDX-License-Identifier: MIT */
#include "analysis/ranges/ranges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema/gen/core_records.h"

int ranges_init(struct ranges *ranges, struct trace_session *session, ranges_emit *emit, void *user)
{
	memset(ranges, 0, sizeof(*ranges));
	ranges->session = session;
	ranges->output = (struct range_output){.emit = emit, .user = user};
	ranges->streams = calloc(session->stream_count + 1, sizeof(*ranges->streams));
	ranges->processes = calloc(session->process_count + 1, sizeof(*ranges->processes));
	if (ranges->streams && ranges->processes)
		return 0;
	ranges_free(ranges);
	return -ENOMEM;
}

int ranges_call(struct ranges *ranges, const struct event_item *item)
{
	const struct trace_event *event = item->event;

	if (!trace_event_op(event) || trace_event_failed(event))
		return 0;
	return range_launches_call(&ranges->launches, &ranges->output,
				   &ranges->streams[event->stream->index],
				   &ranges->processes[event->stream->process->index], item);
}

static int nested_begin(struct ranges *ranges, struct range_open *open)
{
	struct range_stream *stream = &ranges->streams[open->range.stream];

	open->below = stream->top;
	for (const struct range_open *outer = open->below; outer; outer = outer->below) {
		if (outer->range.scope != open->range.scope)
			continue;
		open->range.parent = outer->range.number;
		open->range.depth = outer->range.depth + 1;
		break;
	}
	stream->top = open;
	ranges->open++;
	return range_stream_invalidate(stream, &ranges->output);
}

static uint64_t start_end_key(uint32_t process, uint64_t number)
{
	return (uint64_t)process << 48 ^ number;
}

static int start_end_begin(struct ranges *ranges, struct range_open *open, uint64_t number)
{
	struct range_process *process = &ranges->processes[open->range.process];

	if (map_set(&ranges->start_end, start_end_key(open->range.process, number),
		    (uint64_t)(uintptr_t)open)) {
		range_open_free(open);
		return -ENOMEM;
	}
	open->next = process->first;
	if (open->next)
		open->next->previous = open;
	process->first = open;
	process->generation++;
	ranges->open++;
	return 0;
}

static int range_begin(struct ranges *ranges, const struct trace_event *event)
{
	const struct tandem_annotation_range *record = (const void *)event->record;
	struct range_open *open = range_open_make(event, ++ranges->count);

	if (!open)
		return -ENOMEM;
	switch (record->kind) {
	case TANDEM_ANNOTATION_KIND_nested:
		return nested_begin(ranges, open);
	case TANDEM_ANNOTATION_KIND_start_end:
		return start_end_begin(ranges, open, record->range);
	default:
		open->range.end_ns = event->ns;
		open->ended = true;
		return range_open_settle(&ranges->output, open);
	}
}

/* The innermost one of its scope. Ends of ranges that began before the recording did
 * have none. */
static int nested_end(struct ranges *ranges, const struct trace_event *event, uint32_t scope)
{
	struct range_stream *stream = &ranges->streams[event->stream->index];
	struct range_open **at = &stream->top, *open;
	int status;

	while (*at && (*at)->range.scope != scope)
		at = &(*at)->below;
	open = *at;
	if (!open)
		return 0;
	*at = open->below;
	ranges->open--;
	open->range.end_ns = event->ns;
	status = range_stream_invalidate(stream, &ranges->output);
	open->ended = true;
	return status ? status : range_open_settle(&ranges->output, open);
}

static int start_end_end(struct ranges *ranges, const struct trace_event *event, uint64_t number)
{
	uint32_t index = event->stream->process->index;
	struct range_process *process = &ranges->processes[index];
	uint64_t known = map_remove(&ranges->start_end, start_end_key(index, number));
	struct range_open *open;

	if (known == MAP_NONE)
		return 0;
	open = (struct range_open *)(uintptr_t)known;
	if (open->previous)
		open->previous->next = open->next;
	else
		process->first = open->next;
	if (open->next)
		open->next->previous = open->previous;
	process->generation++;
	ranges->open--;
	open->range.end_ns = event->ns;
	open->ended = true;
	return range_open_settle(&ranges->output, open);
}

/* Earlier versions wrote the same as records of core. */
int ranges_record(struct ranges *ranges, const struct trace_event *event)
{
	const struct tandem_annotation_range_end *end = (const void *)event->record;

	switch (event->record->id) {
	case TANDEM_ANNOTATION_EVENT_range:
	case TANDEM_EVENT_range:
		return range_begin(ranges, event);
	case TANDEM_ANNOTATION_EVENT_range_end:
	case TANDEM_EVENT_range_end:
		return end->range ? start_end_end(ranges, event, end->range)
				  : nested_end(ranges, event, end->scope);
	default:
		return range_names_record(&ranges->output.names, event);
	}
}

_Static_assert(sizeof(struct tandem_rec_range) == sizeof(struct tandem_annotation_range) &&
		       sizeof(struct tandem_rec_range_end) ==
			       sizeof(struct tandem_annotation_range_end),
	       "core's records of ranges are laid out as annotation's");

/* Drops all references to the ranges. */
static int release(struct ranges *ranges)
{
	int status = range_launches_release(&ranges->launches, &ranges->output);

	for (size_t i = 0; ranges->streams && i < ranges->session->stream_count; i++) {
		int put = range_stream_invalidate(&ranges->streams[i], &ranges->output);

		status = status ? status : put;
	}
	return status;
}

static int end_open(struct ranges *ranges, struct range_open *open)
{
	ranges->open--;
	open->ended = true;
	return range_open_settle(&ranges->output, open);
}

static int end_all(struct ranges *ranges)
{
	int status = 0;

	for (size_t i = 0; ranges->streams && i < ranges->session->stream_count; i++) {
		struct range_stream *stream = &ranges->streams[i];

		while (stream->top) {
			struct range_open *open = stream->top;
			int settled;

			stream->top = open->below;
			settled = end_open(ranges, open);
			status = status ? status : settled;
		}
	}
	for (size_t i = 0; ranges->processes && i < ranges->session->process_count; i++) {
		struct range_process *process = &ranges->processes[i];

		while (process->first) {
			struct range_open *open = process->first;
			int settled;

			process->first = open->next;
			settled = end_open(ranges, open);
			status = status ? status : settled;
		}
	}
	return status;
}

int ranges_finish(struct ranges *ranges)
{
	int status = release(ranges);
	int ended = end_all(ranges);

	return status ? status : ended;
}

static int drop(void *user, const struct range_instance *range)
{
	(void)user;
	(void)range;
	return 0;
}

void ranges_free(struct ranges *ranges)
{
	ranges->output.emit = drop;
	if (ranges->session)
		ranges_finish(ranges);
	free(ranges->streams);
	free(ranges->processes);
	map_free(&ranges->start_end);
	map_free(&ranges->launches.sets);
	range_names_free(&ranges->output.names);
	memset(ranges, 0, sizeof(*ranges));
}
