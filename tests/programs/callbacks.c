/* SPDX-License-Identifier: MIT */
/* The program's own events and callbacks, beside commands without an event: the
 * counts of references are what they are without a recorder, and each callback
 * comes once, with the program's data. */
#include "world.h"

#include <pthread.h>
#include <stdio.h>

enum { ROUNDS = 50, COUNT = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int calls, sum;

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *user_data)
{
	cl_command_type type = 0;

	CHECK(status == CL_COMPLETE || status == CL_SUBMITTED || status == CL_RUNNING);
	CL(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
	CHECK(type == CL_COMMAND_WRITE_BUFFER);
	pthread_mutex_lock(&lock);
	calls++;
	sum += (int)(intptr_t)user_data;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	struct world world;
	cl_event events[ROUNDS];
	cl_int value = 1;
	int expected = 0;

	world_create(&world, 0, 0);

	cl_mem numbers = numbers_create(&world, COUNT);

	for (int i = 0; i < ROUNDS; i++) {
		cl_command_queue queue = NULL;

		CL(clEnqueueWriteBuffer(world.queue, numbers, CL_FALSE, 0, sizeof(value), &value, 0,
					NULL, &events[i]));
		CL(clEnqueueWriteBuffer(world.queue, numbers, CL_FALSE, 4, sizeof(value), &value, 0,
					NULL, NULL));
		CL(clGetEventInfo(events[i], CL_EVENT_COMMAND_QUEUE, sizeof(queue), &queue, NULL));
		CHECK(queue == world.queue);
		if (i % 2)
			continue;
		CL(clSetEventCallback(events[i], CL_COMPLETE, on_event, (void *)(intptr_t)i));
		CL(clSetEventCallback(events[i], i % 4 ? CL_RUNNING : CL_SUBMITTED, on_event,
				      (void *)(intptr_t)1000));
		expected += i + 1000;
	}
	CL(clFinish(world.queue));
	pthread_mutex_lock(&lock);
	while (calls < ROUNDS)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	CHECK(sum == expected);
	for (int i = 0; i < ROUNDS; i++) {
		CHECK(event_status(events[i]) == CL_COMPLETE);
		/* The driver may still hold its own for a moment, not a recorder. */
		CHECK(event_references(events[i]) >= 1);
		CL(clRetainEvent(events[i]));
		CL(clReleaseEvent(events[i]));
		CL(clReleaseEvent(events[i]));
	}
	CL_FAILS(CL_INVALID_EVENT, clSetEventCallback(NULL, CL_COMPLETE, on_event, NULL));
	CL(clReleaseMemObject(numbers));
	world_destroy(&world);
	printf("%d callbacks\n", calls);
	return 0;
}
