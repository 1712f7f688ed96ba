/* SPDX-License-Identifier: MIT */
#include "tracer/pool/pool.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include "sinks/sink.h"
#include "tracer/error.h"
#include "tracer/keep.h"
#include "tracer/pool/buffers.h"
#include "tracer/pool/consumer.h"
#include "tracer/thread.h"

#define BUFFER_BYTES (256u * 1024)
#define SLOTS_LEAST 32u
#define SLOTS_MOST (UINT32_MAX / 4)
#define EXIT_SECONDS 5 /* that a callback may take at the exit */

struct pool {
	struct buffers buffers; /* first: what traced threads use */
	struct consumer consumer;
	struct tandem_tracer_pool_properties properties;
	char *memory;
	size_t memory_bytes;
};

static struct pool pools[POOLS];
static _Atomic tandem_tracer_pool_t ended[POOLS]; /* closed by the exit handler */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t openings;

static void (*leave_pool)(struct pool *pool);

void pool_at_close(void (*leave)(struct pool *pool))
{
	leave_pool = leave;
}

struct pool *pool_find(tandem_tracer_pool_t number)
{
	struct pool *pool = &pools[number % POOLS];

	return number && atomic_load(&pool->buffers.number) == number ? pool : NULL;
}

struct pool_slot *pool_take(struct pool *pool, uint32_t text_bytes)
{
	return buffers_take(&pool->buffers, text_bytes);
}

static int memory_get(struct pool *pool, uint32_t slots)
{
	size_t buffers = 2 * (size_t)slots * sizeof(struct pool_slot);
	char *memory = NULL;

	pool->memory_bytes = buffers + slots * sizeof(struct tandem_tracer_record) + 64;
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
	buffers_begin(&pool->buffers, (struct pool_slot *)memory, slots);
	pool->consumer.records = (struct tandem_tracer_record *)(memory + buffers);
	return 0;
}

static void memory_give(struct pool *pool)
{
	if (pool->properties.allocate)
		pool->properties.allocate(&pool->memory, 0, pool->properties.allocate_arg);
	else
		munmap(pool->memory, pool->memory_bytes);
}

static void exit_handler(void)
{
	keep_exit_handler(pools_close);
}

/* A thread ends that has left a record in the making. */
static void thread_leaves(struct tracer_thread *thread)
{
	pthread_mutex_lock(&mutex);
	buffers_leave(thread);
	pthread_mutex_unlock(&mutex);
}

static int pool_begin(struct pool *pool, const struct tandem_tracer_pool_properties *properties)
{
	size_t bytes = properties->buffer_bytes ? properties->buffer_bytes : BUFFER_BYTES;
	size_t slots = bytes / sizeof(struct pool_slot);
	int error;

	pool->properties = *properties;
	error = memory_get(pool, slots < SLOTS_LEAST ? SLOTS_LEAST : (uint32_t)slots);
	if (error)
		return error;
	pool->buffers.place = (uint32_t)(pool - pools);
	pool->buffers.waits = properties->full == TANDEM_TRACER_WAIT;
	pool->consumer.buffers = &pool->buffers;
	pool->consumer.deliver = properties->deliver;
	pool->consumer.deliver_arg = properties->deliver_arg;
	pool->consumer.at_first = exit_handler;
	error = consumer_start(&pool->consumer);
	if (error)
		memory_give(pool);
	return error;
}

static int properties_check(const struct tandem_tracer_pool_properties *properties)
{
	if (!properties || properties->struct_size < sizeof(*properties))
		return error_set(-EINVAL, "a pool's properties are missing, or their struct_size");
	if (!properties->deliver)
		return error_set(-EINVAL, "a pool needs a function to deliver to");
	if (properties->buffer_bytes / sizeof(struct pool_slot) > SLOTS_MOST)
		return error_set(-EINVAL, "a buffer can't have so many bytes");
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
	tracer_thread_at_end(thread_leaves);
	pthread_mutex_lock(&mutex);
	for (i = 0; i < POOLS && pools[i].memory; i++) {
	}
	error = i == POOLS ? -ENOSPC : pool_begin(&pools[i], properties);
	if (!error) {
		*number = (atomic_fetch_add(&openings, 1) + 1) * POOLS + i;
		atomic_store(&pools[i].buffers.number, *number);
	}
	pthread_mutex_unlock(&mutex);
	if (error)
		return error_set(error,
				 error == -ENOSPC   ? "%u pools are open"
				 : error == -EAGAIN ? "no thread for a pool"
						    : "no memory for a pool",
				 POOLS);
	exit_handler();
	return 0;
}

/* Whether the exit handler has closed it: who closes it in a destructor that comes later has
 * what they wanted. */
static bool is_ended(tandem_tracer_pool_t number)
{
	return number && atomic_load(&ended[number % POOLS]) == number;
}

/* Before it is closed or flushed. 1: nothing is left to do. */
static int pool_check(tandem_tracer_pool_t number, const char *what)
{
	if (consumer_is_here())
		return error_set(-EDEADLK, "a pool's callback can't %s a pool", what);
	if (is_ended(number))
		return 1;
	if (!pool_find(number))
		return error_set(-EBADF, "that pool is not open");
	if (!tandem_sink_in_here())
		tandem_sink_flush();
	return 0;
}

static int pool_close(tandem_tracer_pool_t number, time_t seconds)
{
	struct pool *pool;
	int error = pool_check(number, "close");

	if (error)
		return error < 0 ? error : 0;
	pthread_mutex_lock(&mutex);
	pool = pool_find(number);
	if (pool)
		atomic_store(&pool->buffers.number, 0);
	pthread_mutex_unlock(&mutex);
	if (!pool)
		return error_set(-EBADF, "that pool is not open");
	leave_pool(pool);
	error = tandem_sink_in_here() ? -EBUSY : tandem_sinks_wait(1000000000u);
	if (!consumer_end(&pool->consumer, seconds))
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
	int error = pool_check(number, "flush");

	if (error)
		return error < 0 ? error : 0;
	pool = pool_find(number);
	if (!pool)
		return error_set(-EBADF, "that pool is not open");
	mine = consumer_flush(&pool->consumer);
	/* Closing it is flushing it. */
	while (pool_find(number)) {
		uint32_t seen = atomic_load(&pool->buffers.done);

		if (consumer_flushed(&pool->consumer, mine))
			break;
		buffers_sleep(&pool->buffers.done, seen);
	}
	if (atomic_load(&pool->buffers.stuck))
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
	counts->delivered = atomic_load(&pool->consumer.delivered);
	counts->dropped = buffers_dropped(&pool->buffers);
	return 0;
}

/* Nothing is called after the program's exit handlers. */
void pools_close(void)
{
	for (uint32_t i = 0; i < POOLS; i++) {
		tandem_tracer_pool_t number = atomic_load(&pools[i].buffers.number);

		if (!number)
			continue;
		pool_close(number, EXIT_SECONDS);
		atomic_store(&ended[i], number);
	}
}

void pools_forked(void)
{
	pthread_mutex_init(&mutex, NULL);
	for (uint32_t i = 0; i < POOLS; i++) {
		/* The program's allocator is not called: who knows what its lock is at. */
		atomic_store(&pools[i].buffers.number, 0);
		pools[i].memory = NULL;
		atomic_store(&ended[i], 0);
	}
}
