/* SPDX-License-Identifier: MIT */
/* The clock fit where few constraints, odd ones or wrong ones are given, and
 * against a search through all lines. */
#include "trace/clockfit/clockfit.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "check.h"

#define SECOND INT64_C(1000000000)

static const enum clockfit_kind kinds[] = {CLOCKFIT_WHOLE, CLOCKFIT_STREAM};

static struct clockfit_options exact_options(void)
{
	struct clockfit_options options = CLOCKFIT_DEFAULTS;

	options.resolution_ns = options.host_error_ns = 0;
	return options;
}

static struct clockfit *create(enum clockfit_kind kind, const struct clockfit_options *options)
{
	struct clockfit *fit;

	if (clockfit_create(&fit, kind, options) < 0)
		exit(1);
	return fit;
}

/* Is `truth` within the bound? */
static bool is_right(struct clockfit *fit, int64_t device, int64_t truth, uint64_t *bound)
{
	int64_t host;

	if (clockfit_to_host(fit, device, &host, bound) < 0)
		return false;
	return *bound == CLOCKFIT_UNBOUNDED ||
	       (host - truth <= (int64_t)*bound && truth - host <= (int64_t)*bound);
}

static void refuse_options(void)
{
	struct clockfit_options good = CLOCKFIT_DEFAULTS, bad;
	struct clockfit *fit;

	bad = good;
	bad.drift_ppm = 0;
	CHECK(clockfit_create(&fit, CLOCKFIT_WHOLE, &bad) == -EINVAL);
	bad.drift_ppm = 600000;
	CHECK(clockfit_create(&fit, CLOCKFIT_WHOLE, &bad) == -EINVAL);
	bad = good;
	bad.wander_ppm = -1;
	CHECK(clockfit_create(&fit, CLOCKFIT_WHOLE, &bad) == -EINVAL);
	bad = good;
	bad.resolution_ns = UINT64_MAX;
	CHECK(clockfit_create(&fit, CLOCKFIT_WHOLE, &bad) == -EINVAL);
	bad = good;
	bad.max_points = 7;
	CHECK(clockfit_create(&fit, CLOCKFIT_STREAM, &bad) == -EINVAL);
	CHECK(clockfit_create(&fit, CLOCKFIT_WHOLE, &bad) == 0);
	clockfit_destroy(fit);
	clockfit_destroy(NULL);
}

static void nothing_known(enum clockfit_kind kind)
{
	struct clockfit_options options = exact_options();
	struct clockfit *fit = create(kind, &options);
	uint64_t bound = 0;
	int64_t host;
	size_t count;

	CHECK(clockfit_to_host(fit, 5, &host, &bound) == -ENODATA && bound == CLOCKFIT_UNBOUNDED);
	CHECK(clockfit_finish(fit) == 0);
	CHECK(clockfit_to_host(fit, 5, &host, &bound) == -ENODATA && bound == CLOCKFIT_UNBOUNDED);
	clockfit_lines(fit, &count);
	CHECK(count == 0);
	clockfit_destroy(fit);
}

/* Only one side: no bound, until the caller knows the other side of a moment. */
static void one_side(enum clockfit_kind kind, bool lower, int many)
{
	struct clockfit_options options = exact_options();
	struct clockfit *fit = create(kind, &options);
	const struct clockfit_line *segments;
	uint64_t bound;
	int64_t host;
	size_t count;

	for (int i = 0; i < many; i++) {
		int64_t at = i * SECOND;

		CHECK(0 == (lower ? clockfit_add_lower(fit, 700 + at, 500 + at)
				  : clockfit_add_upper(fit, 700 + at, 900 + at)));
	}
	CHECK(clockfit_finish(fit) == 0);
	segments = clockfit_lines(fit, &count);
	CHECK(count == 1 && segments->bound_ns == CLOCKFIT_UNBOUNDED);
	CHECK(segments->constraints == (uint64_t)many);
	CHECK(clockfit_to_host(fit, 700, &host, &bound) == 0 && bound == CLOCKFIT_UNBOUNDED);
	CHECK(host == (lower ? 500 : 900));
	CHECK(clockfit_to_host_within(fit, 700, 400, 1000, &host, &bound) == 0);
	CHECK(lower ? host == 750 && bound == 250 : host == 650 && bound == 250);
	/* Causality and the fit disagree. */
	if (lower)
		CHECK(clockfit_to_host_within(fit, 700, 400, 450, &host, &bound) == -EDOM &&
		      host == 450 && bound == CLOCKFIT_UNBOUNDED);
	else
		CHECK(clockfit_to_host_within(fit, 700, 950, 990, &host, &bound) == -EDOM &&
		      host == 950 && bound == CLOCKFIT_UNBOUNDED);
	clockfit_destroy(fit);
}

/* A pair holds where it stands, and elsewhere as far as the clock can drift. */
static void one_pair(enum clockfit_kind kind)
{
	struct clockfit_options options = CLOCKFIT_DEFAULTS;
	struct clockfit *fit = create(kind, &options);
	uint64_t bound;
	int64_t host;

	CHECK(clockfit_add_pair(fit, 7 * SECOND, 2 * SECOND, 100) == 0);
	CHECK(clockfit_finish(fit) == 0);
	CHECK(clockfit_to_host(fit, 7 * SECOND, &host, &bound) == 0);
	CHECK(host == 2 * SECOND);
	/* 100, and 1 of the host's clock, and twice 1 of the device's: what it
	 * showed then, and what it shows now. */
	CHECK(bound >= 103 && bound <= 104);
	CHECK(clockfit_to_host(fit, 8 * SECOND, &host, &bound) == 0);
	CHECK(bound > 1000000 && bound < 1002200);
	CHECK(is_right(fit, 8 * SECOND, 3 * SECOND + 999000, &bound));
	CHECK(is_right(fit, 6 * SECOND, SECOND - 999000, &bound));
	clockfit_destroy(fit);
}

/* Of constraints at one moment, the tightest count. */
static void equal_times(enum clockfit_kind kind)
{
	struct clockfit_options options = exact_options();
	struct clockfit *fit = create(kind, &options);
	uint64_t bound;
	int64_t host;

	for (int i = 0; i < 10; i++) {
		CHECK(clockfit_add_lower(fit, 1000 + i * 7 % 10, 5000) == 0);
		CHECK(clockfit_add_upper(fit, 1000 - i * 3 % 10, 5020) == 0);
	}
	CHECK(clockfit_finish(fit) == 0);
	CHECK(clockfit_to_host(fit, 1000, &host, &bound) == 0);
	CHECK(host == 5010 && bound == 10);
	clockfit_destroy(fit);
}

static void refuse_times(enum clockfit_kind kind)
{
	struct clockfit_options options = exact_options();
	struct clockfit *fit = create(kind, &options);
	uint64_t bound;
	int64_t host;

	CHECK(clockfit_add_lower(fit, INT64_MAX, 0) == -ERANGE);
	CHECK(clockfit_add_upper(fit, 0, INT64_MIN) == -ERANGE);
	CHECK(clockfit_add_pair(fit, 0, 0, UINT64_MAX) == -ERANGE);
	CHECK(clockfit_add_pair(fit, 1700000000 * SECOND, 0, 10) == 0);
	CHECK(clockfit_add_lower(fit, 0, 0) == -ERANGE);
	CHECK(clockfit_finish(fit) == 0);
	CHECK(clockfit_to_host(fit, 0, &host, &bound) == -ERANGE && bound == CLOCKFIT_UNBOUNDED);
	CHECK(clockfit_to_host(fit, INT64_MIN, &host, &bound) == -ERANGE);
	CHECK(clockfit_to_host_within(fit, 1700000000 * SECOND, INT64_MIN, INT64_MAX, &host,
				      &bound) == 0);
	CHECK(host == 0 && bound == 10);
	CHECK(clockfit_stats(fit).constraints == 2);
	clockfit_destroy(fit);
}

/* A clock 300 s ahead that gains 150 ppm. */
static int64_t gaining(int64_t host)
{
	return host + 300 * SECOND + host / 1000000 * 150;
}

/* As far apart, and as far from zero, as times can be. */
static void extreme_times(enum clockfit_kind kind)
{
	const int64_t far = INT64_C(1) << 62, apart = INT64_C(1) << 58;
	struct clockfit_options options = exact_options();
	struct clockfit *fit;
	uint64_t bound;

	options.drift_ppm = 500000;
	fit = create(kind, &options);
	CHECK(clockfit_add_pair(fit, -far + apart, far - apart, 1000) == 0);
	CHECK(clockfit_add_pair(fit, -far, far - 2 * apart, 1000) == 0);
	CHECK(clockfit_add_pair(fit, -far + 2 * apart, far, 1000) == 0);
	CHECK(clockfit_add_pair(fit, -far + 2 * apart + 1, far, 1000) == -ERANGE);
	CHECK(clockfit_finish(fit) == 0);
	for (int64_t i = 0; i <= 64; i++) {
		int64_t device = -far + apart / 32 * i;

		CHECK(is_right(fit, device, far - 2 * apart + (device + far), &bound));
		CHECK(bound < (uint64_t)apart);
	}
	CHECK(is_right(fit, -far + 3 * apart, far + apart, &bound));
	clockfit_destroy(fit);
}

static void find_line(enum clockfit_kind kind)
{
	struct clockfit_options options = CLOCKFIT_DEFAULTS;
	struct clockfit *fit = create(kind, &options);
	const struct clockfit_line *line;
	uint64_t bound;
	size_t count;

	options.wander_ppm = 0;
	clockfit_destroy(fit);
	fit = create(kind, &options);
	for (int64_t host = 0; host < 10 * SECOND; host += SECOND / 100)
		CHECK(clockfit_add_pair(fit, gaining(host), host, 1000) == 0);
	CHECK(clockfit_finish(fit) == 0);
	line = clockfit_lines(fit, &count);
	CHECK(count == 1);
	CHECK(line->begin_ns == -1001 && line->end_ns == 10 * SECOND - SECOND / 100 + 1001);
	CHECK(line->drift_ppm > -150.2 && line->drift_ppm < -149.8);
	CHECK(llabs(gaining(line->host_ns) - line->device_ns) <= 2);
	CHECK(line->best_ns <= 1010 && line->best_ns >= 500);
	CHECK(line->bound_ns <= 1020 && line->bound_ns >= line->best_ns);
	/* The bound of a segment is the greatest in it, and outside of it, bounds
	 * grow. */
	for (int64_t host = 0; host < 9 * SECOND; host += SECOND / 77) {
		CHECK(is_right(fit, gaining(host), host, &bound));
		CHECK(bound <= line->bound_ns && bound + 2 >= line->best_ns);
	}
	CHECK(is_right(fit, gaining(1000 * SECOND), 1000 * SECOND, &bound));
	CHECK(bound > 50000 && bound < 500000);
	clockfit_destroy(fit);
}

/* Constraints that cannot all be true: at once, and one of them later. */
static void contradictory(enum clockfit_kind kind)
{
	struct clockfit_options options = exact_options();
	struct clockfit *fit = create(kind, &options);
	uint64_t bound;
	int64_t host;
	size_t count;

	CHECK(clockfit_add_lower(fit, 1000, 5000) == 0);
	CHECK(clockfit_add_upper(fit, 2000, 5000) == 0);
	CHECK(clockfit_finish(fit) == 0);
	clockfit_lines(fit, &count);
	CHECK(count == 2);
	CHECK(clockfit_to_host(fit, 1500, &host, &bound) == 0);
	for (int i = 1; i < 100; i++)
		CHECK(clockfit_add_pair(fit, i * SECOND, i * SECOND, 100) == 0);
	CHECK(clockfit_finish(fit) == 0);
	CHECK(is_right(fit, 50 * SECOND, 50 * SECOND, &bound) && bound < 50000);
	clockfit_destroy(fit);
}

/* A device that lies now and then, once the clock is known. */
static void outliers(enum clockfit_kind kind)
{
	struct clockfit_options options = CLOCKFIT_DEFAULTS;
	struct clockfit *fit = create(kind, &options);
	uint64_t bound;
	size_t count;

	for (int64_t i = 0; i < 2000; i++) {
		int64_t host = i * SECOND / 1000;
		int64_t lie = i > 500 && i % 300 == 0 ? SECOND : 0;

		CHECK(clockfit_add_lower(fit, gaining(host + 2000), host) == 0);
		CHECK(clockfit_add_upper(fit, gaining(host + 4000) + lie, host + 8000) == 0);
	}
	CHECK(clockfit_finish(fit) == 0);
	clockfit_lines(fit, &count);
	CHECK(count == 1);
	CHECK(clockfit_stats(fit).outliers == 5);
	for (int64_t i = 0; i < 2000; i++) {
		int64_t host = i * SECOND / 1000;

		CHECK(is_right(fit, gaining(host), host, &bound) && bound < 30000);
	}
	clockfit_destroy(fit);
}

/* Too little room to put in order what comes backward. */
static void late(void)
{
	struct clockfit_options options = CLOCKFIT_DEFAULTS;
	struct clockfit *fit;
	uint64_t bound;

	options.max_waiting = 4;
	fit = create(CLOCKFIT_STREAM, &options);
	for (int64_t host = SECOND; host > 0; host -= SECOND / 100) {
		CHECK(clockfit_add_lower(fit, gaining(host + 2000), host) == 0);
		CHECK(clockfit_add_upper(fit, gaining(host + 4000), host + 8000) == 0);
	}
	CHECK(clockfit_finish(fit) == 0);
	CHECK(clockfit_stats(fit).late >= 190);
	CHECK(clockfit_stats(fit).outliers == 0);
	for (int64_t host = SECOND; host > 0; host -= SECOND / 100)
		CHECK(is_right(fit, gaining(host), host, &bound) && bound < 2000000);
	clockfit_destroy(fit);
}

/* More segments than may stay: what is gone is not guessed. */
static void forget(void)
{
	struct clockfit_options options = CLOCKFIT_DEFAULTS;
	struct clockfit *fit;
	uint64_t bound;
	int64_t host;
	size_t count;

	options.max_segments = 3;
	fit = create(CLOCKFIT_STREAM, &options);
	for (int64_t i = 0; i < 1000; i++)
		CHECK(clockfit_add_pair(fit, i * SECOND + i / 100 * SECOND * 3600, i * SECOND,
					100) == 0);
	CHECK(clockfit_finish(fit) == 0);
	clockfit_lines(fit, &count);
	CHECK(count == 3);
	CHECK(clockfit_stats(fit).forgotten == 7);
	for (int64_t i = 0; i < 1000; i++) {
		int64_t device = i * SECOND + i / 100 * SECOND * 3600;

		if (i < 700)
			CHECK(clockfit_to_host(fit, device, &host, &bound) == -EDOM &&
			      bound == CLOCKFIT_UNBOUNDED);
		else
			CHECK(is_right(fit, device, i * SECOND, &bound) && bound < 30000);
	}
	/* Between two settings of the clock, a time that it never showed. */
	CHECK(clockfit_to_host(fit, 900 * SECOND + 9 * SECOND * 3600 - SECOND * 1800, &host,
			       &bound) == -EDOM);
	clockfit_destroy(fit);
}

/* Finished more than once, as a trace grows. */
static void grow(enum clockfit_kind kind)
{
	struct clockfit_options options = CLOCKFIT_DEFAULTS;
	struct clockfit *fit = create(kind, &options);
	uint64_t bound, before = CLOCKFIT_UNBOUNDED;

	for (int64_t i = 0; i < 5; i++) {
		for (int64_t k = 0; k < 1000; k++) {
			int64_t host = (i * 1000 + k) * SECOND / 1000;
			uint64_t error = 1000 - (uint64_t)i * 100;

			CHECK(clockfit_add_pair(fit, gaining(host), host, error) == 0);
		}
		CHECK(clockfit_finish(fit) == 0);
		CHECK(is_right(fit, gaining(0), 0, &bound));
		CHECK(bound <= before);
		before = bound;
		CHECK(is_right(fit, gaining(i * SECOND), i * SECOND, &bound) && bound < 1100);
	}
	clockfit_destroy(fit);
}

/* The worst that can come: a clock in a bow, so that every constraint is a corner
 * of a hull, and, with a larger bow, one after another breaks the line. */
static void worst_case(int64_t bow_ns, double most_steps)
{
	struct clockfit_options options = CLOCKFIT_DEFAULTS;

	options.max_waiting = 64;
	options.max_points = 64;
	for (int64_t n = 1000; n <= 100000; n *= 10) {
		struct clockfit *fit = create(CLOCKFIT_STREAM, &options);
		struct clockfit_stats stats;

		for (int64_t i = 0; i < n; i++) {
			int64_t at = i * 100000, bow = 4 * i * (n - i) / n * bow_ns / n;

			CHECK(clockfit_add_upper(fit, at + bow, at + 1000000) == 0);
			CHECK(clockfit_add_lower(fit, at - bow, at - 1000000) == 0);
		}
		CHECK(clockfit_finish(fit) == 0);
		stats = clockfit_stats(fit);
		CHECK((double)stats.steps < most_steps * (double)stats.constraints);
		CHECK(stats.memory_bytes < 64 * 1024);
		clockfit_destroy(fit);
	}
}

static uint64_t random_state = 1;

static int64_t random_below(int64_t limit)
{
	uint64_t z = random_state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return (int64_t)((z ^ (z >> 31)) % (uint64_t)limit);
}

#define POINTS 8

struct constraint {
	long double host, device;
	bool lower;
};

/* Does the line through (host, device) agree with all constraints? */
static bool agrees(const struct constraint *constraints, long double host, long double device,
		   long double rate)
{
	for (int i = 0; i < POINTS; i++) {
		long double above =
			device + rate * (constraints[i].host - host) - constraints[i].device;

		if (constraints[i].lower ? above > 1e-6L : above < -1e-6L)
			return false;
	}
	return true;
}

/* The extreme lines touch two constraints, or one at an extreme rate. */
static void search(const struct constraint *constraints, long double drift, long double device,
		   long double *earliest, long double *latest)
{
	*earliest = INFINITY;
	*latest = -INFINITY;
	for (int i = 0; i < POINTS; i++) {
		for (int k = 0; k < POINTS + 2; k++) {
			long double rate, host;

			if (k >= POINTS)
				rate = k == POINTS ? 1 - drift : 1 + drift;
			else if (constraints[k].host != constraints[i].host)
				rate = (constraints[k].device - constraints[i].device) /
				       (constraints[k].host - constraints[i].host);
			else
				continue;
			if (rate < 1 - drift - 1e-15L || rate > 1 + drift + 1e-15L ||
			    !agrees(constraints, constraints[i].host, constraints[i].device, rate))
				continue;
			host = constraints[i].host + (device - constraints[i].device) / rate;
			*earliest = host < *earliest ? host : *earliest;
			*latest = host > *latest ? host : *latest;
		}
	}
}

static void compare_with_search(enum clockfit_kind kind)
{
	struct clockfit_options options = exact_options();
	struct constraint constraints[POINTS];

	options.wander_ppm = 0;
	for (int round = 0; round < 2000; round++) {
		int64_t drift_ppm = 100 + random_below(5000);
		long double drift = (long double)drift_ppm * 1e-6L;
		long double rate = 1 + drift * (long double)(random_below(201) - 100) / 100;
		int64_t offset = (random_below(2000001) - 1000000) * 1000 * SECOND;
		struct clockfit *fit;

		options.drift_ppm = (double)drift_ppm;
		fit = create(kind, &options);
		for (int i = 0; i < POINTS; i++) {
			int64_t host = random_below(1000000), off = random_below(3000);
			bool lower = i % 2;
			int64_t device = (int64_t)floorl(rate * (long double)host);

			device += lower ? 1 + off : -off;
			constraints[i] = (struct constraint){host, device, lower};
			CHECK(0 == (lower ? clockfit_add_lower(fit, offset + device, host)
					  : clockfit_add_upper(fit, offset + device, host)));
		}
		CHECK(clockfit_finish(fit) == 0);
		for (int i = 0; i < 10; i++) {
			int64_t device = random_below(2000000) - 500000, host;
			long double earliest, latest;
			uint64_t bound;

			search(constraints, drift, device, &earliest, &latest);
			CHECK(clockfit_to_host(fit, offset + device, &host, &bound) == 0);
			CHECK((long double)(host + (int64_t)bound) >= latest - 1e-3L);
			CHECK((long double)(host - (int64_t)bound) <= earliest + 1e-3L);
			CHECK((long double)(2 * bound) <= latest - earliest + 4);
		}
		clockfit_destroy(fit);
	}
}

/* A clock whose truth can be read: CLOCK_MONOTONIC_RAW, as PoCL has it. */
static int64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

static void real_clock(enum clockfit_kind kind)
{
	struct clockfit_options options = CLOCKFIT_DEFAULTS;
	struct clockfit *fit = create(kind, &options);
	int64_t before = 0, raw = 0, after = 0, host;
	uint64_t bound;

	for (int i = 0; i < 2000; i++) {
		int64_t begin = read_clock(CLOCK_MONOTONIC);
		int64_t queued = read_clock(CLOCK_MONOTONIC_RAW);
		int64_t end = read_clock(CLOCK_MONOTONIC_RAW);
		int64_t seen = read_clock(CLOCK_MONOTONIC);

		CHECK(clockfit_add_lower(fit, queued, begin) == 0);
		CHECK(clockfit_add_upper(fit, end, seen) == 0);
		if (i == 1000) {
			before = read_clock(CLOCK_MONOTONIC);
			raw = read_clock(CLOCK_MONOTONIC_RAW);
			after = read_clock(CLOCK_MONOTONIC);
		}
	}
	CHECK(clockfit_finish(fit) == 0);
	CHECK(clockfit_to_host(fit, raw, &host, &bound) == 0);
	CHECK(bound < 20000);
	CHECK(host + (int64_t)bound >= before && host - (int64_t)bound <= after);
	clockfit_destroy(fit);
}

int main(void)
{
	refuse_options();
	for (int i = 0; i < 2; i++) {
		nothing_known(kinds[i]);
		for (int many = 1; many < 4; many++) {
			one_side(kinds[i], true, many);
			one_side(kinds[i], false, many);
		}
		one_pair(kinds[i]);
		equal_times(kinds[i]);
		refuse_times(kinds[i]);
		extreme_times(kinds[i]);
		find_line(kinds[i]);
		contradictory(kinds[i]);
		outliers(kinds[i]);
		grow(kinds[i]);
		compare_with_search(kinds[i]);
		real_clock(kinds[i]);
	}
	late();
	forget();
	worst_case(500000, 20);
	worst_case(50000000, 80);
	return check_status();
}
