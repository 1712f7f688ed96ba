/* SPDX-License-Identifier: MIT */
/* Details of an API call (view/query/details/details.h). One thread. */
#ifndef TANDEM_VIEW_QUERY_DETAILS_CALL_H
#define TANDEM_VIEW_QUERY_DETAILS_CALL_H

#include "trace/event.h"
#include "view/query/details/json.h"
#include "view/query/records_at.h"

/* Facts, arguments and links of a call's span. Returns 0 or -ENOMEM. */
int details_call(struct view_details *details, const struct details_span *span, struct json *json);

/* Reads the record of the call of this stream that began at begin_ns (since the
 * session's start); end_ns, unless it is INT64_MIN, must be right, too. Returns 1
 * (*event is borrowed from `cursor`, which reads on from there), 0 where there is
 * none, or -ENOMEM. */
int details_find_call(struct view_details *details, uint32_t stream, int64_t begin_ns,
		      int64_t end_ns, struct view_cursor **cursor, struct trace_event *event);

#endif
