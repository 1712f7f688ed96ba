/* SPDX-License-Identifier: MIT */
/* Calls that fail, and objects that are never released. Mended: neither. */
#include "common.h"

#include <stdio.h>

enum { steps = 5 };

int main(int argc, char **argv)
{
	struct setup setup = setup_open(argc, argv);
	char byte = 0;

	for (int i = 0; i < steps; i++) {
		cl_int status;
		cl_mem buffer =
			clCreateBuffer(setup.context, CL_MEM_READ_WRITE, 4096, NULL, &status);

		must(status, "clCreateBuffer");
		/* Behind its end. */
		status = clEnqueueWriteBuffer(setup.queue, buffer, CL_TRUE,
					      setup.mended ? 4095 : 4096, 1, &byte, 0, NULL, NULL);
		if (status)
			fprintf(stderr, "clEnqueueWriteBuffer: error %d, as it should\n", status);
		if (setup.mended)
			must(clReleaseMemObject(buffer), "clReleaseMemObject");
	}
	setup_close(&setup);
	return 0;
}
