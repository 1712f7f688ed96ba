/* SPDX-License-Identifier: MIT */
#include "trace/clockfit/clockfit_tangent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

void clockfit_tangent_init(struct clockfit_tangent *tangent, int64_t slope, size_t limit)
{
	*tangent = (struct clockfit_tangent){.slope = slope, .limit = limit};
}

void clockfit_tangent_free(struct clockfit_tangent *tangent)
{
	free(tangent->points);
	tangent->points = NULL;
	tangent->first = tangent->count = tangent->capacity = 0;
}

/* > 0 where the way from a to c rises more steeply than the way from a to b.
 * b and c are right of a. */
static int turn(const struct clockfit_point *a, const struct clockfit_point *b,
		const struct clockfit_point *c)
{
	clockfit_wide to_b = (clockfit_wide)(b->y - a->y) * (c->x - a->x);
	clockfit_wide to_c = (clockfit_wide)(c->y - a->y) * (b->x - a->x);

	return (to_c > to_b) - (to_c < to_b);
}

/* > 0 where the point is above the line of the slope through the vertex. */
static int side(const struct clockfit_point *vertex, int64_t slope,
		const struct clockfit_point *point)
{
	clockfit_wide rise = (clockfit_wide)(point->y - vertex->y) * CLOCKFIT_RATE_ONE;
	clockfit_wide line = (clockfit_wide)slope * (point->x - vertex->x);

	return (rise > line) - (rise < line);
}

bool clockfit_tangent_test(struct clockfit_tangent *tangent, struct clockfit_point point,
			   struct clockfit_touch *touch)
{
	const struct clockfit_point *points = tangent->points;
	size_t last = tangent->count - 1, i = tangent->first;

	*touch = (struct clockfit_touch){i, tangent->slope};
	tangent->steps++;
	if (tangent->first == tangent->count)
		return true;
	if (points[last].x == point.x) {
		if (point.y < points[last].y)
			return false;
		last--;
		if (i == tangent->count - 1)
			return true;
	}
	if (side(&points[i], tangent->slope, &point) >= 0)
		return true;

	/* The slopes from the vertices to the point first fall, then rise. */
	while (i < last && turn(&points[i], &points[i + 1], &point) <= 0) {
		tangent->steps++;
		i++;
	}
	touch->vertex = i;
	touch->slope = clockfit_rate_up(point.y - points[i].y, point.x - points[i].x);
	return true;
}

void clockfit_tangent_turn(struct clockfit_tangent *tangent, const struct clockfit_touch *touch)
{
	tangent->first = touch->vertex;
	tangent->slope = touch->slope;
}

/* The line may touch a later vertex than it did, now that one was added. */
static void slide(struct clockfit_tangent *tangent)
{
	const struct clockfit_point *points = tangent->points;

	while (tangent->first + 1 < tangent->count &&
	       side(&points[tangent->first], tangent->slope, &points[tangent->first + 1]) > 0) {
		tangent->steps++;
		tangent->first++;
	}
}

/* Drops every second vertex between the touched one and the last. */
static void thin(struct clockfit_tangent *tangent)
{
	struct clockfit_point *points = tangent->points;
	size_t kept = tangent->first + 1;

	tangent->steps += tangent->count - tangent->first;
	for (size_t i = tangent->first + 2; i + 1 < tangent->count; i += 2)
		points[kept++] = points[i];
	points[kept++] = points[tangent->count - 1];
	tangent->count = kept;
}

static int make_room(struct clockfit_tangent *tangent)
{
	size_t live = tangent->count - tangent->first;

	if (tangent->limit && live >= tangent->limit) {
		thin(tangent);
		live = tangent->count - tangent->first;
	}
	if (tangent->count < tangent->capacity)
		return 0;
	/* Half of it forgotten: moving the rest costs less than was pushed. */
	if (tangent->first > live) {
		memmove(tangent->points, tangent->points + tangent->first,
			live * sizeof(*tangent->points));
		tangent->steps += live;
		tangent->first = 0;
		tangent->count = live;
		return 0;
	}
	return array_reserve(&tangent->points, &tangent->capacity, tangent->count + 1,
			     sizeof(*tangent->points));
}

int clockfit_tangent_push(struct clockfit_tangent *tangent, struct clockfit_point point)
{
	struct clockfit_point *points;
	size_t count;
	int error = make_room(tangent);

	if (error < 0)
		return error;
	points = tangent->points;
	count = tangent->count;
	if (count > tangent->first && points[count - 1].x == point.x) {
		if (point.y <= points[count - 1].y)
			return 0;
		count--;
	}
	while (count >= tangent->first + 2 &&
	       turn(&points[count - 2], &points[count - 1], &point) >= 0) {
		tangent->steps++;
		count--;
	}
	points[count++] = point;
	tangent->count = count;
	tangent->steps++;
	slide(tangent);
	return 0;
}
