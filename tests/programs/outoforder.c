/* SPDX-License-Identifier: MIT */
/* An out-of-order queue: chains by events, markers and barriers with and without
 * wait lists, in the old way and in the new. */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

enum { CHAINS = 8, LINKS = 10, COUNT = 32 };

int main(void)
{
	struct world world;
	cl_mem numbers[CHAINS];
	cl_event last[CHAINS];
	const cl_int one = 1;
	const size_t count = COUNT;

	world_create(&world, 0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	CL(clSetKernelArg(world.add, 1, sizeof(one), &one));
	for (int i = 0; i < CHAINS; i++) {
		numbers[i] = numbers_create(&world, COUNT);
		CL(clEnqueueMarkerWithWaitList(world.queue, 0, NULL, &last[i]));
	}

	/* Chains that advance in turn; each link waits for the one before it. */
	for (int link = 0; link < LINKS; link++) {
		for (int i = 0; i < CHAINS; i++) {
			cl_event next;

			CL(clSetKernelArg(world.add, 0, sizeof(cl_mem), &numbers[i]));
			CL(clEnqueueNDRangeKernel(world.queue, world.add, 1, NULL, &count, NULL, 1,
						  &last[i], &next));
			CL(clReleaseEvent(last[i]));
			last[i] = next;
		}
	}

	cl_event all, barrier, old;

	CL(clEnqueueMarkerWithWaitList(world.queue, CHAINS, last, &all));
	CL(clEnqueueBarrierWithWaitList(world.queue, 1, &all, &barrier));
	CL(clEnqueueBarrierWithWaitList(world.queue, 0, NULL, NULL));
	CL(clEnqueueBarrier(world.queue));
	CL(clEnqueueMarker(world.queue, &old));
	if (world.is_stub) /* PoCL ends the program there: "unimplemented" */
		CL(clEnqueueWaitForEvents(world.queue, 1, &old));
	CL(clWaitForEvents(1, &barrier));
	for (int i = 0; i < CHAINS; i++) {
		CHECK(event_status(last[i]) == CL_COMPLETE);
		numbers_check(&world, numbers[i], COUNT, LINKS);
		CL(clReleaseEvent(last[i]));
		CL(clReleaseMemObject(numbers[i]));
	}
	CL(clFinish(world.queue));
	CL(clReleaseEvent(all));
	CL(clReleaseEvent(barrier));
	CL(clReleaseEvent(old));
	printf("a marker without an event: %d\n", clEnqueueMarker(world.queue, NULL));
	CL_FAILS(CL_INVALID_EVENT_WAIT_LIST,
		 clEnqueueMarkerWithWaitList(world.queue, 1, NULL, NULL));
	world_destroy(&world);
	puts("done");
	return 0;
}
