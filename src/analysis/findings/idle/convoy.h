/* SPDX-License-Identifier: MIT */
/* Threads that feed a device one at a time (a lock convoy): each sleeps in no call until another one of them
 * wakes it, and no two make calls at the same time, as with a lock that is held over a thread's commands. Those
 * that give the device other commands than all the others have a part of the work each, and hand it on. What
 * it costs is what they would have done at the same time, as far as the device, and the CPU where that is the
 * device, could have done more. One thread.
 *
 *	struct convoy convoy = {0};
 *
 *	convoy_begin(&convoy, findings);
 *	convoy_item(&convoy, findings, item);			each item
 *	convoy_interval(&convoy, findings, process, thread, interval);	each interval of a traced thread
 *	convoy_say(&convoy, findings);				behind idle_say()
 *	convoy_free(&convoy);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_IDLE_CONVOY_H
#define TANDEM_ANALYSIS_FINDINGS_IDLE_CONVOY_H

#include "analysis/findings/finding.h"
#include "analysis/findings/idle/wakers.h"
#include "analysis/operations/launch_config.h"

enum convoy_engine { CONVOY_COMPUTE, CONVOY_TO_DEVICE, CONVOY_TO_HOST, CONVOY_ENGINES };

struct convoy_thread { /* of a stream */
	uint64_t enqueues, kernels;
	size_t use;    /* of its latest kernel, + 1; 0: none */
	bool compared; /* others feed the device as well, and so much of it they do too: */
	double alike;
	const struct tandem_event *latest; /* call; NULL: none */
	int64_t first_ns; /* begin of its first call, or of such sleeps before it */
	int64_t last_ns;  /* end of its latest call */
	/* Its sleeps in no call that a thread ended which feeds the device: */
	uint64_t sleeps, slept_ns;
	bool woken; /* just now */
	const struct tandem_event *from,
		*to; /* its calls behind and before the latest such one; NULL: none */
	struct wakers wakers;
	int64_t longest_from_ns, longest_to_ns;
};

struct convoy_use { /* of a kernel, by a thread */
	const char *name;
	uint32_t stream;
	uint64_t count;
};

struct convoy_done {	     /* by a process, and by the device for it, so far */
	uint64_t running_ns; /* its threads, on CPUs */
	double device_ns[CONVOY_ENGINES];
};

struct convoy_process {
	int64_t until_ns; /* end of the latest call of a thread that enqueues */
	uint32_t stream;  /* whose it is */
	uint32_t device;
	bool timed; /* its commands have device times; `device` had the latest */
	uint64_t called_ns, at_once_ns; /* in such calls; of two threads at the same time */
	struct convoy_done done;
	/* From the begin of the first such sleep to the end of the latest one: */
	int64_t first_ns, last_ns;
	struct convoy_done first, last;
};

struct convoy_early { /* a thread that has made no call yet: such sleeps of it */
	uint64_t sleeps, slept_ns;
	int64_t first_ns;	  /* begin of the first */
	struct convoy_done first; /* until then */
};

struct convoy {
	struct convoy_thread *threads;
	struct convoy_process *processes;
	struct launch_configs configs;
	struct map early_of; /* tid -> early */
	struct convoy_early *earlies;
	size_t early_count, early_capacity;
	struct map use_of; /* stream and name -> use */
	struct convoy_use *uses;
	size_t use_count, use_capacity;
};

/* Return 0 or -ENOMEM. */
int convoy_begin(struct convoy *convoy, const struct findings *findings);
int convoy_item(struct convoy *convoy, const struct findings *findings,
		const struct event_item *item);
int convoy_interval(struct convoy *convoy, const struct findings *findings, uint32_t index,
		    const struct wait_thread *waiter, const struct states_interval *interval);
int convoy_say(struct convoy *convoy, struct findings *findings);
void convoy_free(struct convoy *convoy);

#endif
