/* SPDX-License-Identifier: MIT */
/* Commands that use no memory of each other and are kept apart all the same: by a barrier in a
 * queue that need not keep their order, by an event that one of them waits for, or, of kernels that
 * leave room for each other, by the one queue that they are in.
 *
 * What a command uses is known with all arguments only (used_memory.h): with fewer, commands are
 * remembered from the first one on that waits for another one. Memory grows with kernels, memory objects
 * and queues; of each process the latest commands are remembered. One thread.
 *
 *	struct apart apart = {0};
 *
 *	apart_begin(&apart, session);
 *	apart_item(&apart, item, &taken);		each item; what queue_waits_call() said of a call
 *	apart_end(&apart, operation, room);		each operation, in any order
 *	command = apart_next(&apart, process, false);	as long as there is one: in the order of calls
 *	apart_free(&apart);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_APART_H
#define TANDEM_ANALYSIS_FINDINGS_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/operations/queue_waits.h"
#include "analysis/operations/used_memory.h"
#include "util/map.h"

/* Commands that are remembered: as long as most have been looked at, no more. CUPTI hands over up to
 * 14,000 late. */
#define APART_COMMANDS 8192u
#define APART_COMMANDS_MOST 65536u

enum apart_cause { APART_BARRIERS, APART_EVENTS, APART_QUEUE, APART_CAUSES };

struct event_item;
struct operation;
struct trace_session;

struct apart_command {
	uint64_t op;
	uint32_t queue, stream, kernel;
	struct used_memory_list memory;
	uint64_t previous; /* of the queue: its place, + 1 */
	uint64_t waits[4]; /* operations */
	unsigned wait_count;
	bool waits_more;    /* there are others */
	bool in_call;	    /* it ran while its call was under way */
	bool untimed;	    /* it has ended, nobody knows when */
	bool ended, hidden; /* hidden: it could run next to another one, which is counted */
	bool transfer;
	bool blocks; /* its call returned when it was over */
	uint8_t kind;
	uint64_t transfer_key; /* between which places; 0: between host and device none are known */
	uint64_t place;	       /* same, of the device alone */
	uint64_t ns, bytes;
	int64_t queued_ns, end_ns, call_begin_ns, call_end_ns;
	uint32_t device;
	double room;	  /* room.h */
	const char *name; /* of its kernel, or what it does; NULL: not known */
	uint16_t api;	  /* event id of its call; 0: not known */
	uint16_t
		waits_by; /* same, of the call that had its queue wait; 0: its own names what it waits for */
};

struct apart_sum {
	uint64_t count, ns, longest_ns;
	uint64_t waited_ns; /* by all of them, for nothing */
	uint32_t stream, queue, device;
	/* Of the longest: when; what waited, for what, and by which call (event id): a barrier's, or
	 * one that names events. NULL, 0: not known. */
	int64_t begin_ns, end_ns;
	const char *waiter, *awaited;
	uint16_t by;
	bool by_places; /* of parts of memory, by where they begin */
};

struct apart_process {
	struct apart_command *commands; /* a ring, made at the first */
	uint64_t count, looked_at, capacity;
	bool by_addresses; /* kernels are given these */
	struct apart_sum sums[APART_CAUSES];
};

struct apart {
	struct used_memory used;
	bool remembers;		 /* commands */
	struct map out_of_order; /* process and number of a queue -> 1 */
	struct map latest;	 /* the same -> place of its latest command, + 1 */
	struct map place_of;	 /* operation_key() -> place, + 1 */
	struct apart_process *processes;
	size_t process_count;
};

/* Return 0 or -ENOMEM; after an error apart_free() is called as well. */
int apart_begin(struct apart *apart, const struct trace_session *session);
int apart_item(struct apart *apart, const struct event_item *item,
	       const struct queue_waits_taken *taken);

/* `room`: what it takes of the device (room.h). */
void apart_end(struct apart *apart, const struct operation *operation, double room);

/* The next command of the process, looked at; NULL: it has not ended. Passed by are such as were
 * forgotten meanwhile or have no times, and at the end (`all`) those that never ended. */
const struct apart_command *apart_next(struct apart *apart, uint32_t process, bool all);

bool apart_keeps_order(const struct apart *apart, uint32_t process, uint32_t queue);
bool apart_is_marker(const struct apart_command *command);
void apart_free(struct apart *apart);

#endif
