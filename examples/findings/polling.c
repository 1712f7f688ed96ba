/* SPDX-License-Identifier: MIT */
/* The host asks again and again whether a command has ended. Mended: it waits. */
#include "common.h"

enum { steps = 30 };

static void poll(cl_event event)
{
	cl_int status;

	do {
		must(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
				    &status, NULL),
		     "clGetEventInfo");
	} while (status > CL_COMPLETE);
}

int main(int argc, char **argv)
{
	struct setup setup = setup_open(argc, argv);
	size_t items = setup_items;
	int rounds = 50;

	must(clSetKernelArg(setup.kernel, 1, sizeof(rounds), &rounds), "clSetKernelArg");
	for (int i = 0; i < steps; i++) {
		cl_event event;

		must(clEnqueueNDRangeKernel(setup.queue, setup.kernel, 1, NULL, &items, NULL, 0,
					    NULL, &event),
		     "clEnqueueNDRangeKernel");
		must(clFlush(setup.queue), "clFlush");
		if (setup.mended)
			must(clWaitForEvents(1, &event), "clWaitForEvents");
		else
			poll(event);
		must(clReleaseEvent(event), "clReleaseEvent");
	}
	setup_close(&setup);
	return 0;
}
