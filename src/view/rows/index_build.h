/* SPDX-License-Identifier: MIT */
/* Makes the timeline's index of a session: two passes over its events. One thread.
 *
 *	struct view_index index;
 *	index_build_open(&index, session, NULL, &error);
 *	... view/index/index.h
 *	view_index_close(&index);
 */
#ifndef TANDEM_VIEW_ROWS_INDEX_BUILD_H
#define TANDEM_VIEW_ROWS_INDEX_BUILD_H

#include "analysis/events/progress.h"
#include "trace/session/session.h"
#include "view/index/index.h"
#include "view/index/store.h"

/* Makes it in `folder`, or, where that is NULL or can't be written, as a nameless temporary
 * file. `progress` may be NULL. Returns 0 or -errno; on error there is nothing to close. */
int index_build(struct trace_session *session, const char *folder, const struct progress *progress,
		struct view_store *store, struct error *error);

/* Opens the index that is kept in the user's cache, or makes one where that is missing or of
 * another state of the session. Returns 0 or -errno; on error there is nothing to close. */
int index_build_open(struct view_index *index, struct trace_session *session,
		     const struct progress *progress, struct error *error);

#endif
