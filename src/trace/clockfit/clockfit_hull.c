/* SPDX-License-Identifier: MIT */
#include "trace/clockfit/clockfit_hull.h"

#include <errno.h>
#include <stdlib.h>

#include "util/array.h"

void clockfit_hull_init(struct clockfit_hull *edge, size_t limit)
{
	*edge = (struct clockfit_hull){.limit = limit};
}

void clockfit_hull_free(struct clockfit_hull *edge)
{
	free(edge->points);
	edge->points = NULL;
	edge->count = edge->capacity = 0;
}

void clockfit_hull_trim(struct clockfit_hull *edge)
{
	size_t bytes = edge->count * sizeof(*edge->points);
	void *trimmed = bytes ? realloc(edge->points, bytes) : NULL;

	if (!trimmed)
		return;
	edge->points = trimmed;
	edge->capacity = edge->count;
}

/* How high the clock is at x at least, as it was at the point. */
static int64_t reach(const struct clockfit_point *point, const struct clockfit_rates *rates,
		     int64_t x)
{
	if (x >= point->x)
		return point->y + clockfit_gain_down(rates->low, x - point->x);
	return point->y - clockfit_gain_up(rates->high, point->x - x);
}

bool clockfit_hull_implies(const struct clockfit_hull *edge, struct clockfit_point point,
			   const struct clockfit_rates *rates)
{
	return edge->count && point.y <= reach(&edge->points[edge->count - 1], rates, point.x);
}

/* Puts a point behind the first `count` points, leaving out what follows from
 * others. Returns the new count. There is room. */
static size_t append(struct clockfit_hull *edge, size_t count, struct clockfit_point point,
		     const struct clockfit_rates *rates)
{
	struct clockfit_point *points = edge->points;

	edge->steps++;
	if (count && point.y <= reach(&points[count - 1], rates, point.x))
		return count;
	while (count && points[count - 1].y <= reach(&point, rates, points[count - 1].x)) {
		edge->steps++;
		count--;
	}
	points[count] = point;
	return count + 1;
}

void clockfit_hull_prune(struct clockfit_hull *edge, const struct clockfit_rates *rates)
{
	size_t kept = 0;

	for (size_t i = 0; i < edge->count; i++)
		kept = append(edge, kept, edge->points[i], rates);
	edge->count = kept;
}

/* Drops points that add little to what follows from their neighbours, never two
 * neighbours at once. */
static void thin(struct clockfit_hull *edge, const struct clockfit_rates *rates)
{
	struct clockfit_point *points = edge->points;
	size_t kept = 1;

	for (size_t i = 1; i + 1 < edge->count; i++) {
		int64_t left = reach(&points[kept - 1], rates, points[i].x);
		int64_t right = reach(&points[i + 1], rates, points[i].x);
		int64_t adds = points[i].y - (left > right ? left : right);

		if (adds <= edge->tolerance_ns) /* the next one stays */
			i++;
		points[kept++] = points[i];
	}
	if (edge->count > 1 && points[kept - 1].x != points[edge->count - 1].x)
		points[kept++] = points[edge->count - 1];
	edge->steps += edge->count;
	edge->count = kept;
}

int clockfit_hull_push(struct clockfit_hull *edge, struct clockfit_point point,
		       const struct clockfit_rates *rates, const struct clockfit_rates *learnt)
{
	if (edge->limit && edge->count >= edge->limit) {
		clockfit_hull_prune(edge, learnt);
		/* A quarter must go, so that the next pass is far away. The
		 * tolerance never falls: few of these turns in a whole run. */
		thin(edge, learnt);
		while (edge->count > edge->limit - edge->limit / 4) {
			edge->tolerance_ns += edge->tolerance_ns / 2 + 1;
			thin(edge, learnt);
		}
	}
	if (edge->count == edge->capacity &&
	    array_reserve(&edge->points, &edge->capacity, edge->count + 1, sizeof(*edge->points)) <
		    0)
		return -ENOMEM;
	edge->count = append(edge, edge->count, point, rates);
	return 0;
}

void clockfit_hull_straighten(struct clockfit_hull *edge)
{
	struct clockfit_point *points = edge->points;
	size_t kept = 0;

	for (size_t i = 0; i < edge->count; i++) {
		struct clockfit_point point = points[i];

		while (kept >= 2) {
			struct clockfit_point *a = &points[kept - 2], *b = &points[kept - 1];

			if ((clockfit_wide)(b->y - a->y) * (point.x - a->x) >
			    (clockfit_wide)(point.y - a->y) * (b->x - a->x))
				break;
			kept--;
		}
		points[kept++] = point;
	}
	edge->steps += edge->count;
	edge->count = kept;
}

void clockfit_hull_cut(struct clockfit_hull *edge, int64_t x)
{
	while (edge->count && edge->points[edge->count - 1].x > x)
		edge->count--;
}

int64_t clockfit_hull_value(const struct clockfit_hull *edge, const struct clockfit_rates *rates,
			    int64_t x)
{
	size_t low = 0, high = edge->count;
	int64_t value = CLOCKFIT_NO_EDGE;

	while (low < high) { /* the first point right of x */
		size_t middle = low + (high - low) / 2;

		if (edge->points[middle].x > x)
			high = middle;
		else
			low = middle + 1;
	}
	if (low > 0)
		value = reach(&edge->points[low - 1], rates, x);
	if (low < edge->count) {
		int64_t right = reach(&edge->points[low], rates, x);

		value = right > value ? right : value;
	}
	return value;
}

/* A point in host and device time, seen from the front, or turned by 180
 * degrees: then the upper edge is a lower one, and its points lie from the last
 * to the first. */
static struct clockfit_point look(const struct clockfit_hull *edge, size_t i, bool turned)
{
	struct clockfit_point point;

	if (turned) {
		point = edge->points[edge->count - 1 - i];
		point.x = -point.x;
	} else {
		point = edge->points[i];
	}
	point.y += point.x;
	return point;
}

/* Where the straight line from a to b, which is above a, shows `device`. */
static int64_t cross(const struct clockfit_point *a, const struct clockfit_point *b, int64_t device)
{
	clockfit_wide rise = b->y - a->y;
	clockfit_wide part = (clockfit_wide)(device - a->y) * (b->x - a->x);

	return a->x + (int64_t)((part + rise - 1) / rise);
}

/* The first point that is above; the count if there is none. */
static size_t first_above(struct clockfit_hull *edge, bool turned, int64_t device)
{
	size_t at = edge->latest, low = at > 2 ? at - 2 : 0, high = at + 2;

	/* Most searches end where the one before did, or near it. */
	if (at && at < edge->count && look(edge, at, turned).y > device &&
	    look(edge, at - 1, turned).y <= device)
		return at;
	if (low && (low >= edge->count || look(edge, low - 1, turned).y > device))
		low = 0;
	if (high >= edge->count || look(edge, high, turned).y <= device)
		high = edge->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (look(edge, middle, turned).y > device)
			high = middle;
		else
			low = middle + 1;
	}
	edge->latest = low;
	return low;
}

static inline int64_t latest(struct clockfit_hull *edge, const struct clockfit_rates *inverse,
			     bool straight, bool turned, int64_t device)
{
	size_t above = first_above(edge, turned, device);
	struct clockfit_point before = {0}, after;
	int64_t x = INT64_MAX, other;

	if (above > 0) {
		before = look(edge, above - 1, turned);
		other = device - before.y;
		x = before.x + other + clockfit_gain_up(inverse->high, other);
	}
	if (above < edge->count) {
		after = look(edge, above, turned);
		other = after.y - device;
		other = after.x - other - clockfit_gain_down(inverse->low, other);
		x = other < x ? other : x;
		if (straight && above > 0) {
			other = cross(&before, &after, device);
			x = other < x ? other : x;
		}
	}
	return x;
}

int64_t clockfit_hull_latest(struct clockfit_hull *edge, const struct clockfit_rates *inverse,
			     bool straight, int64_t device)
{
	return latest(edge, inverse, straight, false, device);
}

int64_t clockfit_hull_earliest(struct clockfit_hull *edge, const struct clockfit_rates *inverse,
			       bool straight, int64_t device)
{
	return -latest(edge, inverse, straight, true, -device);
}
