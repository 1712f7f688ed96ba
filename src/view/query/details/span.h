/* SPDX-License-Identifier: MIT */
/* All that is known of one span: of an API call its arguments and return code, of
 * a command its times, waits and sizes, and how the two belong together. One thread. */
#ifndef TANDEM_VIEW_QUERY_DETAILS_SPAN_H
#define TANDEM_VIEW_QUERY_DETAILS_SPAN_H

#include "util/text.h"
#include "view/query/details/details.h"

/* Appends a JSON object:
 *
 *	name, kind, flags[], begin_ns, end_ns, row
 *	facts[]   {"is": name, and one of "text", "ns" (a length), "at_ns" (a time),
 *		  "bytes", "count", "rate" (bytes in a second)}
 *	args{}    of the call, as `tandem print --format json` has them
 *	stack[]   of a sample, innermost first: [function, file]
 *	links[]   {"is": "call" | "command" | "seen" | "after" | "ended" | "waker" |
 *		  "during", "track", "item", "begin_ns", "end_ns"}: other spans that
 *		  belong to it
 *
 * Returns 0, -EINVAL (no such span) or -ENOMEM. */
int view_details_json(struct view_details *details, uint32_t track, uint32_t item,
		      struct text *out);

#endif
