/* SPDX-License-Identifier: MIT */
#include "tracer/pool/consumer.h"

#include <errno.h>
#include <signal.h>

#include "tracer/pool/buffers.h"
#include "tracer/pool/record.h"
#include "tracer/thread.h"

#define STACK_BYTES (256u * 1024)

static void deliver(struct consumer *consumer, uint32_t count)
{
	if (!count)
		return;
	consumer->deliver(consumer->records, consumer->records + count, consumer->deliver_arg);
	if (!atomic_fetch_add(&consumer->delivered, count))
		consumer->at_first();
}

/* -EAGAIN: a record is in the making; it goes on from there the next time. */
static int deliver_buffer(struct consumer *consumer, struct buffer *buffer)
{
	struct record_delivery delivery;
	struct pool_slot *slot;
	uint32_t count = 0;
	int error;

	record_begin_delivery(&delivery);
	while ((slot = buffer_next(consumer->buffers, buffer, &error)))
		record_convert(&delivery, slot, &consumer->records[count++]);
	deliver(consumer, count);
	if (error)
		return error;
	buffers_free(consumer->buffers, buffer);
	return 0;
}

static int deliver_full(struct consumer *consumer)
{
	struct buffer *buffer;
	int error = 0;

	while (!error && (buffer = buffers_full(consumer->buffers)))
		error = deliver_buffer(consumer, buffer);
	return error;
}

/* All that is full, and for whoever flushes what is not. */
static void work(struct consumer *consumer)
{
	uint32_t flushes = atomic_load(&consumer->flushes);
	bool flush = flushes != atomic_load(&consumer->flushed);
	int error = deliver_full(consumer);

	if (!error && flush)
		buffers_switch(consumer->buffers);
	if (!error)
		error = deliver_full(consumer);
	atomic_store(&consumer->buffers->stuck,
		     error ? atomic_load(&consumer->buffers->stuck) + 1 : 0);
	if (flushes != atomic_load(&consumer->flushed))
		atomic_store(&consumer->flushed, flushes);
	buffers_wake(&consumer->buffers->done);
}

static void *consumer_thread(void *data)
{
	struct consumer *consumer = data;
	struct buffers *buffers = consumer->buffers;
	struct tracer_thread *thread = tracer_thread();

	pthread_setname_np(pthread_self(), "tandem-pool");
	if (thread)
		thread->delivers = true;
	for (;;) {
		uint32_t seen = atomic_load(&buffers->wake);
		bool ending = atomic_load(&buffers->ending);

		if (buffers_full(buffers) ||
		    atomic_load(&consumer->flushes) != atomic_load(&consumer->flushed))
			work(consumer);
		if (ending)
			return NULL;
		if (atomic_load(&buffers->wake) == seen)
			buffers_sleep(&buffers->wake, seen);
	}
}

int consumer_start(struct consumer *consumer)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	int error = pthread_attr_init(&attributes);

	if (error)
		return -EAGAIN;
	atomic_store(&consumer->delivered, 0);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&consumer->thread, &attributes, consumer_thread, consumer);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return error ? -EAGAIN : 0;
}

bool consumer_end(struct consumer *consumer, time_t seconds)
{
	struct buffers *buffers = consumer->buffers;
	struct timespec limit;

	atomic_fetch_add(&consumer->flushes, 1);
	atomic_store(&buffers->ending, true);
	buffers_wake(&buffers->wake);
	buffers_wake(&buffers->done);
	if (!seconds)
		return !pthread_join(consumer->thread, NULL);
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += seconds;
	return !pthread_timedjoin_np(consumer->thread, NULL, &limit);
}

uint32_t consumer_flush(struct consumer *consumer)
{
	uint32_t flush = atomic_fetch_add(&consumer->flushes, 1) + 1;

	buffers_wake(&consumer->buffers->wake);
	return flush;
}

bool consumer_flushed(struct consumer *consumer, uint32_t flush)
{
	return (int32_t)(atomic_load(&consumer->flushed) - flush) >= 0;
}

bool consumer_is_here(void)
{
	struct tracer_thread *thread = tracer_thread();

	return thread && thread->delivers;
}
