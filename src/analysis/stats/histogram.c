/* SPDX-License-Identifier: MIT */
#include "analysis/stats/histogram.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

int histogram_grow(struct histogram *histogram, unsigned page)
{
	histogram->pages[page] = calloc(HISTOGRAM_STEPS, sizeof(uint64_t));
	return histogram->pages[page] ? 0 : -ENOMEM;
}

/* The middle of a bucket. */
static uint64_t bucket_value(unsigned page, unsigned step)
{
	uint64_t low;

	if (!page)
		return step;
	low = (uint64_t)(HISTOGRAM_STEPS + step) << (page - 1);
	return low + ((UINT64_C(1) << (page - 1)) - 1) / 2;
}

uint64_t histogram_percentile(const struct histogram *histogram, double part)
{
	double rank = ceil(part * (double)histogram->count);
	uint64_t wanted = rank < 1 ? 1 : (uint64_t)rank;
	uint64_t seen = 0;

	for (unsigned page = 0; page < HISTOGRAM_PAGES; page++) {
		for (unsigned step = 0; histogram->pages[page] && step < HISTOGRAM_STEPS; step++) {
			uint64_t value = bucket_value(page, step);

			seen += histogram->pages[page][step];
			if (seen < wanted)
				continue;
			if (value < histogram->min)
				return histogram->min;
			return value > histogram->max ? histogram->max : value;
		}
	}
	return histogram->max;
}

double histogram_mean(const struct histogram *histogram)
{
	return histogram->count ? (double)histogram->sum / (double)histogram->count : 0;
}

void histogram_visit(const struct histogram *histogram,
		     void (*visit)(void *user, uint64_t least, uint64_t most, uint64_t count),
		     void *user)
{
	for (unsigned page = 0; page < HISTOGRAM_PAGES; page++) {
		for (unsigned step = 0; histogram->pages[page] && step < HISTOGRAM_STEPS; step++) {
			uint64_t count = histogram->pages[page][step];
			uint64_t width = page ? UINT64_C(1) << (page - 1) : 1;
			uint64_t least = page ? (HISTOGRAM_STEPS + step) * width : step;

			if (count)
				visit(user, least, least + width - 1, count);
		}
	}
}

void histogram_free(struct histogram *histogram)
{
	for (unsigned page = 0; page < HISTOGRAM_PAGES; page++)
		free(histogram->pages[page]);
	*histogram = (struct histogram){.count = 0};
}
