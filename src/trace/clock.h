/* SPDX-License-Identifier: MIT */
/* The session's clock: ticks of the records to CLOCK_MONOTONIC ns, by straight
 * lines between pairs (ticks, ns) that were read together. Every packet brings a
 * pair; however many there are, at most CLOCK_KNOTS lines are kept, so that a
 * long trace needs no more memory than a short one. The result never runs
 * backwards. One thread, as a conversion remembers its line; others convert by
 * trace_clock_ns_by(), each with a line of its own.
 *
 *	struct trace_clock clock;
 *	trace_clock_init(&clock, ticks_hz);
 *	trace_clock_add(&clock, ticks, ns, error_ticks);     any number, any order
 *	trace_clock_finish(&clock);
 *	int64_t ns = trace_clock_ns(&clock, ticks);
 */
#ifndef TANDEM_TRACE_CLOCK_H
#define TANDEM_TRACE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define CLOCK_KNOTS 512u

struct trace_clock_pair {
	uint64_t ticks;
	uint64_t ns;
	uint64_t error_ticks; /* how far apart the two were read at most */
};

struct trace_clock_line {
	uint64_t ticks; /* from here ... */
	uint64_t width; /* ... so many ticks */
	int64_t ns;	/* at `ticks` */
	uint64_t slope; /* ns per tick, times 2^CLOCK_SHIFT */
};

#define CLOCK_SHIFT 44
#define CLOCK_HALF (UINT64_C(1) << (CLOCK_SHIFT - 1))

struct trace_clock {
	struct trace_clock_pair pairs[2 * CLOCK_KNOTS];
	size_t pair_count;
	struct trace_clock_line lines[CLOCK_KNOTS];
	size_t line_count;
	const struct trace_clock_line *line; /* of the latest conversion */
	uint64_t ticks_hz;
	/* Once finished: a converted time is this far off at most, as long as
	 * the counter's rate changes no more within a line than from it to the
	 * next. */
	uint64_t error_ns;
};

/* ticks_hz is the nominal rate: it tells damaged pairs from sound ones, and
 * serves outside the pairs and between pairs too close to each other. 0: not
 * known, nanoseconds are assumed until pairs say better. */
void trace_clock_init(struct trace_clock *clock, uint64_t ticks_hz);

void trace_clock_add(struct trace_clock *clock, uint64_t ticks, uint64_t ns, uint64_t error_ticks);

/* Draws the lines. */
void trace_clock_finish(struct trace_clock *clock);

/* Once finished: what to add to the counter, at its nominal rate, for the time at
 * the first pair. */
int64_t trace_clock_offset_ns(const struct trace_clock *clock);

/* Once finished: how much faster CLOCK_MONOTONIC ran than the counter at its
 * nominal rate, from the first pair to the last. */
double trace_clock_drift_ppm(const struct trace_clock *clock);

/* Finds the line of `ticks`; trace_clock_ns() calls it when the latest one does
 * not do. */
const struct trace_clock_line *trace_clock_find(const struct trace_clock *clock, uint64_t ticks);

/* Back again: the ticks of a time, to within a tick. */
uint64_t trace_clock_ticks(const struct trace_clock *clock, int64_t ns);

/* No time is beyond it (146 years) on either side of 0: the difference of any two fits. */
#define CLOCK_FAR_NS ((INT64_C(1) << 62) - 1)

/* What lies beyond CLOCK_FAR_NS saturates. */
int64_t trace_clock_far(const struct trace_clock_line *line, uint64_t ticks);

/* `latest` is the caller's own line of its latest conversion: clock->lines at first. */
static inline int64_t trace_clock_ns_by(const struct trace_clock *clock,
					const struct trace_clock_line **latest, uint64_t ticks)
{
	const struct trace_clock_line *line = *latest;
	uint64_t behind = ticks - line->ticks;

	if (__builtin_expect(behind >= line->width, 0)) {
		line = *latest = trace_clock_find(clock, ticks);
		behind = ticks - line->ticks;
	}
	if (__builtin_expect(behind >> 44, 0))
		return trace_clock_far(line, ticks);
	return line->ns +
	       (int64_t)(((unsigned __int128)behind * line->slope + CLOCK_HALF) >> CLOCK_SHIFT);
}

static inline int64_t trace_clock_ns(struct trace_clock *clock, uint64_t ticks)
{
	return trace_clock_ns_by(clock, &clock->line, ticks);
}

#endif
