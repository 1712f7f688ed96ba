/* SPDX-License-Identifier: MIT */
/* The calls that were made in ranges, until their operations have ended: each with the set of
 * ranges that were open then, in its thread (nested ones) and its process (start-end ones).
 * One thread.
 */
#ifndef TANDEM_ANALYSIS_RANGES_RANGE_LAUNCHES_H
#define TANDEM_ANALYSIS_RANGES_RANGE_LAUNCHES_H

#include "analysis/ranges/range_open.h"
#include "util/map.h"

struct range_stream {
	struct range_open *top; /* innermost nested range */
	struct range_set *set;	/* of the latest call; NULL: to be made */
	uint64_t generation;	/* of its process, when the set was made */
};

struct range_process {
	struct range_open *first; /* start-end ranges that are open */
	uint64_t generation;	  /* counts their changes */
};

struct range_launches {
	struct map sets; /* call's number -> ranges that it was made in */
	struct range_graph *oldest_graph, *latest_graph;
	uint64_t ended; /* operations, so far */
};

/* All return 0, -ENOMEM, or what `emit` returned. */

/* The thread's call enqueues something. */
int range_launches_call(struct range_launches *launches, struct range_output *output,
			struct range_stream *stream, const struct range_process *process,
			const struct event_item *item);
int range_launches_operation(struct range_launches *launches, struct range_output *output,
			     const struct operation *operation);

/* The thread's nested ranges change. */
int range_stream_invalidate(struct range_stream *stream, struct range_output *output);

/* No operations come any more. */
int range_launches_release(struct range_launches *launches, struct range_output *output);

#endif
