/* SPDX-License-Identifier: MIT */
/* Cycles of a thread: it enqueues some commands and waits until they have ended.
 * Found in the items of a walk, as what the replay wants (replay.h). The times of a
 * command can come long after its call: a cycle is done with when all are known, and something of
 * a later call, as one call may have several. One whose commands go to several queues is left out.
 *
 * Memory: the first CYCLES_MOST of each thread, device and queue, or CYCLES_ALWAYS and as many as have
 * CYCLES_COMMANDS, and those of which times are missing. One thread.
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_OVERLAP_CYCLES_H
#define TANDEM_ANALYSIS_FINDINGS_OVERLAP_CYCLES_H

#include "analysis/events/event_iterator.h"
#include "analysis/findings/overlap/carried.h"
#include "analysis/findings/overlap/replay.h"
#include "analysis/sched/recent.h"
#include "analysis/sched/waits.h"
#include "util/map.h"

#define CYCLES_MOST 1000u
#define CYCLES_ALWAYS 16u
/* A replay takes 0.1 s with so many. */
#define CYCLES_COMMANDS 4096u

struct cycles_lane { /* a thread and its queue */
	uint32_t stream, device, queue;
	struct replay replay;
	uint64_t count, total_ns; /* of all cycles */
	/* Of those, which need what an earlier one left on the device, or gave the host, which sends it back. */
	uint64_t carried;
	uint64_t moved;		  /* bytes, of all cycles */
	uint64_t kept_ns;	  /* of those in the replay */
	int64_t begin_ns, end_ns; /* of the longest */
	uint64_t longest_ns;
};

struct cycles_thread;
struct cycle;

struct cycles {
	struct cycles_thread *threads; /* by stream */
	size_t thread_count;
	struct recent *away;	/* by stream: ready to run, without a CPU */
	struct recent *drivers; /* by process: the same of its threads without calls */
	struct recent
		*callbacks;   /* by process: a driver's thread was in a function of the program's */
	struct map processes; /* pid -> index */
	size_t process_count;
	const struct used_memory *memory;
	struct map bytes_of; /* process and number of memory that lives -> its bytes */
	struct carried carried;
	struct cycles_lane *lanes;
	size_t lane_count, lane_capacity;
	/* That of the latest item, if that ended a cycle, + 1, and how long that took; the
	 * caller sets it back to 0. */
	size_t latest_lane;
	uint64_t latest_ns;
	struct map lane_of; /* stream and queue, which says the device -> lane */
	struct cycle *open; /* over, of which times are missing; free ones have no commands */
	size_t open_count, open_capacity;
	uint32_t free_open;    /* + 1 */
	struct map open_calls; /* call that enqueued one of their commands -> cycle */
};

/* `memory` is borrowed, and given each item first. Returns 0 or -ENOMEM. */
int cycles_init(struct cycles *cycles, const struct trace_session *session,
		const struct used_memory *memory);

/* Returns 0 or -ENOMEM. */
int cycles_item(struct cycles *cycles, const struct event_item *item);

/* What the latest transfer of a thread sent is what the thread had read (returned.h). */
void cycles_returned(struct cycles *cycles, uint32_t stream);

/* What a thread did, as soon as it is known: what was taken of it in a cycle that is not over.
 * Returns 0 or -ENOMEM. */
int cycles_interval(struct cycles *cycles, const struct wait_thread *thread,
		    const struct states_interval *interval);

/* No more comes. Returns 0 or -ENOMEM. */
int cycles_finish(struct cycles *cycles);

void cycles_free(struct cycles *cycles);

#endif
