/* SPDX-License-Identifier: MIT */
/* Kernels of a few work-items, many and short, on a device that is never idle: its threads have to be given
 * each of them, where it is the CPU, which its own times have in them; and a device of its own has
 * lanes for more. One thread. */
#ifndef TANDEM_ANALYSIS_FINDINGS_LAUNCH_SHORT_H
#define TANDEM_ANALYSIS_FINDINGS_LAUNCH_SHORT_H

#include "analysis/findings/launch/launch_row.h"

/* Of all launches of the kernel, where rows[at] is the first of its short ones and no gaps say as much of their
 * process. Returns 0 or -ENOMEM. */
int launch_short_report(const struct launch_row *rows, size_t row_count, size_t at,
			struct findings *findings);

#endif
