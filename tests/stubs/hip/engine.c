/* SPDX-License-Identifier: MIT */
#include "engine.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define BATCH 4u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, progress = PTHREAD_COND_INITIALIZER;
static struct operation *first, *last;
static uint64_t enqueued, reported;
static bool started;

/* A second of the host is 1.00004 s of the device, and it began some time ago. */
static uint64_t device_ns(void)
{
	struct timespec now;
	uint64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	return ns + ns / 25000 + 5000000000000u;
}

static void run(struct operation *operation)
{
	struct timespec pause = {.tv_nsec = (long)operation->microseconds * 1000};

	operation->begin_ns = device_ns();
	nanosleep(&pause, NULL);
	operation->end_ns = device_ns();
}

/* The last first. */
static void batch_report(struct operation **batch, uint32_t count)
{
	while (count) {
		struct operation *operation = batch[--count];

		stub_report(operation);
		pthread_mutex_lock(&lock);
		operation->stream->reported++;
		reported++;
		pthread_cond_broadcast(&progress);
		pthread_mutex_unlock(&lock);
		free(operation);
	}
}

static void *engine(void *unused)
{
	struct operation *batch[BATCH];
	uint32_t count = 0;

	(void)unused;
	for (;;) {
		struct operation *operation;

		pthread_mutex_lock(&lock);
		while (!first && !count)
			pthread_cond_wait(&work, &lock);
		operation = first;
		if (operation)
			first = operation->next;
		pthread_mutex_unlock(&lock);
		if (operation) {
			run(operation);
			batch[count++] = operation;
		}
		if (!operation || count == BATCH) {
			batch_report(batch, count);
			count = 0;
		}
	}
	return NULL;
}

void engine_enqueue(struct stream *stream, const struct operation *operation)
{
	struct operation *made = malloc(sizeof(*made));
	pthread_t thread;

	*made = *operation;
	made->stream = stream;
	made->device = stream->device;
	made->next = NULL;
	pthread_mutex_lock(&lock);
	if (!started) {
		started = true;
		pthread_create(&thread, NULL, engine, NULL);
		pthread_detach(thread);
	}
	if (first)
		last->next = made;
	else
		first = made;
	last = made;
	stream->enqueued++;
	enqueued++;
	pthread_cond_signal(&work);
	pthread_mutex_unlock(&lock);
}

void engine_wait(struct stream *stream)
{
	pthread_mutex_lock(&lock);
	while (stream ? stream->reported < stream->enqueued : reported < enqueued)
		pthread_cond_wait(&progress, &lock);
	pthread_mutex_unlock(&lock);
}
