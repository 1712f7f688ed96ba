/* SPDX-License-Identifier: MIT */
/* What details of spans (details_span.h) are read from: the trace, at the span's place, and
 * the descriptions of objects that the index keeps. One thread.
 *
 *	struct view_details details;
 *	view_details_open(&details, &index, session);
 *	view_details_json(&details, track, item, &text);
 *	view_details_close(&details);
 */
#ifndef TANDEM_VIEW_QUERY_DETAILS_H
#define TANDEM_VIEW_QUERY_DETAILS_H

#include "trace/objects.h"
#include "trace/session/session.h"
#include "util/map.h"
#include "view/index/index.h"
#include "view/query/records_at.h"

struct view_details {
	const struct view_index *index; /* borrowed */
	struct trace_session *session;	/* borrowed */
	struct trace_objects objects;
	struct map memory_bytes;     /* process and number -> bytes */
	uint32_t *rows;		     /* by stream: the thread's row, or VIEW_NONE */
	struct view_records records; /* stays open between one span and the next */
};

/* Returns 0 or -ENOMEM; on error there is nothing to close. */
int view_details_open(struct view_details *details, const struct view_index *index,
		      struct trace_session *session);

void view_details_close(struct view_details *details);

#endif
