/* SPDX-License-Identifier: MIT */
/* All spans of some names that begin in a stretch of time: how many, how long they are, and a
 * list of them, the longest first or in the order of time. Any thread.
 *
 *	struct instances_question question = {.from_ns = 0, .to_ns = INT64_MAX,
 *		.least_ns = 0, .most_ns = UINT64_MAX, .by_length = true, .count = 100};
 *	instances_json(&search, &rows, &question, &out);
 */
#ifndef TANDEM_VIEW_QUERY_INSTANCES_H
#define TANDEM_VIEW_QUERY_INSTANCES_H

#include "util/text.h"
#include "view/query/row_set.h"
#include "view/query/search.h"

struct instances_question {
	int64_t from_ns, to_ns;
	uint64_t least_ns, most_ns; /* lengths of those that are listed, both included */
	bool by_length;		    /* else by begin */
	uint64_t skip, count;	    /* of those, which are listed */
};

/* Appends an object: `count`, `failed`, `total_ns`, `mean_ns`, `min_ns`, `p50_ns`, `p99_ns`,
 * `max_ns` and `histogram` ([shortest, longest, count] of each bucket, stats/histogram.h) of all in
 * from_ns..to_ns, `matching` (those with a length in least_ns..most_ns) and `spans` (track, item,
 * label, begin_ns, end_ns), which are of them. What has no length, as it did not end or has no
 * device times, is in `count` only. Returns 0 or -ENOMEM. */
int instances_json(const struct view_search *search, const struct row_set *rows,
		   const struct instances_question *question, struct text *out);

#endif
