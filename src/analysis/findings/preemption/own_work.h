/* SPDX-License-Identifier: MIT */
/* Which threads without calls do work of the program's own, where the device is the CPU: the driver's run while
 * the device runs a command, these at other times as well. Memory grows with threads. One thread.
 *
 *	own_work_interval(&own, thread, interval);	each, in time before the events of it
 *	own_work_event(&own, findings, event);		in the true order
 *	if (own_work_is(&own, thread)) ...
 *	own_work_free(&own);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_OWN_WORK_H
#define TANDEM_ANALYSIS_FINDINGS_OWN_WORK_H

#include "analysis/findings/finding.h"
#include "analysis/sched/recent.h"

struct own_worker { /* by the thread's index in the waits */
	struct recent ran;
	int64_t ran_ns, until_ns; /* in all; the latest end */
	int64_t beside_ns; /* of it, while the device ran nothing; once it had run something */
};

struct own_work {
	struct own_worker *workers;
	size_t count, capacity;
	unsigned running; /* commands, of all devices that are the CPU */
	int64_t idle_ns;  /* since when; 0: nothing ran yet */
};

/* Return 0 or -ENOMEM; after an error own_work_free() is called as well. */
int own_work_interval(struct own_work *own, const struct wait_thread *thread,
		      const struct states_interval *interval);
void own_work_event(struct own_work *own, const struct findings *findings,
		    const struct sequence_event *event);

bool own_work_is(const struct own_work *own, const struct wait_thread *thread);
void own_work_free(struct own_work *own);

#endif
