/* SPDX-License-Identifier: MIT */
/* Ticks, the unit of every time stamp of a session: the time-stamp counter where it is
 * invariant, else CLOCK_MONOTONIC in ns. The recorder decides (recorder/session/clock.h), and says
 * it in the control page. Any thread; a signal handler; no errors.
 *
 *	uint64_t now = ticks_read(TANDEM_CLOCK_COUNTER);
 *	struct ticks_pair pair;
 *
 *	ticks_pair_read(&pair, TANDEM_CLOCK_COUNTER, 4);
 */
#ifndef TANDEM_FORMAT_TICKS_H
#define TANDEM_FORMAT_TICKS_H

#include <stdint.h>
#include <time.h>

#include "util/counter.h"

enum tandem_clock_source {
	TANDEM_CLOCK_COUNTER = 1, /* time-stamp counter (x86 TSC, Arm CNTVCT) */
	TANDEM_CLOCK_MONOTONIC,	  /* CLOCK_MONOTONIC, ns */
};

/* One instant on both clocks. */
struct ticks_pair {
	uint64_t ticks, monotonic_ns;
	uint32_t error; /* the two readings are at most so many ticks apart */
};

static inline uint64_t ticks_read(uint32_t source)
{
	if (__builtin_expect(source != TANDEM_CLOCK_MONOTONIC, 1))
		return counter_read();
	return counter_clock_ns(CLOCK_MONOTONIC);
}

/* The closest of so many tries. */
void ticks_pair_read(struct ticks_pair *pair, uint32_t source, unsigned tries);

#endif
