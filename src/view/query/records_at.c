/* SPDX-License-Identifier: MIT */
#include "view/query/records_at.h"

#include "trace/session/session.h"

#define BLOCK_BYTES 65536u

/* The latest ticks of the stream that are before `ns`. */
static uint64_t ticks_before(const struct trace_stream *stream, int64_t ns)
{
	struct trace_clock *clock = &stream->process->session->clock;
	uint64_t low = 0, high = stream->last_ticks;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2 + 1;

		if (trace_clock_ns(clock, middle) < ns)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

int view_records_at(struct trace_records *records, struct trace_stream *stream, int64_t ns)
{
	return trace_records_open(records, stream, BLOCK_BYTES, ticks_before(stream, ns),
				  stream->process->session->problems);
}

int view_records_next(struct trace_records *records, struct trace_event *event)
{
	int status;

	/* Of a packet that holds the place, all that comes before it. */
	do
		status = trace_records_next(records);
	while (status > 0 && records->event.ticks < records->skip_before);
	if (status <= 0)
		return status;
	*event = records->event;
	event->ns = trace_clock_ns(&records->stream->process->session->clock, event->ticks);
	return 1;
}
