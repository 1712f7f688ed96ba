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

#include <stdbool.h>
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

static inline unsigned histogram_page(uint64_t value)
{
	/* Values below HISTOGRAM_STEPS have a bucket each, on the first page. */
	unsigned bits = 64u - (unsigned)__builtin_clzll(value | (HISTOGRAM_STEPS - 1));

	return bits - HISTOGRAM_STEP_BITS;
}

/* The same as histogram_add() of a value whose page is there; false: it is not, and nothing
 * was counted. Calls nothing, for functions that are as short as that. */
static inline bool histogram_try(struct histogram *histogram, uint64_t value)
{
	unsigned page = histogram_page(value);
	unsigned shift = page - (page > 0);
	uint64_t *buckets = histogram->pages[page];

	if (__builtin_expect(!buckets, 0))
		return false;
	buckets[(value >> shift) & (HISTOGRAM_STEPS - 1)]++;
	if (value < histogram->min || !histogram->count)
		histogram->min = value;
	if (value > histogram->max)
		histogram->max = value;
	histogram->count++;
	histogram->sum += value;
	return true;
}

/* Returns 0 or -ENOMEM (not counted). */
static inline int histogram_add(struct histogram *histogram, uint64_t value)
{
	int status = 0;

	while (__builtin_expect(!histogram_try(histogram, value), 0) && !status)
		status = histogram_grow(histogram, histogram_page(value));
	return status;
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
