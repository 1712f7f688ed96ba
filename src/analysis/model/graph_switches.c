/* SPDX-License-Identifier: MIT */
#include "analysis/model/graph_switches.h"

#include <errno.h>
#include <stdlib.h>

#define REMEMBERED 8192u

/* No more of a time than such a part is what recording took. */
#define MOST_OF_FOUR 3

int graph_switches_add(struct graph_switches *switches, int64_t ns)
{
	int64_t last;

	if (!switches->ns) {
		switches->ns = calloc(REMEMBERED, sizeof(*switches->ns));
		if (!switches->ns)
			return -ENOMEM;
	}
	last = switches->count ? switches->ns[(switches->count - 1) % REMEMBERED] : ns;
	switches->ns[switches->count++ % REMEMBERED] = ns > last ? ns : last;
	return 0;
}

/* So many were no later; of those that are remembered. */
static uint64_t until(const struct graph_switches *switches, int64_t ns)
{
	uint64_t to = switches->count, from = to > REMEMBERED ? to - REMEMBERED : 0;

	while (from < to) {
		uint64_t middle = from + (to - from) / 2;

		if (switches->ns[middle % REMEMBERED] <= ns)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

int64_t graph_switches_within(const struct graph_switches *switches, int64_t record_ns,
			      int64_t from_ns, int64_t to_ns)
{
	int64_t ns, most_ns = (to_ns - from_ns) / 4 * MOST_OF_FOUR;

	if (!record_ns || !switches->count || most_ns <= 0)
		return 0;
	ns = record_ns * (int64_t)(until(switches, to_ns) - until(switches, from_ns));
	return ns < most_ns ? ns : most_ns;
}

void graph_switches_free(struct graph_switches *switches)
{
	free(switches->ns);
}
