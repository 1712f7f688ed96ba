/* SPDX-License-Identifier: MIT */
/* The report's rows of what a runtime recorded besides calls and operations: what it and
 * its tracing cost, faults of unified memory, loaded device code, the program's own
 * numbers of its commands. Records are known by their role (schema/traits.h). */
#ifndef TANDEM_ANALYSIS_REPORT_ACTIVITY_REPORT_H
#define TANDEM_ANALYSIS_REPORT_ACTIVITY_REPORT_H

#include "analysis/events/range.h"
#include "analysis/operations/devices.h"
#include "analysis/report/report.h"
#include "trace/event.h"
#include "util/map.h"

struct activity_row;

struct activity_report {
	struct devices *devices; /* borrowed */
	struct range range;	 /* what is counted */
	struct map row_of;
	struct activity_row *rows;
	size_t row_count, row_capacity;
};

void activity_report_init(struct activity_report *activity, struct devices *devices,
			  const struct range *range);

/* Takes any record of our own; others than those change nothing. Returns 0 or -ENOMEM. */
int activity_report_add(struct activity_report *activity, const struct trace_event *event);

/* Returns 0 or -ENOMEM. */
int activity_report_finish(struct activity_report *activity, struct report *report);

void activity_report_free(struct activity_report *activity);

#endif
