/* SPDX-License-Identifier: MIT */
/* The report's table of hosts. One thread. */
#ifndef TANDEM_ANALYSIS_REPORT_HOSTS_REPORT_H
#define TANDEM_ANALYSIS_REPORT_HOSTS_REPORT_H

#include "analysis/report/report.h"

/* Returns 0 or -ENOMEM. */
int hosts_report_finish(const struct trace_session *session, struct report *report);

#endif
