/* SPDX-License-Identifier: MIT */
/* Kernels of a few work-items, many and short, on a device that is the CPU: its threads have to be given
 * each of them, which its own times have in them, so that the device is never idle. One thread. */
#ifndef TANDEM_ANALYSIS_FINDINGS_LAUNCH_SHORT_H
#define TANDEM_ANALYSIS_FINDINGS_LAUNCH_SHORT_H

#include "analysis/findings/launch/launch_row.h"

/* Of launches of one shape, where no gaps say as much of their process. Returns 0 or -ENOMEM. */
int launch_short_report(const struct launch_row *row, struct findings *findings);

#endif
