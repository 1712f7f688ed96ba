/* SPDX-License-Identifier: MIT */
#include "analysis/stats/batches.h"

#include <string.h>

void batches_join(struct batches *batches)
{
	for (unsigned i = 0; i < BATCHES_MOST / 2; i++)
		batches->sums[i] = batches->sums[2 * i] + batches->sums[2 * i + 1];
	memset(batches->sums + BATCHES_MOST / 2, 0, sizeof(batches->sums) / 2);
	batches->full = BATCHES_MOST / 2;
	batches->each = batches->each ? 2 * batches->each : 2;
}

unsigned batches_means(const struct batches *batches, double means[BATCHES_MOST])
{
	double each = batches->each ? (double)batches->each : 1;

	for (unsigned i = 0; i < batches->full; i++)
		means[i] = (double)batches->sums[i] / each;
	return batches->full;
}
