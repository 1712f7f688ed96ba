/* SPDX-License-Identifier: MIT */
/* A field that is read without waiting, and goes on to another buffer once the thread has waited:
 * by clFinish, by the read's event, by a blocking read behind it in the queue. The memory of one is
 * gone by the time of the wait, and one is waited for by nobody. */
#include "world.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { BYTES = 1 << 18, ROUNDS = 10 };

static unsigned char *field, *came;

static void change(void)
{
	for (int i = 0; i < BYTES; i++)
		field[i] = (unsigned char)rand();
}

static void by_finish(struct world *world, cl_mem from, cl_mem to)
{
	for (int i = 0; i < ROUNDS; i++) {
		change();
		CL(clEnqueueWriteBuffer(world->queue, from, CL_TRUE, 0, BYTES, field, 0, NULL,
					NULL));
		CL(clEnqueueReadBuffer(world->queue, from, CL_FALSE, 0, BYTES, came, 0, NULL,
				       NULL));
		CL(clFinish(world->queue));
		CHECK(!memcmp(field, came, BYTES));
		CL(clEnqueueWriteBuffer(world->queue, to, CL_TRUE, 0, BYTES, came, 0, NULL, NULL));
	}
}

static void by_event(struct world *world, cl_mem from)
{
	cl_event read;

	CL(clEnqueueReadBuffer(world->queue, from, CL_FALSE, BYTES / 2, BYTES / 2, came, 0, NULL,
			       &read));
	CL(clWaitForEvents(1, &read));
	CL(clReleaseEvent(read));
}

static void by_another(struct world *world, cl_mem from)
{
	unsigned char little[16];

	CL(clEnqueueReadBuffer(world->queue, from, CL_FALSE, 0, BYTES / 4, came, 0, NULL, NULL));
	CL(clEnqueueReadBuffer(world->queue, from, CL_TRUE, 0, sizeof(little), little, 0, NULL,
			       NULL));
}

/* Whoever asks learns of the end, too. */
static void gone(struct world *world, cl_mem from)
{
	void *mapped =
		mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cl_int status = CL_QUEUED;
	cl_event read;

	CHECK(mapped != MAP_FAILED);
	CL(clEnqueueReadBuffer(world->queue, from, CL_FALSE, 0, BYTES, mapped, 0, NULL, &read));
	CL(clFlush(world->queue));
	while (status != CL_COMPLETE) {
		CL(clGetEventInfo(read, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
				  NULL));
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	}
	munmap(mapped, BYTES);
	CL(clFinish(world->queue));
	CL(clReleaseEvent(read));
}

static void *finish(void *world)
{
	CL(clFinish(((struct world *)world)->queue));
	return NULL;
}

int main(void)
{
	struct world own, *world = &own;
	cl_mem from, to;
	pthread_t thread;
	cl_int error;

	world_create(world, 0, 0);
	field = malloc(BYTES);
	came = malloc(BYTES);
	CHECK(field && came);
	from = clCreateBuffer(world->context, CL_MEM_READ_WRITE, BYTES, NULL, &error);
	CL(error);
	to = clCreateBuffer(world->context, CL_MEM_READ_WRITE, BYTES, NULL, &error);
	CL(error);
	by_finish(world, from, to);
	by_event(world, from);
	by_another(world, from);
	gone(world, from);
	/* What another thread waits for. */
	CL(clEnqueueReadBuffer(world->queue, from, CL_FALSE, 0, BYTES / 8, came, 0, NULL, NULL));
	CHECK(!pthread_create(&thread, NULL, finish, world) && !pthread_join(thread, NULL));
	CL(clReleaseMemObject(from));
	CL(clReleaseMemObject(to));
	free(field);
	free(came);
	world_destroy(world);
	puts("later");
	return 0;
}
