/* SPDX-License-Identifier: MIT */
/* Means of successive samples, in bounded memory: up to 32 batches of equal size.
 * When all are full, neighbours are joined and batches hold twice as many. What
 * follows one another in a run is alike (a warm cache, a busy machine), so that
 * single samples are no independent ones; means of long batches nearly are (the
 * method of batch means of simulations). 280 bytes. One thread.
 *
 *	struct batches batches = {0};
 *	double means[BATCHES_MOST];
 *
 *	batches_add(&batches, ns);
 *	count = batches_means(&batches, means);
 */
#ifndef TANDEM_ANALYSIS_STATS_BATCHES_H
#define TANDEM_ANALYSIS_STATS_BATCHES_H

#include <stdint.h>

#define BATCHES_MOST 32u

struct batches {
	uint64_t each;	  /* samples of a full batch; 0: 1 */
	uint64_t current; /* samples of the one that is being filled */
	unsigned full;	  /* batches before that */
	uint64_t sums[BATCHES_MOST];
};

/* All are full: half as many, of twice the size. */
void batches_join(struct batches *batches);

static inline void batches_add(struct batches *batches, uint64_t value)
{
	batches->sums[batches->full] += value;
	if (++batches->current < batches->each)
		return;
	batches->current = 0;
	if (__builtin_expect(++batches->full == BATCHES_MOST, 0))
		batches_join(batches);
}

/* Means of the full batches, in the order of time; returns how many: with 32 samples
 * or more 16 at least, with fewer one for each. */
unsigned batches_means(const struct batches *batches, double means[BATCHES_MOST]);

#endif
