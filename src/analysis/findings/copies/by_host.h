/* SPDX-License-Identifier: MIT */
/* What is read from one buffer and written to another: from the same host memory in the next call,
 * or, where contents are recorded, the same bytes. Memory grows with processes. One thread.
 *
 *	by_host_begin(&by_host, session);
 *	by_host_transfer(&by_host, operation, &call, last, ns);		each transfer
 *	by_host_content(&by_host, item, &ends);				each record `content`
 *	by_host_read(&by_host, graph, item, buffer, last);		each record `content_read`
 *	by_host_add(&by_host, process, addresses, findings);
 *	by_host_free(&by_host);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_COPIES_BY_HOST_H
#define TANDEM_ANALYSIS_FINDINGS_COPIES_BY_HOST_H

#include "analysis/findings/copies/buffers.h"
#include "analysis/findings/copies/calls.h"
#include "analysis/findings/copies/copy_time.h"
#include "analysis/findings/copies/read_contents.h"

struct by_host_sum { /* of a process */
	struct copy_time time;
	/* From the replay (GRAPH_BY_HOST): writes, and reads. */
	uint64_t removed, reads_removed;
	uint64_t same; /* of these: what was written is known to be what was read */
	bool sampled;  /* not all bytes were compared */
	bool by_words; /* of reads that did not wait: eight words only */
	uint32_t stream;
	int64_t begin_ns, end_ns; /* of the first */
};

struct by_host {
	struct map read_ns;	  /* call of a read that may be one half -> its time */
	struct by_host_sum *sums; /* by index of the process */
};

struct by_host_ends { /* of a write whose content is recorded */
	struct graph *graph;
	struct copy_buffers *buffers;
	struct copy_buffer *buffer;
	struct copy_call *call;		   /* in flight, or NULL */
	struct copy_latest *last;	   /* it */
	const struct read_content *read;   /* that brought what is written, or NULL */
	const struct read_content *paired; /* same, from the same memory, whatever it brought */
};

/* Return 0 or -ENOMEM; then by_host_free() is called as well. */
int by_host_begin(struct by_host *by_host, const struct trace_session *session);

/* `ns`: what it took (exposed.h); `last`: copy_calls_latest(). */
int by_host_transfer(struct by_host *by_host, const struct operation *operation,
		     const struct copy_call *call, struct copy_latest *last, uint64_t ns);

/* What is written is what was read from another buffer, whatever the memory in between; or it is not,
 * though the memory is the same: the host has replaced it. Returns 0 or -ENOMEM. */
int by_host_content(struct by_host *by_host, const struct event_item *item,
		    const struct by_host_ends *ends);

/* The content of a read from `buffer` is recorded. What went on to another one the last time will do
 * so again: it is not there in the replay. One that maps has its time now. Same. */
int by_host_read(struct by_host *by_host, struct graph *graph, const struct event_item *item,
		 struct copy_buffer *buffer, const struct copy_latest *last);

/* The finding of a process. `addresses`: of the host are recorded. Returns 0 or -ENOMEM. */
int by_host_add(const struct by_host *by_host, uint32_t process, bool addresses,
		struct findings *findings);

void by_host_free(struct by_host *by_host);

#endif
