/* SPDX-License-Identifier: MIT */
/* Every platform at once: work on all of them in turn, so that what belongs to
 * one is never taken for another's. */
#include "world.h"

#include <stdio.h>

enum { MOST = 8, COUNT = 32, ROUNDS = 10 };

int main(void)
{
	struct world worlds[MOST];
	cl_mem numbers[MOST];
	cl_uint platforms = 0;

	CL(clGetPlatformIDs(0, NULL, &platforms));
	CHECK(platforms > 0 && platforms <= MOST);
	for (cl_uint i = 0; i < platforms; i++) {
		char name[64];

		world_create(&worlds[i], i, i % 2 ? CL_QUEUE_PROFILING_ENABLE : 0);
		numbers[i] = numbers_create(&worlds[i], COUNT);
		CL(clGetPlatformInfo(worlds[i].platform, CL_PLATFORM_NAME, sizeof(name), name,
				     NULL));
		printf("platform %u: %s\n", i, name);
	}
	for (int round = 0; round < ROUNDS; round++)
		for (cl_uint i = 0; i < platforms; i++)
			numbers_add(&worlds[i], numbers[i], COUNT, 1, NULL);
	for (cl_uint i = 0; i < platforms; i++) {
		numbers_check(&worlds[i], numbers[i], COUNT, ROUNDS);
		CL(clReleaseMemObject(numbers[i]));
		world_destroy(&worlds[i]);
	}
	return 0;
}
