/* SPDX-License-Identifier: MIT */
/* The median of the latest values, while they come. A value, of 4 KiB; one thread.
 *
 *	struct running_median median = {0};
 *
 *	running_median_add(&median, duration_ns);
 *	if (median.count >= RUNNING_MEDIAN_LEAST)
 *		... running_median_get(&median)
 */
#ifndef TANDEM_ANALYSIS_STATS_RUNNING_MEDIAN_H
#define TANDEM_ANALYSIS_STATS_RUNNING_MEDIAN_H

#include <stddef.h>
#include <stdint.h>

#define RUNNING_MEDIAN_MOST 255u
#define RUNNING_MEDIAN_LEAST 16u /* of fewer it says little */

struct running_median {
	int64_t latest[RUNNING_MEDIAN_MOST]; /* in their order, round and round */
	int64_t sorted[RUNNING_MEDIAN_MOST];
	size_t count, next;
};

void running_median_add(struct running_median *median, int64_t value);

/* 0 where there is none. Of an even count the lower of the two in the middle. */
int64_t running_median_get(const struct running_median *median);

/* That of which one of `parts` of the values is below; same. */
int64_t running_median_low(const struct running_median *median, unsigned parts);

#endif
