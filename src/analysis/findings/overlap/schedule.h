/* SPDX-License-Identifier: MIT */
/* When the commands of one queue would run, if only the device's engines and the memory that they
 * use kept them apart, and not the queue's order. An engine (replay.h) takes its commands in the
 * order in which they were enqueued; a command that uses the same memory as an earlier one waits
 * for it. What was enqueued after the end of an earlier one was recorded is so here as well, as the
 * host may have waited for that; what passed before each command's start passes here too.
 *
 *	struct schedule schedule = {0};
 *
 *	schedule_add(&schedule, &command);	in the order of the queue
 *	schedule_fence(&schedule);		what comes waits for all that there is
 *	ns = schedule.end_ns;			all of it has ended, from 0
 *	schedule_free(&schedule);
 *
 * Memory grows with the memory objects, to SCHEDULE_MEMORY_MOST. One thread.
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_OVERLAP_SCHEDULE_H
#define TANDEM_ANALYSIS_FINDINGS_OVERLAP_SCHEDULE_H

#include "analysis/findings/overlap/replay.h"
#include "util/map.h"

#define SCHEDULE_MEMORY_MOST 4096u
#define SCHEDULE_USED_MOST 16u
#define SCHEDULE_PAST 64u

struct schedule_command {
	enum replay_engine engine;
	int64_t queued_ns, end_ns; /* as recorded */
	uint64_t gap_ns;	   /* from when it could start to its start */
	uint64_t run_ns;
	uint64_t used[SCHEDULE_USED_MOST]; /* keys of what it uses */
	unsigned used_count;
};

struct schedule_past {
	int64_t recorded_ns;
	uint64_t end_ns;
};

struct schedule {
	uint64_t end_ns;   /* of all */
	uint64_t fence_ns; /* no command starts before */
	uint64_t free_ns[REPLAY_ENGINES];
	struct map memory;			  /* key -> end of the latest that used it */
	struct schedule_past past[SCHEDULE_PAST]; /* a ring */
	uint64_t count;
};

/* Returns 0 or -ENOMEM. */
int schedule_add(struct schedule *schedule, const struct schedule_command *command);

void schedule_fence(struct schedule *schedule);

void schedule_free(struct schedule *schedule);

#endif
