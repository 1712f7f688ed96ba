/* SPDX-License-Identifier: MIT */
/* Makes a report: one pass over all events in the order of time. Memory grows with distinct
 * names, objects and commands in flight, not with the trace. One thread.
 *
 *	struct report report;
 *	if (report_make(&report, &session, NULL, &error))
 *		return cli_fail(&error);
 */
#ifndef TANDEM_ANALYSIS_REPORT_REPORT_MAKE_H
#define TANDEM_ANALYSIS_REPORT_REPORT_MAKE_H

#include <stdbool.h>

#include "analysis/events/progress.h"
#include "analysis/events/range.h"
#include "analysis/report/report.h"
#include "trace/session/session.h"
#include "util/error.h"

struct pass;

struct report_options {
	struct progress progress; /* of bytes of the trace read; may be all NULL */
	/* Only this stretch of the session, since its start; see analysis/events/range.h.
	 * Losses, damage and clocks are of the session all the same. */
	bool ranged;
	struct range range;
};

/* Returns 0 or -errno; on error there is nothing to free. */
int report_make(struct report *report, struct trace_session *session,
		const struct report_options *options, struct error *error);

/* The same in a pass that others join too (pass.h); `options->progress` counts for
 * nothing. The report is made when the pass has run without an error; on error there is
 * nothing to free. Returns 0 or -ENOMEM. */
int report_join(struct pass *pass, struct report *report, const struct report_options *options);

#endif
