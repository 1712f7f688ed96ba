/* SPDX-License-Identifier: MIT */
#include "analysis/stats/running_median.h"

#include <string.h>

/* Where the value is, or would be. */
static size_t place(const struct running_median *median, int64_t value)
{
	size_t from = 0, to = median->count;

	while (from < to) {
		size_t middle = (from + to) / 2;

		if (median->sorted[middle] < value)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

void running_median_add(struct running_median *median, int64_t value)
{
	int64_t *sorted = median->sorted;
	size_t at;

	if (median->count == RUNNING_MEDIAN_MOST) {
		at = place(median, median->latest[median->next]);
		median->count--;
		memmove(sorted + at, sorted + at + 1, (median->count - at) * sizeof(*sorted));
	}
	at = place(median, value);
	memmove(sorted + at + 1, sorted + at, (median->count - at) * sizeof(*sorted));
	sorted[at] = value;
	median->count++;
	median->latest[median->next] = value;
	median->next = (median->next + 1) % RUNNING_MEDIAN_MOST;
}

int64_t running_median_get(const struct running_median *median)
{
	return median->count ? median->sorted[(median->count - 1) / 2] : 0;
}

int64_t running_median_low(const struct running_median *median, unsigned parts)
{
	return median->count ? median->sorted[(median->count - 1) / parts] : 0;
}
