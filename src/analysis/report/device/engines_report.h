/* SPDX-License-Identifier: MIT */
/* The GPU engines' part of the report. Part of the report's pass. One thread.
 *
 *	struct engines_report engines;
 *	engines_report_init(&engines, session, &waits.states);
 *	engines_report_add(&engines, event);       of each event of a CPU's stream
 *	engines_report_finish(&engines, report);
 *	engines_report_free(&engines);
 */
#ifndef TANDEM_ANALYSIS_REPORT_ENGINES_REPORT_H
#define TANDEM_ANALYSIS_REPORT_ENGINES_REPORT_H

#include "analysis/report/report.h"
#include "analysis/sched/engines.h"
#include "analysis/sched/states.h"
#include "trace/event.h"

struct engines_report {
	struct trace_session *session; /* borrowed */
	const struct states *states;   /* borrowed: whose a thread is */
	struct engines engines;
	struct tracepoints *tracepoints;
};

void engines_report_init(struct engines_report *engines, struct trace_session *session,
			 const struct states *states);

/* Return 0 or -ENOMEM. */
int engines_report_add(struct engines_report *engines, const struct trace_event *event);
int engines_report_finish(struct engines_report *engines, struct report *report);

void engines_report_free(struct engines_report *engines);

#endif
