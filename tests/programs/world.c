/* SPDX-License-Identifier: MIT */
#include "world.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
	"__kernel void add(__global int *numbers, int n) { numbers[get_global_id(0)] += n; }\n"
	"__kernel void nothing(void) { }\n";

void check_true(bool holds, const char *what, const char *file, int line)
{
	if (holds)
		return;
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
	exit(1);
}

void check_error(cl_int error, cl_int expected, const char *call, const char *file, int line)
{
	if (error == expected)
		return;
	fprintf(stderr, "%s:%d: %d instead of %d: %s\n", file, line, error, expected, call);
	exit(1);
}

void skip(const char *reason)
{
	puts(reason);
	exit(77);
}

void world_create(struct world *world, cl_uint platform, cl_command_queue_properties properties)
{
	cl_platform_id platforms[8];
	cl_uint count;
	const char *text = source;
	char name[64];
	cl_int error;

	memset(world, 0, sizeof(*world));
	CL(clGetPlatformIDs(8, platforms, &count));
	CHECK(platform < count);
	world->platform = platforms[platform];
	CL(clGetPlatformInfo(world->platform, CL_PLATFORM_NAME, sizeof(name), name, NULL));
	world->is_stub = !strncmp(name, "Stub", 4);
	world->is_intel = !strcmp(name, "Intel(R) OpenCL");
	CL(clGetDeviceIDs(world->platform, CL_DEVICE_TYPE_ALL, 1, &world->device, NULL));
	world->context = clCreateContext(NULL, 1, &world->device, NULL, NULL, &error);
	CL(error);
	world->queue = clCreateCommandQueue(world->context, world->device, properties, &error);
	CL(error);
	world->program = clCreateProgramWithSource(world->context, 1, &text, NULL, &error);
	CL(error);
	CL(clBuildProgram(world->program, 1, &world->device, "", NULL, NULL));
	world->add = clCreateKernel(world->program, "add", &error);
	CL(error);
}

void world_destroy(struct world *world)
{
	CL(clReleaseKernel(world->add));
	CL(clReleaseProgram(world->program));
	CL(clReleaseCommandQueue(world->queue));
	CL(clReleaseContext(world->context));
}

static cl_int *numbers_list(size_t count)
{
	cl_int *list = malloc(count * sizeof(*list));

	CHECK(list);
	for (size_t i = 0; i < count; i++)
		list[i] = (cl_int)i;
	return list;
}

cl_mem numbers_create(const struct world *world, size_t count)
{
	cl_int *list = numbers_list(count);
	cl_int error;
	cl_mem numbers = clCreateBuffer(world->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
					count * sizeof(*list), list, &error);

	CL(error);
	free(list);
	return numbers;
}

void numbers_add(const struct world *world, cl_mem numbers, size_t count, cl_int n, cl_event *event)
{
	CL(clSetKernelArg(world->add, 0, sizeof(numbers), &numbers));
	CL(clSetKernelArg(world->add, 1, sizeof(n), &n));
	CL(clEnqueueNDRangeKernel(world->queue, world->add, 1, NULL, &count, NULL, 0, NULL, event));
}

void numbers_check(const struct world *world, cl_mem numbers, size_t count, cl_int n)
{
	cl_int *list = numbers_list(count);

	CL(clEnqueueReadBuffer(world->queue, numbers, CL_TRUE, 0, count * sizeof(*list), list, 0,
			       NULL, NULL));
	for (size_t i = 0; i < count; i++)
		CHECK(list[i] == (cl_int)i + (world->is_stub ? 0 : n));
	free(list);
}

cl_uint event_references(cl_event event)
{
	cl_uint references = 0;

	CL(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(references), &references, NULL));
	return references;
}

cl_int event_status(cl_event event)
{
	cl_int status = CL_QUEUED;

	CL(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
	return status;
}

int thread_count(void)
{
	DIR *folder = opendir("/proc/self/task");
	int count = 0;

	CHECK(folder);
	for (struct dirent *entry; (entry = readdir(folder));)
		count += entry->d_name[0] != '.';
	closedir(folder);
	return count;
}
