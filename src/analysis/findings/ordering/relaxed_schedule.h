/* SPDX-License-Identifier: MIT */
/* When the commands of a process would run without barriers and events: each waits for the commands
 * that used the same memory before it, for the one before it in a queue that keeps their order, for
 * room on the device, and for the host. What the host enqueues behind a wait it enqueues so much
 * earlier as what it had enqueued was done. The time that passed before a command's start stays. Memory
 * grows with memory objects and queues. One thread.
 *
 *	struct relaxed_schedule schedule = {.slot_count = relaxed_slots(units)};
 *
 *	relaxed_command(&schedule, &command);	in the order in which they were enqueued
 *	relaxed_waited(&schedule, ns);		the host had waited by then
 *	saved_ns = relaxed_saved_ns(&schedule);
 *	relaxed_free(&schedule);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_RELAXED_SCHEDULE_H
#define TANDEM_ANALYSIS_FINDINGS_RELAXED_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/operations/used_memory.h"
#include "util/map.h"

#define RELAXED_SLOTS 8u
/* Waits that are remembered at first, and at the most: what a device's records say of commands can come thousands of
 * commands late. */
#define RELAXED_WAITS 64u
#define RELAXED_WAITS_MOST 65536u
#define RELAXED_RECENT 16u

struct relaxed_command {
	int64_t queued_ns, start_ns, end_ns; /* as recorded */
	const struct used_memory_list *memory;
	uint32_t queue;
	bool in_order;	/* the queue keeps their order */
	int engine;	/* of a transfer that has one of its own: 0 or 1; -1: it takes slots */
	unsigned slots; /* that it takes */
};

struct relaxed_memory {
	struct map memory_of; /* number -> the end of the latest such command */
	struct map any_of;    /* same, of the memory or of any part of it */
};

struct relaxed_schedule {
	unsigned slot_count;
	int64_t slots[RELAXED_SLOTS], engines[2]; /* free from then on; slots: the earliest first */
	struct map queue_of;			  /* number -> its latest command's end */
	struct relaxed_memory written, read; /* by commands that wrote memory, or only read it */
	int64_t recorded_ns, ended_ns;	     /* the latest end, as recorded and here */
	int64_t recent_ns[RELAXED_RECENT];   /* a ring: ends as recorded */
	unsigned recent;
	int64_t shift_ns;   /* what the host gives now is so much earlier */
	int64_t *waited_ns; /* a ring: ends of waits that no command came after yet */
	unsigned wait_first, wait_count, wait_most;
};

/* The parts into which a device with so many compute units is divided; and how many of them a command
 * takes that takes such a part of it. */
unsigned relaxed_slots(uint32_t units);
unsigned relaxed_slots_taken(const struct relaxed_schedule *schedule, double room);

/* Returns 0 or -ENOMEM. */
int relaxed_command(struct relaxed_schedule *schedule, const struct relaxed_command *command);

/* Same. */
int relaxed_waited(struct relaxed_schedule *schedule, int64_t ns);
uint64_t relaxed_saved_ns(const struct relaxed_schedule *schedule);
void relaxed_free(struct relaxed_schedule *schedule);

#endif
