/* SPDX-License-Identifier: MIT */
/* A program that links libOpenCL and does a little of everything, in order. It
 * prints how many threads it has at its end. */
#include "world.h"

#include <stdio.h>

enum { COUNT = 1000, ROUNDS = 10 };

int main(void)
{
	struct world world;

	world_create(&world, 0, 0);

	cl_mem numbers = numbers_create(&world, COUNT);

	for (int i = 0; i < ROUNDS; i++)
		numbers_add(&world, numbers, COUNT, 2, NULL);
	CL(clFinish(world.queue));
	numbers_check(&world, numbers, COUNT, 2 * ROUNDS);

	cl_event event;

	numbers_add(&world, numbers, COUNT, 1, &event);
	CL(clFlush(world.queue));
	CL(clWaitForEvents(1, &event));
	CHECK(event_status(event) == CL_COMPLETE);
	CL(clReleaseEvent(event));
	numbers_check(&world, numbers, COUNT, 2 * ROUNDS + 1);
	CL(clReleaseMemObject(numbers));
	world_destroy(&world);
	printf("threads %d\n", thread_count());
	return 0;
}
