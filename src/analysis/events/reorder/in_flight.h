/* SPDX-License-Identifier: MIT */
/* The commands in flight, by process and number, and the oldest of them. Every
 * call takes constant time if commands come in the order of time.
 *
 * Owner: a sequencer. One thread.
 */
#ifndef TANDEM_ANALYSIS_EVENTS_REORDER_IN_FLIGHT_H
#define TANDEM_ANALYSIS_EVENTS_REORDER_IN_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/map.h"

#define REORDER_FLIGHT_NONE UINT32_MAX

struct reorder_operation {
	int64_t since_ns;
	uint64_t op;
	uint32_t process;
	uint32_t older, newer; /* in `commands`; a free one has the next free one in newer */
	bool many;	       /* a graph's launch: it ends when its latest operation is long ago */
	/* Of such a one, at its latest operation: how many had come, and when; 0: none yet. */
	uint64_t come;
	int64_t come_ns;
};

struct reorder_in_flight {
	struct map *processes; /* op -> its place in `commands` */
	size_t process_count, process_capacity;
	struct reorder_operation *operations;
	size_t operation_count, operation_capacity;
	uint32_t oldest, newest, free;
	size_t count;
	uint64_t come; /* operations, of all commands */
};

void reorder_in_flight_init(struct reorder_in_flight *flight);
void reorder_in_flight_free(struct reorder_in_flight *flight);

/* Returns 0, -EEXIST (it is in flight already) or -ENOMEM. */
int reorder_in_flight_begin(struct reorder_in_flight *flight, uint32_t process, uint64_t op,
			    int64_t since_ns);

/* The same, of a command that has any number of operations. */
int reorder_in_flight_begin_many(struct reorder_in_flight *flight, uint32_t process, uint64_t op,
				 int64_t since_ns);

/* An operation of it has come, at `now_ns`: it ends, or may have others. False if it is not in
 * flight. */
bool reorder_in_flight_operation(struct reorder_in_flight *flight, uint32_t process, uint64_t op,
				 int64_t now_ns, int64_t *since_ns);

/* The oldest ends if it may have others, and none has come for long. */
void reorder_in_flight_settle(struct reorder_in_flight *flight, int64_t now_ns);

/* Ends it; false if it is not in flight. */
bool reorder_in_flight_end(struct reorder_in_flight *flight, uint32_t process, uint64_t op,
			   int64_t *since_ns);

/* When the oldest began; INT64_MAX if there is none. */
int64_t reorder_in_flight_oldest_ns(const struct reorder_in_flight *flight);

#endif
