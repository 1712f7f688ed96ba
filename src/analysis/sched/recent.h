/* SPDX-License-Identifier: MIT */
/* The latest intervals in which a thread, or one of several, was in some state: so many that
 * a short time which ended not long ago can be looked up, also where it is known only when a buffer
 * of a device's records came, or when a thread had waited for hundreds of commands. Intervals come
 * in the order of their ends. What was hardly apart is kept as one, with the part of it that was so.
 * One thread.
 *
 *	struct recent recent = {0};
 *	recent_add(&recent, from_ns, to_ns);
 *	int64_t ns = recent_within(&recent, from_ns, to_ns);
 *	recent_free(&recent);
 */
#ifndef TANDEM_ANALYSIS_SCHED_RECENT_H
#define TANDEM_ANALYSIS_SCHED_RECENT_H

#include <stdint.h>

struct recent_interval {
	int64_t from_ns, to_ns;
	int64_t ns; /* of these; may be more where it is of several threads */
};

struct recent {
	struct recent_interval *intervals; /* a ring, made at the first */
	uint64_t count, capacity;
};

/* RECENT_LEAST are always remembered; where more ended within RECENT_NS, these, up to RECENT_MOST. */
#define RECENT_LEAST 256u
#define RECENT_MOST 8192u
#define RECENT_NS INT64_C(2000000000)

/* Returns 0 or -ENOMEM. */
int recent_add(struct recent *recent, int64_t from_ns, int64_t to_ns);

int64_t recent_search(const struct recent *recent, int64_t from_ns, int64_t to_ns);

/* How much of that time lies in such intervals; once where several overlap. */
static inline int64_t recent_within(const struct recent *recent, int64_t from_ns, int64_t to_ns)
{
	uint64_t last = (recent->count - 1) & (recent->capacity - 1);

	/* Mostly none ended since. */
	return recent->count && recent->intervals[last].to_ns > from_ns
		       ? recent_search(recent, from_ns, to_ns)
		       : 0;
}

void recent_free(struct recent *recent);

#endif
