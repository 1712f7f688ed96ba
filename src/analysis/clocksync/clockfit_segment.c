#include "analysis/clocksync/clockfit_segment.h"

#include <errno.h>

void clockfit_stretch_init(struct clockfit_stretch *stretch, const struct clockfit_model *model)
{
	*stretch = (struct clockfit_stretch){
		.model = model,
		.first_floor = INT64_MAX,
		.from = INT64_MIN,
		.until = INT64_MAX,
	};
	clockfit_tangent_init(&stretch->rising, model->drift, model->limit);
	clockfit_tangent_init(&stretch->falling, model->drift, model->limit);
	clockfit_edge_init(&stretch->floors, model->limit);
	clockfit_edge_init(&stretch->ceilings, model->limit);
}

void clockfit_stretch_free(struct clockfit_stretch *stretch)
{
	clockfit_tangent_free(&stretch->rising);
	clockfit_tangent_free(&stretch->falling);
	clockfit_edge_free(&stretch->floors);
	clockfit_edge_free(&stretch->ceilings);
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

static bool test(struct clockfit_stretch *stretch, const struct clockfit_constraint *constraint,
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

bool clockfit_stretch_fits(struct clockfit_stretch *stretch,
			   const struct clockfit_constraint *constraint)
{
	struct clockfit_touch touch;

	return test(stretch, constraint, &touch);
}

/* Lets the lines know of a constraint. */
static int aim(struct clockfit_stretch *stretch, const struct clockfit_constraint *constraint)
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

int clockfit_stretch_add(struct clockfit_stretch *stretch,
			 const struct clockfit_constraint *constraint)
{
	struct clockfit_rates limits = {-stretch->model->drift, stretch->model->drift};
	struct clockfit_edge *edge = &stretch->floors;
	struct clockfit_point point = constraint->point;
	struct clockfit_rates learnt;
	int error = 0;

	if (constraint->side == CLOCKFIT_CEILING) {
		edge = &stretch->ceilings;
		point.y = -point.y;
	}
	/* Most constraints say less than one shortly before. */
	if (!clockfit_edge_implies(edge, point, &limits)) {
		error = aim(stretch, constraint);
		if (error < 0)
			return error;
		learnt = clockfit_stretch_rates(stretch);
		if (constraint->side == CLOCKFIT_CEILING)
			learnt = clockfit_rates_mirror(learnt);
		error = clockfit_edge_push(edge, point, &limits, &learnt);
	}
	if (!stretch->constraints++)
		stretch->begin = point.x;
	if (constraint->side == CLOCKFIT_FLOOR && stretch->first_floor == INT64_MAX)
		stretch->first_floor = point.x;
	stretch->end = point.x;
	return error;
}

struct clockfit_rates clockfit_stretch_rates(const struct clockfit_stretch *stretch)
{
	const struct clockfit_model *model = stretch->model;
	int64_t high = stretch->rising.slope + model->wander;
	int64_t low = -stretch->falling.slope - model->wander;

	return (struct clockfit_rates){
		.low = low > -model->drift ? low : -model->drift,
		.high = high < model->drift ? high : model->drift,
	};
}

void clockfit_stretch_close(struct clockfit_stretch *stretch)
{
	struct clockfit_rates rates = clockfit_stretch_rates(stretch);
	struct clockfit_rates other = clockfit_rates_mirror(rates);

	stretch->rates = rates;
	stretch->inverse = clockfit_rates_invert(rates);
	clockfit_edge_prune(&stretch->floors, &rates);
	clockfit_edge_prune(&stretch->ceilings, &other);
	if (!stretch->model->wander) {
		clockfit_edge_straighten(&stretch->floors);
		clockfit_edge_straighten(&stretch->ceilings);
	}
}

void clockfit_stretch_seal(struct clockfit_stretch *stretch)
{
	clockfit_stretch_close(stretch);
	clockfit_tangent_free(&stretch->rising);
	clockfit_tangent_free(&stretch->falling);
	clockfit_edge_trim(&stretch->floors);
	clockfit_edge_trim(&stretch->ceilings);
}

/* The points of both edges in one order of x, forward or backward. */
struct walk {
	const struct clockfit_stretch *stretch;
	size_t floors, ceilings; /* still to come */
	bool backward;
};

static struct walk walk_begin(const struct clockfit_stretch *stretch, bool backward)
{
	return (struct walk){stretch, stretch->floors.count, stretch->ceilings.count, backward};
}

static const struct clockfit_point *walk_peek(const struct walk *walk,
					      const struct clockfit_edge *edge, size_t left)
{
	if (!left)
		return NULL;
	return &edge->points[walk->backward ? left - 1 : edge->count - left];
}

static bool walk_next(struct walk *walk, struct clockfit_constraint *constraint)
{
	const struct clockfit_point *floor, *ceiling;
	bool take_floor;

	floor = walk_peek(walk, &walk->stretch->floors, walk->floors);
	ceiling = walk_peek(walk, &walk->stretch->ceilings, walk->ceilings);
	if (!floor && !ceiling)
		return false;
	if (floor && ceiling)
		take_floor = walk->backward ? floor->x > ceiling->x : floor->x <= ceiling->x;
	else
		take_floor = floor;
	if (take_floor) {
		*constraint = (struct clockfit_constraint){*floor, CLOCKFIT_FLOOR};
		walk->floors--;
	} else {
		*constraint = (struct clockfit_constraint){*ceiling, CLOCKFIT_CEILING};
		constraint->point.y = -ceiling->y;
		walk->ceilings--;
	}
	return true;
}

/* The latest constraint of the earlier stretch that the later one, continued
 * backward over all that came after, contradicts. Time runs backward here: x is
 * negated, which negates the rates, and the model is the same for both signs. */
static int find_contradiction(const struct clockfit_stretch *earlier,
			      const struct clockfit_stretch *later,
			      struct clockfit_constraint *found, bool *any)
{
	const struct clockfit_stretch *parts[] = {later, earlier};
	struct clockfit_stretch backward;
	int error = 0;

	*any = false;
	clockfit_stretch_init(&backward, later->model);
	for (size_t i = 0; i < 2 && !error; i++) {
		struct walk walk = walk_begin(parts[i], true);

		while (!error && walk_next(&walk, found)) {
			struct clockfit_constraint seen = *found;

			seen.point.x = -seen.point.x;
			error = aim(&backward, &seen);
		}
	}
	clockfit_stretch_free(&backward);
	if (error != -EDOM)
		return error;
	*any = true;
	return 0;
}

/* Learns the lines anew from the edges. */
static int learn(struct clockfit_stretch *stretch)
{
	struct walk walk = walk_begin(stretch, false);
	struct clockfit_constraint constraint;
	int error = 0;

	clockfit_tangent_free(&stretch->rising);
	clockfit_tangent_free(&stretch->falling);
	clockfit_tangent_init(&stretch->rising, stretch->model->drift, stretch->model->limit);
	clockfit_tangent_init(&stretch->falling, stretch->model->drift, stretch->model->limit);
	while (!error && walk_next(&walk, &constraint))
		error = aim(stretch, &constraint);
	return error;
}

/* The x from which on both sides are known; the end if one is not. */
static int64_t known_from(const struct clockfit_stretch *stretch)
{
	const struct clockfit_edge *floors = &stretch->floors, *ceilings = &stretch->ceilings;

	if (!floors->count || !ceilings->count)
		return stretch->end;
	return floors->points[0].x > ceilings->points[0].x ? floors->points[0].x
							   : ceilings->points[0].x;
}

/* Whatever contradicts the later clock is of the earlier one, but a floor says
 * so of its event, which was before the host time x that it stands at. A ceiling's
 * event was after x. So the break is after the last such ceiling, and before the
 * first floor that contradicts the earlier clock. */
int clockfit_stretch_part(struct clockfit_stretch *earlier, struct clockfit_stretch *later)
{
	const struct clockfit_edge *ceilings = &earlier->ceilings;
	struct clockfit_constraint last;
	size_t count = earlier->floors.count + ceilings->count;
	int64_t from = known_from(earlier);
	bool any;
	int error = find_contradiction(earlier, later, &last, &any);

	if (error < 0)
		return error;
	for (size_t i = 0; any && i < ceilings->count && ceilings->points[i].x <= last.point.x; i++)
		from = ceilings->points[i].x > from ? ceilings->points[i].x : from;
	clockfit_edge_cut(&earlier->floors, from);
	clockfit_edge_cut(&earlier->ceilings, from);
	later->from = from;
	earlier->until = later->first_floor != INT64_MAX ? later->first_floor : later->end;
	if (earlier->floors.count + earlier->ceilings.count == count)
		return 0;
	error = learn(earlier);
	clockfit_stretch_seal(earlier);
	return error;
}

void clockfit_stretch_find(struct clockfit_stretch *stretch, int64_t low, int64_t high,
			   int64_t *earliest, int64_t *latest)
{
	bool straight = !stretch->model->wander;

	*earliest = INT64_MIN;
	*latest = INT64_MAX;
	if (stretch->ceilings.count)
		*earliest = clockfit_edge_earliest(&stretch->ceilings, &stretch->inverse,
						    straight, low);
	if (stretch->floors.count)
		*latest = clockfit_edge_latest(&stretch->floors, &stretch->inverse, straight,
						high);
}

void clockfit_stretch_range(const struct clockfit_stretch *stretch, int64_t x, int64_t *least,
			    int64_t *greatest)
{
	struct clockfit_rates other = clockfit_rates_mirror(stretch->rates);
	int64_t mirror = clockfit_edge_value(&stretch->ceilings, &other, x);

	*least = clockfit_edge_value(&stretch->floors, &stretch->rates, x);
	*greatest = mirror == CLOCKFIT_NO_EDGE ? INT64_MAX : -mirror;
}

/* INT64_MAX where it is not known. */
static int64_t width_at(const struct clockfit_stretch *stretch, int64_t x)
{
	int64_t least, greatest;

	clockfit_stretch_range(stretch, x, &least, &greatest);
	return least == INT64_MIN || greatest == INT64_MAX ? INT64_MAX : greatest - least;
}

void clockfit_stretch_width(const struct clockfit_stretch *stretch, int64_t *narrowest,
			    int64_t *widest)
{
	/* What happened between begin and end can be as far outside. */
	int64_t first = width_at(stretch, stretch->begin), last = width_at(stretch, stretch->end);
	int64_t before_x, before;
	struct walk walk = walk_begin(stretch, false);
	struct clockfit_constraint constraint;
	bool more = true;

	*narrowest = *widest = INT64_MAX;
	if (first == INT64_MAX)
		return;
	before_x = stretch->begin - first;
	*narrowest = *widest = before = width_at(stretch, before_x);
	while (more) {
		int64_t x = stretch->end + last, width, peak = 0;

		more = walk_next(&walk, &constraint);
		if (more)
			x = constraint.point.x;
		width = width_at(stretch, x);
		/* Between two points, the edges come apart as the rates allow. */
		if (stretch->model->wander)
			peak = (before + width + 1 +
				clockfit_gain_up(stretch->rates.high - stretch->rates.low,
						 x - before_x)) / 2;
		*narrowest = width < *narrowest ? width : *narrowest;
		*widest = width > *widest ? width : *widest;
		*widest = peak > *widest ? peak : *widest;
		before_x = x;
		before = width;
	}
}

uint64_t clockfit_stretch_steps(const struct clockfit_stretch *stretch)
{
	return stretch->rising.steps + stretch->falling.steps + stretch->floors.steps +
	       stretch->ceilings.steps;
}

size_t clockfit_stretch_memory_bytes(const struct clockfit_stretch *stretch)
{
	return (stretch->rising.capacity + stretch->falling.capacity + stretch->floors.capacity +
		stretch->ceilings.capacity) *
	       sizeof(struct clockfit_point);
}
