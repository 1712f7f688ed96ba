/* SPDX-License-Identifier: MIT */
/* What is remembered of intervals, and for how long. */
#include "analysis/sched/recent.h"

#include <inttypes.h>
#include <stdio.h>

static int failed;

static void expect(const char *what, int64_t is, int64_t should_be)
{
	if (is == should_be)
		return;
	fprintf(stderr, "%s: %" PRId64 ", should be %" PRId64 "\n", what, is, should_be);
	failed = 1;
}

/* So many of 1 us. */
static void fill(struct recent *recent, int64_t count, int64_t apart_ns)
{
	for (int64_t i = 0; i < count; i++) {
		if (recent_add(recent, i * apart_ns, i * apart_ns + 1000))
			failed = 1;
	}
}

/* All of the latest two seconds. */
static void many(void)
{
	struct recent recent = {0};

	expect("of none", recent_within(&recent, 0, 1000000), 0);
	fill(&recent, 1000, 10000);
	expect("the latest", recent_within(&recent, 9900000, 10000000), 10 * 1000);
	expect("a part of one", recent_within(&recent, 9990500, 9990800), 300);
	expect("between two", recent_within(&recent, 9981000, 9990000), 0);
	expect("all", recent_within(&recent, 0, 10000000), 1000 * 1000);
	expect("the first", recent_within(&recent, 0, 1000000), 100 * 1000);
	recent_free(&recent);
	fill(&recent, RECENT_MOST + 1000, 10000);
	expect("no more than can be",
	       recent_within(&recent, 0, (RECENT_MOST + 1000) * INT64_C(10000)),
	       RECENT_MOST * 1000);
	expect("what is forgotten", recent_within(&recent, 0, 1000000), 0);
	recent_free(&recent);
}

/* Of longer ago, as many as are always remembered. */
static void old(void)
{
	struct recent recent = {0};

	fill(&recent, 1000, RECENT_NS / 100);
	expect("the latest of few", recent_within(&recent, 0, 10 * RECENT_NS), RECENT_LEAST * 1000);
	expect("its capacity", (int64_t)recent.capacity, RECENT_LEAST);
	recent_free(&recent);
}

/* Of two threads: in the order of their ends, the longer one began first. */
static void several(void)
{
	struct recent recent = {0};

	recent_add(&recent, 20000, 30000);
	recent_add(&recent, 0, 40000);
	recent_add(&recent, 45500, 50000);
	expect("once where two overlap", recent_within(&recent, 0, 60000), 40000 + 4500);
	expect("the longer one alone", recent_within(&recent, 31000, 32000), 1000);
	recent_free(&recent);
}

/* What is hardly apart is one, with its part of the time. */
static void joined(void)
{
	struct recent recent = {0};

	recent_add(&recent, 0, 1000);
	recent_add(&recent, 2000, 3000);
	expect("both", recent_within(&recent, 0, 3000), 2000);
	expect("a half of both", recent_within(&recent, 0, 1500), 1000);
	recent_free(&recent);
}

int main(void)
{
	many();
	old();
	several();
	joined();
	return failed;
}
