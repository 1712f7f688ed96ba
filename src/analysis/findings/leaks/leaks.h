/* SPDX-License-Identifier: MIT */
/* What may be called a leak in a session. */
#ifndef TANDEM_ANALYSIS_FINDINGS_LEAKS_H
#define TANDEM_ANALYSIS_FINDINGS_LEAKS_H

#include "analysis/findings/finding.h"

/* Whether the program ended by itself: one that was killed had no time to release anything. */
bool leaks_are_seen(const struct findings *findings);

/* Calls that are missing: any of them may have released something. */
uint64_t leaks_lost_calls(const struct findings *findings);

#endif
