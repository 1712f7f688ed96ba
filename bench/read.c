/* SPDX-License-Identifier: MIT */
/* Blocking reads from the device, as the CLUST paper's Table 3.
 *
 *   read BYTES REPEATS [profiling]  nanoseconds for a clEnqueueReadBuffer of so
 *                                   many bytes, one line a repeat; on a queue
 *                                   made with profiling
 *   read queries REPEATS            nanoseconds for four clGetEventProfilingInfo
 */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "now.h"

static void check(cl_int error, const char *call)
{
	if (error == CL_SUCCESS)
		return;
	fprintf(stderr, "read: %s: error %d\n", call, error);
	exit(1);
}

static void queries_run(cl_command_queue queue, cl_mem buffer, void *data, long repeats)
{
	static const cl_profiling_info infos[] = {
		CL_PROFILING_COMMAND_QUEUED,
		CL_PROFILING_COMMAND_SUBMIT,
		CL_PROFILING_COMMAND_START,
		CL_PROFILING_COMMAND_END,
	};
	const int times = 100000;
	cl_event event;
	cl_ulong ns;

	check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, data, 0, NULL, &event), "read");
	while (repeats--) {
		double begin = now_ns();

		for (int i = 0; i < times; i++)
			for (int j = 0; j < 4; j++)
				clGetEventProfilingInfo(event, infos[j], sizeof(ns), &ns, NULL);
		printf("%.3f\n", (now_ns() - begin) / times);
	}
	clReleaseEvent(event);
}

int main(int argc, char **argv)
{
	size_t bytes = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 0;
	long repeats = argc > 2 ? atol(argv[2]) : 0;
	int queries = argc > 1 && !strcmp(argv[1], "queries");
	int profiling = queries || (argc > 3 && !strcmp(argv[3], "profiling"));
	long times = bytes > 100000 ? 3000 : bytes > 10000 ? 20000 : 100000;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_mem buffer;
	void *data;
	cl_int error;

	if (repeats < 1) {
		fprintf(stderr, "usage: see the head of bench/read.c\n");
		return 2;
	}
	bytes = queries || !bytes ? 4 : bytes;
	data = malloc(bytes);
	check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	check(error, "clCreateContext");
	queue = clCreateCommandQueue(context, device, profiling ? CL_QUEUE_PROFILING_ENABLE : 0,
				     &error);
	check(error, "clCreateCommandQueue");
	buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
	check(error, "clCreateBuffer");
	memset(data, 1, bytes);
	check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL), "write");
	if (queries) {
		queries_run(queue, buffer, data, repeats);
		repeats = 0;
	}
	while (repeats--) {
		double begin = now_ns();

		for (long i = 0; i < times; i++)
			check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL,
						  NULL),
			      "clEnqueueReadBuffer");
		printf("%.3f\n", (now_ns() - begin) / (double)times);
	}
	clReleaseMemObject(buffer);
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	free(data);
	return 0;
}
