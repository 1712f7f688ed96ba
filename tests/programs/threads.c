/* SPDX-License-Identifier: MIT */
/* threads N [ROUNDS [STACK]]: N threads at once with stacks of that many bytes,
 * each with a queue and a buffer of its own, and a kernel object of its own
 * because arguments are per object. */
#include "world.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 64 };

static struct world shared;
static int rounds = 20;
static pthread_barrier_t start;

static void *thread_main(void *unused)
{
	struct world world = shared;
	cl_int error;

	(void)unused;
	pthread_barrier_wait(&start);
	world.queue = clCreateCommandQueue(world.context, world.device, 0, &error);
	CL(error);
	world.add = clCreateKernel(world.program, "add", &error);
	CL(error);

	cl_mem numbers = numbers_create(&world, COUNT);

	for (int i = 0; i < rounds; i++)
		numbers_add(&world, numbers, COUNT, 1, NULL);
	CL(clFinish(world.queue));
	numbers_check(&world, numbers, COUNT, rounds);
	CL(clReleaseMemObject(numbers));
	CL(clReleaseKernel(world.add));
	CL(clReleaseCommandQueue(world.queue));
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 2;
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));
	pthread_attr_t attributes;

	if (argc > 2)
		rounds = atoi(argv[2]);
	CHECK(threads && count > 0);
	world_create(&shared, 0, 0);
	CHECK(!pthread_barrier_init(&start, NULL, (unsigned)count));
	pthread_attr_init(&attributes);
	CHECK(!pthread_attr_setstacksize(&attributes,
					 argc > 3 ? strtoul(argv[3], NULL, 10) : 256 * 1024));
	for (int i = 0; i < count; i++)
		CHECK(!pthread_create(&threads[i], &attributes, thread_main, NULL));
	for (int i = 0; i < count; i++)
		CHECK(!pthread_join(threads[i], NULL));
	world_destroy(&shared);
	printf("%d threads\n", count);
	return 0;
}
