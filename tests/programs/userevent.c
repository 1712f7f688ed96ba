/* SPDX-License-Identifier: MIT */
/* User events: commands that wait for one, one that fails, callbacks on both.
 *
 *   userevent             both
 *   userevent leave       ends while the callback of the first still runs
 *   userevent complete    only the one that completes (PoCL 3.1 never ends a
 *                         command whose user event has failed)
 */
#include "world.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int called;
static cl_int called_status;
static bool leaves;

static void CL_CALLBACK on_complete(cl_event event, cl_int status, void *user_data)
{
	(void)event;
	pthread_mutex_lock(&lock);
	called++;
	called_status = status;
	*(int *)user_data += 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	while (leaves)
		pause();
}

static void called_wait(int count)
{
	pthread_mutex_lock(&lock);
	while (called < count)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static cl_event user_event_create(struct world *world)
{
	cl_int error;
	cl_event event = clCreateUserEvent(world->context, &error);

	CL(error);
	CHECK(event_references(event) == 1);
	return event;
}

static void complete(struct world *world, int *mine)
{
	cl_mem numbers = numbers_create(world, 16);
	cl_event gate = user_event_create(world), done;
	cl_int value = 4711, read = 0;

	CL(clEnqueueWriteBuffer(world->queue, numbers, CL_FALSE, 0, sizeof(value), &value, 1, &gate,
				&done));
	CL(clSetEventCallback(done, CL_COMPLETE, on_complete, mine));
	CL(clFlush(world->queue));
	CHECK(event_status(done) > CL_COMPLETE);
	CL(clSetUserEventStatus(gate, CL_COMPLETE));
	CL_FAILS(CL_INVALID_OPERATION, clSetUserEventStatus(gate, CL_COMPLETE));
	if (leaves) {
		called_wait(1);
		_exit(0);
	}
	CL(clWaitForEvents(1, &done));
	called_wait(1);
	CHECK(called_status == CL_COMPLETE && *mine == 1);
	CL(clEnqueueReadBuffer(world->queue, numbers, CL_TRUE, 0, sizeof(read), &read, 0, NULL,
			       NULL));
	CHECK(read == value);
	CL(clReleaseEvent(done));
	CL(clReleaseEvent(gate));
	CL(clReleaseMemObject(numbers));
	puts("completed");
}

/* What waits for an event that failed fails too, and says so. */
static void fail(struct world *world, int *mine)
{
	cl_mem numbers = numbers_create(world, 16);
	cl_event gate = user_event_create(world), done;
	cl_int value = 0;
	cl_ulong time;

	CL(clEnqueueWriteBuffer(world->queue, numbers, CL_FALSE, 0, sizeof(value), &value, 1, &gate,
				&done));
	CL(clSetEventCallback(done, CL_COMPLETE, on_complete, mine));
	CL(clFlush(world->queue));
	CL(clSetUserEventStatus(gate, -7));
	CL_FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &done));
	CL_FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &gate));
	called_wait(2);
	CHECK(event_status(gate) == -7);
	CHECK(event_status(done) < 0 && called_status < 0);
	CL_FAILS(
		CL_PROFILING_INFO_NOT_AVAILABLE,
		clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_END, sizeof(time), &time, NULL));
	CL(clReleaseEvent(done));
	CL(clReleaseEvent(gate));
	CL(clReleaseMemObject(numbers));
	puts("failed as it should");
}

int main(int argc, char **argv)
{
	struct world world;
	int mine = 0;

	leaves = argc > 1 && !strcmp(argv[1], "leave");
	world_create(&world, 0, 0);
	complete(&world, &mine);
	if (argc < 2)
		fail(&world, &mine);
	world_destroy(&world);
	return 0;
}
