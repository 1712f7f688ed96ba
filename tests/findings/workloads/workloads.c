/* SPDX-License-Identifier: MIT */
#include "workloads.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void check(cl_int status, const char *call)
{
	if (status == CL_SUCCESS)
		return;
	fprintf(stderr, "%s failed: %d\n", call, status);
	exit(1);
}

cl_context new_context(const struct workload *w)
{
	cl_int status;
	cl_context context = clCreateContext(NULL, 1, &w->device, NULL, NULL, &status);

	check(status, "clCreateContext");
	return context;
}

cl_program build(const struct workload *w, const char *source, const char *options)
{
	cl_int status;
	cl_program program = clCreateProgramWithSource(w->context, 1, &source, NULL, &status);

	check(status, "clCreateProgramWithSource");
	check(clBuildProgram(program, 1, &w->device, options, NULL, NULL), "clBuildProgram");
	return program;
}

cl_kernel kernel_in(cl_program program, const char *name)
{
	cl_int status;
	cl_kernel kernel = clCreateKernel(program, name, &status);

	check(status, "clCreateKernel");
	return kernel;
}

cl_kernel compile(const struct workload *w, const char *source, const char *name)
{
	cl_program program = build(w, source, "");
	cl_kernel kernel = kernel_in(program, name);

	drop_program(program);
	return kernel;
}

cl_command_queue new_queue(const struct workload *w, cl_command_queue_properties properties)
{
	cl_int status;
	cl_command_queue queue = clCreateCommandQueue(w->context, w->device, properties, &status);

	check(status, "clCreateCommandQueue");
	return queue;
}

cl_mem new_buffer(const struct workload *w, size_t bytes)
{
	cl_int status;
	cl_mem buffer = clCreateBuffer(w->context, CL_MEM_READ_WRITE, bytes, NULL, &status);

	check(status, "clCreateBuffer");
	return buffer;
}

void drop_buffer(cl_mem buffer)
{
	check(clReleaseMemObject(buffer), "clReleaseMemObject");
}

void drop_kernel(cl_kernel kernel)
{
	check(clReleaseKernel(kernel), "clReleaseKernel");
}

void drop_program(cl_program program)
{
	check(clReleaseProgram(program), "clReleaseProgram");
}

void drop_queue(cl_command_queue queue)
{
	check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
}

void drop_event(cl_event event)
{
	check(clReleaseEvent(event), "clReleaseEvent");
}

void give(cl_kernel kernel, const char *types, ...)
{
	union {
		cl_mem buffer;
		cl_int number;
		cl_float real;
	} value;
	va_list list;

	va_start(list, types);
	for (cl_uint i = 0; types[i]; i++) {
		const void *at = &value;
		size_t bytes = sizeof(cl_int);

		switch (types[i]) {
		case 'b':
			value.buffer = va_arg(list, cl_mem);
			bytes = sizeof(value.buffer);
			break;
		case 'i':
			value.number = va_arg(list, int);
			break;
		case 'f':
			value.real = (cl_float)va_arg(list, double);
			break;
		default:
			at = NULL;
			bytes = va_arg(list, size_t);
		}
		check(clSetKernelArg(kernel, i, bytes, at), "clSetKernelArg");
	}
	va_end(list);
}

void launch_after(cl_command_queue queue, cl_kernel kernel, size_t items, size_t local,
		  cl_uint count, const cl_event *waits, cl_event *event)
{
	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, local ? &local : NULL, count,
				     count ? waits : NULL, event),
	      "clEnqueueNDRangeKernel");
}

void launch(cl_command_queue queue, cl_kernel kernel, size_t items, size_t local)
{
	launch_after(queue, kernel, items, local, 0, NULL, NULL);
}

void launch_plane(cl_command_queue queue, cl_kernel kernel, size_t width, size_t height,
		  size_t local_width, size_t local_height)
{
	size_t items[2] = {width, height}, local[2] = {local_width, local_height};

	check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, items, local_width ? local : NULL, 0,
				     NULL, NULL),
	      "clEnqueueNDRangeKernel");
}

void upload(cl_command_queue queue, cl_mem buffer, size_t bytes, const void *data)
{
	check(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, bytes, data, 0, NULL, NULL),
	      "clEnqueueWriteBuffer");
}

void upload_now(cl_command_queue queue, cl_mem buffer, size_t bytes, const void *data)
{
	check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL),
	      "clEnqueueWriteBuffer");
}

void download(cl_command_queue queue, cl_mem buffer, size_t bytes, void *data)
{
	check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL),
	      "clEnqueueReadBuffer");
}

void flush(cl_command_queue queue)
{
	check(clFlush(queue), "clFlush");
}

void finish(cl_command_queue queue)
{
	check(clFinish(queue), "clFinish");
}

float *new_field(size_t count, unsigned seed)
{
	float *field = aligned_alloc(64, (count * sizeof(*field) + 63) / 64 * 64);

	if (!field)
		check(CL_OUT_OF_HOST_MEMORY, "aligned_alloc");
	for (size_t i = 0; i < count; i++) {
		seed = seed * 1664525u + 1013904223u;
		field[i] = (float)(seed >> 8) / 16777216.0f;
	}
	return field;
}

void host_work(float *data, size_t count, int rounds)
{
	while (rounds--)
		for (size_t i = 0; i < count; i++) {
			data[i] = data[i] * 0.5f + (float)(i & 15) * 0.03125f;
			__asm__ volatile("" ::: "memory");
		}
}

double sum_of(const float *data, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += data[i];
	return sum;
}

void report(double result)
{
	printf("%.6g\n", result);
}

void nap_us(long microseconds)
{
	struct timespec time = {.tv_sec = microseconds / 1000000,
				.tv_nsec = microseconds % 1000000 * 1000};

	nanosleep(&time, NULL);
}

void in_threads(int count, void *(*main)(void *), void *arguments, size_t bytes_each)
{
	pthread_t threads[16];

	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, main,
				   (char *)arguments + (size_t)i * bytes_each))
			check(-1, "pthread_create");
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static const struct {
	const char *name;
	void (*run)(struct workload *w);
} programs[] = {
#define X(name) {#name, workload_##name},
	WORKLOADS(X)
#undef X
};

static void workload_run(struct workload *w, void (*run)(struct workload *w))
{
	cl_platform_id platform;

	check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &w->device, NULL), "clGetDeviceIDs");
	w->context = new_context(w);
	w->queue = new_queue(w, 0);
	run(w);
	finish(w->queue);
	drop_queue(w->queue);
	check(clReleaseContext(w->context), "clReleaseContext");
}

int main(int argc, char **argv)
{
	struct workload w = {.self = argv[0], .word = argc > 2 ? argv[2] : ""};

	w.repaired = !strcmp(w.word, "repaired");
	for (size_t i = 0; argc > 1 && i < sizeof(programs) / sizeof(*programs); i++) {
		if (strcmp(programs[i].name, argv[1]) != 0)
			continue;
		if (!strcmp(argv[1], "pinned_start"))
			pinned_start_early(w.repaired);
		workload_run(&w, programs[i].run);
		return 0;
	}
	fprintf(stderr, "usage: workloads NAME [repaired]\n");
	return 2;
}
