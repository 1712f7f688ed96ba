/* SPDX-License-Identifier: MIT */
/* The report as a person reads it: who ran what, what was lost, the tables. */
#ifndef TANDEM_CLI_REPORT_REPORT_TEXT_H
#define TANDEM_CLI_REPORT_REPORT_TEXT_H

#include <stdbool.h>

#include "analysis/findings/finding.h"
#include "analysis/report/report.h"
#include "util/text.h"

struct report_style {
	size_t top;	/* rows of each table; 0: all */
	unsigned width; /* columns of the terminal; 0: any */
	bool colour;
};

/* `table` as enum report_table, or -1 for all, which begin with the findings (NULL:
 * they were not looked for). */
void report_text(struct text *out, const struct report *report, const struct findings *findings,
		 const struct trace_session *session, int table, const struct report_style *style);

#endif
