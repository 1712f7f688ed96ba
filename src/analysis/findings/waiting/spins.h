/* SPDX-License-Identifier: MIT */
/* Calls that wait for the device without sleeping: the driver looks at a flag. By function: whoever
 * calls it, the driver does the waiting. One thread. */
#ifndef TANDEM_ANALYSIS_FINDINGS_WAITING_SPINS_H
#define TANDEM_ANALYSIS_FINDINGS_WAITING_SPINS_H

#include "analysis/findings/finding.h"

/* `calls`: that wait, by the layouts' index. Returns 0 or -ENOMEM. */
int spins_add(struct findings *findings, const uint64_t *calls);

#endif
