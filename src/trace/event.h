/* SPDX-License-Identifier: MIT */
/* One record of the trace, as the reader hands it out: borrowed, valid until the
 * next one is asked for. */
#ifndef TANDEM_TRACE_EVENT_H
#define TANDEM_TRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/record.h"
#include "trace/schema/layout.h"
#include "trace/session/process.h"
#include "trace/stream/stream.h"

struct trace_event {
	const struct trace_stream *stream;  /* and by it the process */
	const struct trace_layout *layout;  /* and by it the event's descriptor */
	const struct tandem_record *record; /* checked: its fields lie inside */
	uint32_t bytes;
	uint32_t tid;
	const char *thread_name; /* at that time */
	uint64_t ticks;		 /* when the call began, or this was seen */
	uint64_t end_ticks;	 /* when the call returned; 0: it has not, or is no call */
	/* Filled in by trace/merge.h: CLOCK_MONOTONIC of `ticks` and, where that is not
	 * 0, of `end_ticks`. */
	int64_t ns, end_ns;
	/* Filled in by analysis/events/event_iterator.h, of a call that enqueues and has a field of the
	 * role `direction`: what that says, or the addresses where it leaves that to the driver. */
	uint8_t direction;
};

static inline bool trace_event_is_call(const struct trace_event *event)
{
	return event->layout->is_call;
}

/* Only of a call. */
static inline int32_t trace_event_result(const struct trace_event *event)
{
	return ((const struct tandem_call_record *)event->record)->result;
}

/* A call that came back, from a function that returns a status, which was seen. */
static inline bool trace_event_has_result(const struct trace_event *event)
{
	return event->end_ticks && event->layout->has_result &&
	       trace_event_result(event) != TANDEM_RESULT_UNKNOWN;
}

/* A call that came back with an error code. */
static inline bool trace_event_failed(const struct trace_event *event)
{
	return trace_event_has_result(event) && trace_event_result(event) != 0;
}

/* The operation id that an enqueue gave out; 0: none. */
static inline uint64_t trace_event_op(const struct trace_event *event)
{
	uint64_t op = 0;

	if (event->layout->op_offset)
		__builtin_memcpy(&op, (const char *)event->record + event->layout->op_offset,
				 sizeof(op));
	return op;
}

#endif
