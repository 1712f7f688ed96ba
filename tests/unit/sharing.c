/* SPDX-License-Identifier: MIT */
/* Who had a device while commands waited: by example, against the plain way of
 * counting moment by moment, and with more commands than memory is given. */
#include "analysis/stats/contention_feed.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static double waited(const struct contention *contention, uint32_t process, uint32_t other)
{
	for (size_t i = 0; i < contention->pair_count; i++) {
		if (contention->pairs[i].process == process && contention->pairs[i].other == other)
			return contention->pairs[i].waited_ns;
	}
	return 0;
}

static double beside(const struct contention *contention, uint32_t process, uint32_t other)
{
	for (size_t i = 0; i < contention->pair_count; i++) {
		if (contention->pairs[i].process == process && contention->pairs[i].other == other)
			return contention->pairs[i].beside_ns;
	}
	return 0;
}

static void test_example(void)
{
	struct contention contention = {.count = 0};

	/* 2's command waits 100 for nobody, 200 for 1's two, then for both. */
	contention_add(&contention, 1, 1100, 1100, 1400);
	contention_add(&contention, 1, 1100, 1100, 1300);
	contention_add(&contention, 2, 1000, 1400, 1500);
	contention_add(&contention, 3, 1300, 1300, 1450);
	CHECK(!contention_settle(&contention));
	CHECK(waited(&contention, 2, CONTENTION_NOBODY) == 100);
	CHECK(waited(&contention, 2, 1) == 200 + 50);
	CHECK(waited(&contention, 2, 3) == 50);
	CHECK(waited(&contention, 1, 1) == 0);
	CHECK(beside(&contention, 1, 3) == 100 && beside(&contention, 3, 1) == 100);
	CHECK(beside(&contention, 2, 3) == 50 && beside(&contention, 1, 2) == 0);
	CHECK(contention.count == 0);
	contention_free(&contention);
}

static uint32_t any(uint32_t below)
{
	static uint64_t seed = 7;

	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

enum { COMMANDS = 60, PROCESSES = 4, SPAN = 600 };

/* Of each nanosecond: who executes, who waits. */
static void count_plainly(const struct contention_operation *commands,
			  double sums[PROCESSES][PROCESSES + 1])
{
	for (uint64_t ns = 0; ns < 2 * SPAN; ns++) {
		double executing[PROCESSES] = {0}, all = 0, waiting[PROCESSES] = {0};

		for (int i = 0; i < COMMANDS; i++) {
			const struct contention_operation *c = &commands[i];

			waiting[c->process] += c->queued <= ns && ns < c->start;
			executing[c->process] += c->start <= ns && ns < c->end;
			all += c->start <= ns && ns < c->end;
		}
		for (int p = 0; p < PROCESSES; p++) {
			if (all == 0)
				sums[p][PROCESSES] += waiting[p];
			for (int q = 0; q < PROCESSES && all > 0; q++)
				sums[p][q] += waiting[p] * executing[q] / all;
		}
	}
}

static void test_plainly(bool in_two)
{
	double sums[PROCESSES][PROCESSES + 1] = {{0}};
	struct contention_operation commands[COMMANDS];
	struct contention contention = {.count = 0};

	for (int i = 0; i < COMMANDS; i++) {
		struct contention_operation *c = &commands[i];

		/* The second half comes after the first has ended. */
		c->process = any(PROCESSES);
		c->queued = 1 + any(SPAN / 4) + (in_two && i >= COMMANDS / 2 ? SPAN : 0);
		c->start = c->queued + any(SPAN / 4);
		c->end = c->start + any(SPAN / 4);
		CHECK(!contention_add(&contention, c->process, c->queued, c->start, c->end));
		if (in_two && i == COMMANDS / 2 - 1)
			CHECK(!contention_settle(&contention));
	}
	CHECK(!contention_settle(&contention));
	count_plainly(commands, sums);
	for (uint32_t p = 0; p < PROCESSES; p++) {
		for (uint32_t q = 0; q <= PROCESSES; q++) {
			double is = waited(&contention, p, q == PROCESSES ? CONTENTION_NOBODY : q);

			CHECK(fabs(is - sums[p][q]) < 1e-6);
		}
	}
	contention_free(&contention);
}

/* Never a moment without a command in flight, out of order by a few. */
static void test_memory(void)
{
	struct contention contention = {.count = 0};
	double all = 0, told = 0;
	uint64_t now = 1000;

	for (uint32_t i = 0; i < 5 * CONTENTION_MOST; i++) {
		uint64_t queued = now - any(300), start = now + any(100);

		now += 100;
		all += (double)(start - queued);
		CHECK(!contention_add(&contention, i % 3, queued, start, start + 250));
		CHECK(contention.count < CONTENTION_MOST);
	}
	CHECK(!contention_settle(&contention));
	for (size_t i = 0; i < contention.pair_count; i++)
		told += contention.pairs[i].waited_ns;
	/* What came late for its time is missing, and counted. */
	CHECK(contention.late < 100);
	CHECK(told <= all + 1 && told > all * 0.9999);
	contention_free(&contention);
}

/* What comes out of blocks is what the same commands, one by one, come to: with rests
 * between them, worked off by a worker, and by the caller. */
static void test_feed(struct worker *worker)
{
	struct contention_feed *feed = contention_feed_create();
	struct contention plain = {.count = 0};
	uint64_t now = 1000;

	for (uint32_t i = 0; i < 3 * CONTENTION_MOST + 77; i++) {
		uint64_t queued = now - any(300), start = now + any(100);
		uint32_t process = i / 100 % 3;

		now += 100;
		if (!any(1000)) {
			contention_feed_rest(feed);
			CHECK(!contention_rest(&plain));
		}
		if (contention_feed_add(feed, process, queued, start, start + 250))
			CHECK(!contention_feed_flush(feed, worker));
		CHECK(!contention_add(&plain, process, queued, start, start + 250));
	}
	if (worker)
		worker_wait(worker);
	CHECK(!contention_feed_finish(feed));
	CHECK(!contention_settle(&plain));
	CHECK(feed->contention.pair_count == plain.pair_count && plain.pair_count > 3);
	CHECK(!memcmp(feed->contention.pairs, plain.pairs,
		      plain.pair_count * sizeof(*plain.pairs)));
	CHECK(feed->contention.busy_ns == plain.busy_ns && plain.busy_ns > 0);
	CHECK(feed->contention.late == plain.late && plain.late > 0);
	contention_feed_destroy(feed);
	contention_free(&plain);
}

/* Also when nobody waits for what was given. */
static void test_feeds(void)
{
	struct contention_feed *feed = contention_feed_create();
	struct worker *worker = worker_create();

	CHECK(worker != NULL);
	test_feed(NULL);
	test_feed(worker);
	for (uint32_t i = 0; i < 9 * CONTENTION_BLOCK; i++)
		if (contention_feed_add(feed, 1, i, i, i + 2))
			CHECK(!contention_feed_flush(feed, worker));
	worker_destroy(worker);
	contention_feed_destroy(feed);
}

int main(void)
{
	test_example();
	test_feeds();
	for (int i = 0; i < 20; i++)
		test_plainly(i % 2);
	test_memory();
	return check_status();
}
