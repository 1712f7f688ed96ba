/* From the kernel's time stamps to the session's. Perf is asked to stamp with
 * CLOCK_MONOTONIC (use_clockid), which is the same whatever the machine; ticks
 * are that clock itself, or the time-stamp counter. In the latter case a pair
 * (ns, ticks) is read at each drain, and what was stamped between two drains
 * lies on the straight line between their pairs. doc/KERNEL.md has the error.
 * One thread.
 *
 *	kernel_timeline_begin(&timeline, control->clock_source);
 *	...
 *	kernel_timeline_advance(&timeline);          before each drain
 *	uint64_t ticks = kernel_timeline_ticks(&timeline, ns);
 */
#ifndef TANDEM_LINUX_TIMELINE_H
#define TANDEM_LINUX_TIMELINE_H

#include <stdint.h>

#include "schema/control.h"

struct kernel_pair {
	uint64_t ns, ticks;
	uint32_t error; /* ticks between the two readings, at most */
};

struct kernel_timeline {
	enum tandem_clock_source source;
	struct kernel_pair before, now;
};

void kernel_timeline_begin(struct kernel_timeline *timeline, enum tandem_clock_source source);

/* Reads the next pair. The line is drawn anew only when the pairs are far
 * enough apart to say something of its slope. */
void kernel_timeline_advance(struct kernel_timeline *timeline);

/* To within a tick of the line, which goes on beyond its pairs. */
uint64_t kernel_timeline_ticks(const struct kernel_timeline *timeline, uint64_t ns);

#endif
