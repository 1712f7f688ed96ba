/* SPDX-License-Identifier: MIT */
#include "trace/clockfit/clockfit.h"

#include <errno.h>
#include <stdlib.h>

#include "trace/clockfit/clockfit_piecewise.h"
#include "util/array.h"
#include "util/order/compare.h"
#include "util/order/reorder_queue.h"

/* The largest time that can be given, host or device. */
#define TIME_MAX (INT64_C(1) << 62)

struct clockfit {
	enum clockfit_kind kind;
	struct clockfit_options options;
	int64_t host_base, device_base; /* of the first constraint */
	uint64_t constraints;
	uint64_t steps; /* of putting constraints in order */

	/* Constraints by x, key: x, tie: side, value: y. STREAM has those that wait; WHOLE
	 * has all of them, in any order until the fit is finished. */
	struct reorder_queue waiting;
	struct heap_item *all;
	size_t all_count, all_capacity;
	struct clockfit_piecewise course;

	struct clockfit_line *segments;
	size_t segment_count, segment_capacity;
};

int clockfit_create(struct clockfit **fit, enum clockfit_kind kind,
		    const struct clockfit_options *options)
{
	struct clockfit_model model;
	struct clockfit *made;

	if (!(options->drift_ppm > 0 && options->drift_ppm <= 500000) ||
	    !(options->wander_ppm >= 0) || options->resolution_ns > CLOCKFIT_SPAN_NS / 4 ||
	    options->host_error_ns > CLOCKFIT_SPAN_NS / 4)
		return -EINVAL;
	if (kind == CLOCKFIT_STREAM &&
	    (!options->max_waiting || options->max_points < 8 || !options->max_segments))
		return -EINVAL;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->kind = kind;
	made->options = *options;
	model.drift = clockfit_rate_of_ppm(options->drift_ppm);
	model.wander = 2 * model.drift; /* any more says nothing */
	if (options->wander_ppm < 2 * options->drift_ppm)
		model.wander = clockfit_rate_of_ppm(options->wander_ppm);
	model.limit = kind == CLOCKFIT_STREAM ? options->max_points : 0;
	clockfit_piecewise_init(&made->course, &model,
				kind == CLOCKFIT_STREAM ? options->max_segments : 0);
	*fit = made;
	return 0;
}

void clockfit_destroy(struct clockfit *fit)
{
	if (!fit)
		return;
	clockfit_piecewise_free(&fit->course);
	reorder_queue_free(&fit->waiting);
	free(fit->all);
	free(fit->segments);
	free(fit);
}

static int use(struct clockfit *fit, struct heap_item item)
{
	struct clockfit_constraint constraint = {
		.point = {item.key, (int64_t)item.value},
		.side = (enum clockfit_side)item.tie,
	};

	return clockfit_piecewise_add(&fit->course, constraint);
}

/* Levels of a heap, or rounds of sorting. */
static unsigned levels(size_t count)
{
	return 64 - (unsigned)__builtin_clzll((unsigned long long)count | 1);
}

/* host_ns is at most error_ns early for a floor, or late for a ceiling. */
static int add(struct clockfit *fit, enum clockfit_side side, int64_t device_ns, int64_t host_ns,
	       uint64_t error_ns)
{
	int64_t resolution = (int64_t)fit->options.resolution_ns, x, device;
	struct heap_item item = {.tie = side};

	if (device_ns < -TIME_MAX || device_ns > TIME_MAX || host_ns < -TIME_MAX ||
	    host_ns > TIME_MAX || error_ns > CLOCKFIT_SPAN_NS / 4)
		return -ERANGE;
	error_ns += fit->options.host_error_ns;
	if (!fit->constraints) {
		fit->host_base = host_ns;
		fit->device_base = device_ns;
	}
	x = host_ns - fit->host_base;
	device = device_ns - fit->device_base;
	if (x < -CLOCKFIT_SPAN_NS / 2 || x > CLOCKFIT_SPAN_NS / 2 ||
	    device < -CLOCKFIT_SPAN_NS / 2 || device > CLOCKFIT_SPAN_NS / 2)
		return -ERANGE;
	x += side == CLOCKFIT_FLOOR ? (int64_t)error_ns : -(int64_t)error_ns;
	device += side == CLOCKFIT_FLOOR ? -resolution : resolution;
	item.key = x;
	item.value = (uint64_t)(device - x);
	if (fit->kind == CLOCKFIT_STREAM) {
		size_t waiting = reorder_queue_count(&fit->waiting);

		fit->steps += levels(waiting);
		if (waiting >= fit->options.max_waiting) {
			if (reorder_queue_exchange(&fit->waiting, &item))
				return -ENOMEM;
			fit->constraints++;
			return use(fit, item);
		}
		if (reorder_queue_push(&fit->waiting, item))
			return -ENOMEM;
	} else {
		if (fit->all_count == fit->all_capacity &&
		    array_reserve(&fit->all, &fit->all_capacity, fit->all_count + 1, sizeof(item)) <
			    0)
			return -ENOMEM;
		fit->all[fit->all_count++] = item;
	}
	fit->constraints++;
	return 0;
}

int clockfit_add_lower(struct clockfit *fit, int64_t device_ns, int64_t host_ns)
{
	return add(fit, CLOCKFIT_CEILING, device_ns, host_ns, 0);
}

int clockfit_add_upper(struct clockfit *fit, int64_t device_ns, int64_t host_ns)
{
	return add(fit, CLOCKFIT_FLOOR, device_ns, host_ns, 0);
}

int clockfit_add_pair(struct clockfit *fit, int64_t device_ns, int64_t host_ns, uint64_t error_ns)
{
	int error = add(fit, CLOCKFIT_CEILING, device_ns, host_ns, error_ns);

	return error < 0 ? error : add(fit, CLOCKFIT_FLOOR, device_ns, host_ns, error_ns);
}

static int compare(const void *a, const void *b)
{
	const struct heap_item *x = a, *y = b;

	return COMPARE(x->key, y->key) ?: COMPARE(x->tie, y->tie);
}

/* All constraints anew. */
static int use_all(struct clockfit *fit)
{
	struct clockfit_model model = fit->course.model;
	int error = 0;

	clockfit_piecewise_free(&fit->course);
	clockfit_piecewise_init(&fit->course, &model, 0);
	if (fit->all_count)
		qsort(fit->all, fit->all_count, sizeof(*fit->all), compare);
	fit->steps = fit->all_count * levels(fit->all_count);
	for (size_t i = 0; !error && i < fit->all_count; i++)
		error = use(fit, fit->all[i]);
	return error;
}

static int use_waiting(struct clockfit *fit)
{
	size_t waiting;
	int error = 0;

	while (!error && (waiting = reorder_queue_count(&fit->waiting))) {
		fit->steps += levels(waiting);
		error = use(fit, reorder_queue_pop(&fit->waiting));
	}
	return error;
}

/* Half of a stretch's width, as a host time. */
static uint64_t bound_of(const struct clockfit *fit, int64_t width,
			 const struct clockfit_rates *inverse)
{
	int64_t resolution = (int64_t)fit->options.resolution_ns;

	if (width == INT64_MAX)
		return CLOCKFIT_UNBOUNDED;
	width += 2 * resolution + 2; /* a search rounds either end outwards */
	return ((uint64_t)(width + clockfit_gain_up(inverse->high, width)) + 1) / 2;
}

static void describe(const struct clockfit *fit, const struct clockfit_segment *stretch,
		     struct clockfit_line *segment)
{
	const struct clockfit_rates *inverse = &stretch->inverse;
	int64_t middle = stretch->begin + (stretch->end - stretch->begin) / 2;
	int64_t least, greatest, narrowest, widest;

	clockfit_segment_range(stretch, middle, &least, &greatest);
	if (least == INT64_MIN)
		least = greatest == INT64_MAX ? 0 : greatest;
	if (greatest == INT64_MAX)
		greatest = least;
	clockfit_segment_width(stretch, &narrowest, &widest);
	*segment = (struct clockfit_line){
		.begin_ns = fit->host_base + stretch->begin,
		.end_ns = fit->host_base + stretch->end,
		.host_ns = fit->host_base + middle,
		.device_ns = fit->device_base + middle + least + (greatest - least) / 2,
		.drift_ppm = clockfit_rate_to_ppm(inverse->low / 2 + inverse->high / 2),
		.bound_ns = bound_of(fit, widest, inverse),
		.best_ns = bound_of(fit, narrowest, inverse),
		.constraints = stretch->constraints,
	};
}

int clockfit_finish(struct clockfit *fit)
{
	int error = fit->kind == CLOCKFIT_STREAM ? use_waiting(fit) : use_all(fit);

	fit->segment_count = 0;
	if (!error)
		error = clockfit_piecewise_close(&fit->course);
	if (!error)
		error = array_reserve(&fit->segments, &fit->segment_capacity, fit->course.count,
				      sizeof(*fit->segments));
	if (error < 0)
		return error;
	for (size_t i = 0; i < fit->course.count; i++)
		describe(fit, &fit->course.stretches[i], &fit->segments[i]);
	fit->segment_count = fit->course.count;
	return 0;
}

const struct clockfit_line *clockfit_lines(const struct clockfit *fit, size_t *count)
{
	*count = fit->segment_count;
	return fit->segments;
}

int clockfit_to_host(struct clockfit *fit, int64_t device_ns, int64_t *host_ns, uint64_t *bound_ns)
{
	return clockfit_to_host_within(fit, device_ns, INT64_MIN, INT64_MAX, host_ns, bound_ns);
}

int clockfit_to_host_within(struct clockfit *fit, int64_t device_ns, int64_t after_ns,
			    int64_t before_ns, int64_t *host_ns, uint64_t *bound_ns)
{
	int64_t resolution = (int64_t)fit->options.resolution_ns;
	int64_t slack = (int64_t)fit->options.host_error_ns;
	int64_t earliest = INT64_MIN, latest = INT64_MAX, device, host;
	int error;

	*bound_ns = CLOCKFIT_UNBOUNDED;
	*host_ns = after_ns > -TIME_MAX ? after_ns : before_ns;
	if (!fit->segment_count)
		return -ENODATA;
	if (device_ns < -TIME_MAX || device_ns > TIME_MAX)
		return -ERANGE;
	device = device_ns - fit->device_base;
	if (device < -CLOCKFIT_SPAN_NS || device > CLOCKFIT_SPAN_NS)
		return -ERANGE;
	if (after_ns > -TIME_MAX)
		earliest = (after_ns < TIME_MAX ? after_ns : TIME_MAX) - slack - fit->host_base;
	if (before_ns < TIME_MAX)
		latest = (before_ns > -TIME_MAX ? before_ns : -TIME_MAX) + slack - fit->host_base;

	error = clockfit_piecewise_find(&fit->course, device - resolution, device + resolution,
					&earliest, &latest);
	if (earliest == INT64_MIN && latest == INT64_MAX)
		host = device;
	else if (earliest == INT64_MIN)
		host = latest;
	else if (latest == INT64_MAX)
		host = earliest;
	else
		host = earliest + (latest - earliest) / 2;
	if (!error && earliest != INT64_MIN && latest != INT64_MAX)
		*bound_ns = (uint64_t)(latest - host);
	*host_ns = fit->host_base + host;
	return error;
}

struct clockfit_stats clockfit_stats(const struct clockfit *fit)
{
	const struct clockfit_piecewise *course = &fit->course;

	return (struct clockfit_stats){
		.constraints = fit->constraints,
		.outliers = course->outliers,
		.late = course->late,
		.forgotten = course->forgotten,
		.steps = fit->steps + clockfit_piecewise_steps(course),
		.memory_bytes =
			sizeof(*fit) + clockfit_piecewise_memory_bytes(course) +
			(fit->waiting.capacity + fit->waiting.late.capacity + fit->all_capacity) *
				sizeof(struct heap_item) +
			fit->segment_capacity * sizeof(*fit->segments),
	};
}
