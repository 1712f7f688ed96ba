/* SPDX-License-Identifier: MIT */
/* The latest intervals in which a thread, or one of several, was in some state: so many that
 * a short time which ended not long ago can be looked up. Intervals come in the order of their
 * ends. What was hardly apart is kept as one, with the part of it that was so. One thread.
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
	uint64_t count;
	unsigned most; /* intervals that are remembered; 0: RECENT_USUAL. Set before the first */
};

/* More than a gap between commands has, or so short that they do not matter. */
#define RECENT_USUAL 256u

/* Returns 0 or -ENOMEM. */
int recent_add(struct recent *recent, int64_t from_ns, int64_t to_ns);

/* How much of that time lies in such intervals; once where several overlap. */
int64_t recent_within(const struct recent *recent, int64_t from_ns, int64_t to_ns);

void recent_free(struct recent *recent);

#endif
