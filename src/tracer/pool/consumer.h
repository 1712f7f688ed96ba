/* SPDX-License-Identifier: MIT */
/* The thread of a pool that delivers its buffers (tracer/pool/buffers.h) to the tool, as records. */
#ifndef TANDEM_TRACER_CONSUMER_H
#define TANDEM_TRACER_CONSUMER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "tandem/tracer.h"

struct buffers;

struct consumer {
	struct buffers *buffers;
	struct tandem_tracer_record *records; /* a place for each of a buffer's slots */
	tandem_tracer_deliver_t deliver;
	void *deliver_arg;
	void (*at_first)(void); /* after the first delivery */
	_Atomic uint64_t delivered;
	_Atomic uint32_t flushes, flushed;
	pthread_t thread;
};

/* 0, or -EAGAIN. The owner has set the members above `delivered`. */
int consumer_start(struct consumer *consumer);

/* It delivers the rest, and ends. false: not in so many seconds; 0: however long it takes. */
bool consumer_end(struct consumer *consumer, time_t seconds);

/* Asks for what there is to be delivered: a number for consumer_flushed(). */
uint32_t consumer_flush(struct consumer *consumer);
bool consumer_flushed(struct consumer *consumer, uint32_t flush);

/* Whether this thread is any pool's consumer. */
bool consumer_is_here(void);

#endif
