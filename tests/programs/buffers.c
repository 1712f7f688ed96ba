/* SPDX-License-Identifier: MIT */
/* buffers [N]: N buffers of 1 MiB (400), one after another: a kernel is enqueued on each,
 * and it is released at once, while the command may be in flight. Every tenth is retained
 * first, and released twice; every seventh has a sub-buffer, which is released last. */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

#define BYTES ((size_t)1 << 20)

static cl_mem part_of(cl_mem buffer)
{
	const cl_buffer_region region = {.origin = 0, .size = BYTES / 2};
	cl_int error;
	cl_mem part = clCreateSubBuffer(buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
					&region, &error);

	CL(error);
	return part;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 400;
	struct world world;
	cl_int error;

	world_create(&world, 0, 0);
	for (int i = 0; i < count; i++) {
		cl_mem buffer =
			clCreateBuffer(world.context, CL_MEM_READ_WRITE, BYTES, NULL, &error);
		cl_mem part = NULL;

		CL(error);
		numbers_add(&world, buffer, BYTES / sizeof(cl_int), 1, NULL);
		if (i % 7 == 0)
			part = part_of(buffer);
		if (i % 10 == 0) {
			CL(clRetainMemObject(buffer));
			CL(clReleaseMemObject(buffer));
		}
		CL(clReleaseMemObject(buffer));
		if (part)
			CL(clReleaseMemObject(part));
		if (i % 16 == 0)
			CL(clFlush(world.queue));
	}
	CL(clFinish(world.queue));
	world_destroy(&world);
	printf("%d buffers\n", count);
	return 0;
}
