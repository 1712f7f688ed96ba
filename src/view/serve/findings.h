/* SPDX-License-Identifier: MIT */
/* The findings of sessions, made beside the server: they need passes over the whole
 * trace, for which the picture does not wait. A thread of its own reads each
 * session a second time, for itself.
 *
 *	struct view_findings *findings;
 *	view_findings_start(&findings, sessions, count);
 *	view_findings_add(findings, 0, &text);      as far as they are
 *	view_findings_stop(findings);
 *
 * view_findings_add() may be called by any thread until view_findings_stop().
 */
#ifndef TANDEM_VIEW_SERVE_FINDINGS_H
#define TANDEM_VIEW_SERVE_FINDINGS_H

#include <stddef.h>

#include "analysis/events/progress.h"
#include "trace/session/session.h"
#include "util/text.h"

struct view_findings;

/* Sessions are not kept, but their files must stay. Returns 0 or -errno; on error there
 * is nothing to stop. */
int view_findings_start(struct view_findings **findings,
			const struct trace_session *const *sessions, size_t count);

/* Appends {"state": "working", "done": 0...1}, {"state": "failed", "error": text} or
 * {"state": "done", "findings": [as `tandem findings --format json` has them]}. */
void view_findings_add(struct view_findings *findings, size_t session, struct text *out);

/* What is not finished goes on until the process ends, which it does not keep. */
void view_findings_stop(struct view_findings *findings);

/* The same at once, for the session of a folder, without a thread; `kernel_from` as in
 * struct trace_session. Returns 0 or -errno, reported in the text. */
int view_findings_make(const char *path, const char *kernel_from, const struct progress *progress,
		       struct text *out);

#endif
