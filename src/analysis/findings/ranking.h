/* SPDX-License-Identifier: MIT */
/* Findings of all kinds against each other: what each would save in the run, which is the symptom
 * of which, and what is to be done first. One thread. */
#ifndef TANDEM_ANALYSIS_FINDINGS_RANKING_H
#define TANDEM_ANALYSIS_FINDINGS_RANKING_H

#include "analysis/findings/finding.h"

/* When all kinds have added theirs, and the graph is finished. Those that save nothing are
 * dropped. */
void findings_rank(struct findings *findings);

#endif
