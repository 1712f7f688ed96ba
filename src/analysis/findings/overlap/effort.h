/* SPDX-License-Identifier: MIT */
/* What a thread that drives a device, and the rest of its process, had of the CPUs
 * meanwhile: where the device is the CPU, the rest of the process is the device, and
 * what other programs took of it is no part of the work. From the kernel's records,
 * as they become known; counted from the end of a lane's first cycle on. One thread.
 *
 *	effort_interval(&effort, thread, interval);	each interval of a traced thread
 *	effort_cycle(&effort, lane, stream, pid, ns);	each time a cycle of a lane ended
 *	if (effort_of(&effort, lane, &share))
 *		...
 *	effort_free(&effort);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_OVERLAP_EFFORT_H
#define TANDEM_ANALYSIS_FINDINGS_OVERLAP_EFFORT_H

#include "analysis/sched/waits.h"
#include "util/map.h"

struct effort_time { /* of one thread, or of several */
	uint64_t running_ns;
	uint64_t away_ns; /* ready to run, while another program had the CPU */
};

struct effort_share {
	struct effort_time driver, others; /* the thread; the rest of its process */
	uint64_t cycles_ns;		   /* of the cycles in which they had it */
};

struct effort_lane {
	bool begun;
	struct effort_time driver_from, process_from; /* when its first cycle ended */
	struct effort_share share;
};

struct effort {
	struct map threads;   /* stream + 1 -> index in `times`; of threads that made calls */
	struct map processes; /* pid -> the same */
	struct effort_time *times;
	size_t time_count, time_capacity;
	struct effort_lane *lanes;
	size_t lane_count, lane_capacity;
};

/* Return 0 or -ENOMEM. */
int effort_interval(struct effort *effort, const struct wait_thread *thread,
		    const struct states_interval *interval);
int effort_cycle(struct effort *effort, size_t lane, uint32_t stream, uint64_t pid, uint64_t ns);

/* False where nothing was recorded of it. */
bool effort_of(const struct effort *effort, size_t lane, struct effort_share *share);

void effort_free(struct effort *effort);

#endif
