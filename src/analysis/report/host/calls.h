/* SPDX-License-Identifier: MIT */
/* Counts API calls: time by function, errors by code, calls that never returned,
 * work of threads. Part of the report's pass. One thread.
 *
 *	struct calls calls;
 *	calls_init(&calls, session);
 *	calls_add(&calls, event);          of each call
 *	calls_other(&calls, event);        of each other event of a thread
 *	calls_finish(&calls, report);
 *	calls_free(&calls);
 */
#ifndef TANDEM_ANALYSIS_REPORT_CALLS_H
#define TANDEM_ANALYSIS_REPORT_CALLS_H

#include "analysis/events/range.h"
#include "analysis/report/report.h"
#include "analysis/stats/batches.h"
#include "analysis/stats/histogram.h"
#include "trace/event.h"
#include "util/map.h"

struct call_row { /* of one function */
	uint64_t errors, open;
	uint64_t within_ns;	/* where a part is counted: inside of it, of all that overlap it */
	struct histogram times; /* of all but the open ones */
	struct batches batches;
};

struct call_thread {	 /* of one stream */
	uint64_t others; /* events that are no calls; counted by the caller */
	uint64_t calls, errors, api_ns;
};

struct call_open {
	const struct tandem_event *event;
	const struct trace_stream *stream;
	int64_t ns;
};

struct calls {
	struct trace_session *session;
	struct range range;    /* what is counted: all, where the caller sets nothing else */
	bool whole;	       /* the range is all there is; set with it */
	int64_t end_ns;	       /* of the session */
	struct call_row *rows; /* by the layouts' index */
	size_t row_count;
	struct call_thread *threads; /* by stream */
	struct map errors;	     /* row and code -> count */
	struct call_open open[REPORT_OPEN_CALLS];
	size_t open_count;
	uint64_t open_total;
};

/* Returns 0 or -ENOMEM; on error there is nothing to free. */
int calls_init(struct calls *calls, struct trace_session *session);

/* Returns 0 or -ENOMEM. */
int calls_add(struct calls *calls, const struct trace_event *event);

static inline bool calls_in_range(const struct calls *calls, const struct trace_event *event)
{
	return __builtin_expect(calls->whole, 1) || range_holds(&calls->range, event->ns);
}

static inline void calls_other(struct calls *calls, const struct trace_event *event)
{
	calls->threads[event->stream->index].others += calls_in_range(calls, event);
}

/* Writes the tables into the report. Returns 0 or -ENOMEM. */
int calls_finish(struct calls *calls, struct report *report);

void calls_free(struct calls *calls);

#endif
