/* SPDX-License-Identifier: MIT */
#include "analysis/report/report.h"

#include <string.h>

void report_free(struct report *report)
{
	arena_free(&report->arena);
	memset(report, 0, sizeof(*report));
}
