/* SPDX-License-Identifier: MIT */
/* What is written to memory that is mapped for the host: the call that unmaps it brings it to the device. It takes
 * from the call that maps it to the one that unmaps it, in between the host writes. Looked at from the first
 * content on. Memory grows with buffers. One thread.
 *
 *	mapped_begin(&mapped, session);
 *	mapped_looked(&mapped);				each record of a content
 *	mapped_call(&mapped, graph, item);			each call
 *	thread = mapped_find(&mapped, item);			each record `content`
 *	mapped_judged(&mapped, thread, cause);
 *	mapped_free(&mapped);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_COPIES_MAPPED_H
#define TANDEM_ANALYSIS_FINDINGS_COPIES_MAPPED_H

#include "analysis/model/graph.h"
#include "util/map.h"

/* Of a thread so many calls that map are remembered. */
#define MAPPED_CALLS 8u

struct mapped_from {
	uint64_t buffer;
	int64_t begin_ns;
};

struct mapped_thread {
	struct mapped_from from[MAPPED_CALLS]; /* a ring */
	unsigned next;
	uint64_t call, buffer;	  /* that unmapped last; 0: none */
	int64_t begin_ns, end_ns; /* from the call that mapped it */
	uint64_t map, map_buffer; /* the call that mapped last, for whatever */
	uint16_t api;
	enum graph_cause removed_for; /* from the replay; GRAPH_NONE: it is there */
};

struct mapped {
	bool looked;
	struct mapped_thread *threads; /* by stream */
	struct map causes; /* buffer -> why what was written there last need not have been */
};

/* Return 0 or -ENOMEM; then mapped_free() is called as well. */
int mapped_begin(struct mapped *mapped, const struct trace_session *session);

/* What need not have been written the last time is not written in the replay: neither the call that maps it is
 * there, nor the one that unmaps it, nor what the thread did before that. */
int mapped_call(struct mapped *mapped, struct graph *graph, const struct event_item *item);

static inline void mapped_looked(struct mapped *mapped)
{
	mapped->looked = true;
}

/* The thread whose latest call that unmaps it follows; NULL: it is another one's. */
struct mapped_thread *mapped_find(struct mapped *mapped, const struct event_item *item);

/* The memory that the record's call mapped; 0: it did not. */
uint64_t mapped_buffer(const struct mapped *mapped, const struct event_item *item);

/* What it took of the run, but for recording it. */
uint64_t mapped_ns(const struct mapped_thread *thread, const struct graph *graph, uint32_t stream,
		   int64_t kernels_until_ns);

/* GRAPH_NONE: it had to be written. */
int mapped_judged(struct mapped *mapped, const struct mapped_thread *thread,
		  enum graph_cause cause);

void mapped_free(struct mapped *mapped);

#endif
