/* SPDX-License-Identifier: MIT */
/* Ticks of the session's clock in ns of CLOCK_MONOTONIC: a line through pairs of both, taken
 * every 20 ms of use and piecewise for what is older. Any thread; a signal handler. */
#ifndef TANDEM_TRACER_TIME_H
#define TANDEM_TRACER_TIME_H

#include <stdatomic.h>
#include <stdint.h>

#include "format/ticks.h"

/* Before anything else. */
void time_begin(void);

/* In the child of a fork. */
void time_forked(void);

/* Takes a pair if the last one is old. No lock: where another thread is at it, nothing. */
void time_refresh(void);

/* The latest line: ns = ns0 + (ticks - ticks0) * rate. */
struct time_line {
	uint32_t source;	  /* enum tandem_clock_source */
	_Atomic uint32_t version; /* odd: it changes */
	_Atomic uint64_t ticks, ns;
	_Atomic double rate;
	_Atomic uint64_t due; /* ticks: when it is old */
};

extern struct time_line time_line __attribute__((visibility("hidden")));

static inline uint64_t time_on_line(uint64_t ticks, uint64_t from_ticks, uint64_t from_ns,
				    double rate)
{
	return from_ns + (uint64_t)(int64_t)((double)(int64_t)(ticks - from_ticks) * rate);
}

/* A moment near now: by the latest line, which is off by less than TIME_ERROR_NS. */
#define TIME_ERROR_NS 250u

static inline uint64_t time_now_ns(uint64_t ticks)
{
	uint64_t from_ticks, from_ns;
	uint32_t version;
	double rate;

	if (__builtin_expect(time_line.source == TANDEM_CLOCK_MONOTONIC, 0))
		return ticks;
	if (__builtin_expect(ticks > atomic_load_explicit(&time_line.due, memory_order_relaxed), 0))
		time_refresh();
	for (int turn = 0; turn < 100; turn++) {
		version = atomic_load_explicit(&time_line.version, memory_order_acquire);
		from_ticks = atomic_load_explicit(&time_line.ticks, memory_order_acquire);
		from_ns = atomic_load_explicit(&time_line.ns, memory_order_acquire);
		rate = atomic_load_explicit(&time_line.rate, memory_order_acquire);
		if (!(version & 1) &&
		    atomic_load_explicit(&time_line.version, memory_order_relaxed) == version)
			break;
	}
	return time_on_line(ticks, from_ticks, from_ns, rate);
}

/* Any moment since time_begin(): by the pairs around it. Not in a signal handler. */
uint64_t time_ns(uint64_t ticks);

#endif
