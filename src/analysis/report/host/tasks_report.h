/* SPDX-License-Identifier: MIT */
/* The report's rows of tasks, by the place in the program that makes them. */
#ifndef TANDEM_ANALYSIS_REPORT_TASKS_REPORT_H
#define TANDEM_ANALYSIS_REPORT_TASKS_REPORT_H

#include "analysis/events/event_iterator.h"
#include "analysis/events/range.h"
#include "analysis/report/report.h"
#include "util/intern.h"

struct tasks_row;

struct tasks_report {
	const struct tasks *tasks; /* borrowed */
	struct range counted;	   /* tasks that begin in it, operations whose call does */
	struct intern texts;
	struct map row_of; /* hash of name, kind, place, device -> row */
	struct tasks_row *rows;
	size_t row_count, row_capacity;
};

void tasks_report_init(struct tasks_report *report, const struct tasks *tasks,
		       const struct range *counted);

/* Of an operation that a task made, and a call that is one (TANDEM_CLASS_TASK). Return 0 or
 * -ENOMEM. */
int tasks_report_operation(struct tasks_report *report, const struct operation *operation);
int tasks_report_call(struct tasks_report *report, const struct trace_event *event);

/* Returns 0 or -ENOMEM. */
int tasks_report_finish(struct tasks_report *rows, struct report *report);

void tasks_report_free(struct tasks_report *report);

#endif
