/* SPDX-License-Identifier: MIT */
/* How much a device clock gains on the host clock per host ns, as a fixed-point
 * number with 48 bits behind the point: 1 ppm is about 2^28. A rate and a span
 * in ns multiply and divide in 128 bits; each result is rounded to the side
 * that its name says, so that a bound made of them is never too tight.
 *
 * Host and device times are within +- CLOCKFIT_SPAN_NS (18 years) of the fit's
 * base: then no difference, sum or quotient here leaves 64 bits, and no product
 * 128. Any thread; no errors.
 */
#ifndef TANDEM_TRACE_CLOCKFIT_RATE_H
#define TANDEM_TRACE_CLOCKFIT_RATE_H

#include <stdint.h>

#define CLOCKFIT_SPAN_NS (INT64_C(1) << 59)
#define CLOCKFIT_RATE_ONE (INT64_C(1) << 48)

/* Stands for every rate that is too large to matter: limits are below one. */
#define CLOCKFIT_RATE_HUGE (INT64_C(1) << 50)

__extension__ typedef __int128 clockfit_wide;

struct clockfit_point {
	int64_t x; /* host time, ns from the fit's base */
	int64_t y; /* device time minus host time, ns from the fit's base */
};

static inline int64_t clockfit_rate_of_ppm(double ppm)
{
	return (int64_t)(ppm * 1e-6 * (double)CLOCKFIT_RATE_ONE);
}

static inline double clockfit_rate_to_ppm(int64_t rate)
{
	return (double)rate * 1e6 / (double)CLOCKFIT_RATE_ONE;
}

/* rate * span, rounded down (gcc and clang shift negative numbers
 * arithmetically). */
static inline int64_t clockfit_gain_down(int64_t rate, int64_t span_ns)
{
	return (int64_t)(((clockfit_wide)rate * span_ns) >> 48);
}

static inline int64_t clockfit_gain_up(int64_t rate, int64_t span_ns)
{
	return -clockfit_gain_down(-rate, span_ns);
}

/* The rate of a gain over a span > 0, rounded up. */
static inline int64_t clockfit_rate_up(int64_t gain_ns, int64_t span_ns)
{
	clockfit_wide scaled = (clockfit_wide)gain_ns * CLOCKFIT_RATE_ONE;
	clockfit_wide rate = scaled / span_ns;

	rate += scaled > 0 && scaled % span_ns != 0;
	if (rate > CLOCKFIT_RATE_HUGE)
		return CLOCKFIT_RATE_HUGE;
	return rate < -CLOCKFIT_RATE_HUGE ? -CLOCKFIT_RATE_HUGE : (int64_t)rate;
}

/* The rates that a clock can have lie between. */
struct clockfit_rates {
	int64_t low, high;
};

/* The same clocks, with y negated. */
static inline struct clockfit_rates clockfit_rates_mirror(struct clockfit_rates rates)
{
	return (struct clockfit_rates){-rates.high, -rates.low};
}

/* What the host's clock gains on such a device clock per device ns. */
static inline struct clockfit_rates clockfit_rates_invert(struct clockfit_rates rates)
{
	const clockfit_wide one = (clockfit_wide)CLOCKFIT_RATE_ONE * CLOCKFIT_RATE_ONE;
	clockfit_wide slow = CLOCKFIT_RATE_ONE + rates.low, fast = CLOCKFIT_RATE_ONE + rates.high;

	return (struct clockfit_rates){
		.low = (int64_t)(one / fast - CLOCKFIT_RATE_ONE),
		.high = (int64_t)((one + slow - 1) / slow - CLOCKFIT_RATE_ONE),
	};
}

#endif
