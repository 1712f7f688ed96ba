/* SPDX-License-Identifier: MIT */
/* The operations in flight whose ids one thread, or the runtime in one process, gave out. Ids
 * are consecutive numbers: each has its place in a ring of slots, and one whose place is taken
 * for long moves out of it. Part of the operation_matcher. One thread.
 *
 *	struct operation_ring *ring = operation_ring_create(process, thread, sizes);
 *
 *	place = trace_operation_number(op) & ring->mask;
 *	if (operation_slot_is_taken(ring, place, op))
 *		status = operation_ring_make_room(ring, op);      and its place anew
 *	slot = operation_ring_find(ring, op);
 *	operation_ring_destroy(ring);
 */
#ifndef TANDEM_ANALYSIS_OPERATIONS_OPERATION_RING_H
#define TANDEM_ANALYSIS_OPERATIONS_OPERATION_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/operations/operation.h"
#include "util/map.h"

/* Where calls can have several operations, they stay known until so many others have
 * ended since the latest of theirs. */
#define OPERATIONS_KEPT 16384u

struct operation_slot {	   /* an enqueued operation */
	uint64_t op, call; /* op is 0: the slot is free */
	int64_t begin_ns, end_ns;
	uint32_t stream, queue;
	uint32_t node;
	uint16_t api;
	bool open;  /* not seen to end yet */
	bool ended; /* an operation of its call was */
	bool synchronous;
	uint64_t ended_at; /* the ring's count then, of the latest */
};

/* One whose number's place another one has. */
struct operation_displaced {
	struct operation_slot slot;
	struct launch_size size;
};

struct operation_ring { /* of one thread's ids, or of the runtime's of one process */
	struct operation_slot *slots;
	struct launch_size *sizes; /* of the same; NULL: nobody asks */
	size_t mask, open;
	uint64_t thread, ended;
	uint32_t process;
	bool repeats;	      /* several records can have an id */
	struct map displaced; /* op -> the address of an operation_displaced */
};

struct operation_open {
	const struct operation_ring *ring;
	const struct operation_slot *slot;
	const struct launch_size *size; /* or NULL */
};

typedef int operation_open_fn(void *user, const struct operation_open *open);

/* With `sizes` of launches where they are asked for. NULL: out of memory. */
struct operation_ring *operation_ring_create(uint32_t process, uint64_t thread, bool sizes);

void operation_ring_destroy(struct operation_ring *ring);

/* Whether records of more operations may come. */
static inline bool operation_slot_is_known(const struct operation_ring *ring,
					   const struct operation_slot *slot)
{
	return slot->open || (ring->repeats && ring->ended - slot->ended_at < OPERATIONS_KEPT);
}

/* By another one than `op`. */
static inline bool operation_slot_is_taken(const struct operation_ring *ring, size_t place,
					   uint64_t op)
{
	const struct operation_slot *slot = &ring->slots[place];

	return slot->op && slot->op != op && operation_slot_is_known(ring, slot);
}

/* Makes room for an id: by more slots if many are in flight, else another one moves.
 * Returns 0 or -ENOMEM. */
int operation_ring_make_room(struct operation_ring *ring, uint64_t op);

/* NULL: not known, or not any more. */
struct operation_slot *operation_ring_find(const struct operation_ring *ring, uint64_t op);

/* Calls that had no more operations for long. */
void operation_ring_trim(struct operation_ring *ring);

/* Calls `each` for each that is open, until it returns an error, which comes back. */
int operation_ring_open(const struct operation_ring *ring, operation_open_fn *each, void *user);

#endif
