/* SPDX-License-Identifier: MIT */
/* The session's clock, as the recorder reads it. */
#include "recorder/session/clock.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "util/counter.h"

static void pair_is_one_instant(const struct clock_source *source)
{
	struct clock_pair pair;
	uint64_t before = counter_clock_ns(CLOCK_MONOTONIC), after;

	clock_pair_read(source->source, &pair);
	after = counter_clock_ns(CLOCK_MONOTONIC);
	CHECK(before <= pair.monotonic_ns && pair.monotonic_ns <= after);
	CHECK(pair.width_ns > 0 && pair.width_ns <= after - before);
	CHECK(pair.realtime_ns > UINT64_C(1600000000) * 1000000000u);
}

/* Over 20 ms the rate must hold within what it says of itself. */
static void rate_holds(enum clock_request wish)
{
	static const struct timespec while_away = {.tv_nsec = 20000000};
	struct clock_source source;
	struct clock_pair early, start, end;
	double expected, ticks, slack;

	clock_choose(wish, &source);
	CHECK(source.reason && *source.reason);
	clock_pair_read(source.source, &early);
	start = early;
	clock_rate(&source, &early, &start);
	CHECK(source.origin && *source.origin);
	nanosleep(&while_away, NULL);
	clock_pair_read(source.source, &end);
	expected = (double)(end.monotonic_ns - start.monotonic_ns);
	ticks = (double)(end.ticks - start.ticks) * 1e9 / (double)source.ticks_hz;
	/* 200 ppm for a rate that was told: crystals, and NTP at work. */
	slack = expected * (source.error_ppm + 200) / 1e6 + (double)(start.width_ns + end.width_ns);
	CHECK(fabs(ticks - expected) <= slack);
	pair_is_one_instant(&source);
}

static void monotonic_is_exact(void)
{
	struct clock_source source;

	clock_choose(CLOCK_MONOTONIC_NS, &source);
	CHECK(source.source == TANDEM_CLOCK_MONOTONIC);
	CHECK(source.ticks_hz == 1000000000u && source.error_ppm == 0);
	CHECK(!strcmp(source.reason, "asked for"));
}

/* A machine that tells its rate is believed; else it is measured, and waited for
 * only as long as it takes. */
static void rate_is_measured(void)
{
	struct clock_source source = {.source = TANDEM_CLOCK_COUNTER};
	struct clock_pair early = {1000, 5000000, 0, 20};
	struct clock_pair late = {1000 + 2300000, 6000000, 0, 20};

	clock_rate(&source, &early, &late);
	CHECK(source.ticks_hz == UINT64_C(2300000000));
	CHECK(fabs(source.error_ppm - 20) < 0.01);
	CHECK(late.monotonic_ns == 6000000);

	source.ticks_hz = 24000000;
	clock_rate(&source, &early, &late);
	CHECK(source.ticks_hz == 24000000);
}

int main(void)
{
	rate_holds(CLOCK_AUTO);
	rate_holds(CLOCK_MONOTONIC_NS);
	monotonic_is_exact();
	rate_is_measured();
	return check_status();
}
