/* SPDX-License-Identifier: MIT */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char source[] = "kernel void work(global float *data, int rounds)\n"
			     "{\n"
			     "	size_t i = get_global_id(0);\n"
			     "	float x = data[i];\n"
			     "	for (int round = 0; round < rounds; round++)\n"
			     "		x = x * 0.999f + 0.001f;\n"
			     "	data[i] = x;\n"
			     "}\n";

void must(cl_int status, const char *call)
{
	if (status == CL_SUCCESS)
		return;
	fprintf(stderr, "%s: error %d\n", call, status);
	exit(1);
}

void host_work(double milliseconds)
{
	struct timespec start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)(now.tv_sec - start.tv_sec) * 1e3 +
			 (double)(now.tv_nsec - start.tv_nsec) / 1e6 <
		 milliseconds);
}

static bool read_arguments(int argc, char **argv)
{
	if (argc == 1)
		return false;
	if (argc == 2 && !strcmp(argv[1], "--mended"))
		return true;
	fprintf(stderr, "usage: %s [--mended]\n", argv[0]);
	exit(2);
}

struct setup setup_open(int argc, char **argv)
{
	struct setup setup = {.mended = read_arguments(argc, argv)};
	const char *text = source;
	cl_platform_id platform;
	cl_int status;

	must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &setup.device, NULL),
	     "clGetDeviceIDs");
	setup.context = clCreateContext(NULL, 1, &setup.device, NULL, NULL, &status);
	must(status, "clCreateContext");
	setup.queue = clCreateCommandQueue(setup.context, setup.device, 0, &status);
	must(status, "clCreateCommandQueue");
	setup.program = clCreateProgramWithSource(setup.context, 1, &text, NULL, &status);
	must(status, "clCreateProgramWithSource");
	must(clBuildProgram(setup.program, 0, NULL, "", NULL, NULL), "clBuildProgram");
	setup.kernel = clCreateKernel(setup.program, "work", &status);
	must(status, "clCreateKernel");
	setup.buffer = clCreateBuffer(setup.context, CL_MEM_READ_WRITE, setup_items * sizeof(float),
				      NULL, &status);
	must(status, "clCreateBuffer");
	must(clSetKernelArg(setup.kernel, 0, sizeof(setup.buffer), &setup.buffer),
	     "clSetKernelArg");
	/* The first launch compiles: that is not what is shown. */
	setup_work(&setup, 1);
	must(clFinish(setup.queue), "clFinish");
	return setup;
}

void setup_work(const struct setup *setup, int rounds)
{
	size_t items = setup_items;

	must(clSetKernelArg(setup->kernel, 1, sizeof(rounds), &rounds), "clSetKernelArg");
	must(clEnqueueNDRangeKernel(setup->queue, setup->kernel, 1, NULL, &items, NULL, 0, NULL,
				    NULL),
	     "clEnqueueNDRangeKernel");
}

void setup_close(struct setup *setup)
{
	must(clFinish(setup->queue), "clFinish");
	must(clReleaseMemObject(setup->buffer), "clReleaseMemObject");
	must(clReleaseKernel(setup->kernel), "clReleaseKernel");
	must(clReleaseProgram(setup->program), "clReleaseProgram");
	must(clReleaseCommandQueue(setup->queue), "clReleaseCommandQueue");
	must(clReleaseContext(setup->context), "clReleaseContext");
}
