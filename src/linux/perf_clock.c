/* SPDX-License-Identifier: MIT */
#include "linux/perf_clock.h"

#include "core/ticks.h"

/* With 50 ns of doubt at both ends, a slope of 10 ppm. */
#define LINE_MIN_NS 10000000u

static void pair_read(struct perf_clock_pair *pair, enum tandem_clock_source source)
{
	uint64_t best = UINT64_MAX;

	if (source == TANDEM_CLOCK_MONOTONIC) {
		pair->ns = pair->ticks = tandem_monotonic_ns();
		pair->error = 0;
		return;
	}
	for (int i = 0; i < 8; i++) {
		uint64_t early = counter_read();
		uint64_t ns = tandem_monotonic_ns();
		uint64_t late = counter_read();

		if (late - early < best) {
			best = late - early;
			pair->ticks = early + best / 2;
			pair->ns = ns;
		}
	}
	pair->error = best > UINT32_MAX ? UINT32_MAX : (uint32_t)best;
}

void perf_clock_begin(struct perf_clock *clock, enum tandem_clock_source source)
{
	clock->source = source;
	pair_read(&clock->before, source);
	clock->now = clock->before;
}

void perf_clock_advance(struct perf_clock *clock)
{
	if (clock->now.ns - clock->before.ns >= LINE_MIN_NS)
		clock->before = clock->now;
	pair_read(&clock->now, clock->source);
}

uint64_t perf_clock_ticks(const struct perf_clock *clock, uint64_t ns)
{
	const struct perf_clock_pair *before = &clock->before, *now = &clock->now;
	__int128 ticks;

	if (clock->source == TANDEM_CLOCK_MONOTONIC || now->ns == before->ns)
		return now->ticks + (ns - now->ns);
	/* From `now`: it is the nearer pair, and what was stamped lies before it. */
	ticks = (__int128)(int64_t)(ns - now->ns) * (int64_t)(now->ticks - before->ticks);
	ticks /= (int64_t)(now->ns - before->ns);
	return now->ticks + (uint64_t)(int64_t)ticks;
}
