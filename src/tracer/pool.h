/* SPDX-License-Identifier: MIT */
/* A pool: two buffers of slots that traced threads fill, and a thread that delivers the one
 * that is full. Threads take slots in chunks, so that they share no cache line while they
 * write; a slot is taken by one compare-and-swap, by which its chunk can be revoked when the
 * buffer is to be delivered.
 *
 *	struct pool_slot *slot = pool_take(pool, 0);
 *	if (slot) { slot->domain = ...; pool_put(pool, slot); }
 *
 * Slots hold ticks and device times; they become ns when they are delivered, by pairs of
 * clocks from before and after.
 */
#ifndef TANDEM_TRACER_POOL_H
#define TANDEM_TRACER_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tandem/tracer.h"

#define POOLS 64u

enum pool_slot_what { SLOT_CALL, SLOT_OPERATION, SLOT_ANNOTATION };

struct pool_slot {
	_Atomic uint64_t state; /* generation << 2 | enum slot_state */
	uint8_t domain;
	uint8_t what;  /* enum pool_slot_what */
	uint8_t flags; /* enum tandem_tracer_flags */
	uint8_t timed; /* enum tandem_timed of an operation */
	uint16_t op;
	uint16_t text_bytes; /* behind the slot, in those that follow */
	uint64_t correlation;
	uint64_t begin, end; /* ticks; of an operation as `timed` says */
	union {
		uint64_t external;
		struct {
			uint32_t kernel, queue;
		};
	};
	uint32_t tid;
	int32_t result;
	uint64_t bytes;
};

_Static_assert(sizeof(struct pool_slot) == 64, "a cache line");

struct pool;

/* The open pool of that number; NULL: there is none. */
struct pool *pool_find(tandem_tracer_pool_t number);

/* A slot to fill, with room for so many bytes of text behind it; NULL: dropped, and counted.
 * In a traced call. */
struct pool_slot *pool_take(struct pool *pool, uint32_t text_bytes);
void pool_put(struct pool_slot *slot);

static inline char *pool_slot_text(struct pool_slot *slot)
{
	return (char *)(slot + 1);
}

/* At the exit. */
void pools_close(void);

/* In the child of a fork: they are the parent's. */
void pools_forked(void);

#endif
