/* SPDX-License-Identifier: MIT */
#include "trace/clock.h"
#include "util/order/compare.h"

#include <stdbool.h>
#include <stdlib.h>

/* Pairs nearer than this are not worth a line: the pairs' own error (some 100
 * ns) would bend it by more than the counter's true rate ever changes. */
#define LINE_MIN_NS 20000000u

/* How far a sound pair may lie off its neighbours at the nominal rate. A short
 * calibration of the rate can be wrong by some 10^-4. */
#define PAIR_TOLERANCE_NS 1000000.0
#define PAIR_TOLERANCE_RATE 0.002

/* Keeps the product in trace_clock_ns_by() within 61 bits; a counter of 8 kHz. */
#define SLOPE_MAX (UINT64_C(1) << 61)

/* No pair is later: 73 years after the machine's start. With the product above, times are
 * below CLOCK_FAR_NS, so that the difference of any two has a sign. */
#define PAIR_MAX_NS (UINT64_C(1) << 61)

void trace_clock_init(struct trace_clock *clock, uint64_t ticks_hz)
{
	clock->pair_count = 0;
	clock->line_count = 0;
	clock->ticks_hz = ticks_hz;
	clock->line = NULL;
	clock->error_ns = 0;
}

static double clock_tick_ns(const struct trace_clock *clock)
{
	return clock->ticks_hz ? 1e9 / (double)clock->ticks_hz : 1;
}

static int pair_compare(const void *a, const void *b)
{
	const struct trace_clock_pair *left = a, *right = b;

	return COMPARE(left->ticks, right->ticks) ?: COMPARE(left->error_ticks, right->error_ticks);
}

/* Whether the two lie on one line of the nominal rate. */
static bool pair_agrees(const struct trace_clock_pair *a, const struct trace_clock_pair *b,
			double tick_ns)
{
	double passed = ((double)b->ticks - (double)a->ticks) * tick_ns;
	double off = ((double)b->ns - (double)a->ns) - passed;
	double allowed = PAIR_TOLERANCE_NS + (passed < 0 ? -passed : passed) * PAIR_TOLERANCE_RATE;

	return off <= allowed && off >= -allowed;
}

/* Drops pairs that damage put elsewhere: those that agree with neither
 * neighbour, while the neighbours agree with each other. Two sound pairs that
 * disagree (the machine slept between) stay. At an edge the next two serve. */
static void clock_drop_outliers(struct trace_clock *clock)
{
	struct trace_clock_pair *pairs = clock->pairs;
	double tick_ns = clock_tick_ns(clock);
	size_t count = clock->pair_count, kept = 0;

	if (!clock->ticks_hz)
		return;
	for (size_t i = 0; i < count; i++) {
		struct trace_clock_pair pair = pairs[i];
		size_t a = kept ? kept - 1 : i + 2;
		size_t b = i + 1 < count ? i + 1 : kept - 2;
		bool odd = a < count && b < count && pair_agrees(&pairs[a], &pairs[b], tick_ns) &&
			   !pair_agrees(&pairs[a], &pair, tick_ns) &&
			   !pair_agrees(&pairs[b], &pair, tick_ns);

		if (!odd)
			pairs[kept++] = pair;
	}
	clock->pair_count = kept;
}

/* Sorts, and of each stretch of ticks keeps the sharpest pair, so that at most
 * CLOCK_KNOTS stay. The first and the last stay whatever comes: they span the
 * session. Returns the stretch, at least min_stretch. */
static uint64_t clock_thin(struct trace_clock *clock, uint64_t min_stretch)
{
	struct trace_clock_pair *pairs = clock->pairs;
	size_t count, kept = 1;
	uint64_t stretch;

	qsort(pairs, clock->pair_count, sizeof(*pairs), pair_compare);
	clock_drop_outliers(clock);
	count = clock->pair_count;
	if (count < 3)
		return min_stretch;
	stretch = min_stretch;
	if (count > CLOCK_KNOTS)
		stretch = (pairs[count - 1].ticks - pairs[0].ticks) / (CLOCK_KNOTS - 3) + 1;
	if (stretch < min_stretch)
		stretch = min_stretch;
	for (size_t i = 1; i + 1 < count; i++) {
		bool same = kept > 1 && (pairs[i].ticks - pairs[0].ticks) / stretch ==
						(pairs[kept - 1].ticks - pairs[0].ticks) / stretch;

		if (!same)
			pairs[kept++] = pairs[i];
		else if (pairs[i].error_ticks < pairs[kept - 1].error_ticks)
			pairs[kept - 1] = pairs[i];
	}
	pairs[kept++] = pairs[count - 1];
	clock->pair_count = kept;
	return stretch;
}

void trace_clock_add(struct trace_clock *clock, uint64_t ticks, uint64_t ns, uint64_t error_ticks)
{
	/* Both are 0 where a window was reserved and never begun. */
	if (!ticks || ns > PAIR_MAX_NS)
		return;
	if (clock->pair_count == sizeof(clock->pairs) / sizeof(*clock->pairs))
		clock_thin(clock, 1);
	clock->pairs[clock->pair_count++] = (struct trace_clock_pair){ticks, ns, error_ticks};
}

/* Rounded down, so that a line ends no later than the next one begins. */
static uint64_t slope_of(uint64_t ns, uint64_t ticks)
{
	unsigned __int128 slope = ((unsigned __int128)ns << CLOCK_SHIFT) / ticks;

	return slope < 1 ? 1 : slope > SLOPE_MAX ? SLOPE_MAX : (uint64_t)slope;
}

/* Half the pairs' width, as the counter was read at its middle. What is between
 * pairs is worst in the middle of a line whose rate went, unseen, to that of
 * the next and back: a quarter of its length, times the change. */
static uint64_t clock_error(const struct trace_clock *clock, uint64_t worst_ticks)
{
	double bend_ns = 0;

	for (size_t i = 0; i + 2 < clock->line_count; i++) {
		const struct trace_clock_line *line = &clock->lines[i];
		double change = ((double)line[1].slope - (double)line->slope) /
				(double)(UINT64_C(1) << CLOCK_SHIFT);
		uint64_t ticks = line->width > line[1].width ? line->width : line[1].width;
		double off_ns = (change < 0 ? -change : change) * (double)ticks / 4;

		if (off_ns > bend_ns)
			bend_ns = off_ns;
	}
	return (uint64_t)((double)worst_ticks / 2 * clock_tick_ns(clock) + bend_ns) + 1;
}

void trace_clock_finish(struct trace_clock *clock)
{
	struct trace_clock_line *lines = clock->lines;
	uint64_t min_stretch = (uint64_t)(LINE_MIN_NS / clock_tick_ns(clock)) + 1;
	uint64_t stretch = clock_thin(clock, min_stretch);
	uint64_t slope = slope_of(1000000000, clock->ticks_hz ? clock->ticks_hz : 1000000000);
	uint64_t worst_ticks = 0;
	size_t count = 0;

	for (size_t i = 0; i < clock->pair_count; i++) {
		const struct trace_clock_pair *pair = &clock->pairs[i];
		struct trace_clock_line *last = count ? &lines[count - 1] : NULL;
		uint64_t passed;

		if (pair->error_ticks > worst_ticks)
			worst_ticks = pair->error_ticks;
		if (!last) {
			lines[count++] =
				(struct trace_clock_line){pair->ticks, 0, (int64_t)pair->ns, slope};
			continue;
		}
		passed = pair->ticks - last->ticks;
		/* Stretches side by side may end in two near pairs. */
		if (!passed || passed < stretch / 2 || (int64_t)pair->ns <= last->ns)
			continue;
		last->width = passed;
		last->slope = slope_of(pair->ns - (uint64_t)last->ns, passed);
		lines[count++] =
			(struct trace_clock_line){pair->ticks, 0, (int64_t)pair->ns, last->slope};
	}
	if (!count)
		lines[count++] = (struct trace_clock_line){0, 0, 0, slope};
	lines[count - 1].width = UINT64_MAX - lines[count - 1].ticks;
	clock->line_count = count;
	clock->line = lines;
	clock->error_ns = clock_error(clock, worst_ticks);
}

int64_t trace_clock_offset_ns(const struct trace_clock *clock)
{
	const struct trace_clock_line *first = clock->lines;
	uint64_t hz = clock->ticks_hz ? clock->ticks_hz : 1000000000u;

	return (int64_t)((uint64_t)first->ns -
			 (uint64_t)((unsigned __int128)first->ticks * 1000000000u / hz));
}

double trace_clock_drift_ppm(const struct trace_clock *clock)
{
	const struct trace_clock_line *first = clock->lines;
	const struct trace_clock_line *last = &clock->lines[clock->line_count - 1];
	double nominal_ns = (double)(last->ticks - first->ticks) * clock_tick_ns(clock);

	return nominal_ns > 0 ? ((double)(last->ns - first->ns) / nominal_ns - 1) * 1e6 : 0;
}

const struct trace_clock_line *trace_clock_find(const struct trace_clock *clock, uint64_t ticks)
{
	size_t low = 0, high = clock->line_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (clock->lines[middle].ticks <= ticks)
			low = middle;
		else
			high = middle;
	}
	return &clock->lines[low];
}

int64_t trace_clock_far(const struct trace_clock_line *line, uint64_t ticks)
{
	bool before = ticks < line->ticks;
	uint64_t off = before ? line->ticks - ticks : ticks - line->ticks;
	unsigned __int128 ns = ((unsigned __int128)off * line->slope + CLOCK_HALF) >> CLOCK_SHIFT;
	__int128 sum = line->ns;

	sum += before ? -(__int128)ns : (__int128)ns;
	return sum > CLOCK_FAR_NS    ? CLOCK_FAR_NS
	       : sum < -CLOCK_FAR_NS ? -CLOCK_FAR_NS
				     : (int64_t)sum;
}

uint64_t trace_clock_ticks(const struct trace_clock *clock, int64_t ns)
{
	const struct trace_clock_line *line;
	size_t low = 0, high = clock->line_count;
	__int128 ticks;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (clock->lines[middle].ns <= ns)
			low = middle;
		else
			high = middle;
	}
	line = &clock->lines[low];
	ticks = (__int128)(ns - line->ns) * ((__int128)1 << CLOCK_SHIFT) / (__int128)line->slope;
	ticks += line->ticks;
	return ticks < 0 ? 0 : ticks > (__int128)UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}
