/* SPDX-License-Identifier: MIT */
#include "app.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void must(cl_int status, const char *call)
{
	if (status == CL_SUCCESS)
		return;
	fprintf(stderr, "%s: error %d\n", call, status);
	exit(1);
}

cl_context context_new(const struct app *app)
{
	cl_int status;
	cl_context context = clCreateContext(NULL, 1, &app->device, NULL, NULL, &status);

	must(status, "clCreateContext");
	return context;
}

cl_command_queue queue_new(const struct app *app, cl_command_queue_properties properties)
{
	cl_int status;
	cl_command_queue queue =
		clCreateCommandQueue(app->context, app->device, properties, &status);

	must(status, "clCreateCommandQueue");
	return queue;
}

cl_mem buffer_new(const struct app *app, size_t bytes)
{
	cl_int status;
	cl_mem buffer = clCreateBuffer(app->context, CL_MEM_READ_WRITE, bytes, NULL, &status);

	must(status, "clCreateBuffer");
	return buffer;
}

cl_program program_new(const struct app *app, const char *source, const char *options)
{
	cl_int status;
	cl_program program = clCreateProgramWithSource(app->context, 1, &source, NULL, &status);

	must(status, "clCreateProgramWithSource");
	TRY(clBuildProgram(program, 1, &app->device, options, NULL, NULL));
	return program;
}

cl_kernel kernel_new(cl_program program, const char *name)
{
	cl_int status;
	cl_kernel kernel = clCreateKernel(program, name, &status);

	must(status, "clCreateKernel");
	return kernel;
}

cl_kernel kernel_of(const struct app *app, const char *source, const char *name)
{
	cl_program program = program_new(app, source, "");
	cl_kernel kernel = kernel_new(program, name);

	DROP(program);
	return kernel;
}

void args(cl_kernel kernel, const char *types, ...)
{
	va_list list;

	va_start(list, types);
	for (cl_uint i = 0; types[i]; i++) {
		if (types[i] == 'b') {
			cl_mem object = va_arg(list, cl_mem);

			TRY(clSetKernelArg(kernel, i, sizeof(object), &object));
		} else if (types[i] == 's') {
			cl_sampler sampler = va_arg(list, cl_sampler);

			TRY(clSetKernelArg(kernel, i, sizeof(sampler), &sampler));
		} else if (types[i] == 'i') {
			cl_int number = va_arg(list, int);

			TRY(clSetKernelArg(kernel, i, sizeof(number), &number));
		} else if (types[i] == 'f') {
			cl_float real = (cl_float)va_arg(list, double);

			TRY(clSetKernelArg(kernel, i, sizeof(real), &real));
		} else {
			TRY(clSetKernelArg(kernel, i, va_arg(list, size_t), NULL));
		}
	}
	va_end(list);
}

void run_with(cl_command_queue queue, cl_kernel kernel, size_t items, size_t local, cl_uint count,
	      const cl_event *waits, cl_event *event)
{
	TRY(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, local ? &local : NULL, count,
				   count ? waits : NULL, event));
}

void run(cl_command_queue queue, cl_kernel kernel, size_t items, size_t local)
{
	run_with(queue, kernel, items, local, 0, NULL, NULL);
}

cl_event run_after(cl_command_queue queue, cl_kernel kernel, size_t items, size_t local,
		   cl_uint count, const cl_event *waits)
{
	cl_event event;

	run_with(queue, kernel, items, local, count, waits, &event);
	return event;
}

void run_plane(cl_command_queue queue, cl_kernel kernel, size_t width, size_t height,
	       size_t local_width, size_t local_height)
{
	size_t items[2] = {width, height}, local[2] = {local_width, local_height};

	TRY(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, items, local_width ? local : NULL, 0,
				   NULL, NULL));
}

void put(cl_command_queue queue, cl_mem buffer, size_t bytes, const void *data)
{
	TRY(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, bytes, data, 0, NULL, NULL));
}

void put_now(cl_command_queue queue, cl_mem buffer, size_t bytes, const void *data)
{
	TRY(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL));
}

cl_event put_after(cl_command_queue queue, cl_mem buffer, size_t bytes, const void *data,
		   cl_uint count, const cl_event *waits)
{
	cl_event event;

	TRY(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, bytes, data, count,
				 count ? waits : NULL, &event));
	return event;
}

void get(cl_command_queue queue, cl_mem buffer, size_t bytes, void *data)
{
	TRY(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL));
}

cl_event get_after(cl_command_queue queue, cl_mem buffer, size_t bytes, void *data, cl_uint count,
		   const cl_event *waits)
{
	cl_event event;

	TRY(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, bytes, data, count,
				count ? waits : NULL, &event));
	return event;
}

void flush(cl_command_queue queue)
{
	TRY(clFlush(queue));
}

void finish(cl_command_queue queue)
{
	TRY(clFinish(queue));
}

void settle(cl_event event)
{
	TRY(clWaitForEvents(1, &event));
	DROP(event);
}

void *memory(size_t bytes)
{
	void *data = aligned_alloc(64, (bytes + 63) / 64 * 64);

	if (!data)
		must(CL_OUT_OF_HOST_MEMORY, "aligned_alloc");
	memset(data, 0, bytes);
	return data;
}

float *floats(size_t count, unsigned seed)
{
	float *data = memory(count * sizeof(*data));

	for (size_t i = 0; i < count; i++) {
		seed = seed * 69069u + 12345u;
		data[i] = (float)(seed >> 12) / 1048576.0f;
	}
	return data;
}

void refill(float *data, size_t count, int number)
{
	for (size_t i = 0; i < count; i++)
		data[i] = (float)(((unsigned)i + 1) * (unsigned)(number + 3) & 1023) / 1024.0f;
	data[0] += (float)number; /* no two are the same */
}

double total(const float *data, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (double)data[i];
	return sum;
}

void busy(float *data, size_t count, int rounds)
{
	static _Thread_local unsigned times;

	for (; rounds; rounds--)
		for (size_t i = 0; i < count; i++) {
			data[i] = data[i] * 0.75f + (float)(i % 16) * 0.0625f;
			__asm__ volatile("" ::: "memory");
		}
	data[0] += (float)times++; /* the rest comes to rest */
}

void nap(long microseconds)
{
	nanosleep(&(struct timespec){microseconds / 1000000, microseconds % 1000000 * 1000}, NULL);
}

void answer(double result)
{
	printf("%.6g\n", result);
}

void threads_run(int count, void *(*thread)(void *), void *each, size_t bytes)
{
	pthread_t threads[16];

	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, thread, (char *)each + (size_t)i * bytes))
			must(-1, "pthread_create");
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static void app_run(struct app *app, const struct app_entry *entry)
{
	cl_platform_id platform;

	if (entry->early)
		entry->early(app->repaired);
	TRY(clGetPlatformIDs(1, &platform, NULL));
	TRY(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &app->device, NULL));
	app->context = context_new(app);
	app->queue = queue_new(app, 0);
	entry->run(app);
	finish(app->queue);
	if (app->program)
		DROP(app->program);
	DROP(app->queue);
	DROP(app->context);
}

int apps_main(int argc, char **argv, const struct app_entry *entries, size_t count)
{
	struct app app = {.self = argv[0], .word = argc > 2 ? argv[2] : ""};

	app.repaired = !strcmp(app.word, "repaired");
	for (size_t i = 0; argc > 1 && i < count; i++) {
		if (strcmp(entries[i].name, argv[1]) != 0)
			continue;
		app_run(&app, &entries[i]);
		return 0;
	}
	fprintf(stderr, "usage: %s NAME [repaired | WORD]\n", argv[0]);
	return 2;
}
