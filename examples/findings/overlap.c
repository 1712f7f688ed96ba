/* SPDX-License-Identifier: MIT */
/* An image that is computed and read, again and again, on one queue: the device
 * computes or copies, never both. With --queues N the image is divided into N
 * parts, each with a thread and a queue of its own; --mended is --queues 4. The
 * time that it took is printed in ns.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { queues_most = 64 };

static const char source[] = "kernel void draw(global uint *image, uint offset, int rounds)\n"
			     "{\n"
			     "	uint i = get_global_id(0) + offset;\n"
			     "	uint x = i;\n"
			     "	for (int round = 0; round < rounds; round++)\n"
			     "		x = x * 1664525u + 1013904223u;\n"
			     "	image[i] = x;\n"
			     "}\n";

struct options {
	unsigned queues, frames, pixels;
	int rounds;
};

struct part {
	const struct options *options;
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem image;
	unsigned first, pixels;
	uint32_t *read;
};

static cl_device_id device;
static cl_context context;
static cl_program program;
static cl_mem image;
static pthread_barrier_t begin;

static void must(cl_int status, const char *call)
{
	if (status == CL_SUCCESS)
		return;
	fprintf(stderr, "%s: error %d\n", call, status);
	exit(1);
}

static int64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void part_open(struct part *part, const struct options *options, unsigned index,
		      uint32_t *read)
{
	cl_uint first;
	cl_int status;

	part->options = options;
	part->first = (unsigned)((uint64_t)options->pixels * index / options->queues);
	part->pixels =
		(unsigned)((uint64_t)options->pixels * (index + 1) / options->queues) - part->first;
	part->read = read + part->first;
	part->image = image;
	part->queue = clCreateCommandQueue(context, device, 0, &status);
	must(status, "clCreateCommandQueue");
	part->kernel = clCreateKernel(program, "draw", &status);
	must(status, "clCreateKernel");
	first = part->first;
	must(clSetKernelArg(part->kernel, 0, sizeof(part->image), &part->image), "clSetKernelArg");
	must(clSetKernelArg(part->kernel, 1, sizeof(first), &first), "clSetKernelArg");
}

static void part_draw(const struct part *part)
{
	size_t items = part->pixels;

	must(clSetKernelArg(part->kernel, 2, sizeof(part->options->rounds), &part->options->rounds),
	     "clSetKernelArg");
	must(clEnqueueNDRangeKernel(part->queue, part->kernel, 1, NULL, &items, NULL, 0, NULL,
				    NULL),
	     "clEnqueueNDRangeKernel");
	must(clEnqueueReadBuffer(part->queue, part->image, CL_TRUE, part->first * sizeof(uint32_t),
				 part->pixels * sizeof(uint32_t), part->read, 0, NULL, NULL),
	     "clEnqueueReadBuffer");
}

static void *part_run(void *argument)
{
	const struct part *part = argument;

	part_draw(part); /* the first launch compiles */
	pthread_barrier_wait(&begin);
	for (unsigned i = 0; i < part->options->frames; i++)
		part_draw(part);
	return NULL;
}

static void part_close(struct part *part)
{
	must(clReleaseKernel(part->kernel), "clReleaseKernel");
	must(clReleaseCommandQueue(part->queue), "clReleaseCommandQueue");
}

static void draw(const struct options *options, uint32_t *read)
{
	struct part parts[queues_most];
	pthread_t threads[queues_most];
	int64_t start_ns;

	pthread_barrier_init(&begin, NULL, options->queues + 1);
	for (unsigned i = 0; i < options->queues; i++)
		part_open(&parts[i], options, i, read);
	for (unsigned i = 0; i < options->queues; i++) {
		if (pthread_create(&threads[i], NULL, part_run, &parts[i]))
			exit(1);
	}
	pthread_barrier_wait(&begin);
	start_ns = clock_ns();
	for (unsigned i = 0; i < options->queues; i++)
		pthread_join(threads[i], NULL);
	printf("%" PRId64 "\n", clock_ns() - start_ns);
	for (unsigned i = 0; i < options->queues; i++)
		part_close(&parts[i]);
	pthread_barrier_destroy(&begin);
}

static unsigned number(const char *text, unsigned most)
{
	char *rest;
	unsigned long value = text ? strtoul(text, &rest, 10) : 0;

	if (!text || *rest || !value || value > most) {
		fprintf(stderr, "usage: overlap [--mended] [--queues N] [--frames N] [--pixels N] "
				"[--rounds N]\n");
		exit(2);
	}
	return (unsigned)value;
}

static struct options read_options(char **argv)
{
	struct options options = {.queues = 1, .frames = 50, .pixels = 1 << 20, .rounds = 50};

	for (argv++; *argv; argv++) {
		if (!strcmp(*argv, "--mended")) {
			options.queues = 4;
			continue;
		}
		if (!strcmp(*argv, "--queues"))
			options.queues = number(argv[1], queues_most);
		else if (!strcmp(*argv, "--frames"))
			options.frames = number(argv[1], 1000000);
		else if (!strcmp(*argv, "--pixels"))
			options.pixels = number(argv[1], 1 << 28);
		else if (!strcmp(*argv, "--rounds"))
			options.rounds = (int)number(argv[1], 1000000);
		else
			number(NULL, 0);
		argv++;
	}
	return options;
}

int main(int argc, char **argv)
{
	struct options options = read_options(argv);
	const char *text = source;
	cl_platform_id platform;
	uint32_t *read;
	cl_int status;

	(void)argc;
	must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	must(status, "clCreateContext");
	program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
	must(status, "clCreateProgramWithSource");
	must(clBuildProgram(program, 0, NULL, "", NULL, NULL), "clBuildProgram");
	image = clCreateBuffer(context, CL_MEM_READ_WRITE, options.pixels * sizeof(uint32_t), NULL,
			       &status);
	must(status, "clCreateBuffer");
	read = malloc(options.pixels * sizeof(uint32_t));
	if (!read)
		return 1;
	draw(&options, read);
	free(read);
	must(clReleaseMemObject(image), "clReleaseMemObject");
	must(clReleaseProgram(program), "clReleaseProgram");
	must(clReleaseContext(context), "clReleaseContext");
	return 0;
}
