/* SPDX-License-Identifier: MIT */
/* What a stretch of time holds: calls and commands by name, as `tandem report --from
 * --to` tells of the same stretch, and states of threads. Whatever begins in it counts,
 * whole; `within_ns` is the part inside of all that overlaps it. Any thread.
 *
 *	view_select_json(&index, VIEW_NONE, from_ns, to_ns, &text);
 */
#ifndef TANDEM_VIEW_QUERY_SELECT_H
#define TANDEM_VIEW_QUERY_SELECT_H

#include "util/text.h"
#include "view/index/index.h"

/* Of the rows below `row` and itself, or of all (VIEW_NONE). Appends a JSON object
 * {"calls": [...], "device": [...], "states": [...]}. Returns 0 or -ENOMEM. */
int view_select_json(const struct view_index *index, uint32_t row, int64_t from_ns, int64_t to_ns,
		     struct text *out);

#endif
