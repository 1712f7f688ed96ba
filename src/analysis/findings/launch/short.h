/* SPDX-License-Identifier: MIT */
/* Kernels of a few work-items, many and short, on a device that is never idle: its threads have to be given
 * each of them, where it is the CPU, which its own times have in them; and a device of its own has
 * lanes for more. One thread. */
#ifndef TANDEM_ANALYSIS_FINDINGS_LAUNCH_SHORT_H
#define TANDEM_ANALYSIS_FINDINGS_LAUNCH_SHORT_H

#include "analysis/findings/launch/launch_row.h"

/* Of so few items, and on a device of its own no longer in the mean. */
#define SHORT_ITEMS 1024u
#define SHORT_OWN_NS 150000u

/* A device of its own has lanes for many times as many items, and most of such a kernel is its start: eight
 * of them in one take an eighth (three programs saved 0.84 to 0.96 of the run). */
#define SHORT_OWN_AT_ONCE 8u

/* One kernel over all items fills the device, too. */
void launch_short_symptom(struct findings *findings, const char *kernel, uint64_t pid);

/* Of all launches of the kernel, where rows[at] is the first of its short ones and no gaps say as much of their
 * process. Returns 0 or -ENOMEM. */
int launch_short_report(const struct launch_row *rows, size_t row_count, size_t at,
			struct findings *findings);

#endif
