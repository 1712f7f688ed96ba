/* SPDX-License-Identifier: MIT */
#include "outside.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char source[] =
	"kernel void advance(global float *x, int rounds, int count)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	if (i >= count)\n"
	"		return;\n"
	"	float value = x[i];\n"
	"	for (int round = 0; round < rounds; round++)\n"
	"		value = value * 0.998f + 0.001f;\n"
	"	x[i] = value;\n"
	"}\n"
	"kernel void smear(global const float *from, global float *to, int width)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1);\n"
	"	int right = get_global_size(0) - 1, low = get_global_size(1) - 1;\n"
	"	to[y * width + x] = 0.2f * (from[y * width + x] + from[y * width + max(x - 1, 0)] +\n"
	"				    from[y * width + min(x + 1, right)] +\n"
	"				    from[max(y - 1, 0) * width + x] +\n"
	"				    from[min(y + 1, low) * width + x]);\n"
	"}\n"
	"kernel void sharpen(global const float *from, global float *to, float by)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	to[i] = from[i] + by * (from[i] - 0.5f);\n"
	"}\n"
	"kernel void add(global float *to, global const float *from, float by)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	to[i] = to[i] * 0.5f + from[i] * by;\n"
	"}\n"
	"kernel void dot_part(global const float *a, global const float *b, global float *sums,\n"
	"		     local float *part, int each)\n"
	"{\n"
	"	size_t me = get_local_id(0), at = get_global_id(0) * each;\n"
	"	float sum = 0;\n"
	"	for (int i = 0; i < each; i++)\n"
	"		sum += a[at + i] * b[at + i];\n"
	"	part[me] = sum;\n"
	"	for (size_t near = get_local_size(0) / 2; near; near /= 2) {\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		if (me < near)\n"
	"			part[me] += part[me + near];\n"
	"	}\n"
	"	if (!me)\n"
	"		sums[get_group_id(0)] = part[0];\n"
	"}\n"
	"kernel void total(global const float *x, global float *sums, int count)\n"
	"{\n"
	"	int each = count / get_global_size(0), at = get_global_id(0) * each;\n"
	"	float sum = 0;\n"
	"	for (int i = 0; i < each; i++)\n"
	"		sum += x[at + i] * x[at + i] + 0.5f * x[at + i];\n"
	"	sums[get_global_id(0)] = sum;\n"
	"}\n"
	"kernel void remap(global const float *image, global const float *table, global float *to,\n"
	"		  global const float *look)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	to[i] = image[i] * table[i] + look[i % 1024];\n"
	"}\n"
	"kernel void scan_block(global const float *from, global float *to, global float *sums,\n"
	"		       local float *part)\n"
	"{\n"
	"	size_t me = get_local_id(0), last = get_local_size(0) - 1;\n"
	"	part[me] = from[get_global_id(0)];\n"
	"	for (size_t off = 1; off <= last; off *= 2) {\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		float other = me >= off ? part[me - off] : 0;\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		part[me] += other;\n"
	"	}\n"
	"	to[get_global_id(0)] = part[me];\n"
	"	if (me == last)\n"
	"		sums[get_group_id(0)] = part[me];\n"
	"}\n"
	"kernel void scan_add(global float *to, global const float *sums)\n"
	"{\n"
	"	size_t group = get_group_id(0);\n"
	"	if (group)\n"
	"		to[get_global_id(0)] += sums[group - 1];\n"
	"}\n"
	"kernel void escape(global float *to, int width, int most)\n"
	"{\n"
	"	size_t x = get_global_id(0), y = get_global_id(1);\n"
	"	float a = 3.0f * x / get_global_size(0) - 2, b = 2.0f * y / get_global_size(1) - 1;\n"
	"	float p = 0, q = 0;\n"
	"	int i = 0;\n"
	"	for (; i < most && p * p + q * q < 4; i++) {\n"
	"		float r = p * p - q * q + a;\n"
	"		q = 2 * p * q + b;\n"
	"		p = r;\n"
	"	}\n"
	"	to[y * width + x] = i;\n"
	"}\n";

void must(cl_int status, const char *call)
{
	if (status == CL_SUCCESS)
		return;
	fprintf(stderr, "%s: error %d\n", call, status);
	exit(1);
}

cl_program program_of(const struct outside *outside, const char *text, const char *options)
{
	cl_int status;
	cl_program program = clCreateProgramWithSource(outside->context, 1, &text, NULL, &status);

	must(status, "clCreateProgramWithSource");
	must(clBuildProgram(program, 1, &outside->device, options, NULL, NULL), "clBuildProgram");
	return program;
}

cl_kernel kernel_of(cl_program program, const char *name)
{
	cl_int status;
	cl_kernel kernel = clCreateKernel(program, name, &status);

	must(status, "clCreateKernel");
	return kernel;
}

cl_command_queue queue_of(const struct outside *outside, cl_command_queue_properties properties)
{
	cl_int status;
	cl_command_queue queue =
		clCreateCommandQueue(outside->context, outside->device, properties, &status);

	must(status, "clCreateCommandQueue");
	return queue;
}

cl_mem memory_of(const struct outside *outside, size_t bytes)
{
	cl_int status;
	cl_mem memory = clCreateBuffer(outside->context, CL_MEM_READ_WRITE, bytes, NULL, &status);

	must(status, "clCreateBuffer");
	return memory;
}

void free_memory(cl_mem memory)
{
	must(clReleaseMemObject(memory), "clReleaseMemObject");
}

void free_kernel(cl_kernel kernel)
{
	must(clReleaseKernel(kernel), "clReleaseKernel");
}

void free_queue(cl_command_queue queue)
{
	must(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
}

void free_event(cl_event *event)
{
	if (*event)
		must(clReleaseEvent(*event), "clReleaseEvent");
	*event = NULL;
}

static void argument(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
	must(clSetKernelArg(kernel, index, bytes, value), "clSetKernelArg");
}

void set(cl_kernel kernel, const char *types, ...)
{
	va_list values;

	va_start(values, types);
	for (cl_uint i = 0; types[i]; i++) {
		if (types[i] == 'm') {
			cl_mem memory = va_arg(values, cl_mem);

			argument(kernel, i, sizeof(memory), &memory);
		} else if (types[i] == 's') {
			cl_sampler sampler = va_arg(values, cl_sampler);

			argument(kernel, i, sizeof(sampler), &sampler);
		} else if (types[i] == 'i') {
			cl_int number = va_arg(values, int);

			argument(kernel, i, sizeof(number), &number);
		} else if (types[i] == 'f') {
			cl_float number = (cl_float)va_arg(values, double);

			argument(kernel, i, sizeof(number), &number);
		} else {
			argument(kernel, i, va_arg(values, size_t), NULL);
		}
	}
	va_end(values);
}

void run_after(cl_command_queue queue, cl_kernel kernel, size_t items, size_t local, cl_uint count,
	       const cl_event *waits, cl_event *event)
{
	must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, local ? &local : NULL, count,
				    waits, event),
	     "clEnqueueNDRangeKernel");
}

void run(cl_command_queue queue, cl_kernel kernel, size_t items, size_t local)
{
	run_after(queue, kernel, items, local, 0, NULL, NULL);
}

void run_plane(cl_command_queue queue, cl_kernel kernel, size_t width, size_t height,
	       size_t local_width, size_t local_height)
{
	size_t items[2] = {width, height}, local[2] = {local_width, local_height};

	must(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, items, local, 0, NULL, NULL),
	     "clEnqueueNDRangeKernel");
}

void put(cl_command_queue queue, cl_mem memory, bool blocking, size_t bytes, const void *data)
{
	must(clEnqueueWriteBuffer(queue, memory, blocking, 0, bytes, data, 0, NULL, NULL),
	     "clEnqueueWriteBuffer");
}

void get(cl_command_queue queue, cl_mem memory, bool blocking, size_t bytes, void *data)
{
	must(clEnqueueReadBuffer(queue, memory, blocking, 0, bytes, data, 0, NULL, NULL),
	     "clEnqueueReadBuffer");
}

void flush(cl_command_queue queue)
{
	must(clFlush(queue), "clFlush");
}

void finish(cl_command_queue queue)
{
	must(clFinish(queue), "clFinish");
}

void crunch(float *data, size_t count, int rounds)
{
	for (int round = 0; round < rounds; round++)
		for (size_t i = 0; i < count; i++) {
			data[i] = data[i] * 0.75f + (float)(i % 7);
			__asm__ volatile("" ::: "memory");
		}
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
			must(-1, "pthread_create");
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static void outside_open(struct outside *outside)
{
	cl_platform_id platform;
	cl_int status;

	must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &outside->device, NULL),
	     "clGetDeviceIDs");
	outside->context = clCreateContext(NULL, 1, &outside->device, NULL, NULL, &status);
	must(status, "clCreateContext");
	outside->queue = queue_of(outside, 0);
	outside->program = program_of(outside, source, "-cl-mad-enable");
}

static void outside_close(struct outside *outside)
{
	finish(outside->queue);
	must(clReleaseProgram(outside->program), "clReleaseProgram");
	free_queue(outside->queue);
	must(clReleaseContext(outside->context), "clReleaseContext");
}

static const struct {
	const char *name;
	void (*run)(struct outside *outside);
} programs[] = {
#define X(name) {#name, outside_##name},
	OUTSIDE(X)
#undef X
};

int main(int argc, char **argv)
{
	struct outside outside = {.self = argv[0],
				  .word = argc > 2 ? argv[2] : "",
				  .repaired = argc > 2 && !strcmp(argv[2], "repaired")};

	for (size_t i = 0; argc > 1 && i < sizeof(programs) / sizeof(*programs); i++) {
		if (strcmp(programs[i].name, argv[1]) != 0)
			continue;
		outside_open(&outside);
		programs[i].run(&outside);
		outside_close(&outside);
		return 0;
	}
	fprintf(stderr, "usage: outside NAME [repaired]\n");
	return 2;
}
