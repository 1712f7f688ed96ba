/* SPDX-License-Identifier: MIT */
/* Threads that run in a loop of their own, in no call, until another thread of the program has set a
 * flag. That thread has just returned from a wait for the device, or stops running: again and again a
 * stretch in no call ends right behind such a sign, and more often than by chance. A loop until
 * a callback comes is flags.h's. Without the scheduler's records nothing is said. One thread.
 *
 *	setters_begin(&setters, session);
 *	setters_interval(&setters, waits, waiter, interval);	what threads did, by the kernel
 *	setters_event(&setters, event);				calls, in their order
 *	setters_add(&setters, findings);
 *	setters_release(&setters);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_WAITING_SETTERS_H
#define TANDEM_ANALYSIS_FINDINGS_WAITING_SETTERS_H

#include "analysis/events/event_sequence.h"
#include "analysis/findings/finding.h"
#include "analysis/sched/recent.h"

struct setter_thread {	     /* of a stream: one that may look at a flag */
	int64_t returned_ns; /* from its latest call; INT64_MIN: it made none */
	unsigned depth;	     /* calls within calls */
	bool calls_back;
	struct recent slept, preempted;
	struct recent starved; /* others of its process waited for the CPU that it had */
	uint64_t stretches_ns; /* in no call, too long to be nothing */
	uint64_t count, ns;    /* of these: until a sign */
	double by_chance_ns;   /* so much of it would have ended so */
	uint64_t starved_ns;
	int64_t begin_ns, end_ns; /* of the longest */
};

struct setter_process;

struct setters {
	const struct trace_session *session; /* borrowed */
	struct setter_thread *threads;
	struct setter_process *processes; /* by index */
	struct map process_of;		  /* pid -> index */
	size_t count;
};

/* Return 0 or -ENOMEM; after an error setters_release() is called as well. */
int setters_begin(struct setters *setters, const struct trace_session *session);
int setters_interval(struct setters *setters, const struct waits *waits,
		     const struct wait_thread *waiter, const struct states_interval *interval);
int setters_add(struct setters *setters, struct findings *findings);

void setters_event(struct setters *setters, const struct sequence_event *event);
void setters_release(struct setters *setters);

#endif
