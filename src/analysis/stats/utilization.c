/* SPDX-License-Identifier: MIT */
#include "analysis/stats/utilization.h"

#include <errno.h>
#include <stdlib.h>

#include "util/array.h"
#include "util/order/compare.h"

/* An interval belongs near the end nearly always: so far back is looked for its
 * place. */
#define UTILIZATION_LOOK_BACK 32u

/* So many strays are let gather before they are put in order. */
#define UTILIZATION_STRAYS 1024u

static int interval_compare(const void *a, const void *b)
{
	const struct utilization_interval *left = a, *right = b;

	return COMPARE(left->start, right->start);
}

static int list_add(struct utilization_list *list, struct utilization_interval interval)
{
	return ARRAY_ADD(list->items, list->capacity, list->count, interval);
}

/* Joins what touches, in a list that is in order of start from `from` on. */
static void list_join(struct utilization_list *list, size_t from)
{
	struct utilization_interval *items = list->items;
	size_t kept = from;

	for (size_t i = from + 1; i < list->count; i++) {
		if (items[i].start > items[kept].end)
			items[++kept] = items[i];
		else if (items[i].end > items[kept].end)
			items[kept].end = items[i].end;
	}
	if (list->count)
		list->count = kept + 1;
}

/* Puts all in order, strays included. Returns 0 or -ENOMEM. */
static int utilization_sort(struct utilization *utilization)
{
	struct utilization_list *joined = &utilization->joined;

	if (!utilization->strays.count)
		return 0;
	for (size_t i = 0; i < utilization->strays.count; i++) {
		if (list_add(joined, utilization->strays.items[i]))
			return -ENOMEM;
	}
	utilization->strays.count = 0;
	qsort(joined->items, joined->count, sizeof(*joined->items), interval_compare);
	list_join(joined, 0);
	return 0;
}

/* Sums up the first `count`. */
static void utilization_drop(struct utilization *utilization, size_t count)
{
	struct utilization_list *joined = &utilization->joined;

	for (size_t i = 0; i < count; i++)
		utilization->settled_ns += joined->items[i].end - joined->items[i].start;
	if (count)
		utilization->frontier = joined->items[count - 1].end;
	for (size_t i = count; i < joined->count; i++)
		joined->items[i - count] = joined->items[i];
	joined->count -= count;
}

/* Puts the interval behind item `at` - 1, whose start is not later. */
static int utilization_insert(struct utilization *utilization, size_t at,
			      struct utilization_interval interval)
{
	struct utilization_list *joined = &utilization->joined;
	struct utilization_interval *items = joined->items;

	if (at && interval.start <= items[at - 1].end) {
		if (interval.end <= items[at - 1].end)
			return 0;
		items[at - 1].end = interval.end;
		list_join(joined, at - 1);
		return 0;
	}
	if (list_add(joined, interval))
		return -ENOMEM;
	items = joined->items;
	for (size_t i = joined->count - 1; i > at; i--)
		items[i] = items[i - 1];
	items[at] = interval;
	list_join(joined, at);
	return 0;
}

int utilization_add(struct utilization *utilization, uint64_t start, uint64_t end)
{
	struct utilization_interval interval = {start, end};
	size_t at = utilization->joined.count, looked = 0;
	int status;

	if (start < utilization->frontier) {
		utilization->late++;
		interval.start = utilization->frontier;
		if (end <= interval.start)
			return 0;
	}
	while (at && interval.start < utilization->joined.items[at - 1].start &&
	       looked++ < UTILIZATION_LOOK_BACK)
		at--;
	if (!at || interval.start >= utilization->joined.items[at - 1].start)
		status = utilization_insert(utilization, at, interval);
	else
		status = list_add(&utilization->strays, interval);
	/* Sorting costs by all of them: wait for as many strays. */
	if (!status && utilization->strays.count > UTILIZATION_STRAYS + utilization->joined.count)
		status = utilization_sort(utilization);
	if (!status && utilization->joined.count + utilization->strays.count >= UTILIZATION_MOST) {
		status = utilization_sort(utilization);
		if (!status && utilization->joined.count >= UTILIZATION_MOST / 2)
			utilization_drop(utilization, utilization->joined.count / 2);
	}
	return status;
}

int utilization_flush(struct utilization *utilization)
{
	int status = utilization_sort(utilization);

	if (!status)
		utilization_drop(utilization, utilization->joined.count);
	return status;
}

uint64_t utilization_sum(struct utilization *utilization)
{
	uint64_t sum;

	/* Without memory to sort in, the strays are left out. */
	if (utilization_sort(utilization))
		utilization->strays.count = 0;
	sum = utilization->settled_ns;
	for (size_t i = 0; i < utilization->joined.count; i++)
		sum += utilization->joined.items[i].end - utilization->joined.items[i].start;
	return sum;
}

void utilization_free(struct utilization *utilization)
{
	free(utilization->joined.items);
	free(utilization->strays.items);
	*utilization = (struct utilization){.late = 0};
}
