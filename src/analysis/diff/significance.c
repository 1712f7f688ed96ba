/* SPDX-License-Identifier: MIT */
#include "analysis/diff/significance.h"
#include "util/order/compare.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many on both sides together have their exact distribution counted out. */
#define EXACT_MOST 16u

/* The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's
 * method; converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), product;

	d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
	product = d;
	for (int m = 1; m <= 300; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double terms[2] = {even, odd}, step = 1;

		for (int i = 0; i < 2; i++) {
			d = 1 + terms[i] * d;
			c = 1 + terms[i] / c;
			d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
			c = fabs(c) < DBL_MIN ? DBL_MIN : c;
			step = c * d;
			product *= step;
		}
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return product;
}

/* lgamma() writes the sign into a variable of all threads. */
static double log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

/* The regularised incomplete beta function I_x(a, b). */
static double beta(double x, double a, double b)
{
	double front;

	if (x <= 0 || x >= 1)
		return x >= 1;
	front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a
					 : 1 - front * beta_fraction(1 - x, b, a) / b;
}

double significance_t(double t, double freedom)
{
	if (isnan(t) || !(freedom > 0))
		return NAN;
	if (isinf(t))
		return 0;
	return beta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

struct moments {
	double mean, variance; /* of one more than counted: unbiased */
};

static struct moments moments_of(const double *values, size_t count)
{
	struct moments of = {0};

	for (size_t i = 0; i < count; i++)
		of.mean += values[i] / (double)count;
	for (size_t i = 0; i < count; i++)
		of.variance += (values[i] - of.mean) * (values[i] - of.mean);
	of.variance = count > 1 ? of.variance / (double)(count - 1) : 0;
	/* Equal numbers have a mean that rounding puts beside them. */
	if (of.variance <= of.mean * of.mean * 1e-24)
		of.variance = 0;
	return of;
}

double significance_welch(const double *a, size_t a_count, const double *b, size_t b_count)
{
	struct moments left = moments_of(a, a_count), right = moments_of(b, b_count);
	double difference = fabs(left.mean - right.mean), left_error, right_error, error, freedom;

	if (!a_count || !b_count || a_count + b_count < 3)
		return NAN;
	if (a_count == 1)
		left.variance = right.variance;
	if (b_count == 1)
		right.variance = left.variance;
	left_error = left.variance / (double)a_count;
	right_error = right.variance / (double)b_count;
	error = left_error + right_error;
	if (error <= 0)
		return difference > 1e-12 * fabs(left.mean) ? 0 : 1;
	if (a_count == 1 || b_count == 1)
		freedom = (double)(a_count + b_count - 2);
	else
		freedom = error * error /
			  (left_error * left_error / (double)(a_count - 1) +
			   right_error * right_error / (double)(b_count - 1));
	return significance_t(difference / sqrt(error), freedom);
}

static int compare_doubles(const void *a, const void *b)
{
	const double *left = a, *right = b;

	return COMPARE(*left, *right);
}

/* How often U is u or less, of all ways to put a and b numbers in order: the number
 * of ways for each U grows number by number (Mann and Whitney's recurrence). */
static double ranks_exact(double u, unsigned a, unsigned b)
{
	/* ways[i][k]: with i numbers of a among those of b so far, of U = k. */
	static const unsigned most = EXACT_MOST * EXACT_MOST / 4 + 1;
	double ways[EXACT_MOST + 1][EXACT_MOST * EXACT_MOST / 4 + 1] = {{1}};
	double all = 0, low = 0;

	/* The j-th number of a may stand behind 0 to b numbers of b: partitions of U
	 * into at most a parts of at most b each. */
	for (unsigned part = 1; part <= b; part++)
		for (unsigned i = 1; i <= a; i++)
			for (unsigned k = part; k < most; k++)
				ways[i][k] += ways[i - 1][k - part];
	for (unsigned i = 0; i <= a; i++) {
		for (unsigned k = 0; k < most; k++) {
			all += ways[i][k];
			low += k <= u ? ways[i][k] : 0;
		}
	}
	return 2 * low / all;
}

double significance_ranks(const double *a, size_t a_count, const double *b, size_t b_count)
{
	double all[2 * SIGNIFICANCE_MOST], u = 0, ties = 0, count = (double)(a_count + b_count);
	double product = (double)a_count * (double)b_count, variance, away;

	if (!a_count || !b_count || a_count > SIGNIFICANCE_MOST || b_count > SIGNIFICANCE_MOST)
		return NAN;
	for (size_t i = 0; i < a_count; i++)
		for (size_t j = 0; j < b_count; j++)
			u += a[i] < b[j] ? 1 : a[i] > b[j] ? 0 : 0.5;
	memcpy(all, a, a_count * sizeof(*all));
	memcpy(all + a_count, b, b_count * sizeof(*all));
	qsort(all, a_count + b_count, sizeof(*all), compare_doubles);
	for (size_t i = 0, same; i < a_count + b_count; i += same) {
		for (same = 1; i + same < a_count + b_count && all[i + same] <= all[i]; same++)
			;
		ties += (double)same * (double)same * (double)same - (double)same;
	}
	u = fmin(u, product - u);
	if (ties <= 0 && a_count + b_count <= EXACT_MOST)
		return fmin(1, ranks_exact(u, (unsigned)a_count, (unsigned)b_count));
	variance = product / 12 * (count + 1 - ties / (count * (count - 1)));
	if (variance <= 0)
		return 1;
	away = product / 2 - u - 0.5;
	return away <= 0 ? 1 : erfc(away / sqrt(variance) / sqrt(2));
}

double significance_median(const double *values, size_t count)
{
	double sorted[SIGNIFICANCE_MOST * SIGNIFICANCE_MOST];

	if (!count || count > SIGNIFICANCE_MOST * SIGNIFICANCE_MOST)
		return 0;
	memcpy(sorted, values, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_doubles);
	return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

struct ranked {
	double p;
	size_t place;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	return COMPARE(left->p, right->p);
}

int significance_adjust(double *p, size_t count)
{
	struct ranked *ranked = calloc(count + 1, sizeof(*ranked));
	size_t known = 0;
	double least = 1;

	if (!ranked)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (!isnan(p[i]))
			ranked[known++] = (struct ranked){p[i], i};
	qsort(ranked, known, sizeof(*ranked), compare_ranked);
	for (size_t i = known; i-- > 0;) {
		least = fmin(least, ranked[i].p * (double)known / (double)(i + 1));
		p[ranked[i].place] = least;
	}
	free(ranked);
	return 0;
}
