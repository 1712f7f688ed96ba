/* SPDX-License-Identifier: MIT */
/* Small steps that all of the report's tables take. */
#ifndef TANDEM_ANALYSIS_REPORT_TABLE_H
#define TANDEM_ANALYSIS_REPORT_TABLE_H

#include <stdlib.h>
#include <string.h>

#include "analysis/report/report.h"
#include "analysis/stats/histogram.h"

/* Where a histogram's durations lie. */
static inline struct report_times table_times(const struct histogram *histogram)
{
	return (struct report_times){
		.total_ns = histogram->sum,
		.mean_ns = histogram_mean(histogram),
		.min_ns = histogram->min,
		.p50_ns = histogram_percentile(histogram, 0.50),
		.p99_ns = histogram_percentile(histogram, 0.99),
		.max_ns = histogram->max,
	};
}

static inline double table_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* A copy that belongs to the report; "" when memory runs out. */
static inline const char *table_string(struct report *report, const char *string)
{
	const char *copy = *string ? arena_copy(&report->arena, string, strlen(string)) : "";

	return copy ? copy : "";
}

/* qsort() that takes an empty table. */
static inline void table_sort(void *rows, size_t count, size_t row_bytes,
			      int (*compare)(const void *, const void *))
{
	if (count > 1)
		qsort(rows, count, row_bytes, compare);
}

#endif
