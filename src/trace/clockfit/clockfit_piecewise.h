/* SPDX-License-Identifier: MIT */
/* The course of a device clock: stretches, one after another, made of
 * constraints in the order of host time. Where one contradicts the line so far,
 * the next few decide whether the line broke there or the constraint is wrong.
 *
 * Owner: a fit. One thread.
 */
#ifndef TANDEM_TRACE_CLOCKFIT_PIECEWISE_H
#define TANDEM_TRACE_CLOCKFIT_PIECEWISE_H

#include <stddef.h>

#include "trace/clockfit/clockfit_segment.h"

/* So many constraints are looked at, from one that contradicts the line on. */
#define CLOCKFIT_TRIAL_CONSTRAINTS 32

struct clockfit_piecewise {
	struct clockfit_model model;
	size_t limit; /* most stretches to keep; 0: no limit */

	struct clockfit_segment *stretches; /* all but the last are sealed */
	size_t count, capacity;
	int64_t reached; /* x of the latest constraint */

	struct clockfit_constraint trial[CLOCKFIT_TRIAL_CONSTRAINTS];
	size_t trial_count;

	uint64_t outliers, late, forgotten; /* see struct clockfit_stats */
	uint64_t steps;			    /* of stretches that are gone */
};

/* The course may not move in memory: its stretches borrow the model. */
void clockfit_piecewise_init(struct clockfit_piecewise *course, const struct clockfit_model *model,
			     size_t limit);
void clockfit_piecewise_free(struct clockfit_piecewise *course);

/* Adds one. If it is from before the latest, it is loosened by what the clock
 * can have drifted since. Returns 0 or -ENOMEM. */
int clockfit_piecewise_add(struct clockfit_piecewise *course,
			   struct clockfit_constraint constraint);

/* Gets the stretches ready to be asked, as if no more came; more may come.
 * Returns 0 or -ENOMEM. */
int clockfit_piecewise_close(struct clockfit_piecewise *course);

/* The host times, within [*earliest, *latest], at which the clock can show a
 * device time in [low, high]; INT64_MIN and INT64_MAX where nothing is known.
 * Returns 0, or -EDOM where there are none: then both are the host time at which
 * it came nearest to them. */
int clockfit_piecewise_find(struct clockfit_piecewise *course, int64_t low, int64_t high,
			    int64_t *earliest, int64_t *latest);

uint64_t clockfit_piecewise_steps(const struct clockfit_piecewise *course);
size_t clockfit_piecewise_memory_bytes(const struct clockfit_piecewise *course);

#endif
