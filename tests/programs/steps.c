/* SPDX-License-Identifier: MIT */
/* Does what it is told on stdin, one word and a number a line, and answers each
 * with "ok": tests that change something in the middle of a run need this.
 *
 *   calls N     N synchronous calls
 *   queue       a new queue takes the old one's place
 *   launch N    N launches and a finish
 *   read N      N blocking reads of 4 bytes
 *   open N      N descriptors are opened, until no more can be; says how many
 *   threads N   N new threads make one call each, and end
 *   tasks       says how many threads this process has
 */
#include "world.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void calls_make(long count)
{
	cl_uint platforms;

	for (long i = 0; i < count; i++)
		CL(clGetPlatformIDs(0, NULL, &platforms));
}

static void *thread_main(void *unused)
{
	(void)unused;
	calls_make(1);
	return NULL;
}

static long descriptors_open(long count)
{
	long opened = 0;

	while (opened < count && open("/dev/null", O_RDONLY) >= 0)
		opened++;
	return opened;
}

int main(void)
{
	struct world world;
	char line[128], word[32];
	cl_int error, value = 0;

	world_create(&world, 0, 0);

	cl_mem numbers = numbers_create(&world, 16);

	while (fgets(line, sizeof(line), stdin)) {
		long count = 1;

		if (sscanf(line, "%31s %ld", word, &count) < 1)
			continue;
		if (!strcmp(word, "calls")) {
			calls_make(count);
		} else if (!strcmp(word, "queue")) {
			CL(clReleaseCommandQueue(world.queue));
			world.queue = clCreateCommandQueue(world.context, world.device, 0, &error);
			CL(error);
		} else if (!strcmp(word, "launch")) {
			for (long i = 0; i < count; i++)
				numbers_add(&world, numbers, 16, 1, NULL);
			CL(clFinish(world.queue));
		} else if (!strcmp(word, "read")) {
			for (long i = 0; i < count; i++)
				CL(clEnqueueReadBuffer(world.queue, numbers, CL_TRUE, 0,
						       sizeof(value), &value, 0, NULL, NULL));
		} else if (!strcmp(word, "open")) {
			printf("%ld\n", descriptors_open(count));
		} else if (!strcmp(word, "threads")) {
			for (long i = 0; i < count; i++) {
				pthread_t thread;

				CHECK(!pthread_create(&thread, NULL, thread_main, NULL));
				CHECK(!pthread_join(thread, NULL));
			}
		} else if (!strcmp(word, "tasks")) {
			printf("%d\n", thread_count());
		} else {
			return 2;
		}
		puts("ok");
		fflush(stdout);
	}
	CL(clReleaseMemObject(numbers));
	world_destroy(&world);
	return 0;
}
