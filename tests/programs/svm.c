/* SPDX-License-Identifier: MIT */
/* Shared virtual memory: allocation, copies, fills, maps, the pointer as a
 * kernel's argument, and both ways of a free in the queue. */
#include "world.h"

#include <stdio.h>
#include <string.h>

enum { COUNT = 64, BYTES = COUNT * sizeof(cl_int) };

static int freed;

static void CL_CALLBACK free_them(cl_command_queue queue, cl_uint count, void **pointers,
				  void *user_data)
{
	cl_context context;

	CL(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context), &context, NULL));
	for (cl_uint i = 0; i < count; i++)
		clSVMFree(context, pointers[i]);
	*(int *)user_data += (int)count;
}

int main(void)
{
	struct world world;
	cl_device_svm_capabilities capabilities = 0;
	const cl_int seven = 7;

	world_create(&world, 0, 0);
	clGetDeviceInfo(world.device, CL_DEVICE_SVM_CAPABILITIES, sizeof(capabilities),
			&capabilities, NULL);
	if (!(capabilities & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER))
		skip("the device has no shared virtual memory");

	cl_int *a = clSVMAlloc(world.context, CL_MEM_READ_WRITE, BYTES, 0);
	cl_int *b = clSVMAlloc(world.context, CL_MEM_READ_WRITE, BYTES, 0);
	const size_t count = COUNT;

	CHECK(a && b);
	CL(clEnqueueSVMMemFill(world.queue, a, &seven, sizeof(seven), BYTES, 0, NULL, NULL));
	CL(clEnqueueSVMMemcpy(world.queue, CL_TRUE, b, a, BYTES, 0, NULL, NULL));
	CL(clEnqueueSVMMap(world.queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, b, BYTES, 0, NULL,
			   NULL));
	for (int i = 0; i < COUNT; i++)
		CHECK(b[i] == 7);
	CL(clEnqueueSVMUnmap(world.queue, b, 0, NULL, NULL));
	CL(clSetKernelArgSVMPointer(world.add, 0, b));
	CL(clSetKernelArg(world.add, 1, sizeof(seven), &seven));
	CL(clEnqueueNDRangeKernel(world.queue, world.add, 1, NULL, &count, NULL, 0, NULL, NULL));
	CL(clEnqueueSVMMap(world.queue, CL_TRUE, CL_MAP_READ, b, BYTES, 0, NULL, NULL));
	for (int i = 0; i < COUNT; i++)
		CHECK(b[i] == (world.is_stub ? 7 : 14));
	CL(clEnqueueSVMUnmap(world.queue, b, 0, NULL, NULL));

	void *list[1] = {a};

	CL(clEnqueueSVMFree(world.queue, 1, list, NULL, NULL, 0, NULL, NULL));
	list[0] = b;
	CL(clEnqueueSVMFree(world.queue, 1, list, free_them, &freed, 0, NULL, NULL));
	CL(clFinish(world.queue));
	CHECK(freed == 1);

	CHECK(!clSVMAlloc(world.context, CL_MEM_READ_WRITE, 0, 0));
	clSVMFree(world.context, NULL);
	world_destroy(&world);
	puts("done");
	return 0;
}
