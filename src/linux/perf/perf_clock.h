/* SPDX-License-Identifier: MIT */
/* From the kernel's time stamps to the session's. Perf is asked to stamp with
 * CLOCK_MONOTONIC (use_clockid), which is the same whatever the machine; ticks
 * are that clock itself, or the time-stamp counter. In the latter case a pair
 * (ns, ticks) is read at each drain, and what was stamped between two drains
 * lies on the straight line between their pairs. doc/KERNEL.md has the error.
 * One thread.
 *
 *	perf_clock_begin(&clock, control->clock_source);
 *	...
 *	perf_clock_advance(&clock);          before each drain
 *	uint64_t ticks = perf_clock_ticks(&clock, ns);
 */
#ifndef TANDEM_LINUX_PERF_CLOCK_H
#define TANDEM_LINUX_PERF_CLOCK_H

#include <stdint.h>

#include "format/ticks.h"

struct perf_clock {
	enum tandem_clock_source source;
	struct ticks_pair before, now;
};

void perf_clock_begin(struct perf_clock *clock, enum tandem_clock_source source);

/* Reads the next pair. The line is drawn fresh only when the pairs are far
 * enough apart to say something of its slope. */
void perf_clock_advance(struct perf_clock *clock);

/* To within a tick of the line, which goes on beyond its pairs. */
uint64_t perf_clock_ticks(const struct perf_clock *clock, uint64_t ns);

#endif
