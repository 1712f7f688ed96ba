/* SPDX-License-Identifier: MIT */
/* The report's table of device memory. One thread.
 *
 *	memory_report_finish(&memory, &report);    after devices_report_finish()
 */
#ifndef TANDEM_ANALYSIS_REPORT_MEMORY_REPORT_H
#define TANDEM_ANALYSIS_REPORT_MEMORY_REPORT_H

#include "analysis/operations/memory.h"
#include "analysis/report/report.h"

/* Returns 0 or -ENOMEM. */
int memory_report_finish(struct memory *memory, struct report *report);

#endif
