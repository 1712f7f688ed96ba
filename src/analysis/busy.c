#include "analysis/busy.h"

#include <errno.h>
#include <stdlib.h>

#include "util/array.h"

/* So many unsorted ones are let gather before they are put in order. */
#define BUSY_BATCH 1024u

static int interval_compare(const void *a, const void *b)
{
	const struct busy_interval *left = a, *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
}

/* Puts all in order and joins those that touch. The unsorted ones are few next
 * to the sorted, but they may belong anywhere. */
static void busy_sort(struct busy *busy)
{
	struct busy_interval *intervals = busy->intervals;
	size_t kept = 0;

	if (busy->sorted == busy->count)
		return;
	qsort(intervals, busy->count, sizeof(*intervals), interval_compare);
	for (size_t i = 1; i < busy->count; i++) {
		if (intervals[i].start > intervals[kept].end)
			intervals[++kept] = intervals[i];
		else if (intervals[i].end > intervals[kept].end)
			intervals[kept].end = intervals[i].end;
	}
	busy->count = kept + 1;
	busy->sorted = busy->count;
}

/* Sums up the first `count`, which are in order. */
static void busy_forget(struct busy *busy, size_t count)
{
	for (size_t i = 0; i < count; i++)
		busy->settled_ns += busy->intervals[i].end - busy->intervals[i].start;
	if (count)
		busy->frontier = busy->intervals[count - 1].end;
	for (size_t i = count; i < busy->count; i++)
		busy->intervals[i - count] = busy->intervals[i];
	busy->count -= count;
	busy->sorted = busy->count;
}

int busy_add(struct busy *busy, uint64_t start, uint64_t end)
{
	struct busy_interval *last;

	if (start < busy->frontier) {
		busy->late++;
		start = busy->frontier;
		if (end <= start)
			return 0;
	}
	last = busy->count ? &busy->intervals[busy->count - 1] : NULL;
	if (last && busy->sorted == busy->count && start >= last->start && start <= last->end) {
		if (end > last->end)
			last->end = end;
		return 0;
	}
	if (array_reserve(&busy->intervals, &busy->capacity, busy->count + 1,
			  sizeof(*busy->intervals)))
		return -ENOMEM;
	if (busy->sorted == busy->count && (!last || start > last->end))
		busy->sorted++;
	busy->intervals[busy->count++] = (struct busy_interval){start, end};
	/* Sorting costs by all of them: wait for as many new ones. */
	if (busy->count - busy->sorted > BUSY_BATCH + busy->sorted)
		busy_sort(busy);
	if (busy->count >= BUSY_MOST) {
		busy_sort(busy);
		if (busy->count >= BUSY_MOST / 2)
			busy_forget(busy, busy->count / 2);
	}
	return 0;
}

void busy_settle(struct busy *busy)
{
	if (!busy->count)
		return;
	busy_sort(busy);
	busy_forget(busy, busy->count);
}

uint64_t busy_sum(struct busy *busy)
{
	uint64_t sum = busy->settled_ns;

	busy_sort(busy);
	for (size_t i = 0; i < busy->count; i++)
		sum += busy->intervals[i].end - busy->intervals[i].start;
	return sum;
}

void busy_free(struct busy *busy)
{
	free(busy->intervals);
	*busy = (struct busy){.count = 0};
}
