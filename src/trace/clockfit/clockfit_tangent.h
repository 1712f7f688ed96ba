/* SPDX-License-Identifier: MIT */
/* The steepest line that still passes above every point on its left and below
 * every point on its right: the points on the left are known by their upper
 * hull, and the line by the hull's vertex that it touches.
 *
 * Points come in the order of x. As the line only ever gets flatter, the touched
 * vertex only ever moves right, so that a point costs a constant number of steps
 * in the long run, and what lies left of the vertex is forgotten (the sliding
 * tangent of Elmeleegy et al. 2009, and O'Rourke 1981).
 *
 * The flattest line is the same thing with y negated.
 *
 * Owner: a segment. One thread.
 */
#ifndef TANDEM_TRACE_CLOCKFIT_TANGENT_H
#define TANDEM_TRACE_CLOCKFIT_TANGENT_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/clockfit/clockfit_rate.h"

struct clockfit_tangent {
	struct clockfit_point *points; /* the upper hull of the points on the left ... */
	size_t first, count;	       /* ... [first, count) */
	size_t capacity;
	size_t limit;	/* most vertices to keep; 0: no limit */
	int64_t slope;	/* the steepest that is still allowed */
	uint64_t steps; /* vertices visited so far: the work done */
};

/* A slope that would follow from one more point on the right. */
struct clockfit_touch {
	size_t vertex;
	int64_t slope;
};

void clockfit_tangent_init(struct clockfit_tangent *tangent, int64_t slope, size_t limit);
void clockfit_tangent_free(struct clockfit_tangent *tangent);

/* What the line must become to pass below a point that is not left of any point
 * pushed so far; changes nothing. False if the point is below one of the same x,
 * so that there is no such line. */
bool clockfit_tangent_test(struct clockfit_tangent *tangent, struct clockfit_point point,
			   struct clockfit_touch *touch);

/* Makes the line what clockfit_tangent_test() said. */
void clockfit_tangent_turn(struct clockfit_tangent *tangent, const struct clockfit_touch *touch);

/* Adds a point on the left, not left of any before. With a limit, vertices are
 * dropped when there are too many: the line can only be steeper for it. Returns
 * 0 or -ENOMEM (unchanged). */
int clockfit_tangent_push(struct clockfit_tangent *tangent, struct clockfit_point point);

#endif
