/* SPDX-License-Identifier: MIT */
/* The processor's time-stamp counter and CLOCK_MONOTONIC, as both sides of
 * Tandem read them. Any thread; a signal handler; no errors.
 *
 * counter_read() is meaningful as a clock only where the counter is invariant
 * (recorder/session/clock.h decides); elsewhere it is CLOCK_MONOTONIC.
 */
#ifndef TANDEM_UTIL_COUNTER_H
#define TANDEM_UTIL_COUNTER_H

#include <stdint.h>
#include <time.h>

static inline uint64_t counter_clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t counter_read(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t count;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
	return count;
#else
	return counter_clock_ns(CLOCK_MONOTONIC);
#endif
}

#endif
