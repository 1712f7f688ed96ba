/* SPDX-License-Identifier: MIT */
#include "analysis/sched/recent.h"

#include <errno.h>
#include <stdlib.h>

#define APART_NS 5000

/* Of several threads, so many that end later may have begun before. */
#define AT_ONCE 16u

static uint64_t most_of(const struct recent *recent)
{
	return recent->most ? recent->most : RECENT_USUAL;
}

static struct recent_interval *interval_at(const struct recent *recent, uint64_t number)
{
	return &recent->intervals[number % most_of(recent)];
}

int recent_add(struct recent *recent, int64_t from_ns, int64_t to_ns)
{
	struct recent_interval *last;

	if (!recent->intervals) {
		recent->intervals = calloc(most_of(recent), sizeof(*recent->intervals));
		if (!recent->intervals)
			return -ENOMEM;
	}
	last = recent->count ? interval_at(recent, recent->count - 1) : NULL;
	if (last && from_ns >= last->to_ns && from_ns - last->to_ns < APART_NS) {
		last->to_ns = to_ns;
		last->ns += to_ns - from_ns;
		return 0;
	}
	*interval_at(recent, recent->count++) =
		(struct recent_interval){from_ns, to_ns, to_ns - from_ns};
	return 0;
}

/* The first that ends behind `ns`; the count where none does. */
static uint64_t first_behind(const struct recent *recent, int64_t ns)
{
	uint64_t high = recent->count, low = high > most_of(recent) ? high - most_of(recent) : 0;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (interval_at(recent, middle)->to_ns > ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

int64_t recent_within(const struct recent *recent, int64_t from_ns, int64_t to_ns)
{
	uint64_t oldest = recent->count > most_of(recent) ? recent->count - most_of(recent) : 0;
	uint64_t i = first_behind(recent, to_ns) + AT_ONCE;
	int64_t sum = 0, edge_ns = to_ns;

	for (i = i < recent->count ? i : recent->count; i > oldest; i--) {
		const struct recent_interval *one = interval_at(recent, i - 1);
		int64_t from = one->from_ns > from_ns ? one->from_ns : from_ns;
		int64_t to = one->to_ns < edge_ns ? one->to_ns : edge_ns;

		if (one->to_ns < from_ns)
			break;
		if (to <= from)
			continue;
		sum += (int64_t)((double)one->ns * (double)(to - from) /
				 (double)(one->to_ns - one->from_ns));
		edge_ns = from;
	}
	return sum;
}

void recent_free(struct recent *recent)
{
	free(recent->intervals);
	recent->intervals = NULL;
	recent->count = 0;
}
