/* SPDX-License-Identifier: MIT */
/* The report's table of clocks: the session's own, then the devices' as they were
 * fitted to it. One thread.
 *
 *	clocks_finish(&clock_sync, &devices, session, report);    after devices_report_finish()
 */
#ifndef TANDEM_ANALYSIS_REPORT_CLOCKS_H
#define TANDEM_ANALYSIS_REPORT_CLOCKS_H

#include "analysis/clocksync/clock_sync.h"
#include "analysis/report/report.h"

/* `align` is finished. Returns 0 or -ENOMEM. */
int clocks_finish(const struct clock_sync *clock_sync, const struct devices *devices,
		  const struct trace_session *session, struct report *report);

#endif
