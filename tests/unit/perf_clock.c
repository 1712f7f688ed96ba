/* SPDX-License-Identifier: MIT */
/* From the kernel's time stamps to ticks: between and beyond the pairs, exact
 * where the clock is the same, and as good as the pairs where it is not. */
#include "linux/perf/perf_clock.h"

#include <time.h>

#include "check.h"

static void test_same_clock(void)
{
	struct perf_clock clock;

	perf_clock_begin(&clock, TANDEM_CLOCK_MONOTONIC);
	perf_clock_advance(&clock);
	CHECK(perf_clock_ticks(&clock, 123456789) == 123456789);
	CHECK(clock.now.error == 0);
}

static void test_line(void)
{
	/* 2.3 GHz, and pairs a tenth of a second apart. */
	struct perf_clock clock = {
		.source = TANDEM_CLOCK_COUNTER,
		.before = {.monotonic_ns = 5000000000000, .ticks = 11500000000000},
		.now = {.monotonic_ns = 5000100000000, .ticks = 11500230000000},
	};

	CHECK(perf_clock_ticks(&clock, 5000000000000) == 11500000000000);
	CHECK(perf_clock_ticks(&clock, 5000100000000) == 11500230000000);
	CHECK(perf_clock_ticks(&clock, 5000050000000) == 11500115000000);
	CHECK(perf_clock_ticks(&clock, 4999900000000) == 11499770000000);
	CHECK(perf_clock_ticks(&clock, 5000200000000) == 11500460000000);
	for (uint64_t ns = 5000000000000, last = 0; ns < 5000000000100; ns++) {
		uint64_t ticks = perf_clock_ticks(&clock, ns);

		CHECK(ticks >= last);
		last = ticks;
	}
}

/* The machine's own clocks: what is stamped between two pairs comes out within
 * their widths. */
static void test_real(void)
{
	static const struct timespec moment = {.tv_nsec = 12000000};
	struct perf_clock clock;
	struct ticks_pair truth[20];

	perf_clock_begin(&clock, TANDEM_CLOCK_COUNTER);
	for (int i = 0; i < 20; i++) {
		struct perf_clock one;

		nanosleep(&moment, NULL);
		perf_clock_begin(&one, TANDEM_CLOCK_COUNTER);
		truth[i] = one.now;
		if (i % 4 != 3)
			continue;
		perf_clock_advance(&clock);
		for (int k = i - 3; k <= i; k++) {
			int64_t off = (int64_t)(perf_clock_ticks(&clock, truth[k].monotonic_ns) -
						truth[k].ticks);

			if (off < 0)
				off = -off;
			/* Both ends of the line, the truth itself, and a rounding. */
			CHECK(off <=
			      (int64_t)clock.now.error + clock.before.error + truth[k].error + 2);
		}
	}
}

int main(void)
{
	test_same_clock();
	test_line();
	test_real();
	return check_status();
}
