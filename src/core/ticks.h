/* SPDX-License-Identifier: MIT */
/* The session's clock, of which the control page says what it is (format/ticks.h).
 *
 *   uint64_t begin = tandem_ticks();     // about 9 ns, any thread, no errors
 */
#ifndef TANDEM_CORE_TICKS_H
#define TANDEM_CORE_TICKS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "core/control.h"
#include "format/ticks.h"

static inline uint64_t tandem_monotonic_ns(void)
{
	return counter_clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t tandem_ticks(void)
{
	return ticks_read(tandem_control.clock_source);
}

/* The same for the two stamps of a call, where every sink that there is has a clock of its own
 * and no trace of ours is written: 0, as nobody reads them (sinks/attach.c). */
extern bool tandem_calls_unstamped __attribute__((visibility("hidden")));

/* Not inline: each wrapper would have it twice, a tenth of them all. */
uint64_t tandem_call_ticks_monotonic(void) __attribute__((visibility("hidden")));

static inline uint64_t tandem_call_ticks(void)
{
	if (__builtin_expect(tandem_control.clock_source != TANDEM_CLOCK_MONOTONIC, 1))
		return counter_read();
	return tandem_call_ticks_monotonic();
}

#endif
