/* SPDX-License-Identifier: MIT */
/* Commands that use no memory of each other and are kept apart all the same: by a barrier in a
 * queue that need not keep their order, by an event that one of them waits for, or, of kernels that
 * leave room for each other, by the one queue that they are in.
 *
 * What a command uses is known with all arguments only (used_memory.h). Memory grows with
 * kernels, memory objects and queues; of each process the latest APART_COMMANDS are remembered. One
 * thread.
 *
 *	struct apart apart = {0};
 *
 *	apart_begin(&apart, session);
 *	apart_item(&apart, item);			each item
 *	command = apart_end(&apart, operation, room);	each operation
 *	apart_look(&apart, command, operation);		once it has ended
 *	apart_free(&apart);
 */
#ifndef TANDEM_ANALYSIS_FINDINGS_APART_H
#define TANDEM_ANALYSIS_FINDINGS_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/operations/used_memory.h"
#include "util/map.h"

#define APART_COMMANDS 4096u

enum apart_cause { APART_BARRIERS, APART_EVENTS, APART_QUEUE, APART_CAUSES };

struct event_item;
struct operation;
struct trace_session;

struct apart_command {
	uint64_t op;
	uint32_t queue;
	struct used_memory_list memory;
	uint64_t previous; /* of the queue: its place, + 1 */
	uint64_t waits[4]; /* operations */
	unsigned wait_count;
	bool ended, hidden; /* hidden: it could run next to another one, which is counted */
	bool fills;	    /* the device has no room for another one next to it */
	bool transfer;
	uint8_t kind;
	uint64_t ns;
	int64_t queued_ns, end_ns;
	uint32_t device;
	double room; /* room.h */
};

struct apart_sum {
	uint64_t count, ns, longest_ns;
	uint32_t stream, queue, device;
	int64_t begin_ns, end_ns; /* of the longest */
};

struct apart_process {
	struct apart_command *commands; /* a ring, made at the first */
	uint64_t count;
	struct apart_sum sums[APART_CAUSES];
};

struct apart {
	struct used_memory used;
	struct map out_of_order; /* process and number of a queue -> 1 */
	struct map latest;	 /* the same -> place of its latest command, + 1 */
	struct map place_of;	 /* operation_key() -> place, + 1 */
	struct apart_process *processes;
	size_t process_count;
};

/* Return 0 or -ENOMEM; after an error apart_free() is called as well. */
int apart_begin(struct apart *apart, const struct trace_session *session);
int apart_item(struct apart *apart, const struct event_item *item);

/* `room`: what it takes of the device (room.h). NULL: the command is not known, or its times are
 * not. */
struct apart_command *apart_end(struct apart *apart, const struct operation *operation,
				double room);

void apart_look(struct apart *apart, struct apart_command *command,
		const struct operation *operation);

/* By its place, + 1; NULL: none, or it was too long ago. */
struct apart_command *apart_command_at(const struct apart_process *process, uint64_t place);

bool apart_keeps_order(const struct apart *apart, uint32_t process, uint32_t queue);
bool apart_is_marker(const struct apart_command *command);
void apart_free(struct apart *apart);

#endif
