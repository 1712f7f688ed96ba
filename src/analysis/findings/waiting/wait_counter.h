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

struct wait_counter {
	uint64_t operations; /* enqueued since the last wait */
	uint64_t latest;     /* the operation that was enqueued last */
};

struct wait_counted {
	bool waits;	     /* for all that the thread had enqueued, or for the latest of it */
	bool transfers;	     /* it is a transfer that blocks */
	bool is_result;	     /* ... of so little that it is the wait which takes the time */
	uint64_t operations; /* enqueued between the wait before and this call */
};

struct wait_counted wait_counter_call(struct wait_counter *counter,
				      const struct trace_event *event);

#endif
