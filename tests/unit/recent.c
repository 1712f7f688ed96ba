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

/* 1,000 of 1 us, 10 us apart. */
static void fill(struct recent *recent)
{
	for (int64_t i = 0; i < 1000; i++) {
		if (recent_add(recent, i * 10000, i * 10000 + 1000))
			failed = 1;
	}
}

static void usual(void)
{
	struct recent recent = {0};

	expect("of none", recent_within(&recent, 0, 1000000), 0);
	fill(&recent);
	expect("the latest", recent_within(&recent, 9900000, 10000000), 10 * 1000);
	expect("a part of one", recent_within(&recent, 9990500, 9990800), 300);
	expect("between two", recent_within(&recent, 9981000, 9990000), 0);
	expect("as many as are remembered", recent_within(&recent, 0, 10000000),
	       RECENT_USUAL * 1000);
	expect("what is forgotten", recent_within(&recent, 0, 1000000), 0);
	recent_free(&recent);
}

static void more(void)
{
	struct recent recent = {.most = 2048};

	fill(&recent);
	expect("all of more", recent_within(&recent, 0, 10000000), 1000 * 1000);
	expect("the first of more", recent_within(&recent, 0, 1000000), 100 * 1000);
	recent_free(&recent);
	fill(&recent);
	expect("as many after it was freed", recent_within(&recent, 0, 1000000), 100 * 1000);
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
	usual();
	more();
	several();
	joined();
	return failed;
}
