/* SPDX-License-Identifier: MIT */
#include "tracer/clock/device_clock.h"

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "format/ticks.h"
#include "tracer/clock/time.h"
#include "tracer/lock.h"
#include "tracer/object.h"

#define DEVICES OBJECT_CLOCKS
#define STRETCHES 128u
#define STRETCH_NS 1000000u /* at first */
#define RATE_MOST 1e-3	    /* two clocks' rates differ by less */
#define TURNS 48	    /* of a search: 0.62^48 of what it began with */
#define FRESH_NS 5000000u   /* how old a line may be that newer bounds could better */

struct bound {
	double x, y; /* device time and difference, in ns from the clock's origin */
	bool known;
};

struct clock {
	tracer_lock_t busy;
	bool begun, changed;
	uint64_t device0, host0; /* the origin */
	uint64_t stretch_ns;
	struct bound low[STRETCHES], high[STRETCHES];
	double last; /* the latest x */

	/* The line that was found, and when. */
	double a, rate, error;
	uint64_t found_ns;
	bool found;
};

static struct clock clocks[DEVICES];

static struct clock *clock_of(uint32_t device)
{
	return device && device < DEVICES ? &clocks[device] : NULL;
}

static bool tighter(const struct bound *have, double y, bool low)
{
	return !have->known || (low ? y > have->y : y < have->y);
}

/* A bound that is known is whole, whenever a signal handler leaves. */
static void bound_set(struct bound *have, const struct bound *one)
{
	have->known = false;
	store_order();
	have->x = one->x;
	have->y = one->y;
	store_order();
	have->known = one->known;
}

static void keep(struct bound *have, const struct bound *one, bool low)
{
	if (one->known && tighter(have, one->y, low))
		bound_set(have, one);
}

static void stretches_double(struct clock *clock)
{
	for (uint32_t i = 0; i < STRETCHES; i++) {
		struct bound low = clock->low[i], high = clock->high[i];

		clock->low[i].known = false;
		clock->high[i].known = false;
		keep(&clock->low[i / 2], &low, true);
		keep(&clock->high[i / 2], &high, false);
	}
	clock->stretch_ns *= 2;
}

static void bound_add(struct clock *clock, uint64_t device, uint64_t host, bool low)
{
	struct bound one = {.known = true};
	struct bound *bounds = low ? clock->low : clock->high;
	uint64_t at;

	if (!clock->begun) {
		clock->device0 = device;
		clock->host0 = host;
		clock->stretch_ns = STRETCH_NS;
		store_order();
		clock->begun = true;
	}
	one.x = (double)(int64_t)(device - clock->device0);
	one.y = (double)(int64_t)(host - clock->host0) - one.x;
	at = one.x > 0 ? (uint64_t)one.x : 0;
	while (at / clock->stretch_ns >= STRETCHES)
		stretches_double(clock);
	if (one.x > clock->last)
		clock->last = one.x;
	if (!tighter(&bounds[at / clock->stretch_ns], one.y, low))
		return;
	bound_set(&bounds[at / clock->stretch_ns], &one);
	clock->changed = true;
}

void device_clock_bound(uint32_t device, uint64_t after, uint64_t host_after, uint64_t before,
			uint64_t host_before)
{
	struct clock *clock = clock_of(device);

	if (!clock || !lock_try(&clock->busy))
		return;
	if (host_after && after)
		bound_add(clock, after, host_after, true);
	if (host_before && before)
		bound_add(clock, before, host_before, false);
	lock_give(&clock->busy);
}

/* The lowest and highest a of lines a + rate * x that fit, for one rate. */
static void room(const struct clock *clock, double rate, double *least, double *most)
{
	*least = -INFINITY;
	*most = INFINITY;
	for (uint32_t i = 0; i < STRETCHES; i++) {
		const struct bound *low = &clock->low[i], *high = &clock->high[i];

		if (low->known)
			*least = fmax(*least, low->y - rate * low->x);
		if (high->known)
			*most = fmin(*most, high->y - rate * high->x);
	}
}

static double width(const struct clock *clock, double rate)
{
	double least, most;

	room(clock, rate, &least, &most);
	return most - least;
}

/* How far above 0, or below, a line at `x` can be, of that rate. */
static double reach(const struct clock *clock, double rate, double x, bool above)
{
	double least, most;

	room(clock, rate, &least, &most);
	return above ? most + rate * x : -(least + rate * x);
}

/* Where a concave function of the rate is greatest, between two rates. */
static double greatest(const struct clock *clock, double from, double to,
		       double (*f)(const struct clock *, double, double, bool), double x,
		       bool above)
{
	for (int turn = 0; turn < TURNS; turn++) {
		double third = (to - from) / 3;

		if (f(clock, from + third, x, above) < f(clock, to - third, x, above))
			from += third;
		else
			to -= third;
	}
	return (from + to) / 2;
}

static double width_of(const struct clock *clock, double rate, double x, bool above)
{
	(void)x, (void)above;
	return width(clock, rate);
}

/* The rate furthest from `inside` towards `outside` with which a line fits. */
static double fitting(const struct clock *clock, double inside, double outside)
{
	if (width(clock, outside) >= 0)
		return outside;
	for (int turn = 0; turn < TURNS; turn++) {
		double middle = (inside + outside) / 2;

		if (width(clock, middle) >= 0)
			inside = middle;
		else
			outside = middle;
	}
	return inside;
}

/* A clock that was set, or a suspended machine: what was before is of no use. */
static bool forget_oldest(struct clock *clock)
{
	for (uint32_t i = 0; i < STRETCHES; i++) {
		if (!clock->low[i].known && !clock->high[i].known)
			continue;
		clock->low[i].known = false;
		clock->high[i].known = false;
		return true;
	}
	return false;
}

static void line_find(struct clock *clock)
{
	double rate, slowest, fastest, least, most, first = 0, error = 0;

	rate = greatest(clock, -RATE_MOST, RATE_MOST, width_of, 0, false);
	while (width(clock, rate) < 0 && forget_oldest(clock))
		rate = greatest(clock, -RATE_MOST, RATE_MOST, width_of, 0, false);
	room(clock, rate, &least, &most);
	clock->changed = false;
	clock->found = isfinite(least) || isfinite(most);
	if (!isfinite(least) || !isfinite(most)) {
		/* Bounds of one side alone: they are all that is known. */
		clock->rate = 0;
		room(clock, 0, &least, &most);
		clock->a = isfinite(least) ? least : most;
		clock->error = INFINITY;
		return;
	}
	clock->rate = rate;
	clock->a = (least + most) / 2;
	slowest = fitting(clock, rate, -RATE_MOST);
	fastest = fitting(clock, rate, RATE_MOST);
	for (int end = 0; end < 2; end++) {
		double x = end ? clock->last : first;

		for (int above = 0; above < 2; above++) {
			double best = greatest(clock, slowest, fastest, reach, x, above);
			double far = reach(clock, best, x, above);
			double here = clock->a + clock->rate * x;

			error = fmax(error, above ? far - here : far + here);
		}
	}
	clock->error = error;
}

uint64_t device_clock_host(uint32_t device, uint64_t device_ns, uint32_t *error_ns)
{
	struct clock *clock = clock_of(device);
	uint64_t now = counter_clock_ns(CLOCK_MONOTONIC), host = device_ns;
	double x;

	*error_ns = UINT32_MAX;
	if (!clock)
		return host;
	lock_take(&clock->busy);
	if (clock->changed && (!clock->found || now - clock->found_ns > FRESH_NS)) {
		line_find(clock);
		clock->found_ns = now;
	}
	if (clock->found) {
		x = (double)(int64_t)(device_ns - clock->device0);
		host = clock->host0 + (device_ns - clock->device0) +
		       (uint64_t)(int64_t)(clock->a + clock->rate * x);
		if (clock->error < UINT32_MAX / 2)
			*error_ns = (uint32_t)ceil(clock->error) + TIME_ERROR_NS;
	}
	lock_give(&clock->busy);
	return host;
}

void device_clocks_forked(void)
{
	for (uint32_t i = 0; i < DEVICES; i++)
		lock_give(&clocks[i].busy);
}
