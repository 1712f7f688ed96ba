/* SPDX-License-Identifier: MIT */
#include "trace/clockfit/clockfit_segment.h"

#include <errno.h>

void clockfit_segment_init(struct clockfit_segment *stretch, const struct clockfit_model *model)
{
	*stretch = (struct clockfit_segment){
		.model = model,
		.first_floor = INT64_MAX,
		.from = INT64_MIN,
		.until = INT64_MAX,
	};
	clockfit_tangent_init(&stretch->rising, model->drift, model->limit);
	clockfit_tangent_init(&stretch->falling, model->drift, model->limit);
	clockfit_hull_init(&stretch->floors, model->limit);
	clockfit_hull_init(&stretch->ceilings, model->limit);
}

void clockfit_segment_free(struct clockfit_segment *stretch)
{
	clockfit_tangent_free(&stretch->rising);
	clockfit_tangent_free(&stretch->falling);
	clockfit_hull_free(&stretch->floors);
	clockfit_hull_free(&stretch->ceilings);
}

/* All rates lie in [r, r + wander] for some r: the steepest line, from a floor
 * to a later ceiling, bounds r; the flattest, from a ceiling to a later floor,
 * bounds r + wander. Such a clock exists if no two constraints contradict each
 * other (a function given at some points, whose slopes there are within limits,
 * can be continued within them), so that this test is exact. */
static bool is_possible(const struct clockfit_model *model, int64_t steepest, int64_t flattest)
{
	return flattest - model->wander <= steepest && steepest >= -model->drift &&
	       flattest <= model->drift;
}

static bool test(struct clockfit_segment *stretch, const struct clockfit_constraint *constraint,
		 struct clockfit_touch *touch)
{
	struct clockfit_point point = constraint->point;

	if (constraint->side == CLOCKFIT_CEILING)
		return clockfit_tangent_test(&stretch->rising, point, touch) &&
		       is_possible(stretch->model, touch->slope, -stretch->falling.slope);
	point.y = -point.y;
	return clockfit_tangent_test(&stretch->falling, point, touch) &&
	       is_possible(stretch->model, stretch->rising.slope, -touch->slope);
}

bool clockfit_segment_fits(struct clockfit_segment *stretch,
			   const struct clockfit_constraint *constraint)
{
	struct clockfit_touch touch;

	return test(stretch, constraint, &touch);
}

/* Lets the lines know of a constraint. */
static int aim(struct clockfit_segment *stretch, const struct clockfit_constraint *constraint)
{
	struct clockfit_point point = constraint->point;
	struct clockfit_touch touch;

	if (!test(stretch, constraint, &touch))
		return -EDOM;
	if (constraint->side == CLOCKFIT_FLOOR) {
		clockfit_tangent_turn(&stretch->falling, &touch);
		return clockfit_tangent_push(&stretch->rising, point);
	}
	clockfit_tangent_turn(&stretch->rising, &touch);
	point.y = -point.y;
	return clockfit_tangent_push(&stretch->falling, point);
}

/* The rates that the constraints leave. */
static struct clockfit_rates rates_left(const struct clockfit_segment *stretch)
{
	const struct clockfit_model *model = stretch->model;
	int64_t high = stretch->rising.slope + model->wander;
	int64_t low = -stretch->falling.slope - model->wander;

	return (struct clockfit_rates){
		.low = low > -model->drift ? low : -model->drift,
		.high = high < model->drift ? high : model->drift,
	};
}

int clockfit_segment_add(struct clockfit_segment *stretch,
			 const struct clockfit_constraint *constraint)
{
	struct clockfit_rates limits = {-stretch->model->drift, stretch->model->drift};
	struct clockfit_hull *edge = &stretch->floors;
	struct clockfit_point point = constraint->point;
	struct clockfit_rates learnt;
	int error = 0;

	if (constraint->side == CLOCKFIT_CEILING) {
		edge = &stretch->ceilings;
		point.y = -point.y;
	}
	/* Most constraints say less than one shortly before. */
	if (!clockfit_hull_implies(edge, point, &limits)) {
		error = aim(stretch, constraint);
		if (error < 0)
			return error;
		learnt = rates_left(stretch);
		if (constraint->side == CLOCKFIT_CEILING)
			learnt = clockfit_rates_mirror(learnt);
		error = clockfit_hull_push(edge, point, &limits, &learnt);
	}
	if (!stretch->constraints++)
		stretch->begin = point.x;
	if (constraint->side == CLOCKFIT_FLOOR && stretch->first_floor == INT64_MAX)
		stretch->first_floor = point.x;
	stretch->end = point.x;
	return error;
}

void clockfit_segment_close(struct clockfit_segment *stretch)
{
	struct clockfit_rates rates = rates_left(stretch);
	struct clockfit_rates other = clockfit_rates_mirror(rates);

	stretch->rates = rates;
	stretch->inverse = clockfit_rates_invert(rates);
	clockfit_hull_prune(&stretch->floors, &rates);
	clockfit_hull_prune(&stretch->ceilings, &other);
	if (!stretch->model->wander) {
		clockfit_hull_straighten(&stretch->floors);
		clockfit_hull_straighten(&stretch->ceilings);
	}
}

void clockfit_segment_seal(struct clockfit_segment *stretch)
{
	clockfit_segment_close(stretch);
	clockfit_tangent_free(&stretch->rising);
	clockfit_tangent_free(&stretch->falling);
	clockfit_hull_trim(&stretch->floors);
	clockfit_hull_trim(&stretch->ceilings);
}

/* The points of both edges in one order of x, forward or backward. */
struct constraint_cursor {
	const struct clockfit_segment *stretch;
	size_t floors, ceilings; /* still to come */
	bool backward;
};

static struct constraint_cursor constraint_cursor_begin(const struct clockfit_segment *stretch,
							bool backward)
{
	return (struct constraint_cursor){stretch, stretch->floors.count, stretch->ceilings.count,
					  backward};
}

static const struct clockfit_point *
constraint_cursor_peek(const struct constraint_cursor *constraint_cursor,
		       const struct clockfit_hull *edge, size_t left)
{
	if (!left)
		return NULL;
	return &edge->points[constraint_cursor->backward ? left - 1 : edge->count - left];
}

static bool constraint_cursor_next(struct constraint_cursor *constraint_cursor,
				   struct clockfit_constraint *constraint)
{
	const struct clockfit_point *floor, *ceiling;
	bool take_floor;

	floor = constraint_cursor_peek(constraint_cursor, &constraint_cursor->stretch->floors,
				       constraint_cursor->floors);
	ceiling = constraint_cursor_peek(constraint_cursor, &constraint_cursor->stretch->ceilings,
					 constraint_cursor->ceilings);
	if (!floor && !ceiling)
		return false;
	if (floor && ceiling)
		take_floor = constraint_cursor->backward ? floor->x > ceiling->x
							 : floor->x <= ceiling->x;
	else
		take_floor = floor;
	if (take_floor) {
		*constraint = (struct clockfit_constraint){*floor, CLOCKFIT_FLOOR};
		constraint_cursor->floors--;
	} else {
		*constraint = (struct clockfit_constraint){*ceiling, CLOCKFIT_CEILING};
		constraint->point.y = -ceiling->y;
		constraint_cursor->ceilings--;
	}
	return true;
}

/* The latest constraint of the earlier stretch that the later one, continued
 * backward over all that came after, contradicts. Time runs backward here: x is
 * negated, which negates the rates, and the model is the same for both signs. */
static int find_contradiction(const struct clockfit_segment *earlier,
			      const struct clockfit_segment *later,
			      struct clockfit_constraint *found, bool *any)
{
	const struct clockfit_segment *parts[] = {later, earlier};
	struct clockfit_segment backward;
	int error = 0;

	*any = false;
	clockfit_segment_init(&backward, later->model);
	for (size_t i = 0; i < 2 && !error; i++) {
		struct constraint_cursor constraint_cursor =
			constraint_cursor_begin(parts[i], true);

		while (!error && constraint_cursor_next(&constraint_cursor, found)) {
			struct clockfit_constraint seen = *found;

			seen.point.x = -seen.point.x;
			error = aim(&backward, &seen);
		}
	}
	clockfit_segment_free(&backward);
	if (error != -EDOM)
		return error;
	*any = true;
	return 0;
}

/* Learns the lines anew from the edges. */
static int learn(struct clockfit_segment *stretch)
{
	struct constraint_cursor constraint_cursor = constraint_cursor_begin(stretch, false);
	struct clockfit_constraint constraint;
	int error = 0;

	clockfit_tangent_free(&stretch->rising);
	clockfit_tangent_free(&stretch->falling);
	clockfit_tangent_init(&stretch->rising, stretch->model->drift, stretch->model->limit);
	clockfit_tangent_init(&stretch->falling, stretch->model->drift, stretch->model->limit);
	while (!error && constraint_cursor_next(&constraint_cursor, &constraint))
		error = aim(stretch, &constraint);
	return error;
}

/* The x from which on both sides are known; the end if one is not. */
static int64_t known_from(const struct clockfit_segment *stretch)
{
	const struct clockfit_hull *floors = &stretch->floors, *ceilings = &stretch->ceilings;

	if (!floors->count || !ceilings->count)
		return stretch->end;
	return floors->points[0].x > ceilings->points[0].x ? floors->points[0].x
							   : ceilings->points[0].x;
}

/* Whatever contradicts the later clock is of the earlier one, but a floor says
 * so of its event, which was before the host time x that it stands at. A ceiling's
 * event was after x. So the break is after the last such ceiling, and before the
 * first floor that contradicts the earlier clock. */
int clockfit_segment_part(struct clockfit_segment *earlier, struct clockfit_segment *later)
{
	const struct clockfit_hull *ceilings = &earlier->ceilings;
	struct clockfit_constraint last;
	size_t count = earlier->floors.count + ceilings->count;
	int64_t from = known_from(earlier);
	bool any;
	int error = find_contradiction(earlier, later, &last, &any);

	if (error < 0)
		return error;
	for (size_t i = 0; any && i < ceilings->count && ceilings->points[i].x <= last.point.x; i++)
		from = ceilings->points[i].x > from ? ceilings->points[i].x : from;
	clockfit_hull_cut(&earlier->floors, from);
	clockfit_hull_cut(&earlier->ceilings, from);
	later->from = from;
	earlier->until = later->first_floor != INT64_MAX ? later->first_floor : later->end;
	if (earlier->floors.count + earlier->ceilings.count == count)
		return 0;
	error = learn(earlier);
	clockfit_segment_seal(earlier);
	return error;
}

void clockfit_segment_find(struct clockfit_segment *stretch, int64_t low, int64_t high,
			   int64_t *earliest, int64_t *latest)
{
	bool straight = !stretch->model->wander;

	*earliest = INT64_MIN;
	*latest = INT64_MAX;
	if (stretch->ceilings.count)
		*earliest = clockfit_hull_earliest(&stretch->ceilings, &stretch->inverse, straight,
						   low);
	if (stretch->floors.count)
		*latest = clockfit_hull_latest(&stretch->floors, &stretch->inverse, straight, high);
}

void clockfit_segment_range(const struct clockfit_segment *stretch, int64_t x, int64_t *least,
			    int64_t *greatest)
{
	struct clockfit_rates other = clockfit_rates_mirror(stretch->rates);
	int64_t mirror = clockfit_hull_value(&stretch->ceilings, &other, x);

	*least = clockfit_hull_value(&stretch->floors, &stretch->rates, x);
	*greatest = mirror == CLOCKFIT_NO_EDGE ? INT64_MAX : -mirror;
}

/* INT64_MAX where it is not known. */
static int64_t width_at(const struct clockfit_segment *stretch, int64_t x)
{
	int64_t least, greatest;

	clockfit_segment_range(stretch, x, &least, &greatest);
	return least == INT64_MIN || greatest == INT64_MAX ? INT64_MAX : greatest - least;
}

void clockfit_segment_width(const struct clockfit_segment *stretch, int64_t *narrowest,
			    int64_t *widest)
{
	/* What happened between begin and end can be as far outside. */
	int64_t first = width_at(stretch, stretch->begin), last = width_at(stretch, stretch->end);
	int64_t before_x, before;
	struct constraint_cursor constraint_cursor = constraint_cursor_begin(stretch, false);
	struct clockfit_constraint constraint;
	bool more = true;

	*narrowest = *widest = INT64_MAX;
	if (first == INT64_MAX)
		return;
	before_x = stretch->begin - first;
	*narrowest = *widest = before = width_at(stretch, before_x);
	while (more) {
		int64_t x = stretch->end + last, width, peak = 0;

		more = constraint_cursor_next(&constraint_cursor, &constraint);
		if (more)
			x = constraint.point.x;
		width = width_at(stretch, x);
		/* Between two points, the edges come apart as the rates allow. */
		if (stretch->model->wander)
			peak = (before + width + 1 +
				clockfit_gain_up(stretch->rates.high - stretch->rates.low,
						 x - before_x)) /
			       2;
		*narrowest = width < *narrowest ? width : *narrowest;
		*widest = width > *widest ? width : *widest;
		*widest = peak > *widest ? peak : *widest;
		before_x = x;
		before = width;
	}
}

uint64_t clockfit_segment_steps(const struct clockfit_segment *stretch)
{
	return stretch->rising.steps + stretch->falling.steps + stretch->floors.steps +
	       stretch->ceilings.steps;
}

size_t clockfit_segment_memory_bytes(const struct clockfit_segment *stretch)
{
	return (stretch->rising.capacity + stretch->falling.capacity + stretch->floors.capacity +
		stretch->ceilings.capacity) *
	       sizeof(struct clockfit_point);
}
