/* SPDX-License-Identifier: MIT */
/* The samples of a stretch of time as a tree of calls, the outermost function first: what a
 * flame graph shows. Any thread.
 *
 *	stacks_json(&rows, from_ns, to_ns, &out);
 */
#ifndef TANDEM_VIEW_QUERY_STACKS_H
#define TANDEM_VIEW_QUERY_STACKS_H

#include "util/text.h"
#include "view/query/row_set.h"

/* Appends {"samples": number, "nodes": [[parent, function, file, self, total], ...]}, a node's
 * parent before itself (its place in the list, -1: none), siblings in the order in which they
 * turned up. A sample whose stack could not be taken is in `samples` only. Returns 0 or
 * -ENOMEM. */
int stacks_json(const struct row_set *rows, int64_t from_ns, int64_t to_ns, struct text *out);

#endif
