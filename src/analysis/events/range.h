/* SPDX-License-Identifier: MIT */
/* A stretch of time that a pass over the session is asked about, on CLOCK_MONOTONIC
 * in ns; its end is excluded. What is counted (calls, commands, builds, allocations)
 * counts where it begins, whole; what is a share of time (states of threads, how
 * busy a device was, depths of queues) counts as far as it lies inside. Any thread.
 *
 *	struct range range = RANGE_WHOLE;
 *
 *	if (range_holds(&range, event->ns))
 *		count++;
 *	within_ns += range_within(&range, begin_ns, end_ns);
 */
#ifndef TANDEM_ANALYSIS_EVENTS_RANGE_H
#define TANDEM_ANALYSIS_EVENTS_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct range {
	int64_t from_ns, to_ns;
};

#define RANGE_WHOLE ((struct range){INT64_MIN, INT64_MAX})

static inline bool range_is_whole(const struct range *range)
{
	return range->from_ns == INT64_MIN && range->to_ns == INT64_MAX;
}

static inline bool range_holds(const struct range *range, int64_t ns)
{
	return ns >= range->from_ns && ns < range->to_ns;
}

/* One that counts from `start_ns`, on the clock on which that lies. */
static inline struct range range_since(const struct range *range, int64_t start_ns)
{
	struct range moved = *range;

	/* A begin and an end that is none stay so; what would lie beyond them is none. */
	if (moved.from_ns > INT64_MIN &&
	    __builtin_add_overflow(moved.from_ns, start_ns, &moved.from_ns))
		moved.from_ns = start_ns < 0 ? INT64_MIN : INT64_MAX;
	if (moved.to_ns < INT64_MAX && __builtin_add_overflow(moved.to_ns, start_ns, &moved.to_ns))
		moved.to_ns = start_ns < 0 ? INT64_MIN : INT64_MAX;
	return moved;
}

/* The nearest moment in it, its end included. */
static inline int64_t range_clamp(const struct range *range, int64_t ns)
{
	return ns < range->from_ns ? range->from_ns : ns > range->to_ns ? range->to_ns : ns;
}

/* How much of [begin_ns, end_ns) lies inside. */
static inline uint64_t range_within(const struct range *range, int64_t begin_ns, int64_t end_ns)
{
	int64_t from = begin_ns > range->from_ns ? begin_ns : range->from_ns;
	int64_t to = end_ns < range->to_ns ? end_ns : range->to_ns;

	return to > from ? (uint64_t)(to - from) : 0;
}

#endif
