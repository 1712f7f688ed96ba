/* SPDX-License-Identifier: MIT */
/* An event that waits for its turn in time: the reorder buffer's (buffer.h), in
 * memory or in a file (runs.h). */
#ifndef TANDEM_ANALYSIS_EVENTS_REORDER_EVENT_H
#define TANDEM_ANALYSIS_EVENTS_REORDER_EVENT_H

#include <stdint.h>

#define REORDER_EVENT_KINDS 256u

struct reorder_event {
	int64_t time_ns;
	uint64_t op; /* free for the caller, as kind and payload */
	const void *
		payload; /* copied, one behind the other once where they share it; borrowed while it is handed out */
	uint32_t bytes; /* of payload */
	uint32_t kind;	/* below REORDER_EVENT_KINDS */
	/* Handed out only: it came too late for its place by so much, and stands
	 * at time_ns + moved_ns. Else 0. */
	int64_t moved_ns;
};

#endif
