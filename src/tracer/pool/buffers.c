/* SPDX-License-Identifier: MIT */
#include "tracer/pool/buffers.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "format/ticks.h"
#include "tracer/thread.h"

#define CHUNK 16u
#define WRITER_NS 100000000u /* how long a record may be in the making */

/* FREE of this generation; in the making; whole; never to be used in this generation. */
enum slot_state { SLOT_FREE, SLOT_BUSY, SLOT_READY, SLOT_CLOSED };

void buffers_wake(_Atomic uint32_t *word)
{
	atomic_fetch_add(word, 1);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void buffers_sleep(_Atomic uint32_t *word, uint32_t seen)
{
	struct timespec most = {.tv_nsec = 100000000};

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, &most, NULL, 0);
}

static uint64_t slot_state(uint64_t generation, enum slot_state state)
{
	return generation << 2 | state;
}

void buffers_begin(struct buffers *buffers, struct pool_slot *memory, uint32_t slots)
{
	buffers->slots = slots;
	buffers->chunk = slots < 16 * CHUNK ? 1 : CHUNK;
	for (uint32_t i = 0; i < 2; i++) {
		buffers->buffer[i] =
			(struct buffer){.slots = memory + (size_t)i * slots, .generation = i};
		for (uint32_t j = 0; j < slots; j++)
			atomic_store(&buffers->buffer[i].slots[j].state, slot_state(i, SLOT_FREE));
	}
	atomic_store(&buffers->fill, 0);
	atomic_store(&buffers->buffer[0].state, BUFFER_FILLING);
	atomic_store(&buffers->ending, false);
	atomic_store(&buffers->dropped, 0);
}

/* --- traced threads ------------------------------------------------------------------------ */

static bool is_delivered(struct buffers *buffers, uint32_t generation)
{
	return atomic_load_explicit(&buffers->buffer[generation & 1].state, memory_order_acquire) ==
	       BUFFER_DELIVERED;
}

/* Gives the buffer that is being filled to the pool's thread, and goes on with the other
 * one, if that has been delivered. */
static bool switch_buffer(struct buffers *buffers, uint64_t fill)
{
	uint32_t generation = (uint32_t)(fill >> 32), next = generation + 1;
	struct buffer *full = &buffers->buffer[generation & 1], *other = &buffers->buffer[next & 1];
	uint32_t delivered = BUFFER_DELIVERED;

	/* Who has this is the one who switches. */
	if (!atomic_compare_exchange_strong(&other->state, &delivered, BUFFER_FILLING))
		return false;
	if (atomic_load(&buffers->fill) >> 32 != generation) {
		atomic_store(&other->state, BUFFER_DELIVERED);
		return true;
	}
	other->generation = next;
	fill = atomic_exchange(&buffers->fill, (uint64_t)next << 32);
	full->used = (uint32_t)fill;
	full->next = 0;
	atomic_store(&full->state, BUFFER_FULL);
	buffers_wake(&buffers->wake);
	return true;
}

/* Until there is room, or the pool is closed. */
static bool wait_for_room(struct buffers *buffers, uint32_t generation)
{
	uint32_t seen = atomic_load(&buffers->done);

	if (!buffers->waits || atomic_load(&buffers->ending))
		return false;
	if (!is_delivered(buffers, generation + 1) &&
	    atomic_load(&buffers->fill) >> 32 == generation)
		buffers_sleep(&buffers->done, seen);
	return true;
}

static struct pool_slot *slots_reserve(struct buffers *buffers, uint32_t count,
				       uint64_t *generation)
{
	for (;;) {
		uint64_t fill = atomic_load(&buffers->fill);
		uint32_t used = (uint32_t)fill;

		if (used + count <= buffers->slots) {
			if (!atomic_compare_exchange_weak(&buffers->fill, &fill, fill + count))
				continue;
			*generation = fill >> 32;
			return buffers->buffer[*generation & 1].slots + used;
		}
		if (!switch_buffer(buffers, fill) &&
		    !wait_for_room(buffers, (uint32_t)(fill >> 32)) &&
		    atomic_load(&buffers->fill) >> 32 == fill >> 32)
			return NULL;
	}
}

static bool slot_take(struct pool_slot *slot, uint64_t generation)
{
	uint64_t state = slot_state(generation, SLOT_FREE);

	return atomic_compare_exchange_strong_explicit(&slot->state, &state,
						       slot_state(generation, SLOT_BUSY),
						       memory_order_acquire, memory_order_relaxed);
}

/* In a chunk of its own. */
static struct pool_slot *take_long(struct buffers *buffers, uint32_t count)
{
	struct pool_slot *slot;
	uint64_t generation;

	do {
		slot = slots_reserve(buffers, count, &generation);
	} while (slot && !slot_take(slot, generation));
	return slot;
}

static struct pool_slot *take_short(struct buffers *buffers, struct thread_chunk *chunk)
{
	uint64_t number = atomic_load_explicit(&buffers->number, memory_order_relaxed);

	/* The pool that had the place before has left its chunk. */
	if (chunk->pool != number)
		*chunk = (struct thread_chunk){.pool = number};
	for (;;) {
		struct pool_slot *slot = chunk->next;

		if (slot == chunk->end) {
			slot = slots_reserve(buffers, buffers->chunk, &chunk->generation);
			chunk->next = slot;
			chunk->end = slot ? slot + buffers->chunk : NULL;
			if (!slot)
				return NULL;
		}
		chunk->next = slot + 1;
		if (slot_take(slot, chunk->generation))
			return slot;
		chunk->next = chunk->end; /* revoked */
	}
}

struct pool_slot *buffers_take(struct buffers *buffers, uint32_t text_bytes)
{
	struct tracer_thread *thread = tracer_thread();
	uint32_t more = (text_bytes + sizeof(struct pool_slot)) / sizeof(struct pool_slot);
	struct pool_slot *slot = NULL;

	if (thread && !text_bytes)
		slot = take_short(buffers, &thread->chunk[buffers->place]);
	else if (thread && 1 + more <= buffers->slots)
		slot = take_long(buffers, 1 + more);
	if (!slot)
		atomic_fetch_add_explicit(&buffers->dropped, 1, memory_order_relaxed);
	return slot;
}

void buffers_put(struct pool_slot *slot)
{
	uint64_t state = atomic_load_explicit(&slot->state, memory_order_relaxed);

	atomic_store_explicit(&slot->state, (state & ~(uint64_t)3) | SLOT_READY,
			      memory_order_release);
}

/* --- the consumer --------------------------------------------------------------------------- */

struct buffer *buffers_full(struct buffers *buffers)
{
	for (int i = 0; i < 2; i++)
		if (atomic_load(&buffers->buffer[i].state) == BUFFER_FULL)
			return &buffers->buffer[i];
	return NULL;
}

void buffers_switch(struct buffers *buffers)
{
	/* Where a thread switches just now, that buffer is full. */
	uint64_t fill = atomic_load(&buffers->fill);

	if ((uint32_t)fill)
		switch_buffer(buffers, fill);
}

static uint32_t slots_of(const struct pool_slot *slot)
{
	return slot->what == SLOT_ANNOTATION
		       ? 1 + (slot->text_bytes + (uint32_t)sizeof(*slot)) / (uint32_t)sizeof(*slot)
		       : 1;
}

/* Whether the slot has a record now. -EAGAIN: it is still in the making. */
static int slot_ready(struct pool_slot *slot, uint64_t generation)
{
	uint64_t state = slot_state(generation, SLOT_FREE);
	uint64_t until = 0;

	while (!atomic_compare_exchange_strong(&slot->state, &state,
					       slot_state(generation, SLOT_CLOSED))) {
		if (state == slot_state(generation, SLOT_READY))
			return 1;
		if (state != slot_state(generation, SLOT_BUSY))
			return 0;
		if (!until)
			until = counter_clock_ns(CLOCK_MONOTONIC) + WRITER_NS;
		else if (counter_clock_ns(CLOCK_MONOTONIC) > until)
			return -EAGAIN;
		sched_yield();
		state = slot_state(generation, SLOT_FREE);
	}
	return 0;
}

struct pool_slot *buffer_next(struct buffer *buffer, int *error)
{
	*error = 0;
	while (buffer->next < buffer->used) {
		struct pool_slot *slot = &buffer->slots[buffer->next];
		int ready = slot_ready(slot, buffer->generation);

		if (ready < 0) {
			*error = ready;
			return NULL;
		}
		buffer->next += ready ? slots_of(slot) : 1;
		if (ready)
			return slot;
	}
	return NULL;
}

void buffers_free(struct buffers *buffers, struct buffer *buffer)
{
	for (uint32_t i = 0; i < buffers->slots; i++)
		atomic_store_explicit(&buffer->slots[i].state,
				      slot_state((uint32_t)(buffer->generation + 2), SLOT_FREE),
				      memory_order_relaxed);
	atomic_store(&buffer->state, BUFFER_DELIVERED);
}
