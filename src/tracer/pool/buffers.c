/* SPDX-License-Identifier: MIT */
#include "tracer/pool/buffers.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "format/ticks.h"
#include "tracer/thread.h"

#define CHUNK 16u
#define WRITER_NS 100000000u /* how long a record may be in the making */
#define STUCK_MOST 20u	     /* times that, until nobody waits for it */

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

/* Threads that find the buffers full read the words before it, each with every record. */
_Static_assert(offsetof(struct buffers, dropped) / BUFFERS_LINE >
		       offsetof(struct buffers, stuck) / BUFFERS_LINE,
	       "what is counted has cache lines of its own");

static uint64_t slot_state(uint64_t generation, enum slot_state state)
{
	return generation << 2 | state;
}

void buffers_begin(struct buffers *buffers, struct pool_slot *memory, uint32_t slots)
{
	buffers->slots = slots;
	buffers->chunk = slots < 16 * CHUNK ? 1 : CHUNK;
	for (uint32_t i = 0; i < 2; i++) {
		buffers->buffer[i].slots = memory + (size_t)i * slots;
		buffers->buffer[i].generation = i;
		buffers->buffer[i].next = 0;
		atomic_store(&buffers->buffer[i].used, (uint64_t)i << 32);
		for (uint32_t j = 0; j < slots; j++)
			atomic_store(&buffers->buffer[i].slots[j].state, slot_state(i, SLOT_FREE));
	}
	atomic_store(&buffers->fill, 0);
	atomic_store(&buffers->delivered, 0);
	atomic_store(&buffers->stuck, 0);
	atomic_store(&buffers->ending, false);
	for (uint32_t i = 0; i < BUFFERS_COUNTS; i++)
		atomic_store(&buffers->dropped[i].count, 0);
}

/* Threads that were made one after another have ids that follow each other. */
static void drop_count(struct buffers *buffers)
{
	const struct tracer_thread *thread = tracer_thread_here;
	uint32_t mine = thread ? thread->tid % BUFFERS_COUNTS : 0;

	atomic_fetch_add_explicit(&buffers->dropped[mine].count, 1, memory_order_relaxed);
}

uint64_t buffers_dropped(const struct buffers *buffers)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < BUFFERS_COUNTS; i++)
		sum += atomic_load(&buffers->dropped[i].count);
	return sum;
}

/* --- traced threads ------------------------------------------------------------------------ */

/* Whether the buffer of the generation after this one is empty. */
static bool next_is_empty(struct buffers *buffers, uint32_t generation)
{
	return (int32_t)(atomic_load(&buffers->delivered) - generation) >= 0;
}

/* Before `fill` leaves it. What is late has less, or is of a generation that has gone. */
static void used_note(struct buffer *buffer, uint64_t fill)
{
	uint64_t used = atomic_load(&buffer->used);

	while ((int64_t)(fill - used) > 0 &&
	       !atomic_compare_exchange_weak(&buffer->used, &used, fill)) {
	}
}

/* Gives the buffer that is being filled to the pool's thread, and goes on with the other
 * one, if that has been delivered. true: `fill` is another now, whoever did it. */
static bool switch_buffer(struct buffers *buffers, uint64_t fill)
{
	uint32_t generation = (uint32_t)(fill >> 32);

	if (!next_is_empty(buffers, generation))
		return false;
	used_note(&buffers->buffer[generation & 1], fill);
	if (atomic_compare_exchange_strong(&buffers->fill, &fill, (uint64_t)(generation + 1) << 32))
		buffers_wake(&buffers->wake);
	return true;
}

/* Until there is room, or the pool is closed. A thread that was stopped in a record, or has left
 * it for good, holds the others up for some seconds at most. */
static bool wait_for_room(struct buffers *buffers, uint32_t generation)
{
	uint32_t seen = atomic_load(&buffers->done);

	if (!buffers->waits || atomic_load(&buffers->ending) ||
	    atomic_load(&buffers->stuck) > STUCK_MOST)
		return false;
	if (!next_is_empty(buffers, generation) && atomic_load(&buffers->fill) >> 32 == generation)
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

void buffers_leave(struct tracer_thread *thread)
{
	struct thread_chunk *chunk = thread->making;
	struct pool_slot *slot = chunk->next - 1;

	/* In that generation nobody else takes it. */
	if (atomic_load(&chunk->buffers->number) == chunk->pool &&
	    atomic_load(&slot->state) == slot_state(chunk->generation, SLOT_BUSY)) {
		slot->what = SLOT_LEFT;
		slot->text_bytes = (uint16_t)chunk->text_bytes;
		drop_count(chunk->buffers);
		buffers_put(slot);
	}
	thread->making = NULL;
}

/* In a chunk of its own. */
static struct pool_slot *take_long(struct buffers *buffers, struct tracer_thread *thread,
				   uint32_t text_bytes, uint32_t count)
{
	struct thread_chunk *chunk = &thread->text;
	struct pool_slot *slot;

	do {
		slot = slots_reserve(buffers, count, &chunk->generation);
		if (!slot)
			return NULL;
		chunk->pool = atomic_load_explicit(&buffers->number, memory_order_relaxed);
		chunk->buffers = buffers;
		chunk->text_bytes = text_bytes;
		chunk->next = slot + 1;
		store_order();
		thread->making = chunk;
		store_order();
	} while (!slot_take(slot, chunk->generation));
	return slot;
}

/* The pool that had the place before has left its chunk. */
static void chunk_begin(struct thread_chunk *chunk, struct buffers *buffers, uint64_t number)
{
	chunk->left = 0;
	chunk->text_bytes = 0;
	chunk->buffers = buffers;
	store_order();
	chunk->pool = number;
}

static struct pool_slot *take_short(struct buffers *buffers, struct tracer_thread *thread)
{
	struct thread_chunk *chunk = &thread->chunk[buffers->place];
	uint64_t number = atomic_load_explicit(&buffers->number, memory_order_relaxed);
	struct pool_slot *slot;

	if (chunk->pool != number)
		chunk_begin(chunk, buffers, number);
	for (;;) {
		if (!chunk->left) {
			slot = slots_reserve(buffers, buffers->chunk, &chunk->generation);
			if (!slot)
				return NULL;
			chunk->next = slot;
			store_order();
			chunk->left = buffers->chunk;
		}
		chunk->left--;
		store_order();
		slot = chunk->next++;
		store_order();
		thread->making = chunk;
		store_order();
		if (slot_take(slot, chunk->generation))
			return slot;
		chunk->left = 0; /* revoked */
	}
}

struct pool_slot *buffers_take(struct buffers *buffers, uint32_t text_bytes)
{
	struct tracer_thread *thread = tracer_thread();
	uint32_t more = (text_bytes + sizeof(struct pool_slot)) / sizeof(struct pool_slot);
	struct pool_slot *slot = NULL;

	if (thread && __builtin_expect(thread->making != NULL, 0))
		buffers_leave(thread);
	if (thread && !text_bytes)
		slot = take_short(buffers, thread);
	else if (thread && 1 + more <= buffers->slots)
		slot = take_long(buffers, thread, text_bytes, 1 + more);
	if (!slot)
		drop_count(buffers);
	return slot;
}

void buffers_put(struct pool_slot *slot)
{
	uint64_t state = atomic_load_explicit(&slot->state, memory_order_relaxed);

	atomic_store_explicit(&slot->state, (state & ~(uint64_t)3) | SLOT_READY,
			      memory_order_release);
	tracer_thread_here->making = NULL;
}

/* --- the consumer --------------------------------------------------------------------------- */

struct buffer *buffers_full(struct buffers *buffers)
{
	uint32_t generation = atomic_load(&buffers->delivered);

	return atomic_load(&buffers->fill) >> 32 != generation ? &buffers->buffer[generation & 1]
							       : NULL;
}

void buffers_switch(struct buffers *buffers)
{
	uint64_t fill = atomic_load(&buffers->fill), first = fill;

	/* Where a thread switches just now, that buffer is full. */
	while ((uint32_t)fill && fill >> 32 == first >> 32 && switch_buffer(buffers, fill))
		fill = atomic_load(&buffers->fill);
}

static uint32_t slots_of(const struct pool_slot *slot)
{
	return slot->what == SLOT_ANNOTATION || (slot->what == SLOT_LEFT && slot->text_bytes)
		       ? 1 + (slot->text_bytes + (uint32_t)sizeof(*slot)) / (uint32_t)sizeof(*slot)
		       : 1;
}

/* Whether the slot has a record now. -EAGAIN: it is still in the making. */
static int slot_ready(struct pool_slot *slot, uint64_t generation)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	uint64_t state = slot_state(generation, SLOT_FREE);
	uint64_t until = 0;

	if (atomic_load(&slot->state) == slot_state(generation, SLOT_READY))
		return 1;
	for (unsigned turn = 0; !atomic_compare_exchange_strong(
		     &slot->state, &state, slot_state(generation, SLOT_CLOSED));
	     turn++) {
		if (state == slot_state(generation, SLOT_READY))
			return 1;
		if (state != slot_state(generation, SLOT_BUSY))
			return 0;
		if (!until)
			until = counter_clock_ns(CLOCK_MONOTONIC) + WRITER_NS;
		else if (counter_clock_ns(CLOCK_MONOTONIC) > until)
			return -EAGAIN;
		if (turn < 100)
			sched_yield();
		else
			nanosleep(&pause, NULL);
		state = slot_state(generation, SLOT_FREE);
	}
	return 0;
}

/* Its thread has had its time: whoever closed the pool has waited for it. */
static int slot_give_up(struct buffers *buffers, struct pool_slot *slot, uint64_t generation)
{
	uint64_t state = slot_state(generation, SLOT_BUSY);

	if (!atomic_compare_exchange_strong(&slot->state, &state,
					    slot_state(generation, SLOT_CLOSED)))
		return 1;
	drop_count(buffers);
	return 0;
}

struct pool_slot *buffer_next(struct buffers *buffers, struct buffer *buffer, int *error)
{
	*error = 0;
	while (buffer->next < (uint32_t)atomic_load(&buffer->used)) {
		struct pool_slot *slot = &buffer->slots[buffer->next];
		int ready = slot_ready(slot, buffer->generation);

		if (ready < 0 && atomic_load(&buffers->ending))
			ready = slot_give_up(buffers, slot, buffer->generation);
		if (ready < 0) {
			*error = ready;
			return NULL;
		}
		buffer->next += ready ? slots_of(slot) : 1;
		if (ready && slot->what != SLOT_LEFT)
			return slot;
	}
	return NULL;
}

void buffers_free(struct buffers *buffers, struct buffer *buffer)
{
	uint32_t generation = buffer->generation + 2;

	for (uint32_t i = 0; i < buffers->slots; i++)
		atomic_store_explicit(&buffer->slots[i].state, slot_state(generation, SLOT_FREE),
				      memory_order_relaxed);
	buffer->generation = generation;
	buffer->next = 0;
	atomic_store(&buffer->used, (uint64_t)generation << 32);
	atomic_fetch_add(&buffers->delivered, 1);
}
