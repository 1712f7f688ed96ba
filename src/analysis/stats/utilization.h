/* SPDX-License-Identifier: MIT */
/* How long a device was busy: length of the union of intervals that come in any
 * order. What lies before a moment that no later interval can reach is summed up
 * and forgotten; the caller says when (utilization_flush). Between two such moments
 * memory holds the intervals of the commands in flight, joined where they touch,
 * UTILIZATION_MOST at most: beyond that the earlier half is forgotten, and an interval
 * that comes for it later counts no more (`late`). One thread.
 *
 *	struct utilization utilization = {0};
 *	utilization_add(&utilization, start_ns, end_ns);
 *	utilization_flush(&utilization);                  no command is in flight
 *	uint64_t ns = utilization_sum(&utilization);
 *	utilization_free(&utilization);
 */
#ifndef TANDEM_ANALYSIS_STATS_UTILIZATION_H
#define TANDEM_ANALYSIS_STATS_UTILIZATION_H

#include <stddef.h>
#include <stdint.h>

#define UTILIZATION_MOST (1u << 19)

struct utilization_interval {
	uint64_t start, end;
};

struct utilization_list {
	struct utilization_interval *items;
	size_t count, capacity;
};

struct utilization {
	struct utilization_list joined; /* in order, apart from each other */
	struct utilization_list strays; /* too far back to be put in order at once */
	uint64_t settled_ns;
	uint64_t frontier; /* everything before is settled */
	uint64_t late;	   /* intervals that came for what was settled */
};

/* start <= end. Returns 0 or -ENOMEM. */
int utilization_add(struct utilization *utilization, uint64_t start, uint64_t end);

/* All intervals to come begin after the ones that came. Returns 0 or -ENOMEM. */
int utilization_flush(struct utilization *utilization);

/* Length of the union so far. */
uint64_t utilization_sum(struct utilization *utilization);

void utilization_free(struct utilization *utilization);

#endif
