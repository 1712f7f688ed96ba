/* SPDX-License-Identifier: MIT */
/* Device code that is loaded again and again (CUDA's modules), as part of the finding `builds`.
 * What a process loads once for each device is no repetition. Memory grows with distinct code. */
#ifndef TANDEM_ANALYSIS_FINDINGS_LOADS_H
#define TANDEM_ANALYSIS_FINDINGS_LOADS_H

#include "analysis/findings/finding.h"
#include "util/map.h"

struct load_row;

struct loads {
	struct map row_of; /* process, hash and size -> row */
	struct load_row *rows;
	size_t count, capacity;
};

/* Both return 0 or -ENOMEM. */
int loads_item(struct loads *loads, struct findings *findings, const struct event_item *item);
int loads_add(const struct loads *loads, struct findings *findings);

void loads_release(struct loads *loads);

#endif
