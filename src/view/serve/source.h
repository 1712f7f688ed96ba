/* SPDX-License-Identifier: MIT */
/* One session as the timeline shows it: its index, its details, and what the page
 * gets about it. Opened and closed by one thread; in between any may use it, the
 * details by view_source_detail().
 *
 *	struct view_source source;
 *	view_source_open(&source, session, NULL, &error);
 *	view_source_json(&source, &json);
 *	view_source_close(&source);
 */
#ifndef TANDEM_VIEW_SERVE_SOURCE_H
#define TANDEM_VIEW_SERVE_SOURCE_H

#include <pthread.h>

#include "analysis/events/progress.h"
#include "analysis/events/range.h"
#include "trace/session/session.h"
#include "util/json.h"
#include "view/index/index.h"
#include "view/query/details/details.h"

struct view_source {
	struct trace_session *session; /* borrowed */
	struct view_index index;
	struct view_details details;
	pthread_mutex_t details_lock; /* reading the trace is for one thread at once */
	int64_t offset_ns;	      /* of its start on the picture's axis */
	struct range shown; /* at first, in ns since its start: all, if not set after opening */
};

/* Makes the index if need be. Returns 0 or -errno; on error there is nothing to
 * close. The source must stay where it is. */
int view_source_open(struct view_source *source, struct trace_session *session,
		     const struct progress *progress, struct error *error);

/* An object: what was run, notes, labels, rows with their tracks. */
void view_source_json(const struct view_source *source, struct json *json);

/* view_details_json(), for any thread. */
int view_source_detail(struct view_source *source, uint32_t track, uint32_t item, struct text *out);

void view_source_close(struct view_source *source);

enum view_align {
	VIEW_ALIGN_clock,  /* at their true distance, if of one host and one boot; else starts */
	VIEW_ALIGN_join,   /* ... else by their times of day */
	VIEW_ALIGN_starts, /* each begins at 0: to compare runs */
};

/* Puts several sessions on one axis. Returns whether they lie as was asked. */
bool view_sources_align(struct view_source *sources, size_t count, enum view_align clock_sync);

#endif
