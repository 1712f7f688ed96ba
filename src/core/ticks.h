/* SPDX-License-Identifier: MIT */
/* The session's clock: a 64-bit count of ticks, the time-stamp counter where
 * it is invariant, else CLOCK_MONOTONIC in ns. `tandem record` decides once
 * and says it in the control page.
 *
 *   uint64_t begin = tandem_ticks();     // about 9 ns, any thread, no errors
 */
#ifndef TANDEM_CORE_TICKS_H
#define TANDEM_CORE_TICKS_H

#include <stdint.h>
#include <time.h>

#include "core/control.h"
#include "util/counter.h"

static inline uint64_t tandem_monotonic_ns(void)
{
	return counter_clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t tandem_ticks(void)
{
	if (tandem_likely(tandem_control.clock_source != TANDEM_CLOCK_MONOTONIC))
		return counter_read();
	return tandem_monotonic_ns();
}

/* One instant on both clocks. The two readings are at most *error ticks apart
 * (the best of a few tries). */
void tandem_ticks_pair(uint64_t *ticks, uint64_t *monotonic_ns, uint32_t *error);

#endif
