/* SPDX-License-Identifier: MIT */
/* The two buffers of a pool: traced threads fill one, and the consumer delivers the other
 * (tracer/pool/consumer.h). Threads take slots in chunks, so that they share no cache line while they
 * write; a slot is taken by one compare-and-swap, by which its chunk can be revoked when the
 * buffer is to be delivered.
 *
 *	struct pool_slot *slot = buffers_take(buffers, 0);
 *	if (slot) { slot->domain = ...; buffers_put(slot); }
 */
#ifndef TANDEM_TRACER_BUFFERS_H
#define TANDEM_TRACER_BUFFERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracer/pool/slot.h"

/* What a buffer is: delivered and empty, the threads', or full. */
enum buffer_state { BUFFER_DELIVERED, BUFFER_FILLING, BUFFER_FULL };

struct buffer {
	struct pool_slot *slots;
	_Atomic uint32_t state;
	uint64_t generation; /* while it is filled */
	uint32_t used;	     /* slots that chunks were given of, when full */
	uint32_t next;	     /* to deliver */
};

struct buffers {
	_Atomic uint64_t number; /* of their pool; 0: closed */
	uint32_t place;		 /* of a thread's chunk of them */
	uint32_t slots, chunk;
	bool waits; /* threads wait for room; else they drop */
	struct buffer buffer[2];

	/* generation << 32 | slots that chunks were given of, in buffer[generation & 1]. */
	_Atomic uint64_t fill;

	_Atomic uint64_t dropped;
	_Atomic uint32_t wake; /* something is to be delivered: a futex */
	_Atomic uint32_t done; /* something has been: a futex */
	_Atomic bool ending;   /* no thread waits for room any more */
};

/* Empty, in memory for 2 * `slots` slots at a cache line's start. */
void buffers_begin(struct buffers *buffers, struct pool_slot *memory, uint32_t slots);

/* A slot to fill, with room for so many bytes of text after it; NULL: dropped, and counted.
 * In a traced call. */
struct pool_slot *buffers_take(struct buffers *buffers, uint32_t text_bytes);
void buffers_put(struct pool_slot *slot);

/* The consumer's: the buffer that is full; NULL: none. */
struct buffer *buffers_full(struct buffers *buffers);

/* What there is becomes full, unless the other buffer is not yet delivered. */
void buffers_switch(struct buffers *buffers);

/* The next slot of a full buffer that has a record. NULL: there is no other; -EAGAIN in
 * *error where the next is still being written. */
struct pool_slot *buffer_next(struct buffer *buffer, int *error);

/* All of it has been delivered. */
void buffers_free(struct buffers *buffers, struct buffer *buffer);

/* Futexes: a change of a word, and a wait of 100 ms at most for one since it was `seen`. */
void buffers_wake(_Atomic uint32_t *word);
void buffers_sleep(_Atomic uint32_t *word, uint32_t seen);

#endif
