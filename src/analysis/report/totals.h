/* SPDX-License-Identifier: MIT */
/* What processes come to in all, summed up from the report's tables of queues and
 * threads: the last step of making it. One thread.
 *
 *	totals_finish(&report);    after the zones and the threads
 */
#ifndef TANDEM_ANALYSIS_REPORT_TOTALS_H
#define TANDEM_ANALYSIS_REPORT_TOTALS_H

#include "analysis/report/report.h"

/* Returns 0 or -ENOMEM. */
int totals_finish(struct report *report);

#endif
