/* SPDX-License-Identifier: MIT */
/* All that is known of one span: of an API call its arguments and return code, of
 * a command its times, waits and sizes, and how the two belong together. Read
 * from the trace again, at its place; objects are known by the descriptions that
 * the index keeps. One thread.
 *
 *	struct view_details details;
 *	view_details_open(&details, &index, session);
 *	view_details_json(&details, track, item, &text);
 *	view_details_close(&details);
 */
#ifndef TANDEM_VIEW_QUERY_DETAILS_H
#define TANDEM_VIEW_QUERY_DETAILS_H

#include "trace/objects.h"
#include "trace/session.h"
#include "util/json.h"
#include "view/index/index.h"

struct view_details {
	const struct view_index *index; /* borrowed */
	struct trace_session *session;	/* borrowed */
	struct trace_objects objects;
	struct map memory_bytes; /* process and number -> bytes */
	uint32_t *rows;		 /* by stream: the thread's row, or VIEW_NONE */
};

/* Returns 0 or -ENOMEM; on error there is nothing to close. */
int view_details_open(struct view_details *details, const struct view_index *index,
		      struct trace_session *session);

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

void view_details_close(struct view_details *details);

#endif
