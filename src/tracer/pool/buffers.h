/* SPDX-License-Identifier: MIT */
/* The two buffers of a pool: traced threads fill one, and the consumer delivers the other
 * (tracer/pool/consumer.h). Threads take slots in chunks, so that they share no cache line while they
 * write; a slot is taken by one compare-and-swap, by which its chunk can be revoked when the
 * buffer is to be delivered.
 *
 * Generations are counted: an even one fills the first buffer, an odd one the second. A signal
 * handler may leave by siglongjmp() anywhere: one word says what is being filled, and the record
 * that was being made is given up with the thread's next one.
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

#define BUFFERS_LINE 64u /* what one thread writes is not in a cache line that others only read */

struct buffer {
	struct pool_slot *slots;
	uint32_t generation;			      /* the consumer's: that is to be delivered */
	_Alignas(BUFFERS_LINE) _Atomic uint64_t used; /* the most that `fill` has been with it */
	uint32_t next; /* the consumer's: the first slot that is not delivered */
};

/* Where the buffers are full every record is counted here: by few threads each. */
#define BUFFERS_COUNTS 16u
struct buffers_count {
	_Alignas(BUFFERS_LINE) _Atomic uint64_t count;
};

struct buffers {
	_Atomic uint64_t number; /* of their pool; 0: closed */
	uint32_t place;		 /* of a thread's chunk of them */
	uint32_t slots, chunk;
	bool waits; /* threads wait for room; else they drop */
	struct buffer buffer[2];

	/* generation << 32 | slots that chunks were given of, in buffer[generation & 1]. */
	_Alignas(BUFFERS_LINE) _Atomic uint64_t fill;
	_Alignas(BUFFERS_LINE) _Atomic uint32_t delivered; /* generations */

	_Atomic uint32_t wake;	/* something is to be delivered: a futex */
	_Atomic uint32_t done;	/* something has been: a futex */
	_Atomic bool ending;	/* no thread waits for room any more */
	_Atomic uint32_t stuck; /* turns of the consumer since a record is in the making */

	struct buffers_count dropped[BUFFERS_COUNTS]; /* by threads: buffers_dropped() */
};

/* Empty, in memory for 2 * `slots` slots at a cache line's start. */
void buffers_begin(struct buffers *buffers, struct pool_slot *memory, uint32_t slots);

/* A slot to fill, with room for so many bytes of text after it; NULL: dropped, and counted.
 * In a traced call. */
struct pool_slot *buffers_take(struct buffers *buffers, uint32_t text_bytes);
void buffers_put(struct pool_slot *slot);

/* Records that were dropped, of all threads. */
uint64_t buffers_dropped(const struct buffers *buffers);

/* The record that the thread has left in the making, if any, is none. While its pool can't be
 * closed: in a traced call, or under its owner's lock. */
struct tracer_thread;
void buffers_leave(struct tracer_thread *thread);

/* The consumer's: the buffer that is full; NULL: none. */
struct buffer *buffers_full(struct buffers *buffers);

/* What there is becomes full, unless the other buffer is not yet delivered. */
void buffers_switch(struct buffers *buffers);

/* The next slot of a full buffer that has a record. NULL: there is no other; -EAGAIN in
 * *error where the next is still being written, unless the pool ends: it is dropped then. */
struct pool_slot *buffer_next(struct buffers *buffers, struct buffer *buffer, int *error);

/* All of it has been delivered. */
void buffers_free(struct buffers *buffers, struct buffer *buffer);

/* Futexes: a change of a word, and a wait of 100 ms at most for one since it was `seen`. */
void buffers_wake(_Atomic uint32_t *word);
void buffers_sleep(_Atomic uint32_t *word, uint32_t seen);

#endif
