/* SPDX-License-Identifier: MIT */
/* Distribution of durations: counts in buckets whose width grows with the value,
 * 32 to a factor of two, so that a percentile is at most 1.6 % off. Smallest,
 * largest, sum and number are exact. 480 bytes when empty, 256 more for each
 * factor of two that occurs. One thread.
 *
 *	struct histogram histogram = {0};
 *	histogram_add(&histogram, ns);
 *	uint64_t median = histogram_percentile(&histogram, 0.5);
 *	histogram_free(&histogram);
 */
#ifndef TANDEM_ANALYSIS_STATS_HISTOGRAM_H
#define TANDEM_ANALYSIS_STATS_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_STEP_BITS 5u
#define HISTOGRAM_STEPS (1u << HISTOGRAM_STEP_BITS)
#define HISTOGRAM_PAGES (64u - HISTOGRAM_STEP_BITS + 1u)

struct histogram {
	uint64_t count, sum, min, max;
	uint64_t *pages[HISTOGRAM_PAGES]; /* HISTOGRAM_STEPS counters each */
};

/* Page of a value that has none yet. Returns 0 or -ENOMEM. */
int histogram_grow(struct histogram *histogram, unsigned page);

/* Returns 0 or -ENOMEM (not counted). */
static inline int histogram_add(struct histogram *histogram, uint64_t value)
{
	/* Values below HISTOGRAM_STEPS have a bucket each. */
	unsigned bits = 64u - (unsigned)__builtin_clzll(value | HISTOGRAM_STEPS);
	unsigned page = bits - HISTOGRAM_STEP_BITS - (value < HISTOGRAM_STEPS);
	unsigned shift = page ? page - 1 : 0;

	if (__builtin_expect(!histogram->pages[page], 0) && histogram_grow(histogram, page))
		return -1;
	histogram->pages[page][(value >> shift) & (HISTOGRAM_STEPS - 1)]++;
	if (value < histogram->min || !histogram->count)
		histogram->min = value;
	if (value > histogram->max)
		histogram->max = value;
	histogram->count++;
	histogram->sum += value;
	return 0;
}

/* The value below or at which a share `part` (0 to 1) of all lies; 0 of none. */
uint64_t histogram_percentile(const struct histogram *histogram, double part);

double histogram_mean(const struct histogram *histogram);

/* Calls visit(user, smallest, largest value, count) for each bucket that has any, smallest
 * first. */
void histogram_visit(const struct histogram *histogram,
		     void (*visit)(void *user, uint64_t least, uint64_t most, uint64_t count),
		     void *user);

void histogram_free(struct histogram *histogram);

#endif
