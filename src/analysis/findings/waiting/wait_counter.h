/* SPDX-License-Identifier: MIT */
/* How many commands a thread enqueues from one wait for the device to the next. One thread.
 *
 *	struct wait_counter counter = {0};
 *	struct wait_counted call = wait_counter_call(&counter, event);	each call that returned
 *
 *	if (call.waits && call.operations == 1)
 *		the thread waited after a single command
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_WAITING_WAIT_COUNTER_H
#define TANDEM_ANALYSIS_FINDINGS_WAITING_WAIT_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

struct trace_event;

#define WAIT_QUEUES 16u

struct wait_queue {
	uint64_t queue;	     /* number in the process */
	uint64_t operations; /* that no wait was for */
};

struct wait_counter {
	struct wait_queue queues[WAIT_QUEUES];
	unsigned queue_count;
	bool forgot;	       /* there were more: any of them may have something left */
	uint64_t operations;   /* enqueued since the last wait that something followed */
	bool waited;	       /* since then */
	uint64_t latest;       /* the operation that was enqueued last */
	uint64_t latest_queue; /* its queue */
};

struct wait_counted {
	bool waits;	/* for all that the thread had enqueued, or for the latest of it */
	bool transfers; /* it is a transfer that blocks */
	bool is_result; /* ... of so little that it is the wait which takes the time */
	bool is_small; /* a transfer of as little that does not block, nor brings the device something */
	uint64_t operations; /* enqueued between the wait before and this call */
};

struct wait_counted wait_counter_call(struct wait_counter *counter,
				      const struct trace_event *event);

#endif
