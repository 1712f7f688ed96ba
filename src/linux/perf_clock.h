/* From the kernel's time stamps to the session's. Perf is asked to stamp with
 * CLOCK_MONOTONIC (use_clockid), which is the same whatever the machine; ticks
 * are that clock itself, or the time-stamp counter. In the latter case a pair
 * (ns, ticks) is read at each drain, and what was stamped between two drains
 * lies on the straight line between their pairs. doc/KERNEL.md has the error.
 * One thread.
 *
 *	perf_clock_begin(&timeline, control->clock_source);
 *	...
 *	perf_clock_advance(&timeline);          before each drain
 *	uint64_t ticks = perf_clock_ticks(&timeline, ns);
 */
#ifndef TANDEM_LINUX_PERF_CLOCK_H
#define TANDEM_LINUX_PERF_CLOCK_H

#include <stdint.h>

#include "schema/control.h"

struct linux_pair {
	uint64_t ns, ticks;
	uint32_t error; /* ticks between the two readings, at most */
};

struct perf_clock {
	enum tandem_clock_source source;
	struct linux_pair before, now;
};

void perf_clock_begin(struct perf_clock *timeline, enum tandem_clock_source source);

/* Reads the next pair. The line is drawn anew only when the pairs are far
 * enough apart to say something of its slope. */
void perf_clock_advance(struct perf_clock *timeline);

/* To within a tick of the line, which goes on beyond its pairs. */
uint64_t perf_clock_ticks(const struct perf_clock *timeline, uint64_t ns);

#endif
