/* SPDX-License-Identifier: MIT */
/* The threads' waits as tables of the report. Part of the report's pass. One thread. */
#ifndef TANDEM_ANALYSIS_REPORT_WAITS_REPORT_H
#define TANDEM_ANALYSIS_REPORT_WAITS_REPORT_H

#include "analysis/report/report.h"
#include "analysis/sched/waits.h"

/* Writes into the report what waits_settle() made complete; after the tables of calls
 * are there. Returns 0 or -ENOMEM. */
int waits_report_finish(const struct waits *waits, struct report *report);

#endif
