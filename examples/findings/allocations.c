/* SPDX-License-Identifier: MIT */
/* A buffer is made and released in every step. Mended: once. */
#include "common.h"

enum { steps = 100, bytes = 1 << 20 };

static cl_mem buffer_make(const struct setup *setup)
{
	cl_int status;
	cl_mem buffer = clCreateBuffer(setup->context, CL_MEM_READ_WRITE, bytes, NULL, &status);

	must(status, "clCreateBuffer");
	return buffer;
}

int main(int argc, char **argv)
{
	struct setup setup = setup_open(argc, argv);
	cl_mem buffer = buffer_make(&setup);
	float zero = 0;

	for (int i = 0; i < steps; i++) {
		if (!setup.mended && i) {
			must(clReleaseMemObject(buffer), "clReleaseMemObject");
			buffer = buffer_make(&setup);
		}
		must(clEnqueueWriteBuffer(setup.queue, buffer, CL_TRUE, 0, sizeof(zero), &zero, 0,
					  NULL, NULL),
		     "clEnqueueWriteBuffer");
	}
	must(clReleaseMemObject(buffer), "clReleaseMemObject");
	setup_close(&setup);
	return 0;
}
