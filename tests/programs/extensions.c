/* SPDX-License-Identifier: MIT */
/* Functions that are had by name: from every platform, each with its own
 * pointers; command buffers are recorded and run; what nobody knows is null. */
#include "world.h"

#include <stdio.h>

struct command_buffer_functions {
	clCreateCommandBufferKHR_fn create;
	clFinalizeCommandBufferKHR_fn finalize;
	clReleaseCommandBufferKHR_fn release;
	clEnqueueCommandBufferKHR_fn enqueue;
	clCommandNDRangeKernelKHR_fn launch;
	clGetCommandBufferInfoKHR_fn info;
};

static void *find(cl_platform_id platform, const char *name)
{
	void *function = clGetExtensionFunctionAddressForPlatform(platform, name);

	/* Asked twice, the answer is the same. */
	CHECK(function == clGetExtensionFunctionAddressForPlatform(platform, name));
	return function;
}

static bool functions_find(struct command_buffer_functions *functions, cl_platform_id platform)
{
	*functions = (struct command_buffer_functions){
		.create = (clCreateCommandBufferKHR_fn)find(platform, "clCreateCommandBufferKHR"),
		.finalize =
			(clFinalizeCommandBufferKHR_fn)find(platform, "clFinalizeCommandBufferKHR"),
		.release =
			(clReleaseCommandBufferKHR_fn)find(platform, "clReleaseCommandBufferKHR"),
		.enqueue =
			(clEnqueueCommandBufferKHR_fn)find(platform, "clEnqueueCommandBufferKHR"),
		.launch = (clCommandNDRangeKernelKHR_fn)find(platform, "clCommandNDRangeKernelKHR"),
		.info = (clGetCommandBufferInfoKHR_fn)find(platform, "clGetCommandBufferInfoKHR"),
	};
	return functions->create && functions->finalize && functions->release &&
	       functions->enqueue && functions->launch && functions->info;
}

static void command_buffer_run(struct world *world, const struct command_buffer_functions *cb)
{
	const size_t count = 64;
	cl_mem numbers = numbers_create(world, count);
	const cl_int n = 3;
	cl_int error;
	cl_event event;
	cl_uint queues = 0;
	cl_sync_point_khr point;

	cl_command_buffer_khr buffer = cb->create(1, &world->queue, NULL, &error);

	CL(error);
	CL(clSetKernelArg(world->add, 0, sizeof(numbers), &numbers));
	CL(clSetKernelArg(world->add, 1, sizeof(n), &n));
	CL(cb->launch(buffer, NULL, NULL, world->add, 1, NULL, &count, NULL, 0, NULL, &point,
		      NULL));
	CHECK(cb->enqueue(0, NULL, buffer, 0, NULL, NULL) != CL_SUCCESS);
	CL(cb->finalize(buffer));
	CL(cb->info(buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, sizeof(queues), &queues, NULL));
	CHECK(queues == 1);
	CL(cb->enqueue(0, NULL, buffer, 0, NULL, NULL));
	CL(clFinish(world->queue));
	CL(cb->enqueue(0, NULL, buffer, 0, NULL, &event));
	CL(clWaitForEvents(1, &event));
	CL(clReleaseEvent(event));
	numbers_check(world, numbers, count, 2 * n);
	CL(cb->release(buffer));
	CL(clReleaseMemObject(numbers));
}

static void host_memory(struct world *world)
{
	clHostMemAllocINTEL_fn allocate =
		(clHostMemAllocINTEL_fn)find(world->platform, "clHostMemAllocINTEL");
	clMemFreeINTEL_fn release = (clMemFreeINTEL_fn)find(world->platform, "clMemFreeINTEL");
	clEnqueueMemcpyINTEL_fn copy =
		(clEnqueueMemcpyINTEL_fn)find(world->platform, "clEnqueueMemcpyINTEL");
	cl_int error;

	printf("  host memory: %s\n", allocate && release && copy ? "yes" : "no");
	if (!allocate || !release || !copy)
		return;

	int *a = allocate(world->context, NULL, 64, 0, &error);

	CL(error);

	int *b = allocate(world->context, NULL, 64, 0, &error);

	CL(error);
	a[0] = 42;
	CL(copy(world->queue, CL_TRUE, b, a, 64, 0, NULL, NULL));
	CHECK(b[0] == 42);
	CL(release(world->context, a));
	CL(release(world->context, b));
}

static void *first_create; /* the first platform's clCreateCommandBufferKHR */

static void platform_try(cl_uint number)
{
	struct world world;
	struct command_buffer_functions functions;

	world_create(&world, number, 0);
	CHECK(!find(world.platform, "clNoSuchFunctionKHR"));

	bool has = functions_find(&functions, world.platform);

	printf("platform %u\n  command buffers: %s\n", number, has ? "yes" : "no");
	if (has)
		command_buffer_run(&world, &functions);
	if (has && first_create)
		CHECK(first_create != (void *)functions.create);
	if (has)
		first_create = (void *)functions.create;
	host_memory(&world);

	clCreateCommandQueueWithPropertiesKHR_fn create =
		(clCreateCommandQueueWithPropertiesKHR_fn)find(
			world.platform, "clCreateCommandQueueWithPropertiesKHR");

	printf("  queues by name: %s\n", create ? "yes" : "no");
	if (create) {
		const cl_queue_properties_khr none[] = {0};
		cl_int error;
		cl_command_queue queue = create(world.context, world.device, none, &error);
		cl_command_queue_properties properties = 1;

		CL(error);
		CL(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof(properties),
					 &properties, NULL));
		CHECK(properties == 0);
		CL(clReleaseCommandQueue(queue));
	}
	world_destroy(&world);
}

int main(void)
{
	cl_uint platforms = 0;

	CL(clGetPlatformIDs(0, NULL, &platforms));
	CHECK(platforms > 0);
	CHECK(!clGetExtensionFunctionAddress("clNoSuchFunctionKHR"));
	for (cl_uint i = 0; i < platforms; i++)
		platform_try(i);
	return 0;
}
