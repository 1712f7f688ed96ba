/* SPDX-License-Identifier: MIT */
/* Whether two groups of numbers differ by more than their own spread explains. Each
 * test returns p: how often chance alone would show so large a difference; NAN where
 * the numbers are too few to tell. No state; any thread.
 *
 *	double p = significance_welch(a, a_count, b, b_count);
 *	significance_adjust(all_p, count);
 *	if (all_p[i] < 0.05)
 *		...
 */
#ifndef TANDEM_ANALYSIS_DIFF_SIGNIFICANCE_H
#define TANDEM_ANALYSIS_DIFF_SIGNIFICANCE_H

#include <stddef.h>

/* Welch's t test of the means, two-sided; at least two numbers on each side. With
 * one on one side and two or more on the other: Student's, whether the one is of the
 * others' kind. */
double significance_welch(const double *a, size_t a_count, const double *b, size_t b_count);

/* Mann and Whitney's U test (Wilcoxon's rank-sum), two-sided: exact for few numbers
 * without ties, else by the normal approximation with its corrections for ties and
 * continuity. At most SIGNIFICANCE_MOST numbers on each side. */
#define SIGNIFICANCE_MOST 32u
double significance_ranks(const double *a, size_t a_count, const double *b, size_t b_count);

/* Middle of the numbers, at most SIGNIFICANCE_MOST; 0 of none. */
double significance_median(const double *values, size_t count);

/* Of many tests some are small by chance: Benjamini and Hochberg's correction makes
 * of each p the smallest share of false alarms with which it passes. NANs stay, and
 * do not count. Returns 0 or -ENOMEM. */
int significance_adjust(double *p, size_t count);

/* The t distribution: how often |t| or more, with these degrees of freedom. */
double significance_t(double t, double freedom);

#endif
