/* SPDX-License-Identifier: MIT */
/* What the server answers to the page's questions, apart from how it gets there:
 *
 *	model     everything that is known before anything is drawn
 *	tiles     session, level, first, last, tracks=1,3-5: tiles.h
 *	detail    session, track, item: details.h
 *	select    session, from, to, row: select.h
 *	search    session, labels=1,3-5: {"total"}
 *	step      session, labels, at, track, item, back: {"track", "item", ...} or null
 *	marks     session, labels, from, to, bins: [bins that hold any]
 *	findings  session: findings.h
 *	follow    {"look", "runs"}: which look at a session that is being recorded this is, and
 *	          whether more may come
 *
 * Times are ns since the session's start. Any thread.
 */
#ifndef TANDEM_VIEW_SERVE_ANSWER_H
#define TANDEM_VIEW_SERVE_ANSWER_H

#include <stdbool.h>

#include "util/text.h"
#include "view/serve/findings.h"
#include "view/serve/source.h"

struct view_question {
	const char *name; /* "tiles" */
	/* A parameter's text, or NULL. */
	const char *(*parameter)(void *user, const char *name);
	void *user;
	struct view_source *sources;
	size_t source_count;
	struct view_findings *findings; /* of the same sessions; NULL: none are made */
	unsigned look;			/* from 1; 0: nothing is followed */
	bool runs;
};

/* Fills *out and says in *type what it is. Returns 0, -ENOENT (no such question),
 * -EINVAL (parameters make no sense) or -ENOMEM. */
int view_answer(const struct view_question *question, struct text *out, const char **type);

#endif
