/* SPDX-License-Identifier: MIT */
/* A native kernel gets its own copy of the arguments, with the buffer's address
 * put in. */
#include "world.h"

#include <stdio.h>

enum { COUNT = 16 };

struct arguments {
	int *numbers;
	int n;
};

static void CL_CALLBACK add(void *data)
{
	struct arguments *arguments = data;

	for (int i = 0; i < COUNT; i++)
		arguments->numbers[i] += arguments->n;
}

int main(void)
{
	struct world world;
	cl_device_exec_capabilities capabilities = 0;

	world_create(&world, 0, 0);
	CL(clGetDeviceInfo(world.device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof(capabilities),
			   &capabilities, NULL));
	if (!(capabilities & CL_EXEC_NATIVE_KERNEL))
		skip("the device runs no native kernels");

	cl_mem numbers = numbers_create(&world, COUNT);
	struct arguments arguments = {NULL, 100};
	const void *places[] = {&arguments.numbers};
	int read[COUNT];

	CL(clEnqueueNativeKernel(world.queue, add, &arguments, sizeof(arguments), 1, &numbers,
				 places, 0, NULL, NULL));
	CL(clEnqueueReadBuffer(world.queue, numbers, CL_TRUE, 0, sizeof(read), read, 0, NULL,
			       NULL));
	for (int i = 0; i < COUNT; i++)
		CHECK(read[i] == i + 100);
	CHECK(!arguments.numbers);
	CL_FAILS(CL_INVALID_VALUE,
		 clEnqueueNativeKernel(world.queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
	CL(clReleaseMemObject(numbers));
	world_destroy(&world);
	puts("done");
	return 0;
}
