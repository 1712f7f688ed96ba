/* SPDX-License-Identifier: MIT */
/* A report's processes and threads for people: of those that made no API call, three or more
 * of one name are one row, "ld, 281 processes", with their sums and no number; those that made
 * calls first, then whoever ran longest. One thread.
 *
 *	struct report_process *rows = report_fold_processes(report, &arena, &count);
 *	... rows[0] to rows[count - 1]; NULL: no memory, show the report's own
 *	arena_free(&arena);
 */
#ifndef TANDEM_CLI_REPORT_REPORT_FOLD_H
#define TANDEM_CLI_REPORT_REPORT_FOLD_H

#include "analysis/report/report.h"
#include "util/arena.h"

struct report_process *report_fold_processes(const struct report *report, struct arena *arena,
					     size_t *count);

/* Of one name: in one process, or each in one of its own. */
struct report_thread *report_fold_threads(const struct report *report, struct arena *arena,
					  size_t *count);

#endif
