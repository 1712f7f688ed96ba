/* SPDX-License-Identifier: MIT */
/* Threads of one program that shared a CPU while another one was idle, for longer than that one
 * takes to wake up, as part of the finding `preemption`. Memory grows with threads. One thread. */
#ifndef TANDEM_ANALYSIS_FINDINGS_PLACEMENT_H
#define TANDEM_ANALYSIS_FINDINGS_PLACEMENT_H

#include "analysis/findings/finding.h"

struct placed;
struct placement_cpu;

struct placement {
	struct placed *threads; /* by the thread's index in the waits */
	size_t count, capacity;
	int64_t wakes_ns, wakes;    /* of threads that an idle CPU took */
	struct placement_cpu *cpus; /* that threads of the recording ran on */
	size_t cpu_count, cpu_capacity;
	int64_t ran_ns, now_ns; /* on all of them; the latest end of one */
};

/* These return 0 or -ENOMEM. */
int placement_interval(struct placement *placement, const struct findings *findings,
		       const struct wait_thread *thread, const struct states_interval *interval);

/* At the end: all threads of all processes, for which the worst stands. */
int placement_add(struct placement *placement, struct findings *findings);

/* The CPU on which threads of the recording ran for nearly all of their time; -1: there is none. */
int64_t placement_only_cpu(const struct placement *placement);

void placement_free(struct placement *placement);

#endif
