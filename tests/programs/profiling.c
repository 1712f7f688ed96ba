/* SPDX-License-Identifier: MIT */
/* A queue's properties and an event's times are what the program asked for,
 * whatever a recorder has switched on behind its back.
 *
 *   profiling [references]   also prints how many references an event has, for
 *                            drivers where that is alike in every run
 */
#include "world.h"

#include <stdio.h>
#include <string.h>

#define PROFILING_ONLY CL_QUEUE_PROFILING_ENABLE
#define BOTH (CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)

static const cl_profiling_info times[] = {
	CL_PROFILING_COMMAND_QUEUED,
	CL_PROFILING_COMMAND_SUBMIT,
	CL_PROFILING_COMMAND_START,
	CL_PROFILING_COMMAND_END,
};

static bool prints_references;

static void properties_check(cl_command_queue queue, cl_command_queue_properties expected)
{
	cl_command_queue_properties properties = ~(cl_command_queue_properties)0;
	size_t bytes = 0;

	CL(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof(properties), &properties,
				 &bytes));
	CHECK(properties == expected);
	CHECK(bytes == sizeof(properties));
	CL(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, 0, NULL, &bytes));
	CHECK(bytes == sizeof(properties));
	CL_FAILS(CL_INVALID_VALUE,
		 clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, 1, &properties, NULL));
}

/* What a driver answers varies; that it answers alike with a recorder is the
 * reader's to compare. */
static void array_print(cl_command_queue queue)
{
	cl_queue_properties list[16] = {0};
	size_t bytes = 0;
	cl_int error =
		clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof(list), list, &bytes);

	printf("array: error %d, %zu bytes:", error, bytes);
	for (size_t i = 0; !error && i < bytes / sizeof(*list); i++)
		printf(" %llx", (unsigned long long)list[i]);
	printf("\n");

	error = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &bytes);
	printf("array: error %d, %zu bytes long\n", error, bytes);
}

static void event_check(cl_event event, bool profiled)
{
	cl_ulong before = 0, value = 0;
	size_t bytes = 0;

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++, before = value) {
		if (!profiled) {
			CL_FAILS(CL_PROFILING_INFO_NOT_AVAILABLE,
				 clGetEventProfilingInfo(event, times[i], sizeof(value), &value,
							 &bytes));
			continue;
		}
		CL(clGetEventProfilingInfo(event, times[i], sizeof(value), &value, &bytes));
		CHECK(bytes == sizeof(value) && value >= before);
	}
	printf("unknown time: %d, too small: %d\n",
	       clGetEventProfilingInfo(event, 0x1234, sizeof(value), &value, NULL),
	       clGetEventProfilingInfo(event, times[0], 1, &value, NULL));
}

static void queue_check(struct world *world, cl_command_queue queue,
			cl_command_queue_properties expected)
{
	struct world used = *world;
	cl_mem numbers = numbers_create(world, 16);
	cl_event event;

	used.queue = queue;
	properties_check(queue, expected);
	array_print(queue);
	numbers_add(&used, numbers, 16, 1, &event);
	CL(clFinish(queue));
	CHECK(event_status(event) == CL_COMPLETE);

	/* A driver may hold some of its own; a recorder none. */
	cl_uint references = event_references(event);

	if (prints_references)
		printf("references %u\n", references);
	event_check(event, expected & CL_QUEUE_PROFILING_ENABLE);
	CL(clRetainEvent(event));
	CHECK(event_references(event) == references + 1);
	CL(clReleaseEvent(event));
	CL(clReleaseEvent(event));
	CL(clReleaseCommandQueue(queue));
	CL(clReleaseMemObject(numbers));
}

static cl_command_queue queue_create(struct world *world, const cl_queue_properties *properties)
{
	cl_int error;
	cl_command_queue queue = clCreateCommandQueueWithProperties(world->context, world->device,
								    properties, &error);

	CL(error);
	return queue;
}

int main(int argc, char **argv)
{
	static const cl_command_queue_properties asked[] = {
		0, PROFILING_ONLY, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, BOTH};
	struct world world;
	cl_int error;

	prints_references = argc > 1 && !strcmp(argv[1], "references");
	world_create(&world, 0, 0);
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		cl_command_queue queue =
			clCreateCommandQueue(world.context, world.device, asked[i], &error);

		CL(error);
		queue_check(&world, queue, asked[i]);

		const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, asked[i], 0};

		queue_check(&world, queue_create(&world, list), asked[i]);
	}

	const cl_queue_properties empty[] = {0};

	queue_check(&world, queue_create(&world, NULL), 0);
	queue_check(&world, queue_create(&world, empty), 0);

	/* Queues that can't be made fail as they do without us. */
	const cl_queue_properties bad[] = {CL_QUEUE_PROPERTIES, (cl_queue_properties)1 << 40, 0};
	const cl_queue_properties odd[] = {0x7777, 1, 0};

	CHECK(!clCreateCommandQueue(world.context, world.device, (cl_ulong)1 << 40, &error));
	printf("bad: %d", error);
	CHECK(!clCreateCommandQueueWithProperties(world.context, world.device, bad, &error));
	printf(", %d", error);
	CHECK(!clCreateCommandQueueWithProperties(world.context, world.device, odd, &error));
	printf(", %d", error);
	CHECK(!clCreateCommandQueue(NULL, world.device, 0, &error));
	printf(", %d", error);
	CHECK(!clCreateCommandQueue(world.context, NULL, 0, NULL));
	printf("\n");
	world_destroy(&world);
	return 0;
}
