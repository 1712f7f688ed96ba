/* SPDX-License-Identifier: MIT */
/* Ticks to ns: exact at the pairs, never backwards, few lines, and deaf to
 * damaged pairs. */
#include "trace/clock.h"

#include <stdlib.h>

#include "check.h"

#define HZ UINT64_C(2500000000)
#define START UINT64_C(1000000000000)

static struct trace_clock tested;

static uint64_t distance(int64_t a, int64_t b)
{
	return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

/* A clock whose rate is off by some ppm and is steered to another in the middle. */
static uint64_t true_ns(uint64_t ticks)
{
	double passed = (double)(ticks - START) / (double)HZ * 1e9;
	double half = 50e9;

	return 400000000000u +
	       (uint64_t)(passed < half ? passed * (1 + 30e-6)
					: half * (1 + 30e-6) + (passed - half) * (1 - 40e-6));
}

static void follows_a_steered_clock(unsigned packets)
{
	uint64_t span = HZ * 100, step = span / packets;
	int64_t last = INT64_MIN;

	trace_clock_init(&tested, HZ);
	for (unsigned i = 0; i <= packets; i++) {
		/* In another order than that of time, as streams have it. */
		uint64_t ticks = START + (uint64_t)((i * 7919u) % (packets + 1)) * step;

		trace_clock_add(&tested, ticks, true_ns(ticks), 100);
	}
	trace_clock_finish(&tested);
	CHECK(tested.line_count >= 2 && tested.line_count <= CLOCK_KNOTS);
	for (uint64_t ticks = START; ticks < START + span; ticks += span / 9973) {
		int64_t ns = trace_clock_ns(&tested, ticks);

		/* One bend of 70 ppm within a line of span / packets. */
		CHECK(distance(ns, (int64_t)true_ns(ticks)) < 20000 + 70e-6 * 1e9 * 100 / packets);
		CHECK(ns >= last);
		last = ns;
	}
}

static void pairs_are_exact(void)
{
	trace_clock_init(&tested, HZ);
	trace_clock_add(&tested, START, 1000, 10);
	trace_clock_add(&tested, START + HZ, 1000001000, 10);
	trace_clock_finish(&tested);
	CHECK(trace_clock_ns(&tested, START) == 1000);
	CHECK(trace_clock_ns(&tested, START + HZ) == 1000001000);
	CHECK(trace_clock_ns(&tested, START + HZ / 2) == 500001000);
	CHECK(trace_clock_ns(&tested, START + 10000) == 5000);
	/* Before the first and behind the last. */
	CHECK(trace_clock_ns(&tested, START - HZ) == 1000 - 1000000000);
	CHECK(trace_clock_ns(&tested, START + 2 * HZ) == 2000001000);
	CHECK(trace_clock_ns(&tested, 0) == 1000 - 400000000000);
	CHECK(trace_clock_ns(&tested, UINT64_MAX) > 0);
}

/* Two pairs a microsecond apart must not make a line of their own. */
static void near_pairs_do_not_bend(void)
{
	trace_clock_init(&tested, HZ);
	trace_clock_add(&tested, START, 1000, 0);
	trace_clock_add(&tested, START + 2500, 2400, 0);
	trace_clock_add(&tested, START + 5000, 2900, 0);
	trace_clock_finish(&tested);
	CHECK(tested.line_count == 1);
	CHECK(distance(trace_clock_ns(&tested, START + HZ), 1000001000) < 1000);
}

static void damage_is_dropped(void)
{
	for (unsigned bit = 20; bit < 64; bit++) {
		for (unsigned which = 0; which < 20; which++) {
			trace_clock_init(&tested, HZ);
			for (uint64_t i = 0; i < 20; i++) {
				uint64_t flip = i == which ? UINT64_C(1) << bit : 0;

				trace_clock_add(&tested, START + i * HZ,
						(1000 + i * 1000000000) ^ flip, 10);
			}
			trace_clock_finish(&tested);
			CHECK(distance(trace_clock_ns(&tested, START + HZ * 21 / 2), 10500001000) <=
			      2000000);
			trace_clock_init(&tested, HZ);
			for (uint64_t i = 0; i < 20; i++) {
				uint64_t flip = i == which ? UINT64_C(1) << bit : 0;

				trace_clock_add(&tested, (START + i * HZ) ^ flip,
						1000 + i * 1000000000, 10);
			}
			trace_clock_finish(&tested);
			CHECK(distance(trace_clock_ns(&tested, START + HZ * 21 / 2), 10500001000) <=
			      2000000);
		}
	}
}

/* A machine that slept: the counter went on, CLOCK_MONOTONIC did not. */
static void sleep_stays(void)
{
	trace_clock_init(&tested, HZ);
	for (uint64_t i = 0; i < 20; i++)
		trace_clock_add(&tested, START + (i < 10 ? i : i + 3600) * HZ,
				1000 + i * 1000000000, 10);
	trace_clock_finish(&tested);
	CHECK(distance(trace_clock_ns(&tested, START + 9 * HZ), 9000001000) < 1000);
	CHECK(distance(trace_clock_ns(&tested, START + 3615 * HZ), 15000001000) < 1000);
}

static void nothing_is_known(void)
{
	trace_clock_init(&tested, 0);
	trace_clock_finish(&tested);
	CHECK(trace_clock_ns(&tested, 12345) == 12345);
	trace_clock_init(&tested, 1);
	trace_clock_add(&tested, UINT64_MAX, UINT64_MAX, 0);
	trace_clock_add(&tested, UINT64_MAX, INT64_MAX, 0);
	trace_clock_add(&tested, 1, 1, 0);
	trace_clock_finish(&tested);
	trace_clock_ns(&tested, 0);
	trace_clock_ns(&tested, UINT64_MAX);
}

/* Whatever a damaged session says, the difference of two times is one. */
static void differences_fit(void)
{
	const uint64_t ticks[] = {
		0, 1, UINT64_C(1) << 43, UINT64_C(1) << 44, UINT64_MAX / 2, UINT64_MAX};
	const uint64_t times[] = {0, 1, UINT64_C(1) << 61, UINT64_C(1) << 62, INT64_MAX};
	const uint64_t rates[] = {0, 1, 1000, HZ, UINT64_MAX};

	for (unsigned first = 0; first < 6; first++) {
		for (unsigned second = first; second < 6; second++) {
			for (unsigned i = 0; i < 5 * 5 * 5; i++) {
				trace_clock_init(&tested, rates[i % 5]);
				trace_clock_add(&tested, ticks[first], times[i / 5 % 5], 0);
				trace_clock_add(&tested, ticks[second], times[i / 25], 0);
				trace_clock_finish(&tested);
				for (unsigned j = 0; j < 6; j++) {
					int64_t ns = trace_clock_ns(&tested, ticks[j]);

					CHECK(ns <= CLOCK_FAR_NS && ns >= -CLOCK_FAR_NS);
				}
			}
		}
	}
}

int main(void)
{
	differences_fit();
	follows_a_steered_clock(20);
	follows_a_steered_clock(1000);
	follows_a_steered_clock(50000);
	pairs_are_exact();
	near_pairs_do_not_bend();
	damage_is_dropped();
	sleep_stays();
	nothing_is_known();
	return check_status();
}
