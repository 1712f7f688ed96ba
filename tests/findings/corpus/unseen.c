/* SPDX-License-Identifier: MIT */
/* Faults and clean programs for which no rule was changed: table.json had their rows before they
 * were recorded for the first time. Each is a part of a program as people write it. */
#include "corpus.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char source[] =
	"kernel void sweep(global const float *from, global float *to, int width)\n"
	"{\n"
	"	size_t x = get_global_id(0), y = get_global_id(1), at = y * width + x;\n"
	"	if (x == 0 || y == 0 || x + 1 == get_global_size(0) || y + 1 == get_global_size(1)) {\n"
	"		to[at] = from[at];\n"
	"		return;\n"
	"	}\n"
	"	to[at] = 0.25f * (from[at - 1] + from[at + 1] + from[at - width] + from[at + width]);\n"
	"}\n"
	"kernel void residual(global const float *a, global const float *b, global float *sums,\n"
	"		     local float *part, int each)\n"
	"{\n"
	"	size_t me = get_local_id(0);\n"
	"	float sum = 0;\n"
	"	for (int i = 0; i < each; i++) {\n"
	"		float off = a[get_global_id(0) * each + i] - b[get_global_id(0) * each + i];\n"
	"		sum += off * off;\n"
	"	}\n"
	"	part[me] = sum;\n"
	"	for (size_t near = get_local_size(0) / 2; near; near /= 2) {\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		if (me < near)\n"
	"			part[me] += part[me + near];\n"
	"	}\n"
	"	if (!me)\n"
	"		sums[get_group_id(0)] = part[0];\n"
	"}\n"
	"kernel void tone(global float *pixels, int width)\n"
	"{\n"
	"	size_t at = get_global_id(1) * width + get_global_id(0);\n"
	"	float x = pixels[at];\n"
	"	for (int i = 0; i < 8; i++)\n"
	"		x = x * (1.5f - 0.5f * x * x);\n"
	"	pixels[at] = x;\n"
	"}\n"
	"kernel void blur(global const float *from, global float *to, int width)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1), last = get_global_size(0) - 1;\n"
	"	to[y * width + x] = (from[y * width + max(x - 1, 0)] + from[y * width + x] +\n"
	"			     from[y * width + min(x + 1, last)]) / 3;\n"
	"}\n"
	"kernel void move(global float *points, global float *scratch, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float x = points[i % 65536];\n"
	"	for (int round = 0; round < rounds; round++)\n"
	"		x = x * 0.99f + 0.01f;\n"
	"	scratch[i] = x;\n"
	"	if (i < 65536)\n"
	"		points[i] = x;\n"
	"}\n"
	"kernel void scale(global float *x, float by) { x[get_global_id(0)] *= by; }\n"
	"kernel void shift(global float *x, float by) { x[get_global_id(0)] += by; }\n"
	"kernel void limit(global float *x, float by)\n"
	"{\n"
	"	x[get_global_id(0)] = fmin(x[get_global_id(0)], by);\n"
	"}\n"
	"kernel void square(global float *x, float by) { x[get_global_id(0)] *= by * x[get_global_id(0)]; }\n"
	"kernel void update(global float *x, float by)\n"
	"{\n"
	"	float y = fmin(x[get_global_id(0)] * by + by, by);\n"
	"	x[get_global_id(0)] = by * y * y;\n"
	"}\n"
	"kernel void add_both(global const float *a, global const float *b, global float *to, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float x = a[i] + b[i];\n"
	"	for (int round = 0; round < rounds; round++)\n"
	"		x = x * 0.999f + 0.001f;\n"
	"	to[i] = x;\n"
	"}\n"
	"kernel void bitonic(global float *data, int distance, int length)\n"
	"{\n"
	"	int i = get_global_id(0), at = 2 * i - (i & (distance - 1));\n"
	"	float a = data[at], b = data[at + distance];\n"
	"	int up = !(at & length);\n"
	"	data[at] = up ? fmin(a, b) : fmax(a, b);\n"
	"	data[at + distance] = up ? fmax(a, b) : fmin(a, b);\n"
	"}\n";

static cl_kernel kernel_of(cl_program program, const char *name)
{
	cl_int status;
	cl_kernel kernel = clCreateKernel(program, name, &status);

	must(status, "clCreateKernel");
	return kernel;
}

static void argument(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
	must(clSetKernelArg(kernel, index, bytes, value), "clSetKernelArg");
}

static void memory_argument(cl_kernel kernel, cl_uint index, cl_mem memory)
{
	argument(kernel, index, sizeof(memory), &memory);
}

static void int_argument(cl_kernel kernel, cl_uint index, int value)
{
	argument(kernel, index, sizeof(value), &value);
}

static void launch(cl_command_queue queue, cl_kernel kernel, size_t items, size_t local)
{
	must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL),
	     "clEnqueueNDRangeKernel");
}

static void launch_plane(cl_command_queue queue, cl_kernel kernel, size_t width, size_t height,
			 size_t local_width, size_t local_height)
{
	size_t items[2] = {width, height}, local[2] = {local_width, local_height};

	must(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, items, local, 0, NULL, NULL),
	     "clEnqueueNDRangeKernel");
}

static cl_command_queue another_queue(const struct corpus *corpus,
				      cl_command_queue_properties properties)
{
	cl_int status;
	cl_command_queue queue =
		clCreateCommandQueue(corpus->context, corpus->device, properties, &status);

	must(status, "clCreateCommandQueue");
	return queue;
}

static void release_event(cl_event *event)
{
	if (*event)
		must(clReleaseEvent(*event), "clReleaseEvent");
	*event = NULL;
}

static void release_kernel(cl_kernel kernel)
{
	must(clReleaseKernel(kernel), "clReleaseKernel");
}

static void release_memory(cl_mem memory)
{
	must(clReleaseMemObject(memory), "clReleaseMemObject");
}

/* A solver that reads after each sweep, or after each 25, how far it still is from the solution. */
void corpus_jacobi_residual(struct corpus *corpus)
{
	enum { side = 256, groups = 64, group = 64 };
	cl_program program = corpus_program(corpus->context, source);
	cl_kernel sweep = kernel_of(program, "sweep"), residual = kernel_of(program, "residual");
	cl_mem field[2], sums = corpus_buffer(corpus, groups * sizeof(float));
	float host[groups], off = 0;

	for (int i = 0; i < 2; i++)
		field[i] = corpus_buffer(corpus, side * side * sizeof(float));
	int_argument(sweep, 2, side);
	memory_argument(residual, 2, sums);
	argument(residual, 3, group * sizeof(float), NULL);
	int_argument(residual, 4, side * side / (groups * group));
	for (int i = 0; i < 2000; i++) {
		memory_argument(sweep, 0, field[i % 2]);
		memory_argument(sweep, 1, field[!(i % 2)]);
		launch_plane(corpus->queue, sweep, side, side, 64, 1);
		memory_argument(residual, 0, field[i % 2]);
		memory_argument(residual, 1, field[!(i % 2)]);
		launch(corpus->queue, residual, groups * group, group);
		if (corpus->repaired && i % 25 != 24)
			continue;
		corpus_read(corpus, sums, CL_TRUE, 0, sizeof(host), host);
		off = 0;
		for (int j = 0; j < groups; j++)
			off += host[j];
		if (off < 0)
			break;
	}
	release_kernel(sweep);
	release_kernel(residual);
	release_memory(sums);
	for (int i = 0; i < 2; i++)
		release_memory(field[i]);
	must(clReleaseProgram(program), "clReleaseProgram");
}

static void copy_tile(float *to, size_t to_width, const float *from, size_t from_width, size_t side)
{
	for (size_t row = 0; row < side; row++)
		memcpy(to + row * to_width, from + row * from_width, side * sizeof(*to));
}

/* Each tile of an image makes the way to the device and back by itself, or the image does. */
void corpus_tiles_each(struct corpus *corpus)
{
	enum { side = 1024, tile = 64 };
	static float image[side * side], part[tile * tile];
	cl_program program = corpus_program(corpus->context, source);
	cl_kernel tone = kernel_of(program, "tone");
	size_t width = corpus->repaired ? side : tile;
	cl_mem pixels = corpus_buffer(corpus, width * width * sizeof(float));

	memory_argument(tone, 0, pixels);
	int_argument(tone, 1, (int)width);
	for (int i = 0; i < 8; i++) {
		for (size_t j = 0; j < side * side; j++)
			image[j] = (float)((j + (size_t)i) % 255) / 255;
		if (corpus->repaired) {
			corpus_write(corpus, pixels, CL_TRUE, 0, sizeof(image), image);
			launch_plane(corpus->queue, tone, side, side, 64, 1);
			corpus_read(corpus, pixels, CL_TRUE, 0, sizeof(image), image);
			continue;
		}
		for (size_t y = 0; y < side; y += tile)
			for (size_t x = 0; x < side; x += tile) {
				copy_tile(part, tile, image + y * side + x, side, tile);
				corpus_write(corpus, pixels, CL_TRUE, 0, sizeof(part), part);
				launch_plane(corpus->queue, tone, tile, tile, 64, 1);
				corpus_read(corpus, pixels, CL_TRUE, 0, sizeof(part), part);
				copy_tile(image + y * side + x, side, part, tile, tile);
			}
	}
	release_kernel(tone);
	release_memory(pixels);
	must(clReleaseProgram(program), "clReleaseProgram");
}

static cl_program tile_program(struct corpus *corpus, const char *options)
{
	static const char text[] = "kernel void reduce(global float *data)\n"
				   "{\n"
				   "	size_t i = get_global_id(0);\n"
				   "	float x = data[i];\n"
				   "	for (int j = 0; j < TILE; j++)\n"
				   "		x = x * 0.9f + 0.1f * j;\n"
				   "	data[i] = x;\n"
				   "}\n";
	const char *one = text;
	cl_int status;
	cl_program program = clCreateProgramWithSource(corpus->context, 1, &one, NULL, &status);

	must(status, "clCreateProgramWithSource");
	must(clBuildProgram(program, 1, &corpus->device, options, NULL, NULL), "clBuildProgram");
	return program;
}

/* A program for each size of tile is built for each image again. */
void corpus_tile_programs(struct corpus *corpus)
{
	static const char *const options[] = {"-D TILE=8", "-D TILE=16", "-D TILE=32"};
	cl_program programs[3] = {NULL};

	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 3; j++) {
			cl_kernel reduce;

			if (!programs[j])
				programs[j] = tile_program(corpus, options[j]);
			reduce = kernel_of(programs[j], "reduce");
			memory_argument(reduce, 0, corpus->buffer);
			for (int k = 0; k < 8; k++)
				launch(corpus->queue, reduce, corpus_items, 64);
			corpus_finish(corpus);
			release_kernel(reduce);
			if (corpus->repaired && i < 15)
				continue;
			must(clReleaseProgram(programs[j]), "clReleaseProgram");
			programs[j] = NULL;
		}
}

/* All kernels of a program are made for each frame, which needs two of them. */
void corpus_kernels_per_frame(struct corpus *corpus)
{
	enum { most = 16 };
	cl_program program = corpus_program(corpus->context, source);
	cl_kernel kernels[most];
	cl_uint count = 0;
	float by = 0.5f;

	for (int i = 0; i < 60000; i++) {
		if (!corpus->repaired || !i)
			must(clCreateKernelsInProgram(program, most, kernels, &count),
			     "clCreateKernelsInProgram");
		for (cl_uint j = 0; j < count; j++) {
			char name[32];

			must(clGetKernelInfo(kernels[j], CL_KERNEL_FUNCTION_NAME, sizeof(name),
					     name, NULL),
			     "clGetKernelInfo");
			if (strcmp(name, "scale") != 0 && strcmp(name, "shift") != 0)
				continue;
			memory_argument(kernels[j], 0, corpus->buffer);
			argument(kernels[j], 1, sizeof(by), &by);
			launch(corpus->queue, kernels[j], 1024, 64);
		}
		if (i % 100 == 99)
			corpus_finish(corpus);
		for (cl_uint j = 0; (!corpus->repaired || i == 59999) && j < count; j++)
			release_kernel(kernels[j]);
	}
	must(clReleaseProgram(program), "clReleaseProgram");
}

/* Memory for as many particles as there are in a frame, which varies. */
void corpus_particles(struct corpus *corpus)
{
	const size_t most = 16 << 20;
	cl_program program = corpus_program(corpus->context, source);
	cl_kernel move = kernel_of(program, "move");
	cl_mem scratch = NULL;

	if (corpus->repaired)
		scratch = corpus_buffer(corpus, most * sizeof(float));
	memory_argument(move, 0, corpus->buffer);
	int_argument(move, 2, 2);
	for (size_t i = 0; i < 24; i++) {
		size_t count = most * 5 / 8 + i * 7919 % 48 * (most / 128);

		count -= count % 64;
		if (!corpus->repaired)
			scratch = corpus_buffer(corpus, count * sizeof(float));
		memory_argument(move, 1, scratch);
		launch(corpus->queue, move, count, 64);
		corpus_finish(corpus);
		if (!corpus->repaired)
			release_memory(scratch);
	}
	if (corpus->repaired)
		release_memory(scratch);
	release_kernel(move);
	must(clReleaseProgram(program), "clReleaseProgram");
}

/* The weights, always the same, are in a new buffer for each batch: the runtime copies them. */
void corpus_weights_copied(struct corpus *corpus)
{
	static float weights[1 << 20];
	cl_mem buffer = NULL;

	for (size_t i = 0; i < sizeof(weights) / sizeof(*weights); i++)
		weights[i] = (float)(i % 1000) / 1000;
	for (int i = 0; i < 700; i++) {
		cl_int status;

		if (!buffer) {
			buffer = clCreateBuffer(corpus->context,
						CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
						sizeof(weights), weights, &status);
			must(status, "clCreateBuffer");
		}
		memory_argument(corpus->kernel, 0, buffer);
		for (int j = 0; j < 2; j++)
			corpus_work(corpus, 8, 0, NULL, NULL);
		corpus_finish(corpus);
		if (corpus->repaired && i < 699)
			continue;
		release_memory(buffer);
		buffer = NULL;
	}
}

/* Work-groups of one column, where rows are next to each other in memory. */
void corpus_thin_groups(struct corpus *corpus)
{
	enum { width = 2048, height = 512 };
	cl_program program = corpus_program(corpus->context, source);
	cl_kernel blur = kernel_of(program, "blur");
	cl_mem field[2];

	for (int i = 0; i < 2; i++)
		field[i] = corpus_buffer(corpus, width * height * sizeof(float));
	int_argument(blur, 2, width);
	for (int i = 0; i < 200; i++) {
		memory_argument(blur, 0, field[i % 2]);
		memory_argument(blur, 1, field[!(i % 2)]);
		launch_plane(corpus->queue, blur, width, height, corpus->repaired ? 64 : 1, 4);
	}
	corpus_finish(corpus);
	for (int i = 0; i < 2; i++)
		release_memory(field[i]);
	release_kernel(blur);
	must(clReleaseProgram(program), "clReleaseProgram");
}

/* A kernel for each operator of a formula, over a short vector. */
void corpus_unfused(struct corpus *corpus)
{
	static const char *const names[] = {"scale", "shift", "limit", "square", "scale"};
	cl_program program = corpus_program(corpus->context, source);
	cl_kernel kernels[5];
	int count = corpus->repaired ? 1 : 5;
	float by = 0.9f;

	for (int i = 0; i < count; i++) {
		kernels[i] = kernel_of(program, corpus->repaired ? "update" : names[i]);
		memory_argument(kernels[i], 0, corpus->buffer);
		argument(kernels[i], 1, sizeof(by), &by);
	}
	for (int i = 0; i < 4500; i++)
		for (int j = 0; j < count; j++)
			launch(corpus->queue, kernels[j], 4096, 64);
	corpus_finish(corpus);
	for (int i = 0; i < count; i++)
		release_kernel(kernels[i]);
	must(clReleaseProgram(program), "clReleaseProgram");
}

static void CL_CALLBACK set_flag(cl_event event, cl_int status, void *user)
{
	(void)event;
	(void)status;
	__atomic_store_n((int *)user, 1, __ATOMIC_RELEASE);
}

/* The driver sets a flag at the end of a step; the program sleeps until it sees it. */
void corpus_flag_nap(struct corpus *corpus)
{
	static int done;

	for (int i = 0; i < 150; i++) {
		cl_event event;

		for (int j = 0; j < 3; j++)
			corpus_work(corpus, 60, 0, NULL, j == 2 ? &event : NULL);
		__atomic_store_n(&done, 0, __ATOMIC_RELEASE);
		if (!corpus->repaired)
			must(clSetEventCallback(event, CL_COMPLETE, set_flag, &done),
			     "clSetEventCallback");
		must(clFlush(corpus->queue), "clFlush");
		if (corpus->repaired)
			must(clWaitForEvents(1, &event), "clWaitForEvents");
		while (!corpus->repaired && !__atomic_load_n(&done, __ATOMIC_ACQUIRE))
			usleep(3000);
		release_event(&event);
	}
}

/* Two halves of a field exchange the rows at their edges by way of the host. */
void corpus_halo_by_host(struct corpus *corpus)
{
	enum { width = 512, height = 130 };
	const size_t row = width * sizeof(float), last = (height - 1) * row;
	cl_program program = corpus_program(corpus->context, source);
	cl_kernel sweep = kernel_of(program, "sweep");
	static float edge[width];
	cl_mem half[2][2];

	for (int i = 0; i < 4; i++)
		half[i / 2][i % 2] = corpus_buffer(corpus, height * row);
	int_argument(sweep, 2, width);
	for (int i = 0; i < 1000; i++) {
		cl_mem upper = half[0][!(i % 2)], lower = half[1][!(i % 2)];

		for (int j = 0; j < 2; j++) {
			memory_argument(sweep, 0, half[j][i % 2]);
			memory_argument(sweep, 1, half[j][!(i % 2)]);
			launch_plane(corpus->queue, sweep, width, height, 64, 1);
		}
		if (corpus->repaired) {
			must(clEnqueueCopyBuffer(corpus->queue, upper, lower, last - row, 0, row, 0,
						 NULL, NULL),
			     "clEnqueueCopyBuffer");
			must(clEnqueueCopyBuffer(corpus->queue, lower, upper, row, last, row, 0,
						 NULL, NULL),
			     "clEnqueueCopyBuffer");
			continue;
		}
		corpus_read(corpus, upper, CL_TRUE, last - row, row, edge);
		corpus_write(corpus, lower, CL_TRUE, 0, row, edge);
		corpus_read(corpus, lower, CL_TRUE, row, row, edge);
		corpus_write(corpus, upper, CL_TRUE, last, row, edge);
	}
	corpus_finish(corpus);
	for (int i = 0; i < 4; i++)
		release_memory(half[i / 2][i % 2]);
	release_kernel(sweep);
	must(clReleaseProgram(program), "clReleaseProgram");
}

/* Tiles that have nothing in common, on an out-of-order queue: a marker after each, for which the
 * next one waits. */
void corpus_marker_each(struct corpus *corpus)
{
	enum { slots = 4 };
	static float host[2][slots][corpus_items];
	cl_command_queue queue = another_queue(corpus, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_event before = NULL, back[slots] = {NULL};
	size_t bytes = sizeof(host[0][0]), items = corpus_items;
	cl_mem tiles[slots];

	for (int i = 0; i < slots; i++)
		tiles[i] = corpus_buffer(corpus, bytes);
	int_argument(corpus->kernel, 1, 60);
	for (int i = 0; i < 400; i++) {
		int at = i % slots;
		cl_event waits[2], up, worked;
		cl_uint count = 0;

		if (back[at])
			must(clWaitForEvents(1, &back[at]), "clWaitForEvents");
		if (before)
			waits[count++] = before;
		release_event(&back[at]);
		host[0][at][0] = (float)i;
		must(clEnqueueWriteBuffer(queue, tiles[at], CL_FALSE, 0, bytes, host[0][at], count,
					  count ? waits : NULL, &up),
		     "clEnqueueWriteBuffer");
		memory_argument(corpus->kernel, 0, tiles[at]);
		must(clEnqueueNDRangeKernel(queue, corpus->kernel, 1, NULL, &items, NULL, 1, &up,
					    &worked),
		     "clEnqueueNDRangeKernel");
		must(clEnqueueReadBuffer(queue, tiles[at], CL_FALSE, 0, bytes, host[1][at], 1,
					 &worked, &back[at]),
		     "clEnqueueReadBuffer");
		release_event(&before);
		if (!corpus->repaired)
			must(clEnqueueMarkerWithWaitList(queue, 0, NULL, &before),
			     "clEnqueueMarkerWithWaitList");
		must(clFlush(queue), "clFlush");
		release_event(&up);
		release_event(&worked);
	}
	must(clFinish(queue), "clFinish");
	release_event(&before);
	for (int i = 0; i < slots; i++) {
		release_event(&back[i]);
		release_memory(tiles[i]);
	}
	must(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
}

/* The weights of each layer go into one buffer by turns, for each batch again. */
void corpus_layer_weights(struct corpus *corpus)
{
	enum { layers = 6, batches = 150, count = 1 << 18 };
	static float weights[layers][count];
	cl_mem buffers[layers];
	int made = corpus->repaired ? layers : 1;

	for (int i = 0; i < layers; i++)
		for (int j = 0; j < count; j++)
			weights[i][j] = (float)((i + 1) * j % 1000) / 1000;
	for (int i = 0; i < made; i++) {
		buffers[i] = corpus_buffer(corpus, sizeof(weights[0]));
		if (corpus->repaired)
			corpus_write(corpus, buffers[i], CL_FALSE, 0, sizeof(weights[0]),
				     weights[i]);
	}
	for (int i = 0; i < batches; i++) {
		for (int j = 0; j < layers; j++) {
			if (!corpus->repaired)
				corpus_write(corpus, buffers[0], CL_FALSE, 0, sizeof(weights[0]),
					     weights[j]);
			memory_argument(corpus->kernel, 0, buffers[corpus->repaired ? j : 0]);
			corpus_work(corpus, 4, 0, NULL, NULL);
		}
		must(clFlush(corpus->queue), "clFlush");
	}
	corpus_finish(corpus);
	for (int i = 0; i < made; i++)
		release_memory(buffers[i]);
}

/* A batch's result is encoded before, or while, the device works on the next batch. */
void corpus_late_batches(struct corpus *corpus)
{
	static float result[2][corpus_items];
	cl_event back[2] = {NULL, NULL};
	cl_mem batches[2];

	for (int i = 0; i < 2; i++)
		batches[i] = corpus_buffer(corpus, sizeof(result[0]));
	for (int i = 0; i <= 200; i++) {
		int at = i % 2;

		if (i < 200) {
			memory_argument(corpus->kernel, 0, batches[at]);
			for (int j = 0; j < 4; j++)
				corpus_work(corpus, 24, 0, NULL, NULL);
			must(clEnqueueReadBuffer(corpus->queue, batches[at], CL_FALSE, 0,
						 sizeof(result[0]), result[at], 0, NULL, &back[at]),
			     "clEnqueueReadBuffer");
			must(clFlush(corpus->queue), "clFlush");
		}
		if (corpus->repaired)
			at = !at;
		if (!back[at])
			continue;
		must(clWaitForEvents(1, &back[at]), "clWaitForEvents");
		release_event(&back[at]);
		host_busy(1.5);
	}
	for (int i = 0; i < 2; i++)
		release_memory(batches[i]);
}

/* --- without a fault */

/* Memory that the driver allocated is mapped once, and what is filled there is uploaded while the
 * device works on the batch before. */
void corpus_clean_mapped_once(struct corpus *corpus)
{
	const size_t bytes = corpus_items * sizeof(float);
	cl_event up[2] = {NULL, NULL}, done[2] = {NULL, NULL};
	cl_command_queue uploads = another_queue(corpus, 0);
	cl_mem staging, batches[2];
	cl_int status;
	float *host;

	staging = clCreateBuffer(corpus->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
				 2 * bytes, NULL, &status);
	must(status, "clCreateBuffer");
	host = clEnqueueMapBuffer(uploads, staging, CL_TRUE, CL_MAP_WRITE, 0, 2 * bytes, 0, NULL,
				  NULL, &status);
	must(status, "clEnqueueMapBuffer");
	for (int i = 0; i < 2; i++)
		batches[i] = corpus_buffer(corpus, bytes);
	for (int i = 0; i < 400; i++) {
		float *half = host + i % 2 * corpus_items;
		int at = i % 2;

		if (up[at])
			must(clWaitForEvents(1, &up[at]), "clWaitForEvents");
		release_event(&up[at]);
		for (size_t j = 0; j < corpus_items; j += 16)
			half[j] = (float)i + (float)j;
		must(clEnqueueWriteBuffer(uploads, batches[at], CL_FALSE, 0, bytes, half,
					  done[at] ? 1 : 0, done[at] ? &done[at] : NULL, &up[at]),
		     "clEnqueueWriteBuffer");
		must(clFlush(uploads), "clFlush");
		release_event(&done[at]);
		memory_argument(corpus->kernel, 0, batches[at]);
		for (int j = 0; j < 3; j++)
			corpus_work(corpus, 30, j ? 0 : 1, j ? NULL : &up[at],
				    j == 2 ? &done[at] : NULL);
		must(clFlush(corpus->queue), "clFlush");
	}
	corpus_finish(corpus);
	must(clEnqueueUnmapMemObject(uploads, staging, host, 0, NULL, NULL),
	     "clEnqueueUnmapMemObject");
	must(clFinish(uploads), "clFinish");
	for (int i = 0; i < 2; i++) {
		release_event(&up[i]);
		release_event(&done[i]);
		release_memory(batches[i]);
	}
	release_memory(staging);
	must(clReleaseCommandQueue(uploads), "clReleaseCommandQueue");
}

/* Many kernels that need each other, over large arrays, and one wait for each array. */
void corpus_clean_sort(struct corpus *corpus)
{
	enum { count = 1 << 18 };
	static float data[count];
	cl_program program = corpus_program(corpus->context, source);
	cl_kernel bitonic = kernel_of(program, "bitonic");
	cl_mem array = corpus_buffer(corpus, sizeof(data));
	unsigned state = 1;

	memory_argument(bitonic, 0, array);
	for (int i = 0; i < 6; i++) {
		for (int j = 0; j < count; j++) {
			state = state * 1664525u + 1013904223u;
			data[j] = (float)(state >> 8);
		}
		corpus_write(corpus, array, CL_FALSE, 0, sizeof(data), data);
		for (int length = 2; length <= count; length *= 2)
			for (int distance = length / 2; distance; distance /= 2) {
				int_argument(bitonic, 1, distance);
				int_argument(bitonic, 2, length);
				launch(corpus->queue, bitonic, count / 2, 64);
			}
		corpus_read(corpus, array, CL_TRUE, 0, sizeof(data), data);
	}
	release_memory(array);
	release_kernel(bitonic);
	must(clReleaseProgram(program), "clReleaseProgram");
}

static void add_both(cl_command_queue queue, cl_kernel kernel, const cl_mem memory[3],
		     cl_uint count, const cl_event *waits, cl_event *event)
{
	size_t items = corpus_items, local = 64;

	for (cl_uint i = 0; i < 3; i++)
		memory_argument(kernel, i, memory[i]);
	must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &local, count, waits, event),
	     "clEnqueueNDRangeKernel");
}

/* An out-of-order queue: two kernels read what one wrote, and a fourth one reads what both wrote. */
void corpus_clean_diamond(struct corpus *corpus)
{
	cl_command_queue queue = another_queue(corpus, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_program program = corpus_program(corpus->context, source);
	cl_kernel both = kernel_of(program, "add_both");
	cl_event last = NULL;
	cl_mem at[4];

	for (int i = 0; i < 4; i++)
		at[i] = corpus_buffer(corpus, corpus_items * sizeof(float));
	int_argument(both, 3, 20);
	for (int i = 0; i < 250; i++) {
		cl_event first, sides[2];

		add_both(queue, both, (cl_mem[]){at[3], at[3], at[0]}, last ? 1 : 0,
			 last ? &last : NULL, &first);
		for (int j = 0; j < 2; j++)
			add_both(queue, both, (cl_mem[]){at[0], at[0], at[1 + j]}, 1, &first,
				 &sides[j]);
		release_event(&last);
		add_both(queue, both, (cl_mem[]){at[1], at[2], at[3]}, 2, sides, &last);
		must(clFlush(queue), "clFlush");
		release_event(&first);
		release_event(&sides[0]);
		release_event(&sides[1]);
	}
	must(clFinish(queue), "clFinish");
	release_event(&last);
	for (int i = 0; i < 4; i++)
		release_memory(at[i]);
	release_kernel(both);
	must(clReleaseProgram(program), "clReleaseProgram");
	must(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
}

/* A line search: how far the next step goes depends on what the device computed in this one. */
void corpus_clean_feedback(struct corpus *corpus)
{
	cl_program program = corpus_program(corpus->context, source);
	cl_kernel scale = kernel_of(program, "scale");
	float value, by = 0.5f;

	memory_argument(scale, 0, corpus->buffer);
	for (int i = 0; i < 50; i++) {
		argument(scale, 1, sizeof(by), &by);
		launch(corpus->queue, scale, corpus_items, 64);
		for (int j = 0; j < 20; j++)
			corpus_work(corpus, 30, 0, NULL, NULL);
		corpus_read(corpus, corpus->buffer, CL_TRUE, 0, sizeof(value), &value);
		by = value > 0.5f ? 0.5f : 0.75f;
		host_busy(0.05);
	}
	release_kernel(scale);
	must(clReleaseProgram(program), "clReleaseProgram");
}

/* A program is built once, and a second time from the binary of the first, as a cache has it. */
void corpus_clean_binaries(struct corpus *corpus)
{
	cl_program built = corpus_program(corpus->context, source), loaded;
	cl_int status, loading;
	unsigned char *binary;
	cl_kernel scale;
	float by = 0.5f;
	size_t bytes;

	must(clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof(bytes), &bytes, NULL),
	     "clGetProgramInfo");
	binary = malloc(bytes);
	must(clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL),
	     "clGetProgramInfo");
	must(clReleaseProgram(built), "clReleaseProgram");
	loaded = clCreateProgramWithBinary(corpus->context, 1, &corpus->device, &bytes,
					   (const unsigned char **)&binary, &loading, &status);
	must(status, "clCreateProgramWithBinary");
	must(loading, "clCreateProgramWithBinary");
	must(clBuildProgram(loaded, 1, &corpus->device, "", NULL, NULL), "clBuildProgram");
	free(binary);
	scale = kernel_of(loaded, "scale");
	memory_argument(scale, 0, corpus->buffer);
	argument(scale, 1, sizeof(by), &by);
	for (int i = 0; i < 200; i++) {
		corpus_work(corpus, 100, 0, NULL, NULL);
		launch(corpus->queue, scale, corpus_items, 64);
	}
	corpus_finish(corpus);
	release_kernel(scale);
	must(clReleaseProgram(loaded), "clReleaseProgram");
}

static void *send_requests(void *argument)
{
	const int *pipes = argument;

	for (int i = 0; i < 80; i++) {
		host_sleep(4);
		if (write(pipes[1], &i, sizeof(i)) != sizeof(i))
			must(-1, "write");
	}
	close(pipes[1]);
	return NULL;
}

/* A server: requests come now and then, and each one is answered when it is there. */
void corpus_clean_requests(struct corpus *corpus)
{
	static float answer[1024];
	pthread_t client;
	int pipes[2], request;

	if (pipe(pipes) || pthread_create(&client, NULL, send_requests, pipes))
		must(-1, "pthread_create");
	while (read(pipes[0], &request, sizeof(request)) == sizeof(request)) {
		answer[0] = (float)request;
		corpus_write(corpus, corpus->buffer, CL_FALSE, 0, sizeof(answer), answer);
		for (int i = 0; i < 4; i++)
			corpus_work(corpus, 50, 0, NULL, NULL);
		corpus_read(corpus, corpus->buffer, CL_TRUE, 0, sizeof(answer), answer);
	}
	pthread_join(client, NULL);
	close(pipes[0]);
}

/* Which size of work-group is the fastest is measured first. */
void corpus_clean_tune(struct corpus *corpus)
{
	cl_command_queue queue = another_queue(corpus, CL_QUEUE_PROFILING_ENABLE);
	cl_ulong least = ~(cl_ulong)0;
	size_t best = 64, items = corpus_items;

	int_argument(corpus->kernel, 1, 40);
	for (size_t local = 32; local <= 256; local *= 2) {
		cl_ulong begin, end;
		cl_event event;

		must(clEnqueueNDRangeKernel(queue, corpus->kernel, 1, NULL, &items, &local, 0, NULL,
					    &event),
		     "clEnqueueNDRangeKernel");
		must(clWaitForEvents(1, &event), "clWaitForEvents");
		must(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(begin),
					     &begin, NULL),
		     "clGetEventProfilingInfo");
		must(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end,
					     NULL),
		     "clGetEventProfilingInfo");
		release_event(&event);
		if (end - begin < least) {
			least = end - begin;
			best = local;
		}
	}
	for (int i = 0; i < 1000; i++)
		launch(queue, corpus->kernel, corpus_items, best);
	must(clFinish(queue), "clFinish");
	must(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
}

/* Each phase of a computation has memory of its own, and uses it for long. */
void corpus_clean_phases(struct corpus *corpus)
{
	for (size_t i = 0; i < 12; i++) {
		cl_mem own = corpus_buffer(corpus, (1 + i % 4) << 20);

		memory_argument(corpus->kernel, 0, own);
		for (int j = 0; j < 100; j++)
			corpus_work(corpus, 30, 0, NULL, NULL);
		corpus_finish(corpus);
		release_memory(own);
	}
}
