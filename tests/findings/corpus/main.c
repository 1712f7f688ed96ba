/* SPDX-License-Identifier: MIT */
#include "corpus.h"

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

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

void host_busy(double milliseconds)
{
	double end = now_ms() + milliseconds;

	while (now_ms() < end) {
	}
}

void host_sleep(double milliseconds)
{
	struct timespec time = {.tv_nsec = (long)(milliseconds * 1e6)};

	nanosleep(&time, NULL);
}

cl_program corpus_program(cl_context context, const char *text)
{
	cl_int status;
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);

	must(status, "clCreateProgramWithSource");
	must(clBuildProgram(program, 0, NULL, "", NULL, NULL), "clBuildProgram");
	return program;
}

cl_mem corpus_buffer(const struct corpus *corpus, size_t bytes)
{
	cl_int status;
	cl_mem buffer = clCreateBuffer(corpus->context, CL_MEM_READ_WRITE, bytes, NULL, &status);

	must(status, "clCreateBuffer");
	return buffer;
}

void corpus_write(const struct corpus *corpus, cl_mem buffer, cl_bool blocking, size_t offset,
		  size_t bytes, const void *data)
{
	must(clEnqueueWriteBuffer(corpus->queue, buffer, blocking, offset, bytes, data, 0, NULL,
				  NULL),
	     "clEnqueueWriteBuffer");
}

void corpus_read(const struct corpus *corpus, cl_mem buffer, cl_bool blocking, size_t offset,
		 size_t bytes, void *data)
{
	must(clEnqueueReadBuffer(corpus->queue, buffer, blocking, offset, bytes, data, 0, NULL,
				 NULL),
	     "clEnqueueReadBuffer");
}

cl_command_queue corpus_out_of_order(const struct corpus *corpus)
{
	cl_int status;
	cl_command_queue queue = clCreateCommandQueue(
		corpus->context, corpus->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);

	must(status, "clCreateCommandQueue");
	return queue;
}

void corpus_work(const struct corpus *corpus, int rounds, cl_uint count, const cl_event *waits,
		 cl_event *event)
{
	size_t items = corpus_items;

	must(clSetKernelArg(corpus->kernel, 1, sizeof(rounds), &rounds), "clSetKernelArg");
	must(clEnqueueNDRangeKernel(corpus->queue, corpus->kernel, 1, NULL, &items, NULL, count,
				    waits, event),
	     "clEnqueueNDRangeKernel");
}

void corpus_finish(const struct corpus *corpus)
{
	must(clFinish(corpus->queue), "clFinish");
}

static void open_device(struct corpus *corpus)
{
	cl_platform_id platform;

	must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &corpus->device, NULL),
	     "clGetDeviceIDs");
}

void corpus_open(struct corpus *corpus)
{
	cl_int status;

	if (!corpus->device)
		open_device(corpus);
	corpus->context = clCreateContext(NULL, 1, &corpus->device, NULL, NULL, &status);
	must(status, "clCreateContext");
	corpus->queue = clCreateCommandQueue(corpus->context, corpus->device, 0, &status);
	must(status, "clCreateCommandQueue");
	corpus->program = corpus_program(corpus->context, source);
	corpus->kernel = clCreateKernel(corpus->program, "work", &status);
	must(status, "clCreateKernel");
	corpus->buffer = corpus_buffer(corpus, corpus_items * sizeof(float));
	must(clSetKernelArg(corpus->kernel, 0, sizeof(corpus->buffer), &corpus->buffer),
	     "clSetKernelArg");
	/* The first launch compiles: that is not what is shown. */
	corpus_work(corpus, 1, 0, NULL, NULL);
	corpus_finish(corpus);
}

void corpus_close(struct corpus *corpus)
{
	corpus_finish(corpus);
	must(clReleaseMemObject(corpus->buffer), "clReleaseMemObject");
	must(clReleaseKernel(corpus->kernel), "clReleaseKernel");
	must(clReleaseProgram(corpus->program), "clReleaseProgram");
	must(clReleaseCommandQueue(corpus->queue), "clReleaseCommandQueue");
	must(clReleaseContext(corpus->context), "clReleaseContext");
}

static const struct {
	const char *name;
	void (*run)(struct corpus *corpus);
} programs[] = {
#define X(name) {#name, corpus_##name},
	CORPUS(X)
#undef X
};

int main(int argc, char **argv)
{
	struct corpus corpus = {.self = argv[0],
				.repaired = argc > 2 && !strcmp(argv[2], "repaired"),
				.number = argc > 2 ? atoi(argv[2]) : 0};

	for (size_t i = 0; argc > 1 && i < sizeof(programs) / sizeof(*programs); i++) {
		if (strcmp(programs[i].name, argv[1]) != 0)
			continue;
		corpus_open(&corpus);
		programs[i].run(&corpus);
		corpus_close(&corpus);
		return 0;
	}
	fprintf(stderr, "usage: corpus NAME [repaired | N]\n");
	return 2;
}
