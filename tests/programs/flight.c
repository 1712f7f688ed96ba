/* SPDX-License-Identifier: MIT */
/* flight N: N commands in flight at once, every third with an event of the
 * program's; then all of them complete. */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000, kept = 0;
	cl_event *events = calloc(count / 3 + 1, sizeof(*events));
	struct world world;
	const size_t one = 1;
	cl_int error;

	CHECK(events);
	world_create(&world, 0, 0);

	cl_kernel nothing = clCreateKernel(world.program, "nothing", &error);

	CL(error);

	cl_event gate = clCreateUserEvent(world.context, &error);

	CL(error);
	CL(clEnqueueNDRangeKernel(world.queue, nothing, 1, NULL, &one, NULL, 1, &gate, NULL));
	for (size_t i = 1; i < count; i++)
		CL(clEnqueueNDRangeKernel(world.queue, nothing, 1, NULL, &one, NULL, 0, NULL,
					  i % 3 ? NULL : &events[kept++]));
	CL(clFlush(world.queue));
	CL(clSetUserEventStatus(gate, CL_COMPLETE));
	CL(clFinish(world.queue));
	for (size_t i = 0; i < kept; i++) {
		CHECK(event_status(events[i]) == CL_COMPLETE);
		CL(clReleaseEvent(events[i]));
	}
	CL(clReleaseEvent(gate));
	CL(clReleaseKernel(nothing));
	world_destroy(&world);
	printf("%zu commands, %zu events\n", count, kept);
	free(events);
	return 0;
}
