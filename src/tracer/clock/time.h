/* SPDX-License-Identifier: MIT */
/* Ticks of the session's clock in ns of CLOCK_MONOTONIC: a line through pairs of both, taken
 * every 20 ms of use and piecewise for what is older. Any thread; a signal handler. */
#ifndef TANDEM_TRACER_TIME_H
#define TANDEM_TRACER_TIME_H

#include <stdatomic.h>
#include <stdint.h>

#include "format/ticks.h"
#include "tracer/thread.h"

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

/* Where the thread's copy of the line is old, or there is none. */
uint64_t time_now_copy(uint64_t ticks);

static inline uint64_t time_now_ns(uint64_t ticks)
{
	const struct tracer_thread *thread = tracer_thread_here;

	if (__builtin_expect(!thread || ticks > thread->line.due, 0))
		return time_now_copy(ticks);
	return time_on_line(ticks, thread->line.ticks, thread->line.ns, thread->line.rate);
}

/* Ticks from `from` on, so many, of which the line is known: a reader's of many moments, who makes
 * it empty before the first. */
struct time_stretch {
	uint64_t from, ticks, ns;
	double rate;
};

/* The line around that moment, which is any since time_begin(). Not in a signal handler. */
void time_stretch_find(struct time_stretch *stretch, uint64_t ticks);

static inline uint64_t time_ns(struct time_stretch *stretch, uint64_t ticks)
{
	if (__builtin_expect(ticks - stretch->from >= stretch->ticks, 0))
		time_stretch_find(stretch, ticks);
	return time_on_line(ticks, stretch->from, stretch->ns, stretch->rate);
}

#endif
