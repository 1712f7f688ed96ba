/* SPDX-License-Identifier: MIT */
/* The report's rows of the program's ranges and markers, by name. */
#ifndef TANDEM_ANALYSIS_REPORT_RANGES_REPORT_H
#define TANDEM_ANALYSIS_REPORT_RANGES_REPORT_H

#include "analysis/events/range.h"
#include "analysis/ranges/ranges.h"
#include "analysis/report/report.h"

struct ranges_row;

struct ranges_report {
	struct ranges ranges;
	struct range counted; /* what is counted: ranges that begin in it */
	struct intern names;
	struct map row_of; /* name, scope and kind -> row */
	struct ranges_row *rows;
	size_t row_count, row_capacity;
};

/* Returns 0 or -ENOMEM; on error there is nothing to free. The struct may not move. */
int ranges_report_init(struct ranges_report *report, struct trace_session *session,
		       const struct range *counted);

/* Takes the iterator's next item. Returns 0 or -ENOMEM. */
static inline int ranges_report_add(struct ranges_report *report, const struct event_item *item)
{
	return ranges_item(&report->ranges, item);
}

/* Returns 0 or -ENOMEM. */
int ranges_report_finish(struct ranges_report *rows, struct report *report);

void ranges_report_free(struct ranges_report *report);

#endif
