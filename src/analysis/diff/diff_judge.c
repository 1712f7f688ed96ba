/* SPDX-License-Identifier: MIT */
/* Which differences of a diff are more than chance. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/diff.h"
#include "analysis/diff/significance.h"

/* What the test of a table takes from a run. */
enum measure { MEASURE_TOTAL, MEASURE_EACH, MEASURE_COUNT };

static bool is_pair(const struct diff *diff)
{
	return diff->run_count[DIFF_A] == 1 && diff->run_count[DIFF_B] == 1;
}

/* Into `values`, one for each run that has it; returns how many. */
static size_t take(const struct diff *diff, const struct diff_row *row, int side,
		   enum measure measure, double *values)
{
	size_t count = 0;

	for (size_t run = 0; run < diff->run_count[side]; run++) {
		const struct diff_sample *sample = &row->samples[side][run];

		if (measure == MEASURE_TOTAL)
			values[count++] = sample->total_ns;
		else if (measure == MEASURE_COUNT)
			values[count++] = sample->count;
		else if (sample->timed > 0)
			values[count++] = sample->total_ns / sample->timed;
	}
	return count;
}

static double mean(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return count ? sum / (double)count : 0;
}

struct room { /* one number for each run */
	double *values[DIFF_SIDES];
};

static double change_percent(const double each[DIFF_SIDES])
{
	return each[DIFF_A] > 0 ? 100 * (each[DIFF_B] - each[DIFF_A]) / each[DIFF_A] : NAN;
}

/* p, and the mean of each side's runs. */
static double test_runs(const struct diff *diff, const struct diff_row *row, enum measure measure,
			struct room *room, double means[DIFF_SIDES])
{
	size_t a = take(diff, row, DIFF_A, measure, room->values[DIFF_A]);
	size_t b = take(diff, row, DIFF_B, measure, room->values[DIFF_B]);

	means[DIFF_A] = mean(room->values[DIFF_A], a);
	means[DIFF_B] = mean(room->values[DIFF_B], b);
	if (!a || !b)
		return NAN;
	return significance_welch(room->values[DIFF_A], a, room->values[DIFF_B], b);
}

/* p, and the median of each side's means of batches. */
static double test_batches(const struct diff_row *row, double medians[DIFF_SIDES])
{
	double a[BATCHES_MOST], b[BATCHES_MOST];
	unsigned a_count = batches_means(&row->batches[DIFF_A], a);
	unsigned b_count = batches_means(&row->batches[DIFF_B], b);

	medians[DIFF_A] = a_count ? significance_median(a, a_count) : 0;
	medians[DIFF_B] = b_count ? significance_median(b, b_count) : 0;
	if (!a_count || !b_count)
		return NAN;
	/* Of one on either side no order is rare. */
	return a_count + b_count < 3 ? NAN : significance_ranks(a, a_count, b, b_count);
}

static void test_row(const struct diff *diff, enum diff_kind kind, struct diff_row *row,
		     struct room *room)
{
	double each[DIFF_SIDES] = {0}, ignored[DIFF_SIDES];

	if (kind == DIFF_TOTAL || kind == DIFF_FINDINGS) {
		row->each_percent = NAN;
		if (is_pair(diff))
			return;
		row->p = test_runs(diff, row, MEASURE_TOTAL, room, each);
		row->each_percent = change_percent(each);
		if (kind == DIFF_FINDINGS)
			row->count_p = test_runs(diff, row, MEASURE_COUNT, room, ignored);
		return;
	}
	if (is_pair(diff)) {
		row->p = test_batches(row, each);
	} else {
		row->p = test_runs(diff, row, MEASURE_EACH, room, each);
		row->count_p = test_runs(diff, row, MEASURE_COUNT, room, ignored);
	}
	for (int side = 0; side < DIFF_SIDES; side++)
		row->side[side].each_ns = each[side];
	row->each_percent = each[DIFF_B] > 0 ? change_percent(each) : NAN;
}

static double run_ns(const struct diff *diff, enum diff_side side)
{
	double sum = 0;

	for (size_t i = 0; i < diff->run_count[side]; i++)
		sum += (double)(diff->runs[side][i].to_ns - diff->runs[side][i].from_ns);
	return diff->run_count[side] ? sum / (double)diff->run_count[side] : 0;
}

/* Enough of the shorter run to matter. */
static bool matters(const struct diff *diff, double ns)
{
	double run = fmin(run_ns(diff, DIFF_A), run_ns(diff, DIFF_B));

	return 100 * fabs(ns) >= diff->options.least_run_percent * run;
}

static bool passes(const struct diff *diff, double p, double percent)
{
	return p <= diff->options.most_p && fabs(percent) >= diff->options.least_percent;
}

/* In all runs of one side and in none of the other. */
static const char *appeared(const struct diff *diff, const struct diff_row *row)
{
	size_t a = row->side[DIFF_A].runs, b = row->side[DIFF_B].runs;

	if (!a && b == diff->run_count[DIFF_B])
		return "new";
	if (!b && a == diff->run_count[DIFF_A])
		return "gone";
	return NULL;
}

static void judge_total(const struct diff *diff, struct diff_row *row)
{
	row->significant =
		passes(diff, row->p, row->each_percent) && matters(diff, row->difference_ns);
	if (row->significant)
		row->verdict = row->difference_ns > 0 ? "longer" : "shorter";
}

static void judge_operation(const struct diff *diff, struct diff_row *row)
{
	static const char *const words[2][3] = {
		{"slower", "slower, more often", "slower, less often"},
		{"faster", "faster, more often", "faster, less often"},
	};
	double a = row->side[DIFF_A].count, b = row->side[DIFF_B].count;
	double percent = a > 0 ? 100 * (b - a) / a : INFINITY;
	/* What was counted once has no spread: it is taken as it is. */
	bool number = (is_pair(diff) || row->count_p <= diff->options.most_p) &&
		      fabs(percent) >= diff->options.least_percent;
	bool time = passes(diff, row->p, row->each_percent);
	const char *verdict = appeared(diff, row);

	if (verdict)
		row->verdict = verdict;
	else if (time)
		row->verdict = words[row->each_percent < 0][number ? (b > a ? 1 : 2) : 0];
	else if (number)
		row->verdict = b > a ? "more often" : "less often";
	/* Slower, but less often: the two may even out, and both are changes. */
	row->significant =
		*row->verdict &&
		(matters(diff, row->difference_ns) ||
		 (time && matters(diff, row->side[DIFF_B].total_ns * row->each_percent / 100)));
	if (!row->significant)
		row->verdict = "";
}

static void judge_finding(const struct diff *diff, struct diff_row *row)
{
	bool large = matters(diff, row->difference_ns);
	/* What one of them costs depends on what else the machine does; how many there
	 * are much less. */
	bool told = row->p <= diff->options.most_p || row->count_p <= diff->options.most_p;
	const char *verdict = appeared(diff, row);

	if (!row->certain && !large)
		return;
	if (verdict)
		row->verdict = verdict;
	else if (large && fabs(row->change_percent) >= diff->options.least_percent &&
		 (is_pair(diff) || told))
		row->verdict = row->difference_ns > 0 ? "costs more" : "costs less";
	/* An error that was not there is a fact; a cost that was measured once is none. */
	if (verdict && row->certain)
		row->significant = true;
	else
		row->significant = *row->verdict && large && told;
	if (!row->significant)
		row->verdict = "";
}

/* All p of all tables are one family. */
static int adjust(struct diff *diff)
{
	size_t count = 0, at = 0;
	double *p;
	int status;

	for (int i = 0; i < DIFF_TABLE_COUNT; i++)
		count += 2 * diff->tables[i].count;
	p = calloc(count + 1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	for (int i = 0; i < DIFF_TABLE_COUNT; i++) {
		for (size_t row = 0; row < diff->tables[i].count; row++) {
			p[at++] = diff->tables[i].rows[row].p;
			p[at++] = diff->tables[i].rows[row].count_p;
		}
	}
	status = significance_adjust(p, count);
	at = 0;
	for (int i = 0; i < DIFF_TABLE_COUNT; i++) {
		for (size_t row = 0; row < diff->tables[i].count; row++) {
			diff->tables[i].rows[row].p = p[at++];
			diff->tables[i].rows[row].count_p = p[at++];
		}
	}
	free(p);
	return status;
}

static const char *statistic(const struct diff *diff)
{
	if (is_pair(diff))
		return "Mann-Whitney U test on means of batches of successive calls";
	if (diff->run_count[DIFF_A] == 1 || diff->run_count[DIFF_B] == 1)
		return "Student's t test of the one run against the others";
	return "Welch's t test on the runs";
}

int diff_judge(struct diff *diff)
{
	size_t room_bytes =
		(diff->run_count[DIFF_A] + diff->run_count[DIFF_B] + 1) * sizeof(double);
	double *values = malloc(room_bytes);
	struct room room = {{values, values + diff->run_count[DIFF_A]}};
	int status = values ? 0 : -ENOMEM;

	diff->statistic = statistic(diff);
	diff->each_statistic = is_pair(diff) ? "median" : "mean";
	for (int i = 0; !status && i < DIFF_TABLE_COUNT; i++)
		for (size_t row = 0; row < diff->tables[i].count; row++)
			test_row(diff, i, &diff->tables[i].rows[row], &room);
	if (!status)
		status = adjust(diff);
	for (int i = 0; !status && i < DIFF_TABLE_COUNT; i++) {
		struct diff_table *table = &diff->tables[i];

		for (size_t at = 0; at < table->count; at++) {
			struct diff_row *row = &table->rows[at];

			if (i == DIFF_TOTAL)
				judge_total(diff, row);
			else if (i == DIFF_FINDINGS)
				judge_finding(diff, row);
			else
				judge_operation(diff, row);
			table->significant += row->significant;
		}
	}
	free(values);
	return status;
}
