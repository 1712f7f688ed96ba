/* SPDX-License-Identifier: MIT */
#include "tracer/pool.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "format/ticks.h"
#include "sinks/sink.h"
#include "tracer/error.h"
#include "tracer/keep.h"
#include "tracer/record.h"
#include "tracer/thread.h"

#define BUFFER_BYTES (256u * 1024)
#define SLOTS_LEAST 32u
#define CHUNK 16u
#define STACK_BYTES (256u * 1024)
#define EXIT_SECONDS 5	     /* that a callback may take at the exit */
#define WRITER_NS 100000000u /* how long a record may be in the making */

/* FREE of this generation; in the making; whole; never to be used in this generation. */
enum slot_state { SLOT_FREE, SLOT_BUSY, SLOT_READY, SLOT_CLOSED };

/* What a buffer is: the threads', full, or delivered. */
enum buffer_state { BUFFER_DELIVERED, BUFFER_FILLING, BUFFER_FULL };

struct buffer {
	struct pool_slot *slots;
	_Atomic uint32_t state;
	uint64_t generation; /* while it is filled */
	uint32_t used;	     /* slots that chunks were given of, when full */
	uint32_t next;	     /* to deliver */
};

struct pool {
	_Atomic tandem_tracer_pool_t number; /* 0: closed */
	struct tandem_tracer_pool_properties properties;
	uint32_t slots, chunk;
	char *memory;
	size_t memory_bytes;
	struct buffer buffer[2];

	/* generation << 32 | slots that chunks were given of, in buffer[generation & 1]. */
	_Atomic uint64_t fill;

	_Atomic uint64_t dropped, delivered;
	_Atomic uint32_t wake; /* something is to be delivered: a futex */
	_Atomic uint32_t done; /* something has been: a futex */
	_Atomic uint32_t flushes, flushed, stuck;
	_Atomic bool ending;
	struct tandem_tracer_record *records;
	pthread_t thread;
};

static struct pool pools[POOLS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t openings;

static void (*leave_pool)(struct pool *pool);

void pool_at_close(void (*leave)(struct pool *pool))
{
	leave_pool = leave;
}

static void wake(_Atomic uint32_t *word)
{
	atomic_fetch_add(word, 1);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void sleep_on(_Atomic uint32_t *word, uint32_t seen)
{
	struct timespec most = {.tv_nsec = 100000000};

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, &most, NULL, 0);
}

struct pool *pool_find(tandem_tracer_pool_t number)
{
	struct pool *pool = &pools[number % POOLS];

	return number && atomic_load(&pool->number) == number ? pool : NULL;
}

static uint64_t slot_state(uint64_t generation, enum slot_state state)
{
	return generation << 2 | state;
}

/* --- traced threads ------------------------------------------------------------------------ */

static bool is_delivered(struct pool *pool, uint32_t generation)
{
	return atomic_load_explicit(&pool->buffer[generation & 1].state, memory_order_acquire) ==
	       BUFFER_DELIVERED;
}

/* Gives the buffer that is being filled to the pool's thread, and goes on with the other
 * one, if that has been delivered. */
static bool switch_buffer(struct pool *pool, uint64_t fill)
{
	uint32_t generation = (uint32_t)(fill >> 32), next = generation + 1;
	struct buffer *full = &pool->buffer[generation & 1], *other = &pool->buffer[next & 1];
	uint32_t delivered = BUFFER_DELIVERED;

	/* Who has this is the one who switches. */
	if (!atomic_compare_exchange_strong(&other->state, &delivered, BUFFER_FILLING))
		return false;
	if (atomic_load(&pool->fill) >> 32 != generation) {
		atomic_store(&other->state, BUFFER_DELIVERED);
		return true;
	}
	other->generation = next;
	fill = atomic_exchange(&pool->fill, (uint64_t)next << 32);
	full->used = (uint32_t)fill;
	full->next = 0;
	atomic_store(&full->state, BUFFER_FULL);
	wake(&pool->wake);
	return true;
}

/* Until there is room, or the pool is closed. */
static bool wait_for_room(struct pool *pool, uint32_t generation)
{
	uint32_t seen = atomic_load(&pool->done);

	if (pool->properties.full != TANDEM_TRACER_WAIT || atomic_load(&pool->ending))
		return false;
	if (!is_delivered(pool, generation + 1) && atomic_load(&pool->fill) >> 32 == generation)
		sleep_on(&pool->done, seen);
	return true;
}

static struct pool_slot *slots_reserve(struct pool *pool, uint32_t count, uint64_t *generation)
{
	for (;;) {
		uint64_t fill = atomic_load(&pool->fill);
		uint32_t used = (uint32_t)fill;

		if (used + count <= pool->slots) {
			if (!atomic_compare_exchange_weak(&pool->fill, &fill, fill + count))
				continue;
			*generation = fill >> 32;
			return pool->buffer[*generation & 1].slots + used;
		}
		if (!switch_buffer(pool, fill) && !wait_for_room(pool, (uint32_t)(fill >> 32)) &&
		    atomic_load(&pool->fill) >> 32 == fill >> 32)
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
static struct pool_slot *take_long(struct pool *pool, uint32_t count)
{
	struct pool_slot *slot;
	uint64_t generation;

	do {
		slot = slots_reserve(pool, count, &generation);
	} while (slot && !slot_take(slot, generation));
	return slot;
}

static struct pool_slot *take_short(struct pool *pool, struct thread_chunk *chunk)
{
	uint64_t number = atomic_load_explicit(&pool->number, memory_order_relaxed);

	/* The pool that had the place before has left its chunk. */
	if (chunk->pool != number)
		*chunk = (struct thread_chunk){.pool = number};
	for (;;) {
		struct pool_slot *slot = chunk->next;

		if (slot == chunk->end) {
			slot = slots_reserve(pool, pool->chunk, &chunk->generation);
			chunk->next = slot;
			chunk->end = slot ? slot + pool->chunk : NULL;
			if (!slot)
				return NULL;
		}
		chunk->next = slot + 1;
		if (slot_take(slot, chunk->generation))
			return slot;
		chunk->next = chunk->end; /* revoked */
	}
}

struct pool_slot *pool_take(struct pool *pool, uint32_t text_bytes)
{
	struct tracer_thread *thread = tracer_thread();
	uint32_t more = (text_bytes + sizeof(struct pool_slot)) / sizeof(struct pool_slot);
	struct pool_slot *slot = NULL;

	if (thread && !text_bytes)
		slot = take_short(pool, &thread->chunk[pool - pools]);
	else if (thread && 1 + more <= pool->slots)
		slot = take_long(pool, 1 + more);
	if (!slot)
		atomic_fetch_add_explicit(&pool->dropped, 1, memory_order_relaxed);
	return slot;
}

void pool_put(struct pool_slot *slot)
{
	uint64_t state = atomic_load_explicit(&slot->state, memory_order_relaxed);

	atomic_store_explicit(&slot->state, (state & ~(uint64_t)3) | SLOT_READY,
			      memory_order_release);
}

/* --- the pool's thread ---------------------------------------------------------------------- */

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

static void deliver(struct pool *pool, uint32_t count)
{
	if (!count)
		return;
	pool->properties.deliver(pool->records, pool->records + count,
				 pool->properties.deliver_arg);
	if (!atomic_fetch_add(&pool->delivered, count))
		keep_exit_handler(pools_close);
}

static void buffer_free(struct buffer *buffer, uint32_t slots)
{
	for (uint32_t i = 0; i < slots; i++)
		atomic_store_explicit(&buffer->slots[i].state,
				      slot_state((uint32_t)(buffer->generation + 2), SLOT_FREE),
				      memory_order_relaxed);
	atomic_store(&buffer->state, BUFFER_DELIVERED);
}

/* -EAGAIN: a record is in the making; it goes on from there the next time. */
static int buffer_deliver(struct pool *pool, struct buffer *buffer)
{
	uint32_t count = 0;
	int ready = 0;

	record_begin_delivery();
	while (buffer->next < buffer->used) {
		struct pool_slot *slot = &buffer->slots[buffer->next];

		ready = slot_ready(slot, buffer->generation);
		if (ready < 0)
			break;
		if (ready)
			record_convert(slot, &pool->records[count++]);
		buffer->next += ready ? slots_of(slot) : 1;
	}
	deliver(pool, count);
	if (ready < 0)
		return ready;
	buffer_free(buffer, pool->slots);
	return 0;
}

static struct buffer *buffer_full(struct pool *pool)
{
	for (int i = 0; i < 2; i++)
		if (atomic_load(&pool->buffer[i].state) == BUFFER_FULL)
			return &pool->buffer[i];
	return NULL;
}

/* All that is full, and for whoever flushes what is not. */
static void pool_work(struct pool *pool)
{
	uint32_t flushes = atomic_load(&pool->flushes);
	bool flush = flushes != atomic_load(&pool->flushed);
	struct buffer *buffer;
	uint64_t fill;
	int error = 0;

	while (!error && (buffer = buffer_full(pool)))
		error = buffer_deliver(pool, buffer);
	/* Where a thread switches just now, that buffer is full. */
	fill = atomic_load(&pool->fill);
	if (!error && flush && (uint32_t)fill)
		switch_buffer(pool, fill);
	while (!error && (buffer = buffer_full(pool)))
		error = buffer_deliver(pool, buffer);
	atomic_store(&pool->stuck, error != 0);
	if (flushes != atomic_load(&pool->flushed))
		atomic_store(&pool->flushed, flushes);
	wake(&pool->done);
}

static void *pool_thread(void *data)
{
	struct pool *pool = data;
	struct tracer_thread *thread = tracer_thread();

	pthread_setname_np(pthread_self(), "tandem-pool");
	if (thread)
		thread->delivers = true;
	for (;;) {
		uint32_t seen = atomic_load(&pool->wake);
		bool ending = atomic_load(&pool->ending);

		if (buffer_full(pool) || atomic_load(&pool->flushes) != atomic_load(&pool->flushed))
			pool_work(pool);
		if (ending)
			return NULL;
		if (atomic_load(&pool->wake) == seen)
			sleep_on(&pool->wake, seen);
	}
}

/* --- the tool ------------------------------------------------------------------------------- */

static int memory_get(struct pool *pool)
{
	size_t slots = (size_t)pool->slots * sizeof(struct pool_slot);
	char *memory = NULL;

	pool->memory_bytes = 2 * slots + pool->slots * sizeof(struct tandem_tracer_record) + 64;
	if (pool->properties.allocate) {
		pool->properties.allocate(&memory, pool->memory_bytes,
					  pool->properties.allocate_arg);
	} else {
		memory = mmap(NULL, pool->memory_bytes, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		memory = memory == MAP_FAILED ? NULL : memory;
	}
	if (!memory)
		return -ENOMEM;
	pool->memory = memory;
	memory = (char *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
	for (uint32_t i = 0; i < 2; i++) {
		pool->buffer[i] = (struct buffer){.slots = (struct pool_slot *)(memory + i * slots),
						  .generation = i};
		for (uint32_t j = 0; j < pool->slots; j++)
			atomic_store(&pool->buffer[i].slots[j].state, slot_state(i, SLOT_FREE));
	}
	pool->records = (struct tandem_tracer_record *)(memory + 2 * slots);
	return 0;
}

static void memory_give(struct pool *pool)
{
	if (pool->properties.allocate)
		pool->properties.allocate(&pool->memory, 0, pool->properties.allocate_arg);
	else
		munmap(pool->memory, pool->memory_bytes);
}

static int thread_start(struct pool *pool)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	int error = pthread_attr_init(&attributes);

	if (error)
		return -EAGAIN;
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&pool->thread, &attributes, pool_thread, pool);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return error ? -EAGAIN : 0;
}

static int pool_begin(struct pool *pool, const struct tandem_tracer_pool_properties *properties)
{
	size_t bytes = properties->buffer_bytes ? properties->buffer_bytes : BUFFER_BYTES;
	size_t slots = bytes / sizeof(struct pool_slot);
	int error;

	if (slots > UINT32_MAX / 4)
		return -EINVAL;
	pool->properties = *properties;
	pool->slots = slots < SLOTS_LEAST ? SLOTS_LEAST : (uint32_t)slots;
	pool->chunk = pool->slots < 16 * CHUNK ? 1 : CHUNK;
	error = memory_get(pool);
	if (error)
		return error;
	atomic_store(&pool->fill, 0);
	atomic_store(&pool->buffer[0].state, BUFFER_FILLING);
	atomic_store(&pool->ending, false);
	atomic_store(&pool->dropped, 0);
	atomic_store(&pool->delivered, 0);
	error = thread_start(pool);
	if (error)
		memory_give(pool);
	return error;
}

static bool is_pool_thread(void)
{
	struct tracer_thread *thread = tracer_thread();

	return thread && thread->delivers;
}

static int properties_check(const struct tandem_tracer_pool_properties *properties)
{
	if (!properties || properties->struct_size < sizeof(*properties))
		return error_set(-EINVAL, "a pool's properties are missing, or their struct_size");
	if (!properties->deliver)
		return error_set(-EINVAL, "a pool needs a function to deliver to");
	if (properties->full > TANDEM_TRACER_WAIT)
		return error_set(-EINVAL, "%u is nothing to do when a pool is full",
				 properties->full);
	return 0;
}

int tandem_tracer_pool_open(const struct tandem_tracer_pool_properties *properties,
			    tandem_tracer_pool_t *number)
{
	int error = properties_check(properties);
	uint32_t i;

	if (error)
		return error;
	if (!number)
		return error_set(-EINVAL, "no place for the pool's number");
	keep_library((const void *)properties->deliver);
	keep_library((const void *)properties->allocate);
	pthread_mutex_lock(&mutex);
	for (i = 0; i < POOLS && pools[i].memory; i++) {
	}
	error = i == POOLS ? -ENOSPC : pool_begin(&pools[i], properties);
	if (!error) {
		*number = (atomic_fetch_add(&openings, 1) + 1) * POOLS + i;
		atomic_store(&pools[i].number, *number);
	}
	pthread_mutex_unlock(&mutex);
	if (error)
		return error_set(error,
				 error == -ENOSPC   ? "%u pools are open"
				 : error == -EAGAIN ? "no thread for a pool"
						    : "no memory for a pool",
				 POOLS);
	keep_exit_handler(pools_close);
	return 0;
}

/* The pool's thread delivers the rest, and ends. false: not in that time. */
static bool pool_end(struct pool *pool, time_t seconds)
{
	struct timespec limit;

	atomic_fetch_add(&pool->flushes, 1);
	atomic_store(&pool->ending, true);
	wake(&pool->wake);
	wake(&pool->done);
	if (!seconds)
		return !pthread_join(pool->thread, NULL);
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += seconds;
	return !pthread_timedjoin_np(pool->thread, NULL, &limit);
}

static int pool_close(tandem_tracer_pool_t number, time_t seconds)
{
	struct pool *pool;
	int error;

	if (is_pool_thread())
		return error_set(-EDEADLK, "a pool's callback can't close a pool");
	if (!pool_find(number))
		return error_set(-EBADF, "that pool is not open");
	if (!tandem_sink_in_here())
		tandem_sink_flush();
	pthread_mutex_lock(&mutex);
	pool = pool_find(number);
	if (pool)
		atomic_store(&pool->number, 0);
	pthread_mutex_unlock(&mutex);
	if (!pool)
		return error_set(-EBADF, "that pool is not open");
	leave_pool(pool);
	error = tandem_sink_in_here() ? -EBUSY : tandem_sinks_wait(1000000000u);
	if (!pool_end(pool, seconds))
		error = -EBUSY;
	if (error)
		return error_set(-EBUSY, "closed; a thread is in a callback still");
	pthread_mutex_lock(&mutex);
	memory_give(pool);
	pool->memory = NULL;
	pthread_mutex_unlock(&mutex);
	return 0;
}

int tandem_tracer_pool_close(tandem_tracer_pool_t number)
{
	return pool_close(number, 0);
}

int tandem_tracer_pool_flush(tandem_tracer_pool_t number)
{
	struct pool *pool;
	uint32_t mine;

	if (is_pool_thread())
		return error_set(-EDEADLK, "a pool's callback can't flush a pool");
	if (!pool_find(number))
		return error_set(-EBADF, "that pool is not open");
	if (!tandem_sink_in_here())
		tandem_sink_flush();
	pool = pool_find(number);
	if (!pool)
		return error_set(-EBADF, "that pool is not open");
	mine = atomic_fetch_add(&pool->flushes, 1) + 1;
	wake(&pool->wake);
	/* Closing it is flushing it. */
	while (pool_find(number)) {
		uint32_t seen = atomic_load(&pool->done);

		if ((int32_t)(atomic_load(&pool->flushed) - mine) >= 0)
			break;
		sleep_on(&pool->done, seen);
	}
	if (atomic_load(&pool->stuck))
		return error_set(-EAGAIN, "a record is being written");
	return 0;
}

int tandem_tracer_pool_counts(tandem_tracer_pool_t number, struct tandem_tracer_pool_counts *counts)
{
	struct pool *pool = pool_find(number);

	if (!counts || counts->struct_size < sizeof(*counts))
		return error_set(-EINVAL, "no place for the counts, or no struct_size");
	if (!pool)
		return error_set(-EBADF, "that pool is not open");
	counts->delivered = atomic_load(&pool->delivered);
	counts->dropped = atomic_load(&pool->dropped);
	return 0;
}

/* Nothing is called after the program's exit handlers. */
void pools_close(void)
{
	for (uint32_t i = 0; i < POOLS; i++) {
		tandem_tracer_pool_t number = atomic_load(&pools[i].number);

		if (number)
			pool_close(number, EXIT_SECONDS);
	}
}

void pools_forked(void)
{
	pthread_mutex_init(&mutex, NULL);
	for (uint32_t i = 0; i < POOLS; i++) {
		/* The program's allocator is not called: who knows what its lock is at. */
		atomic_store(&pools[i].number, 0);
		pools[i].memory = NULL;
	}
}
