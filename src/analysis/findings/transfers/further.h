/* SPDX-License-Identifier: MIT */
/* Small transfers that could have been part of the one before them: they are taken out of the replay,
 * with what the thread asks of them and waits for, until it does something else. One thread.
 *
 *	further_begin(&further, session);
 *	further_call(&further, findings->graph, item);	each call
 *	further_command(&further, &item->operation);	each transfer
 *	further_is_next(&further, stream, call, other)	whether one is, of two of its calls
 *	further_release(&further);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_TRANSFERS_FURTHER_H
#define TANDEM_ANALYSIS_FINDINGS_TRANSFERS_FURTHER_H

#include "analysis/events/event_iterator.h"
#include "analysis/model/graph.h"

/* Of a thread's latest calls that enqueued a kernel. */
#define FURTHER_KERNELS 256u

struct further_thread {	   /* of a stream */
	uint64_t *kernels; /* numbers of such calls: a ring, made at the first */
	uint64_t kernel_count;
	uint16_t api;	/* event id of the latest transfer, with no kernel behind it; 0: none */
	uint64_t bytes; /* that the latest one moved whose command is over */
	uint64_t op;	/* of one that is taken out, and only asked of since; 0: none */
};

struct further {
	struct further_thread *threads; /* by stream */
	size_t count;			/* of these */
	uint64_t removed;		/* transfers */
};

/* Return 0 or -ENOMEM; after an error further_release() is called as well. */
int further_begin(struct further *further, const struct trace_session *session);
int further_call(struct further *further, struct graph *graph, const struct event_item *item);
void further_command(struct further *further, const struct operation *operation);

/* Whether the thread enqueued no kernel between these two calls, in any queue. */
bool further_is_next(const struct further *further, uint32_t stream, uint64_t call, uint64_t next);

void further_release(struct further *further);

#endif
