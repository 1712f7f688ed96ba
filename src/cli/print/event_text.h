/* SPDX-License-Identifier: MIT */
/* One event as a line that a person reads: time since the session's start, how
 * long it took, where, and the call with its arguments by name. One thread.
 *
 *	struct event_text view = {.session = &session, .colour = false};
 *	event_text_header(&view, &out);
 *	event_text_line(&view, &out, event, EVENT_WHOLE);
 */
#ifndef TANDEM_CLI_PRINT_EVENT_TEXT_H
#define TANDEM_CLI_PRINT_EVENT_TEXT_H

#include <stdbool.h>

#include "cli/print/event_sample.h"
#include "trace/event.h"
#include "trace/objects.h"
#include "util/text.h"

struct event_text {
	struct trace_session *session; /* borrowed */
	/* Borrowed: names of kernels and devices, of what was learned so far. */
	struct trace_objects *objects;
	const struct event_samples *stacks; /* borrowed; NULL: addresses will do */
	bool colour;
};

void event_text_header(const struct event_text *view, struct text *out);

enum event_part {	       /* of a call */
		  EVENT_WHOLE, /* at its begin, with all that is known of its end */
		  EVENT_BEGIN, /* "NAME(queue 1) ..." */
		  EVENT_END,   /* "... NAME = RESULT", at its end */
};

/* With the line's end. What is no call is whole. */
void event_text_line(struct event_text *view, struct text *out, const struct trace_event *event,
		     enum event_part part);

/* The columns before the event: a time (CLOCK_MONOTONIC), how long something took
 * (INT64_MIN: no such thing), and where. */
void event_text_columns(const struct event_text *view, struct text *out, int64_t ns,
			int64_t duration_ns, const struct trace_stream *stream, uint32_t tid,
			const char *thread_name);

#endif
