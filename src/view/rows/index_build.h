/* Makes the timeline's index of a session: two passes over its events. One thread.
 *
 *	struct view_store store;
 *	view_build(session, "FOLDER", NULL, &store, &error);
 *	... store.fd is the index
 *	view_store_close(&store);
 */
#ifndef TANDEM_VIEW_BUILD_H
#define TANDEM_VIEW_BUILD_H

#include "analysis/events/progress.h"
#include "trace/session.h"
#include "view/index/store.h"

/* What a session's files hold: an index that says otherwise is of another time. */
void view_fingerprint(const struct trace_session *session, uint8_t fingerprint[16]);

/* Makes it in `folder`, or, where that is NULL or can't be written, as a nameless temporary
 * file. `progress` may be NULL. Returns 0 or -errno; on error there is nothing to close. */
int view_build(struct trace_session *session, const char *folder,
	       const struct progress *progress, struct view_store *store, struct error *error);

#endif
