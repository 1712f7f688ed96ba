/* SPDX-License-Identifier: MIT */
/* Sub-buffers and sub-devices. */
#include "world.h"

#include <stdio.h>

enum { COUNT = 4096 };

static int destroyed;

static void CL_CALLBACK on_destroy(cl_mem memory, void *user_data)
{
	(void)memory;
	*(int *)user_data += 1;
}

static void sub_buffer(struct world *world)
{
	cl_mem numbers = numbers_create(world, COUNT);
	const cl_buffer_region half = {COUNT / 2 * sizeof(cl_int), COUNT / 2 * sizeof(cl_int)};
	cl_int error, value = -1;
	cl_mem part = clCreateSubBuffer(numbers, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
					&half, &error);
	cl_mem parent = NULL;
	size_t offset = 0;

	CL(error);
	CL(clGetMemObjectInfo(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(parent), &parent, NULL));
	CL(clGetMemObjectInfo(part, CL_MEM_OFFSET, sizeof(offset), &offset, NULL));
	CHECK(parent == numbers && offset == half.origin);
	CL(clSetMemObjectDestructorCallback(numbers, on_destroy, &destroyed));
	CL(clEnqueueReadBuffer(world->queue, part, CL_TRUE, 0, sizeof(value), &value, 0, NULL,
			       NULL));
	CHECK(value == COUNT / 2);
	value = 1234;
	CL(clEnqueueWriteBuffer(world->queue, part, CL_TRUE, sizeof(value), sizeof(value), &value,
				0, NULL, NULL));
	value = 0;
	CL(clEnqueueReadBuffer(world->queue, numbers, CL_TRUE, half.origin + sizeof(value),
			       sizeof(value), &value, 0, NULL, NULL));
	CHECK(value == 1234);

	const cl_buffer_region outside = {0, COUNT * sizeof(cl_int) + 1};

	CHECK(!clCreateSubBuffer(numbers, 0, CL_BUFFER_CREATE_TYPE_REGION, &outside, &error));
	printf("outside: %d\n", error);
	CL(clReleaseMemObject(part));
	CL(clReleaseMemObject(numbers));
	CHECK(destroyed == 1);
}

static void sub_devices(struct world *world)
{
	const cl_device_partition_property by_two[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
	cl_device_id parts[64], parent = NULL;
	cl_uint count = 0;
	cl_int error = clCreateSubDevices(world->device, by_two, 64, parts, &count);

	printf("sub-devices: %d\n", error);
	if (error)
		return;
	CHECK(count >= 1);
	CL(clGetDeviceInfo(parts[0], CL_DEVICE_PARENT_DEVICE, sizeof(parent), &parent, NULL));
	CHECK(parent == world->device);

	cl_context context = clCreateContext(NULL, count, parts, NULL, NULL, &error);

	CL(error);

	cl_command_queue queue = clCreateCommandQueue(context, parts[0], 0, &error);

	CL(error);

	cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, &error);
	cl_int five = 5;

	CL(error);
	CL(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof(five), &five, 0, NULL, NULL));
	five = 0;
	CL(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(five), &five, 0, NULL, NULL));
	CHECK(five == 5);
	CL(clReleaseMemObject(buffer));
	CL(clReleaseCommandQueue(queue));
	CL(clReleaseContext(context));
	CL(clRetainDevice(parts[0]));
	CL(clReleaseDevice(parts[0]));
	for (cl_uint i = 0; i < count; i++)
		CL(clReleaseDevice(parts[i]));
}

int main(void)
{
	struct world world;

	world_create(&world, 0, 0);
	sub_buffer(&world);
	sub_devices(&world);
	world_destroy(&world);
	return 0;
}
