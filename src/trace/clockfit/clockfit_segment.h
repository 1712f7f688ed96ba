/* SPDX-License-Identifier: MIT */
/* A stretch of host time in which one line, give or take the allowed wander,
 * tells what a device clock shows: which constraints it has met, which rates and
 * which places they leave to the clock.
 *
 * Host time is x and device time minus host time is y, both from the fit's base;
 * a constraint is a floor (the clock is not below y at x) or a ceiling (not
 * above). Points left out are implied by others, or, with a limit, given up:
 * then the stretch knows less, never something wrong.
 *
 * Owner: a fit. One thread.
 */
#ifndef TANDEM_TRACE_CLOCKFIT_SEGMENT_H
#define TANDEM_TRACE_CLOCKFIT_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/clockfit/clockfit_hull.h"
#include "trace/clockfit/clockfit_rate.h"
#include "trace/clockfit/clockfit_tangent.h"

struct clockfit_model {
	int64_t drift;	/* every rate is within +- drift */
	int64_t wander; /* and no two rates of a stretch differ by more */
	size_t limit;	/* most points of an edge or a hull; 0: no limit */
};

enum clockfit_side { CLOCKFIT_FLOOR, CLOCKFIT_CEILING };

struct clockfit_constraint {
	struct clockfit_point point;
	enum clockfit_side side;
};

/* In `falling` and `ceilings`, y is negated. */
struct clockfit_segment {
	const struct clockfit_model *model;
	struct clockfit_tangent rising, falling; /* the steepest and the flattest line */
	struct clockfit_hull floors, ceilings;
	struct clockfit_rates rates, inverse; /* left when it was closed last */
	uint64_t constraints;
	int64_t begin, end;  /* x of the first and of the last constraint */
	int64_t first_floor; /* x; INT64_MAX while there is none */
	/* Where this stretch can be the truth. Neighbours overlap, as a break is
	 * somewhere between two constraints. */
	int64_t from, until;
};

/* `model` is borrowed. */
void clockfit_segment_init(struct clockfit_segment *stretch, const struct clockfit_model *model);
void clockfit_segment_free(struct clockfit_segment *stretch);

/* Can one more constraint, not left of `end`, be true as well? */
bool clockfit_segment_fits(struct clockfit_segment *stretch,
			   const struct clockfit_constraint *constraint);

/* Adds it. Returns 0, -EDOM (it contradicts the others; nothing changed) or
 * -ENOMEM (it may count in part, which is as true as the whole). */
int clockfit_segment_add(struct clockfit_segment *stretch,
			 const struct clockfit_constraint *constraint);

/* Gets the edges ready for the questions below. More may be added later. */
void clockfit_segment_close(struct clockfit_segment *stretch);

/* Closes for good, and gives back what only adding needs. */
void clockfit_segment_seal(struct clockfit_segment *stretch);

/* Finds where the break between two closed neighbours can be, sets the bounds of
 * both, and has the earlier one, which is sealed, forget what may belong to the
 * later. Returns 0 or -ENOMEM. */
int clockfit_segment_part(struct clockfit_segment *earlier, struct clockfit_segment *later);

/* Of a closed stretch: the host times at which it can show a time in [low, high];
 * INT64_MIN and INT64_MAX where nothing is known. */
void clockfit_segment_find(struct clockfit_segment *stretch, int64_t low, int64_t high,
			   int64_t *earliest, int64_t *latest);

/* Of a closed stretch: least and greatest y at x; INT64_MIN and INT64_MAX where
 * nothing is known. */
void clockfit_segment_range(const struct clockfit_segment *stretch, int64_t x, int64_t *least,
			    int64_t *greatest);

/* The difference of the two where it is least and where it is greatest, between
 * begin and end; INT64_MAX where it is not known. */
void clockfit_segment_width(const struct clockfit_segment *stretch, int64_t *narrowest,
			    int64_t *widest);

/* Work done so far, in points visited, and memory held. */
uint64_t clockfit_segment_steps(const struct clockfit_segment *stretch);
size_t clockfit_segment_memory_bytes(const struct clockfit_segment *stretch);

#endif
