/* SPDX-License-Identifier: MIT */
/* From a device's clock to the host's. A fit is given what is known for certain
 * of single moments, finds the straight lines host = a + b * device that agree
 * with all of it, and converts device times with a bound on the error that holds
 * as long as what it was given is true (doc/CLOCKS.md has the method and the
 * assumptions).
 *
 *	struct clockfit_options options = CLOCKFIT_DEFAULTS;
 *	clockfit_create(&fit, CLOCKFIT_STREAM, &options);
 *	clockfit_add_lower(fit, queued, enqueue_begin);    for every command
 *	clockfit_add_upper(fit, end, completion_seen);
 *	clockfit_finish(fit);
 *	clockfit_to_host(fit, start, &host_ns, &bound_ns);
 *
 * Constraints may come in any order. Where no line agrees with all of them (the
 * clock was set, was slewed or slept), the fit falls into segments; between two
 * of them the bound covers both.
 *
 * Two kinds give the same answers: CLOCKFIT_WHOLE keeps every constraint until
 * the fit is finished; CLOCKFIT_STREAM has bounded memory and does constant work
 * a constraint (amortised), and knows less the more it had to leave out, but
 * nothing wrong.
 *
 * Owner: the caller. One thread. All times are ns: host times of CLOCK_MONOTONIC
 * (any clock that is never set), device times of one device. Times are within 9
 * years of the first constraint's, and within 146 years of zero.
 */
#ifndef TANDEM_TRACE_CLOCKFIT_H
#define TANDEM_TRACE_CLOCKFIT_H

#include <stddef.h>
#include <stdint.h>

struct clockfit;

enum clockfit_kind { CLOCKFIT_WHOLE, CLOCKFIT_STREAM };

/* Of a bound: nothing is known on at least one side. */
#define CLOCKFIT_UNBOUNDED UINT64_MAX

struct clockfit_options {
	/* The clocks' rates never differ by more. Up to 500000. */
	double drift_ppm;
	/* Within a segment, the rate stays within a range of this width; 0: the
	 * line is exactly straight. */
	double wander_ppm;
	/* A device time is this far from the truth at most, either way. */
	uint64_t resolution_ns;
	/* The same of a host time. */
	uint64_t host_error_ns;
	/* For CLOCKFIT_STREAM: constraints that wait to be put in order, points
	 * that stay of each side of a segment (8 at least), segments that stay. */
	size_t max_waiting, max_points, max_segments;
};

/* CLOCK_MONOTONIC is slewed by up to 500 ppm, by adjtime() by 500 more; in the
 * ordinary course of NTP by a few. */
#define CLOCKFIT_DEFAULTS                                                                    \
	{                                                                                    \
		.drift_ppm = 1000, .wander_ppm = 20, .resolution_ns = 1, .host_error_ns = 1, \
		.max_waiting = 8192, .max_points = 16384, .max_segments = 16,                \
	}

struct clockfit_line {
	int64_t begin_ns, end_ns; /* host times of its first and last constraint */
	/* Its line: host = host_ns + (device - device_ns) * (1 + drift_ppm / 1e6) */
	int64_t host_ns, device_ns;
	double drift_ppm;
	/* The greatest and the least bound from begin to end. */
	uint64_t bound_ns, best_ns;
	uint64_t constraints;
};

struct clockfit_stats {
	uint64_t constraints;
	uint64_t outliers;  /* contradicted what came before and after: not used */
	uint64_t late;	    /* too far out of order: used, loosened */
	uint64_t forgotten; /* segments given up for max_segments */
	uint64_t steps;	    /* points and places visited: the work done */
	size_t memory_bytes;
};

/* Returns 0, -EINVAL (options out of range) or -ENOMEM. */
int clockfit_create(struct clockfit **fit, enum clockfit_kind kind,
		    const struct clockfit_options *options);
void clockfit_destroy(struct clockfit *fit);

/* The device showed device_ns at host_ns or later (an enqueue call began at
 * host_ns, the command was queued at device_ns). Returns 0, -ERANGE (the times
 * are absurd) or -ENOMEM; the constraint is not used then. */
int clockfit_add_lower(struct clockfit *fit, int64_t device_ns, int64_t host_ns);

/* The device showed device_ns at host_ns or earlier (the command ended at
 * device_ns, its end was seen at host_ns). Returns as clockfit_add_lower(). */
int clockfit_add_upper(struct clockfit *fit, int64_t device_ns, int64_t host_ns);

/* The device showed device_ns at host_ns, give or take error_ns. Returns as
 * clockfit_add_lower(); on -ENOMEM, half of it may be used. */
int clockfit_add_pair(struct clockfit *fit, int64_t device_ns, int64_t host_ns, uint64_t error_ns);

/* Makes the fit of what was given so far; more may be added, and finished again.
 * Returns 0 or -ENOMEM (there is no fit). */
int clockfit_finish(struct clockfit *fit);

/* The segments of the last finish, in the order of time; borrowed until the next
 * finish. */
const struct clockfit_line *clockfit_lines(const struct clockfit *fit, size_t *count);

/* The host time at which the device showed device_ns: within *bound_ns of
 * *host_ns. Within a segment, *host_ns never falls where device_ns rises.
 * Returns 0; -ENODATA (no constraint); -ERANGE; -EDOM: no segment has this
 * device time (a gap over which the clock was set). *bound_ns is
 * CLOCKFIT_UNBOUNDED where a side is not known, and on errors. */
int clockfit_to_host(struct clockfit *fit, int64_t device_ns, int64_t *host_ns, uint64_t *bound_ns);

/* The same of a moment that is known to lie in [after_ns, before_ns]: needed
 * where a clock was set back and has shown a time twice, and a bound of its own.
 * -EDOM: the fit says otherwise; *host_ns is the end of that range that is
 * nearer to the fit's answer. */
int clockfit_to_host_within(struct clockfit *fit, int64_t device_ns, int64_t after_ns,
			    int64_t before_ns, int64_t *host_ns, uint64_t *bound_ns);

struct clockfit_stats clockfit_stats(const struct clockfit *fit);

#endif
