/* SPDX-License-Identifier: MIT */
/* What is known of a session's transfers, by all that looks at them: their calls and ends (copies.c), and
 * what they moved (copies_record.c). One thread. */
#ifndef TANDEM_ANALYSIS_FINDINGS_COPIES_COPIES_H
#define TANDEM_ANALYSIS_FINDINGS_COPIES_COPIES_H

#include "analysis/findings/copies/by_host.h"
#include "analysis/findings/copies/contents.h"
#include "analysis/findings/copies/dominate.h"
#include "analysis/findings/copies/mapped.h"
#include "analysis/findings/copies/through.h"
#include "analysis/findings/copies/unchanged.h"
#include "analysis/findings/finding.h"

struct copy_process {
	struct unchanged writes, reads;
	struct dominate dominate;
	int64_t kernels_until_ns;
};

struct copies {
	struct copy_buffers buffers;
	struct copy_calls calls;
	struct contents contents;
	struct read_contents reads;
	struct by_host by_host;
	struct through through;
	struct unread unread;
	struct mapped mapped;
	struct copy_process *processes; /* by index */
};

/* A record of what a transfer moved; others are none. Returns 0 or -ENOMEM. */
int copies_record(struct copies *copies, struct findings *findings, const struct event_item *item);

/* A memory object is freed. Same. */
int copies_freed(struct copies *copies, const struct trace_event *event);

#endif
