/* SPDX-License-Identifier: MIT */
/* When the commands of a process would end if nothing kept them apart but the memory that they use,
 * the order of queues that keep it, the room that the device has, and the host, which gave each when
 * it did or, behind a wait, by so much earlier as what it had given was done by then. What passed
 * before the start of each passes here as well. Memory grows with memory objects and queues. One
 * thread.
 *
 *	struct ideal ideal = {.slot_count = ideal_slots(units)};
 *
 *	ideal_command(&ideal, &command);	in the order in which they were enqueued
 *	ideal_waited(&ideal, ns);		the host had waited by then
 *	saved_ns = ideal_saved_ns(&ideal);
 *	ideal_free(&ideal);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_IDEAL_H
#define TANDEM_ANALYSIS_FINDINGS_IDEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/operations/used_memory.h"
#include "util/map.h"

#define IDEAL_SLOTS 8u
#define IDEAL_WAITS 64u
#define IDEAL_RECENT 16u

struct ideal_command {
	int64_t queued_ns, start_ns, end_ns; /* as recorded */
	const struct used_memory_list *memory;
	uint32_t queue;
	bool in_order;	/* the queue keeps their order */
	int engine;	/* of a transfer that has one of its own: 0 or 1; -1: it takes slots */
	unsigned slots; /* that it takes */
};

struct ideal {
	unsigned slot_count;
	int64_t slots[IDEAL_SLOTS], engines[2]; /* free from then on */
	struct map memory_of, queue_of;		/* number -> its latest command's end */
	int64_t recorded_ns, ended_ns;		/* the latest end, as recorded and here */
	int64_t recent_ns[IDEAL_RECENT];	/* a ring: ends as recorded */
	unsigned recent;
	int64_t shift_ns;		/* what the host gives now is so much earlier */
	int64_t waited_ns[IDEAL_WAITS]; /* a ring: ends of waits that no command came after yet */
	unsigned wait_first, wait_count;
};

/* The parts into which a device with so many compute units is divided; and how many of them a command
 * takes that takes such a part of it. */
unsigned ideal_slots(uint32_t units);
unsigned ideal_slots_taken(const struct ideal *ideal, double room);

/* Returns 0 or -ENOMEM. */
int ideal_command(struct ideal *ideal, const struct ideal_command *command);

void ideal_waited(struct ideal *ideal, int64_t ns);
uint64_t ideal_saved_ns(const struct ideal *ideal);
void ideal_free(struct ideal *ideal);

#endif
