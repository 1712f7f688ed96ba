/* SPDX-License-Identifier: MIT */
/* Visits the items of a track that overlap a stretch of time, in order; instants
 * at its begin belong to it. Any thread.
 *
 *	static int visit(void *user, uint32_t item, const struct view_span *span,
 *			 int64_t end_ns);
 *	view_overlap(&index, track, from_ns, to_ns, visit, user);
 */
#ifndef TANDEM_VIEW_INDEX_OVERLAP_H
#define TANDEM_VIEW_INDEX_OVERLAP_H

#include "view/index/index.h"

/* Not 0 ends the visit. */
typedef int (*view_overlap_visit)(void *user, uint32_t item, const struct view_span *span,
				  int64_t end_ns);

/* Returns 0, or what the visitor returned. */
int view_overlap(const struct view_index *index, const struct view_track *track, int64_t from_ns,
		 int64_t to_ns, view_overlap_visit visit, void *user);

#endif
