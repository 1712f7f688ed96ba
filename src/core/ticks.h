/* SPDX-License-Identifier: MIT */
/* The session's clock, of which the control page says what it is (format/ticks.h).
 *
 *   uint64_t begin = tandem_ticks();     // about 9 ns, any thread, no errors
 */
#ifndef TANDEM_CORE_TICKS_H
#define TANDEM_CORE_TICKS_H

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

#endif
