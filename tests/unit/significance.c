/* SPDX-License-Identifier: MIT */
/* Tests of significance against published values, against counting by hand, and
 * against chance itself. */
#include "analysis/diff/significance.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/stats/batches.h"
#include "check.h"

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static uint64_t state = 88172645463325252u;

static double random_unit(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) / 9007199254740992.0;
}

static bool near(double a, double b, double by)
{
	return fabs(a - b) <= by;
}

/* The quantiles that every table of the t distribution begins with. */
static void t_is_as_in_tables(void)
{
	static const struct {
		double t, freedom, p;
	} known[] = {
		{12.7062047, 1, 0.05},	 {4.30265273, 2, 0.05},
		{2.77644511, 4, 0.05},	 {4.60409487, 4, 0.01},
		{2.22813885, 10, 0.05},	 {3.16927267, 10, 0.01},
		{2.04227246, 30, 0.05},	 {1.98397152, 100, 0.05},
		{1.95996398, 1e8, 0.05}, {1, 1, 0.5},
	};

	for (size_t i = 0; i < COUNT(known); i++)
		CHECK(near(significance_t(known[i].t, known[i].freedom), known[i].p, 1e-6));
	CHECK(near(significance_t(0, 5), 1, 1e-12));
	CHECK(near(significance_t(INFINITY, 5), 0, 0));
	CHECK(isnan(significance_t(1, 0)));
}

/* Freedoms that are no whole numbers, of a textbook's two samples: t 2.46, 25.0
 * degrees of freedom, p 0.021. */
static void welch_is_as_published(void)
{
	static const double a[] = {27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1,
				   21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4};
	static const double b[] = {27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0,
				   24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4};
	static const double same[] = {3, 3, 3}, other[] = {4, 4}, one[] = {4};

	CHECK(near(significance_welch(a, COUNT(a), b, COUNT(b)), 0.021, 0.0005));
	CHECK(near(significance_welch(b, COUNT(b), a, COUNT(a)),
		   significance_welch(a, COUNT(a), b, COUNT(b)), 1e-12));
	CHECK(near(significance_welch(same, 3, other, 2), 0, 0));
	CHECK(near(significance_welch(same, 3, same, 2), 1, 0));
	CHECK(isnan(significance_welch(same, 1, other, 1)));
	CHECK(isnan(significance_welch(same, 0, other, 2)));
	/* One against several: t = 1 / sqrt(1 * (1 + 1 / 3)) with 2 of freedom. */
	CHECK(near(significance_welch((double[]){2, 3, 4}, 3, one, 1),
		   significance_t(1 / sqrt(4.0 / 3), 2), 1e-12));
}

/* All ways to choose which of a + b places are a's, by the bits of a number. */
static double count_orders(unsigned a, unsigned b, double u)
{
	double all = 0, low = 0;

	for (unsigned way = 0; way < 1u << (a + b); way++) {
		unsigned before = 0, sum = 0;

		if ((unsigned)__builtin_popcount(way) != a)
			continue;
		for (unsigned i = 0; i < a + b; i++) {
			if (way >> i & 1)
				sum += before;
			else
				before++;
		}
		all++;
		low += sum <= u;
	}
	return fmin(1, 2 * low / all);
}

static void ranks_are_as_counted(void)
{
	double a[] = {1, 2, 3, 4, 5}, b[8];

	CHECK(near(significance_ranks(a, 4, (double[]){6, 7, 8, 9}, 4), 2.0 / 70, 1e-12));
	CHECK(near(significance_ranks(a, 3, (double[]){6, 7, 8}, 3), 0.1, 1e-12));
	CHECK(near(significance_ranks(a, 5, (double[]){3.5, 4.5, 6, 7, 8}, 5),
		   count_orders(5, 5, 3), 1e-12));
	for (int round = 0; round < 50; round++) {
		double u = 0;

		for (int i = 0; i < 8; i++)
			b[i] = 6 * random_unit();
		for (int i = 0; i < 5; i++)
			for (int j = 0; j < 8; j++)
				u += a[i] > b[j];
		u = fmin(u, 40 - u);
		CHECK(near(significance_ranks(a, 5, b, 8), count_orders(5, 8, u), 1e-12));
	}
	CHECK(near(significance_ranks(a, 5, a, 5), 1, 1e-12));
	CHECK(near(significance_ranks((double[]){1, 1, 1}, 3, (double[]){1, 1}, 2), 1, 0));
	CHECK(isnan(significance_ranks(a, 0, b, 3)));
}

static void medians_are_in_the_middle(void)
{
	CHECK(near(significance_median((double[]){5, 1, 3}, 3), 3, 0));
	CHECK(near(significance_median((double[]){5, 1, 3, 4}, 4), 3.5, 0));
	CHECK(near(significance_median(NULL, 0), 0, 0));
}

static void adjusted_as_published(void)
{
	double p[] = {0.04, NAN, 0.005, 0.13, 0.011, 0.02};
	static const double wanted[] = {0.05, 0, 0.025, 0.13, 0.0275, 0.1 / 3};

	CHECK(significance_adjust(p, COUNT(p)) == 0);
	for (size_t i = 0; i < COUNT(p); i++)
		CHECK(i == 1 ? isnan(p[i]) : near(p[i], wanted[i], 1e-12));
	CHECK(significance_adjust(p, 0) == 0);
}

static void batches_hold_means(void)
{
	double means[BATCHES_MOST];

	for (unsigned samples = 0; samples < 3000; samples = samples * 3 / 2 + 1) {
		struct batches batches = {0};
		unsigned count, each;

		for (unsigned i = 0; i < samples; i++)
			batches_add(&batches, i);
		count = batches_means(&batches, means);
		each = batches.each ? (unsigned)batches.each : 1;
		CHECK(count < BATCHES_MOST && count * each <= samples);
		CHECK(samples < BATCHES_MOST ? count == samples : count >= BATCHES_MOST / 2);
		CHECK(samples - count * each < each);
		for (unsigned i = 0; i < count; i++)
			CHECK(near(means[i], i * each + (each - 1) / 2.0, 1e-9));
	}
}

/* Samples that follow their predecessors, as those of a run do. Of runs of one kind
 * few may be told apart; of those of another kind nearly all must be. */
static double alarms(double slower, double memory)
{
	unsigned told = 0, rounds = 400;

	for (unsigned round = 0; round < rounds; round++) {
		struct batches sides[2] = {{0}, {0}};
		double means[2][BATCHES_MOST];
		unsigned counts[2];

		for (int side = 0; side < 2; side++) {
			double level = 0;

			for (int i = 0; i < 2000; i++) {
				level = memory * level + 1000 * (random_unit() - 0.5);
				batches_add(&sides[side],
					    (uint64_t)((10000 + level) * (side ? slower : 1)));
			}
			counts[side] = batches_means(&sides[side], means[side]);
		}
		told += significance_ranks(means[0], counts[0], means[1], counts[1]) < 0.05;
	}
	return (double)told / rounds;
}

static void chance_is_told_from_change(void)
{
	double independent = alarms(1, 0), following = alarms(1, 0.9);

	CHECK(independent > 0.02 && independent < 0.09);
	CHECK(following < 0.12);
	CHECK(alarms(1.05, 0.9) > 0.95);
}

int main(void)
{
	t_is_as_in_tables();
	welch_is_as_published();
	ranks_are_as_counted();
	medians_are_in_the_middle();
	adjusted_as_published();
	batches_hold_means();
	chance_is_told_from_change();
	return check_status();
}
