/* SPDX-License-Identifier: MIT */
/* What one thread hands to another, entry by entry, which that one takes in the same order
 * while the first goes on. Entries are handed over by the block: when one is full, or by
 * relay_flush().
 *
 *	relay = relay_create(take, user);		NULL: no thread; the caller does it all
 *	payload = relay_begin(relay, kind, bytes);
 *	... fill it
 *	relay_end(relay);
 *	relay_wait(relay);				all is taken, and seen by the caller
 *	relay_destroy(relay);
 *
 * Memory: RELAY_BLOCKS blocks of RELAY_BLOCK_BYTES. One thread calls; `take` is called in the other.
 */
#ifndef TANDEM_UTIL_RELAY_H
#define TANDEM_UTIL_RELAY_H

#include <stddef.h>
#include <stdint.h>

#include "util/thread/worker.h"

#define RELAY_BLOCK_BYTES (64u << 10)
#define RELAY_ENTRY_MOST (4u << 10)
#define RELAY_PREFETCH_BYTES 1024u
/* All that may wait for their turn, and the one that is being filled. */
#define RELAY_BLOCKS (WORKER_WAITING_MOST + 1)

struct relay_entry { /* the next one is `bytes` behind it */
	uint16_t bytes, kind;
	uint64_t payload[] __attribute__((aligned(8)));
};

typedef void relay_take(void *user, const struct relay_entry *entry);

struct relay_block {
	struct worker_task task;
	struct relay *relay;
	uint8_t *end; /* of its entries */
	_Alignas(8) uint8_t entries[RELAY_BLOCK_BYTES + RELAY_ENTRY_MOST];
};

struct relay {
	struct worker *worker;
	relay_take *take;
	void *user;
	struct relay_block *blocks; /* a ring */
	unsigned filling;
	uint8_t *at, *full; /* in that block: where the next entry comes, and where it is full */
};

struct relay *relay_create(relay_take *take, void *user);

/* Hands over what there is. */
void relay_flush(struct relay *relay);

/* Room for the next entry, of RELAY_ENTRY_MOST bytes with its head at the most; aligned to 8. */
static inline void *relay_begin(struct relay *relay, uint32_t kind, size_t bytes)
{
	struct relay_entry *entry = (void *)relay->at;

	/* The other CPU has read there: it takes long to get it. */
	__builtin_prefetch(relay->at + RELAY_PREFETCH_BYTES, 1);
	__builtin_prefetch(relay->at + RELAY_PREFETCH_BYTES + 64, 1);
	__builtin_prefetch(relay->at + RELAY_PREFETCH_BYTES + 128, 1);
	entry->bytes = (uint16_t)((sizeof(*entry) + bytes + 7) & ~(size_t)7);
	entry->kind = (uint16_t)kind;
	return entry->payload;
}

static inline void relay_end(struct relay *relay)
{
	relay->at += ((const struct relay_entry *)(const void *)relay->at)->bytes;
	if (relay->at >= relay->full)
		relay_flush(relay);
}

void relay_wait(struct relay *relay);

/* Takes what was handed over first. NULL is fine. */
void relay_destroy(struct relay *relay);

#endif
