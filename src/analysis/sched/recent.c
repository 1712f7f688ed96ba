/* SPDX-License-Identifier: MIT */
#include "analysis/sched/recent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* More than a gap between commands has, or so short that they do not matter. */
#define REMEMBERED 256u
#define APART_NS 5000

int recent_add(struct recent *recent, int64_t from_ns, int64_t to_ns)
{
	struct recent_interval *last;

	if (!recent->intervals) {
		recent->intervals = calloc(REMEMBERED, sizeof(*recent->intervals));
		if (!recent->intervals)
			return -ENOMEM;
	}
	last = &recent->intervals[(recent->count - 1) % REMEMBERED];
	if (recent->count && from_ns >= last->to_ns && from_ns - last->to_ns < APART_NS) {
		last->to_ns = to_ns;
		last->ns += to_ns - from_ns;
		return 0;
	}
	recent->intervals[recent->count++ % REMEMBERED] =
		(struct recent_interval){from_ns, to_ns, to_ns - from_ns};
	return 0;
}

int64_t recent_within(const struct recent *recent, int64_t from_ns, int64_t to_ns)
{
	int64_t sum = 0, edge_ns = to_ns;

	for (uint64_t i = 0; i < REMEMBERED && i < recent->count; i++) {
		const struct recent_interval *one =
			&recent->intervals[(recent->count - 1 - i) % REMEMBERED];
		int64_t from = one->from_ns > from_ns ? one->from_ns : from_ns;
		int64_t to = one->to_ns < edge_ns ? one->to_ns : edge_ns;

		if (one->to_ns < from_ns)
			break;
		if (to <= from)
			continue;
		sum += (int64_t)((double)one->ns * (double)(to - from) /
				 (double)(one->to_ns - one->from_ns));
		edge_ns = from;
	}
	return sum;
}

void recent_free(struct recent *recent)
{
	free(recent->intervals);
	memset(recent, 0, sizeof(*recent));
}
