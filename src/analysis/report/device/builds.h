/* SPDX-License-Identifier: MIT */
/* Builds of programs: the first REPORT_BUILDS with all they say, failed ones
 * first in line when room is short; all of them in the sums. Part of the
 * report's pass. One thread.
 *
 *	builds_add(&builds, report, &range, event);    each record `build`
 *	builds_finish(&builds, report);        after devices_report_finish()
 */
#ifndef TANDEM_ANALYSIS_REPORT_BUILDS_H
#define TANDEM_ANALYSIS_REPORT_BUILDS_H

#include "analysis/events/range.h"
#include "analysis/operations/devices.h"
#include "analysis/report/report.h"
#include "trace/event.h"

struct builds {
	struct devices *devices;	/* borrowed */
	uint32_t device[REPORT_BUILDS]; /* rows of devices, of report->builds */
};

void builds_init(struct builds *builds, struct devices *devices);

/* One that began outside of the range changes nothing. Returns 0 or -ENOMEM. */
int builds_add(struct builds *builds, struct report *report, const struct range *range,
	       const struct trace_event *event);

void builds_finish(struct builds *builds, struct report *report);

#endif
