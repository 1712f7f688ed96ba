/* SPDX-License-Identifier: MIT */
/* Threads that share one queue and each other's events: every thread enqueues,
 * hands its event on, and asks about and releases another's. */
#include "world.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, ROUNDS = 200, SLOTS = 16 };

static struct world world;
static cl_mem numbers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cl_event slots[SLOTS];
static _Atomic int callbacks, asked;

static void CL_CALLBACK on_complete(cl_event event, cl_int status, void *user_data)
{
	(void)event, (void)user_data;
	CHECK(status == CL_COMPLETE);
	callbacks++;
}

/* Puts an event in a slot and takes out what was there. */
static cl_event exchange(unsigned slot, cl_event event)
{
	pthread_mutex_lock(&lock);

	cl_event taken = slots[slot];

	slots[slot] = event;
	pthread_mutex_unlock(&lock);
	return taken;
}

static void *thread_main(void *argument)
{
	unsigned seed = (unsigned)(uintptr_t)argument;
	cl_int value = 1;

	for (int round = 0; round < ROUNDS; round++) {
		cl_event event = NULL, other;
		unsigned choice = (unsigned)rand_r(&seed);

		CL(clEnqueueWriteBuffer(world.queue, numbers, CL_FALSE, 0, sizeof(value), &value, 0,
					NULL, &event));
		if (choice % 3 == 0)
			CL(clEnqueueWriteBuffer(world.queue, numbers, CL_FALSE, 4, sizeof(value),
						&value, 1, &event, NULL));
		if (choice % 5 == 0) {
			CL(clSetEventCallback(event, CL_COMPLETE, on_complete, NULL));
			asked++;
		}
		if (choice % 7 == 0)
			CL(clFlush(world.queue));
		if (choice % 2)
			CL(clWaitForEvents(1, &event));
		other = exchange(choice / 8 % SLOTS, event);
		if (!other)
			continue;
		event_status(other);
		CL(clReleaseEvent(other));
	}
	CL(clFinish(world.queue));
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	world_create(&world, 0, 0);
	numbers = numbers_create(&world, 16);
	for (uintptr_t i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, thread_main, (void *)(i + 1)));
	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_join(threads[i], NULL));
	for (int i = 0; i < SLOTS; i++) {
		if (!slots[i])
			continue;
		CL(clWaitForEvents(1, &slots[i]));
		CL(clReleaseEvent(slots[i]));
	}
	/* A driver may call back a little later than it says that it has finished. */
	while (callbacks < asked)
		;
	CL(clReleaseMemObject(numbers));
	world_destroy(&world);
	printf("%d callbacks\n", callbacks);
	return 0;
}
