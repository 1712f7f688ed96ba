/* SPDX-License-Identifier: MIT */
#include "trace/clockfit/clockfit_piecewise.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

void clockfit_piecewise_init(struct clockfit_piecewise *course, const struct clockfit_model *model,
			     size_t limit)
{
	*course = (struct clockfit_piecewise){
		.model = *model,
		.limit = limit,
		.reached = INT64_MIN,
	};
}

/* The second one still learns from it where it began itself. */
static int forget_first(struct clockfit_piecewise *course)
{
	struct clockfit_segment *first = course->stretches;
	int error;

	clockfit_segment_close(first + 1);
	error = clockfit_segment_part(first, first + 1);
	course->steps += clockfit_segment_steps(first);
	clockfit_segment_free(first);
	course->count--;
	memmove(first, first + 1, course->count * sizeof(*first));
	course->forgotten++;
	return error;
}

void clockfit_piecewise_free(struct clockfit_piecewise *course)
{
	for (size_t i = 0; i < course->count; i++)
		clockfit_segment_free(&course->stretches[i]);
	free(course->stretches);
	course->stretches = NULL;
	course->count = course->capacity = 0;
}

static struct clockfit_segment *last_of(const struct clockfit_piecewise *course)
{
	return course->count ? &course->stretches[course->count - 1] : NULL;
}

static int push(struct clockfit_piecewise *course, const struct clockfit_segment *stretch)
{
	if (course->count == course->capacity &&
	    array_reserve(&course->stretches, &course->capacity, course->count + 1,
			  sizeof(*course->stretches)) < 0)
		return -ENOMEM;
	if (course->count)
		clockfit_segment_seal(last_of(course));
	course->stretches[course->count++] = *stretch;
	return 0;
}

/* Adds what is on trial to a stretch. Returns how many contradict it, or
 * -ENOMEM. */
static int add_trial(const struct clockfit_piecewise *course, struct clockfit_segment *stretch)
{
	int contradict = 0;

	for (size_t i = 0; i < course->trial_count; i++) {
		int error = clockfit_segment_add(stretch, &course->trial[i]);

		if (error == -ENOMEM)
			return error;
		contradict += error < 0;
	}
	return contradict;
}

/* The first constraint on trial contradicts the line. If a new line agrees with
 * more of them, the old one has ended; if not, those that contradict the old one
 * are wrong themselves. */
static int decide(struct clockfit_piecewise *course)
{
	struct clockfit_segment *old = last_of(course), fresh;
	int with_old = 0, with_fresh, error;

	for (size_t i = 0; old && i < course->trial_count; i++)
		with_old += !clockfit_segment_fits(old, &course->trial[i]);
	clockfit_segment_init(&fresh, &course->model);
	error = with_fresh = add_trial(course, &fresh);
	if (error >= 0 && old && with_fresh >= with_old)
		error = add_trial(course, old);
	else if (error >= 0 && push(course, &fresh) == 0)
		fresh = (struct clockfit_segment){0};
	else
		error = -ENOMEM;
	course->steps += clockfit_segment_steps(&fresh);
	clockfit_segment_free(&fresh);
	course->trial_count = 0;
	if (error < 0)
		return error;
	course->outliers += (uint64_t)error;
	return course->limit && course->count > course->limit ? forget_first(course) : 0;
}

/* False: the line broke since, so that the constraint says nothing of it now. */
static bool make_late(struct clockfit_piecewise *course, struct clockfit_constraint *constraint)
{
	struct clockfit_point *point = &constraint->point;
	int64_t drifted = clockfit_gain_up(course->model.drift, course->reached - point->x);

	course->late++;
	if ((course->count + course->forgotten > 1 && point->x < last_of(course)->begin) ||
	    (course->trial_count && point->x < course->trial[0].point.x))
		return false;
	point->y += constraint->side == CLOCKFIT_FLOOR ? -drifted : drifted;
	point->x = course->reached;
	return true;
}

int clockfit_piecewise_add(struct clockfit_piecewise *course, struct clockfit_constraint constraint)
{
	if (constraint.point.x < course->reached && !make_late(course, &constraint))
		return 0;
	course->reached = constraint.point.x;
	if (course->count && !course->trial_count) {
		int error = clockfit_segment_add(last_of(course), &constraint);

		if (error != -EDOM)
			return error;
	}
	course->trial[course->trial_count++] = constraint;
	if (!course->count || course->trial_count == CLOCKFIT_TRIAL_CONSTRAINTS)
		return decide(course);
	return 0;
}

int clockfit_piecewise_close(struct clockfit_piecewise *course)
{
	int error = course->trial_count ? decide(course) : 0;

	if (!error && course->count)
		clockfit_segment_close(last_of(course));
	for (size_t i = course->count; !error && i > 1; i--)
		error = clockfit_segment_part(&course->stretches[i - 2], &course->stretches[i - 1]);
	return error;
}

/* What a search has found: a range of host times, or how near it came. */
struct finding {
	int64_t earliest, latest; /* empty at first: INT64_MAX, INT64_MIN */
	int64_t nearest;
	uint64_t distance;
};

static void miss(struct finding *finding, int64_t nearest, uint64_t distance)
{
	if (distance >= finding->distance)
		return;
	finding->nearest = nearest;
	finding->distance = distance;
}

static void find_in(struct clockfit_segment *stretch, int64_t low, int64_t high, int64_t earliest,
		    int64_t latest, struct finding *finding)
{
	int64_t from = stretch->from > earliest ? stretch->from : earliest;
	int64_t until = stretch->until < latest ? stretch->until : latest;
	int64_t begin, end;

	if (from > until)
		return;
	clockfit_segment_find(stretch, low, high, &begin, &end);
	if (begin > until) {
		miss(finding, until, (uint64_t)begin - (uint64_t)until);
	} else if (end < from) {
		miss(finding, from, (uint64_t)from - (uint64_t)end);
	} else {
		begin = begin > from ? begin : from;
		end = end < until ? end : until;
		finding->earliest = begin < finding->earliest ? begin : finding->earliest;
		finding->latest = end > finding->latest ? end : finding->latest;
	}
}

/* A stretch of which one side is known could have shown almost anything: it is
 * asked only where no other has an answer. */
static bool is_known(const struct clockfit_segment *stretch)
{
	return stretch->floors.count && stretch->ceilings.count;
}

int clockfit_piecewise_find(struct clockfit_piecewise *course, int64_t low, int64_t high,
			    int64_t *earliest, int64_t *latest)
{
	struct finding finding = {INT64_MAX, INT64_MIN, *earliest, UINT64_MAX};

	for (int known = 1; known >= 0 && finding.earliest > finding.latest; known--) {
		for (size_t i = 0; i < course->count; i++) {
			if (is_known(&course->stretches[i]) == known)
				find_in(&course->stretches[i], low, high, *earliest, *latest,
					&finding);
		}
	}
	if (finding.earliest > finding.latest) {
		*earliest = *latest = finding.nearest;
		return -EDOM;
	}
	*earliest = finding.earliest;
	*latest = finding.latest;
	return 0;
}

uint64_t clockfit_piecewise_steps(const struct clockfit_piecewise *course)
{
	uint64_t steps = course->steps;

	for (size_t i = 0; i < course->count; i++)
		steps += clockfit_segment_steps(&course->stretches[i]);
	return steps;
}

size_t clockfit_piecewise_memory_bytes(const struct clockfit_piecewise *course)
{
	size_t bytes = course->capacity * sizeof(*course->stretches);

	for (size_t i = 0; i < course->count; i++)
		bytes += clockfit_segment_memory_bytes(&course->stretches[i]);
	return bytes;
}
