/* SPDX-License-Identifier: MIT */
/* What a stretch of time holds: calls and commands by name, as `tandem report --from
 * --to` says of the same stretch, and states of threads. Whatever begins in it counts,
 * whole; `within_ns` is the part inside of all that overlaps it. Any thread.
 *
 *	view_select_json(&rows, from_ns, to_ns, &text);
 */
#ifndef TANDEM_VIEW_QUERY_SELECT_H
#define TANDEM_VIEW_QUERY_SELECT_H

#include "util/text.h"
#include "view/query/row_set.h"

/* Appends a JSON object {"calls": [...], "device": [...], "states": [...], "samples": [...],
 * "ranges": [...]}. Returns 0 or -ENOMEM. */
int view_select_json(const struct row_set *rows, int64_t from_ns, int64_t to_ns, struct text *out);

#endif
