/* SPDX-License-Identifier: MIT */
#include "linux/perf/perf_clock.h"

/* With 50 ns of doubt at both ends, a slope of 10 ppm. */
#define LINE_MIN_NS 10000000u
#define PAIR_TRIES 8u

void perf_clock_begin(struct perf_clock *clock, enum tandem_clock_source source)
{
	clock->source = source;
	ticks_pair_read(&clock->before, source, PAIR_TRIES);
	clock->now = clock->before;
}

void perf_clock_advance(struct perf_clock *clock)
{
	if (clock->now.monotonic_ns - clock->before.monotonic_ns >= LINE_MIN_NS)
		clock->before = clock->now;
	ticks_pair_read(&clock->now, clock->source, PAIR_TRIES);
}

uint64_t perf_clock_ticks(const struct perf_clock *clock, uint64_t ns)
{
	const struct ticks_pair *before = &clock->before, *now = &clock->now;
	__int128 ticks;

	if (clock->source == TANDEM_CLOCK_MONOTONIC || now->monotonic_ns == before->monotonic_ns)
		return now->ticks + (ns - now->monotonic_ns);
	/* From `now`: it is the nearer pair, and what was stamped lies before it. */
	ticks = (__int128)(int64_t)(ns - now->monotonic_ns) * (int64_t)(now->ticks - before->ticks);
	ticks /= (int64_t)(now->monotonic_ns - before->monotonic_ns);
	return now->ticks + (uint64_t)(int64_t)ticks;
}
