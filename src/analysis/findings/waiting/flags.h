/* SPDX-License-Identifier: MIT */
/* Threads that run in a loop of their own, in no call, until a callback has set a flag: again and again
 * such a stretch ends right behind a callback that came in it. Without the scheduler's records nothing
 * is said: the thread may have slept. One thread.
 *
 *	flags_begin(&flags, session);
 *	flags_interval(&flags, waiter, interval);	what threads did, by the kernel
 *	flags_event(&flags, event);			calls and callbacks, in their order
 *	flags_add(&flags, findings);
 *	flags_release(&flags);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_WAITING_FLAGS_H
#define TANDEM_ANALYSIS_FINDINGS_WAITING_FLAGS_H

#include "analysis/events/event_sequence.h"
#include "analysis/findings/finding.h"
#include "analysis/sched/recent.h"

struct flag_thread {	     /* of a stream */
	int64_t returned_ns; /* from its latest call; INT64_MIN: it made none */
	unsigned depth;	     /* calls within calls */
	bool calls_back;     /* it is the driver's: what it does in no call is the driver's work */
	struct recent slept, preempted;
	uint64_t stretches; /* in no call, too long to be nothing */
	uint64_t stretches_ns;
	uint64_t count, ns;	  /* of these: until a callback */
	int64_t begin_ns, end_ns; /* of the longest of those */
	const struct tandem_event *callback;
};

struct flag_process {
	unsigned running;	  /* callbacks */
	int64_t begin_ns, end_ns; /* of the latest */
	const struct tandem_event *callback;
};

struct flags {
	struct flag_thread *threads;
	struct flag_process *processes; /* by index */
	size_t count;
};

/* Return 0 or -ENOMEM; after an error flags_release() is called as well. */
int flags_begin(struct flags *flags, const struct trace_session *session);
int flags_interval(struct flags *flags, const struct wait_thread *waiter,
		   const struct states_interval *interval);
int flags_add(const struct flags *flags, struct findings *findings);

void flags_event(struct flags *flags, const struct sequence_event *event);
void flags_release(struct flags *flags);

#endif
