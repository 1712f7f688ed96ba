/* SPDX-License-Identifier: MIT */
/* What a host does in place of a kernel that was not enqueued: it works on, in no call, until it
 * enqueues its next command; but for one that it waits for at once, as for what it works on. In place of
 * a copy: it moves as many bytes by commands that it waits for, to the host and back. One
 * struct for each thread; a call as it returns, in the thread's order.
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_FALLBACK_H
#define TANDEM_ANALYSIS_FINDINGS_FALLBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_item;

struct fallback {
	bool failed; /* its latest command was not enqueued, nor anything since, but what it fetched */
	bool fetched;	  /* by a transfer that it waited for */
	uint64_t bytes;	  /* of a copy; 0: it was a kernel */
	unsigned moves;	  /* of as many bytes, since */
	size_t of;	  /* that error: the caller's */
	int64_t ended_ns; /* its latest call */
	uint64_t
		worked_ns; /* since that error, in no call; of a copy, in those that moved its bytes */
};

/* A call failed; `of` is what the caller knows of it. */
void fallback_failed(struct fallback *thread, const struct event_item *item, size_t of);

/* A call succeeded. True where it enqueues the next command: `worked_ns` and `of` hold until the next
 * error. */
bool fallback_ended(struct fallback *thread, const struct event_item *item);

#endif
