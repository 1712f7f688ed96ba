/* SPDX-License-Identifier: MIT */
/* Device code that is loaded again and again (CUDA's modules), as part of the finding `builds`.
 * What a process loads once for each device is no repetition. Memory grows with distinct code. */
#ifndef TANDEM_ANALYSIS_FINDINGS_LOADS_H
#define TANDEM_ANALYSIS_FINDINGS_LOADS_H

#include "analysis/findings/finding.h"
#include "util/map.h"

struct load_row;

struct load_call { /* the latest of a thread */
	const struct tandem_event *api;
	int64_t begin_ns, end_ns;
	uint64_t call;
};

struct loads {
	struct load_call *last; /* by stream */
	struct map row_of;	/* process, hash and size -> row */
	struct load_row *rows;
	size_t count, capacity;
};

/* These return 0 or -ENOMEM. */
int loads_begin(struct loads *loads, const struct trace_session *session);
int loads_item(struct loads *loads, struct graph *graph, const struct event_item *item);
int loads_add(const struct loads *loads, struct findings *findings);

void loads_release(struct loads *loads);

#endif
