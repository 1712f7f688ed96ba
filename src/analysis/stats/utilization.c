#include "analysis/stats/utilization.h"

#include <errno.h>
#include <stdlib.h>

#include "util/array.h"

/* An interval belongs near the end nearly always: so far back is looked for its
 * place. */
#define BUSY_LOOK_BACK 32u

/* So many strays are let gather before they are put in order. */
#define BUSY_STRAYS 1024u

static int interval_compare(const void *a, const void *b)
{
	const struct busy_interval *left = a, *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
}

static int list_add(struct busy_list *list, struct busy_interval interval)
{
	if (array_reserve(&list->items, &list->capacity, list->count + 1, sizeof(*list->items)))
		return -ENOMEM;
	list->items[list->count++] = interval;
	return 0;
}

/* Joins what touches, in a list that is in order of start from `from` on. */
static void list_join(struct busy_list *list, size_t from)
{
	struct busy_interval *items = list->items;
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
static int busy_sort(struct busy *busy)
{
	struct busy_list *joined = &busy->joined;

	if (!busy->strays.count)
		return 0;
	for (size_t i = 0; i < busy->strays.count; i++) {
		if (list_add(joined, busy->strays.items[i]))
			return -ENOMEM;
	}
	busy->strays.count = 0;
	qsort(joined->items, joined->count, sizeof(*joined->items), interval_compare);
	list_join(joined, 0);
	return 0;
}

/* Sums up the first `count`. */
static void busy_forget(struct busy *busy, size_t count)
{
	struct busy_list *joined = &busy->joined;

	for (size_t i = 0; i < count; i++)
		busy->settled_ns += joined->items[i].end - joined->items[i].start;
	if (count)
		busy->frontier = joined->items[count - 1].end;
	for (size_t i = count; i < joined->count; i++)
		joined->items[i - count] = joined->items[i];
	joined->count -= count;
}

/* Puts the interval behind item `at` - 1, whose start is not later. */
static int busy_insert(struct busy *busy, size_t at, struct busy_interval interval)
{
	struct busy_list *joined = &busy->joined;
	struct busy_interval *items = joined->items;

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

int busy_add(struct busy *busy, uint64_t start, uint64_t end)
{
	struct busy_interval interval = {start, end};
	size_t at = busy->joined.count, looked = 0;
	int status;

	if (start < busy->frontier) {
		busy->late++;
		interval.start = busy->frontier;
		if (end <= interval.start)
			return 0;
	}
	while (at && interval.start < busy->joined.items[at - 1].start &&
	       looked++ < BUSY_LOOK_BACK)
		at--;
	if (!at || interval.start >= busy->joined.items[at - 1].start)
		status = busy_insert(busy, at, interval);
	else
		status = list_add(&busy->strays, interval);
	/* Sorting costs by all of them: wait for as many strays. */
	if (!status && busy->strays.count > BUSY_STRAYS + busy->joined.count)
		status = busy_sort(busy);
	if (!status && busy->joined.count + busy->strays.count >= BUSY_MOST) {
		status = busy_sort(busy);
		if (!status && busy->joined.count >= BUSY_MOST / 2)
			busy_forget(busy, busy->joined.count / 2);
	}
	return status;
}

int busy_settle(struct busy *busy)
{
	int status = busy_sort(busy);

	if (!status)
		busy_forget(busy, busy->joined.count);
	return status;
}

uint64_t busy_sum(struct busy *busy)
{
	uint64_t sum;

	/* Without memory to sort in, the strays are left out. */
	if (busy_sort(busy))
		busy->strays.count = 0;
	sum = busy->settled_ns;
	for (size_t i = 0; i < busy->joined.count; i++)
		sum += busy->joined.items[i].end - busy->joined.items[i].start;
	return sum;
}

void busy_free(struct busy *busy)
{
	free(busy->joined.items);
	free(busy->strays.items);
	*busy = (struct busy){.late = 0};
}
