/* SPDX-License-Identifier: MIT */
#include "analysis/sched/recent.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define APART_NS 5000

/* Of several threads, so many that end later may have begun before. */
#define AT_ONCE 16u

static struct recent_interval *interval_at(const struct recent *recent, uint64_t number)
{
	return &recent->intervals[number & (recent->capacity - 1)];
}

static uint64_t oldest(const struct recent *recent)
{
	return recent->count > recent->capacity ? recent->count - recent->capacity : 0;
}

/* Twice as many, of which the latest are as they were. */
static int grow(struct recent *recent)
{
	struct recent more = {.count = recent->count,
			      .capacity = recent->capacity ? 2 * recent->capacity : RECENT_LEAST};

	more.intervals = calloc(more.capacity, sizeof(*more.intervals));
	if (!more.intervals)
		return -ENOMEM;
	for (uint64_t i = oldest(recent); i < recent->count; i++)
		*interval_at(&more, i) = *interval_at(recent, i);
	free(recent->intervals);
	*recent = more;
	return 0;
}

/* The next one would take the place of one that may be asked for. */
static bool is_full(const struct recent *recent, int64_t now_ns)
{
	return recent->count >= recent->capacity && recent->capacity < RECENT_MOST &&
	       (!recent->capacity ||
		now_ns - interval_at(recent, oldest(recent))->to_ns < RECENT_NS);
}

int recent_add(struct recent *recent, int64_t from_ns, int64_t to_ns)
{
	struct recent_interval *last =
		recent->count ? interval_at(recent, recent->count - 1) : NULL;

	if (last && from_ns >= last->to_ns && from_ns - last->to_ns < APART_NS) {
		last->to_ns = to_ns;
		last->ns += to_ns - from_ns;
		return 0;
	}
	if (is_full(recent, to_ns) && grow(recent))
		return -ENOMEM;
	*interval_at(recent, recent->count++) =
		(struct recent_interval){from_ns, to_ns, to_ns - from_ns};
	return 0;
}

/* The first that ends behind `ns`; the count where none does. */
static uint64_t first_behind(const struct recent *recent, int64_t ns)
{
	uint64_t high = recent->count, low = oldest(recent);

	if (low < high && interval_at(recent, high - 1)->to_ns <= ns)
		return high;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (interval_at(recent, middle)->to_ns > ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

int64_t recent_search(const struct recent *recent, int64_t from_ns, int64_t to_ns)
{
	uint64_t i = first_behind(recent, to_ns) + AT_ONCE;
	int64_t sum = 0, edge_ns = to_ns;

	for (i = i < recent->count ? i : recent->count; i > oldest(recent); i--) {
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
	memset(recent, 0, sizeof(*recent));
}
