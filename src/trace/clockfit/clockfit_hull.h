/* SPDX-License-Identifier: MIT */
/* The lower edge of where a device clock can be: points that the clock is not
 * below, in the order of x, and between them what follows from the least and the
 * greatest rate that it can have (a cone from every point). Points that follow
 * from others are left out.
 *
 * The upper edge is the same thing with y negated, and the rates negated and
 * swapped.
 *
 * Owner: a segment. One thread.
 */
#ifndef TANDEM_TRACE_CLOCKFIT_HULL_H
#define TANDEM_TRACE_CLOCKFIT_HULL_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/clockfit/clockfit_rate.h"

struct clockfit_hull {
	struct clockfit_point *points;
	size_t count, capacity;
	size_t limit;	      /* most points to keep; 0: no limit */
	size_t latest;	      /* where the last search ended, and the next one tries */
	int64_t tolerance_ns; /* what thinning may give away at a point */
	uint64_t steps;	      /* points visited so far: the work done */
};

/* No edge: the clock can be anywhere. */
#define CLOCKFIT_NO_EDGE INT64_MIN

void clockfit_hull_init(struct clockfit_hull *edge, size_t limit);
void clockfit_hull_free(struct clockfit_hull *edge);

/* Gives back memory that is not needed while nothing is added. */
void clockfit_hull_trim(struct clockfit_hull *edge);

/* Does a point that is not left of any before follow from them? */
bool clockfit_hull_implies(const struct clockfit_hull *edge, struct clockfit_point point,
			   const struct clockfit_rates *rates);

/* Adds a point that is not left of any before. With a limit, thins the edge
 * when it is full, by `learnt` rates, which are narrower than `rates`. Returns 0
 * or -ENOMEM (unchanged). */
int clockfit_hull_push(struct clockfit_hull *edge, struct clockfit_point point,
		       const struct clockfit_rates *rates, const struct clockfit_rates *learnt);

/* Leaves out what follows from other points at these rates. */
void clockfit_hull_prune(struct clockfit_hull *edge, const struct clockfit_rates *rates);

/* Leaves only the upper hull: enough for a clock that runs straight. */
void clockfit_hull_straighten(struct clockfit_hull *edge);

/* Forgets the points right of x. */
void clockfit_hull_cut(struct clockfit_hull *edge, int64_t x);

/* Least y at x, rounded down; CLOCKFIT_NO_EDGE without points. The edge has been
 * pruned at these rates. */
int64_t clockfit_hull_value(const struct clockfit_hull *edge, const struct clockfit_rates *rates,
			    int64_t x);

/* The latest host time at which the device clock (x + y) can show `device`,
 * rounded up; `inverse` are the inverted rates. The edge has been pruned, and
 * straightened if `straight`. It has points. */
int64_t clockfit_hull_latest(struct clockfit_hull *edge, const struct clockfit_rates *inverse,
			     bool straight, int64_t device);

/* The same for the upper edge (y negated, but the rates of the clock itself): the
 * earliest host time, rounded down. */
int64_t clockfit_hull_earliest(struct clockfit_hull *edge, const struct clockfit_rates *inverse,
			       bool straight, int64_t device);

#endif
