/* SPDX-License-Identifier: MIT */
/* Finds a record of the trace again, by its stream and its time. One thread.
 *
 *	struct trace_records records;
 *	struct trace_event event;
 *
 *	if (view_records_at(&records, stream, ns))
 *		return -ENOMEM;
 *	while ((status = view_records_next(&records, &event)) > 0 && event.ns <= ns)
 *		... is it this one?
 *	trace_records_close(&records);
 */
#ifndef TANDEM_VIEW_QUERY_RECORDS_AT_H
#define TANDEM_VIEW_QUERY_RECORDS_AT_H

#include "trace/stream/records.h"

/* Records of `stream` from a little before `ns` (CLOCK_MONOTONIC) on. Returns 0 or
 * -ENOMEM. */
int view_records_at(struct trace_records *records, struct trace_stream *stream, int64_t ns);

/* Returns 1 and the next event, its `ns` filled in, 0 at the end, or -ENOMEM. */
int view_records_next(struct trace_records *records, struct trace_event *event);

#endif
