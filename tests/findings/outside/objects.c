/* SPDX-License-Identifier: MIT */
/* Launches of odd shapes, and objects that are made too often or never released. */
#include "outside.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { field_items = 128 * KIB };

/* After the first phase some of the points are gone; how many are left happens to be a prime. */
void outside_compacted_prime(struct outside *outside)
{
	enum { left = 65521 };
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_kernel sharpen = kernel_of(outside->program, "sharpen");
	cl_mem points = memory_of(outside, field_items * sizeof(float));
	cl_mem other = memory_of(outside, field_items * sizeof(float));
	size_t items = outside->repaired ? (left + 255) / 256 * 256 : left;

	set(sharpen, "mmf", points, other, 0.5);
	for (int i = 0; i < 800; i++)
		run(outside->queue, sharpen, field_items, 0);
	set(advance, "mii", other, 1, left);
	for (int i = 0; i < 1200; i++)
		run(outside->queue, advance, items, 0);
	finish(outside->queue);
	free_memory(points);
	free_memory(other);
	free_kernel(advance);
	free_kernel(sharpen);
}

/* Groups of 15 for a stencil, from a machine where that was the best; another kernel has 64. */
void outside_odd_local(struct outside *outside)
{
	enum { width = 960, height = 540 };
	cl_kernel smear = kernel_of(outside->program, "smear");
	cl_kernel sharpen = kernel_of(outside->program, "sharpen");
	cl_mem image[2];

	for (int i = 0; i < 2; i++)
		image[i] = memory_of(outside, width * height * sizeof(float));
	for (int i = 0; i < 180; i++) {
		set(sharpen, "mmf", image[0], image[1], 0.5);
		run(outside->queue, sharpen, width * height, 64);
		for (int j = 0; j < 2; j++) {
			set(smear, "mmi", image[!j], image[j], width);
			run_plane(outside->queue, smear, width, height, outside->repaired ? 64 : 5,
				  outside->repaired ? 4 : 3);
		}
		if (i % 10 == 9)
			finish(outside->queue);
	}
	for (int i = 0; i < 2; i++)
		free_memory(image[i]);
	free_kernel(smear);
	free_kernel(sharpen);
}

/* A sum over the whole field by one group, or by 64. */
void outside_last_group(struct outside *outside)
{
	enum { most = 64 * 64 };
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_kernel total = kernel_of(outside->program, "total");
	cl_mem field = memory_of(outside, 4 * field_items * sizeof(float));
	cl_mem sums = memory_of(outside, most * sizeof(float));
	float host[most];

	set(advance, "mii", field, 4, 4 * field_items);
	set(total, "mmi", field, sums, 4 * field_items);
	for (int i = 0; i < 200; i++) {
		run(outside->queue, advance, 4 * field_items, 64);
		for (int j = 0; j < 4; j++) {
			run(outside->queue, total, outside->repaired ? most : 64, 64);
		}
		if (i % 20 == 19)
			get(outside->queue, sums, true, sizeof(host), host);
	}
	finish(outside->queue);
	free_memory(field);
	free_memory(sums);
	free_kernel(advance);
	free_kernel(total);
}

/* A launch for each bin of particles, with the bin's offset. */
void outside_bins_each(struct outside *outside)
{
	enum { bins = 256, each = 64 };
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem particles = memory_of(outside, bins * each * sizeof(float));
	size_t items = outside->repaired ? bins * each : each, local = each;

	set(advance, "mii", particles, 10, bins * each);
	for (int i = 0; i < 200; i++) {
		for (size_t at = 0; at < bins * each; at += items)
			must(clEnqueueNDRangeKernel(outside->queue, advance, 1, &at, &items, &local,
						    0, NULL, NULL),
			     "clEnqueueNDRangeKernel");
		if (i % 10 == 9)
			finish(outside->queue);
	}
	free_memory(particles);
	free_kernel(advance);
}

/* Memory of a function that needs some for a moment. */
struct scratch {
	struct outside *outside;
	cl_mem kept;
	size_t bytes;
};

static cl_mem scratch_begin(struct scratch *scratch, size_t bytes)
{
	if (!scratch->outside->repaired)
		return memory_of(scratch->outside, bytes);
	if (bytes > scratch->bytes) {
		if (scratch->kept)
			free_memory(scratch->kept);
		scratch->kept = memory_of(scratch->outside, scratch->bytes = bytes);
	}
	return scratch->kept;
}

static void scratch_end(struct scratch *scratch, cl_mem memory)
{
	if (memory != scratch->kept)
		free_memory(memory);
}

/* Levels of a pyramid, each in new memory that is used twice. */
void outside_scratch_each(struct outside *outside)
{
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_kernel sharpen = kernel_of(outside->program, "sharpen");
	cl_mem field = memory_of(outside, 40 * MIB);
	struct scratch levels[3] = {
		{.outside = outside}, {.outside = outside}, {.outside = outside}};

	set(advance, "mii", field, 6, field_items);
	for (int i = 0; i < 300; i++)
		run(outside->queue, advance, field_items, 64);
	finish(outside->queue);
	for (int i = 0; i < 10; i++) {
		for (int j = 0; j < 3; j++) {
			size_t bytes = (size_t)(40 - 2 * j) * MIB;
			cl_mem level = scratch_begin(&levels[j], bytes);

			set(sharpen, "mmf", field, level, 0.5);
			run(outside->queue, sharpen, bytes / sizeof(float), 64);
			set(sharpen, "mmf", level, field, 0.25);
			run(outside->queue, sharpen, field_items, 64);
			finish(outside->queue);
			scratch_end(&levels[j], level);
		}
	}
	for (int i = 0; i < 3; i++)
		if (levels[i].kept)
			free_memory(levels[i].kept);
	free_memory(field);
	free_kernel(advance);
	free_kernel(sharpen);
}

/* A cache of tiles, which forgets the oldest; forgotten is not released. */
void outside_cache_leaks(struct outside *outside)
{
	enum { slots = 24, keys = 64, items = 32 * KIB };
	static float data[items];
	struct {
		cl_mem memory;
		int key, used;
	} cache[slots] = {0};
	cl_kernel advance = kernel_of(outside->program, "advance");

	for (int i = 0; i < 2500; i++) {
		int key = i % 3 ? i * 7 % 11 : i * 13 % keys, at = 0;

		for (int j = 0; j < slots && cache[at].key != key; j++)
			if ((cache[j].memory && cache[j].key == key) ||
			    cache[j].used < cache[at].used)
				at = j;
		if (!cache[at].memory || cache[at].key != key) {
			if (cache[at].memory && outside->repaired)
				free_memory(cache[at].memory);
			cache[at].memory = memory_of(outside, sizeof(data));
			cache[at].key = key;
			data[0] = (float)key;
			put(outside->queue, cache[at].memory, true, sizeof(data), data);
		}
		cache[at].used = i + 1;
		set(advance, "mii", cache[at].memory, 6, items);
		run(outside->queue, advance, items, 64);
	}
	finish(outside->queue);
	for (int i = 0; i < slots; i++)
		if (cache[i].memory)
			free_memory(cache[i].memory);
	free_kernel(advance);
}

static void *history_main(void *argument)
{
	enum { most = 32 };
	struct outside *outside = *(struct outside **)argument;
	cl_command_queue queue = queue_of(outside, 0);
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem memory = memory_of(outside, 32 * KIB * sizeof(float));
	cl_event history[most] = {NULL};

	set(advance, "mii", memory, 4, 32 * KIB);
	for (int i = 0; i < 4000; i++) {
		cl_event event;

		run_after(queue, advance, 32 * KIB, 64, 0, NULL, &event);
		if (i % 4) {
			free_event(&event);
			continue;
		}
		if (history[i / 4 % most])
			must(clWaitForEvents(1, &history[i / 4 % most]), "clWaitForEvents");
		free_event(&history[i / 4 % most]);
		must(clRetainEvent(event), "clRetainEvent");
		history[i / 4 % most] = event;
		if (outside->repaired) /* the history has one of its own */
			free_event(&event);
	}
	finish(queue);
	for (int i = 0; i < most; i++)
		free_event(&history[i]);
	free_memory(memory);
	free_kernel(advance);
	free_queue(queue);
	return NULL;
}

/* Two threads keep a history of events, and retain what they own already. */
void outside_history_events(struct outside *outside)
{
	struct outside *both[2] = {outside, outside};

	in_threads(2, history_main, both, sizeof(*both));
}

static const char image_source[] =
	"kernel void soften(read_only image2d_t from, write_only image2d_t to, sampler_t sampler)\n"
	"{\n"
	"	int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
	"	float4 sum = 0;\n"
	"	for (int x = -1; x <= 1; x++)\n"
	"		sum += read_imagef(from, sampler, at + (int2)(x, 0));\n"
	"	write_imagef(to, at, sum / 3);\n"
	"}\n";

/* What a filter needs, made when it is called. */
struct filter {
	cl_kernel kernel;
	cl_sampler sampler;
};

static struct filter filter_begin(struct outside *outside, cl_program program)
{
	struct filter filter = {kernel_of(program, "soften"), NULL};
	cl_int status;

	filter.sampler = clCreateSampler(outside->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE,
					 CL_FILTER_NEAREST, &status);
	must(status, "clCreateSampler");
	return filter;
}

static void filter_end(struct filter *filter)
{
	must(clReleaseSampler(filter->sampler), "clReleaseSampler");
	free_kernel(filter->kernel);
}

/* Six filters over small pictures: kernel and sampler of each live for one of them. */
void outside_filter_objects(struct outside *outside)
{
	enum { side = 4, filters = 6 };
	static const cl_image_format format = {CL_RGBA, CL_FLOAT};
	static const cl_image_desc shape = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = side, .image_height = side};
	cl_program program = program_of(outside, image_source, "");
	struct filter filter = {0};
	cl_mem image[2];
	cl_int status;

	for (int i = 0; i < 2; i++) {
		image[i] = clCreateImage(outside->context, CL_MEM_READ_WRITE, &format, &shape, NULL,
					 &status);
		must(status, "clCreateImage");
	}
	for (int i = 0; i < 6000; i++) {
		for (int j = 0; j < filters; j++) {
			if (!filter.kernel)
				filter = filter_begin(outside, program);
			set(filter.kernel, "mms", image[j % 2], image[!(j % 2)], filter.sampler);
			run_plane(outside->queue, filter.kernel, side, side, side, side);
			if (outside->repaired)
				continue;
			filter_end(&filter);
			filter.kernel = NULL;
		}
		if (i % 8 == 7)
			finish(outside->queue);
	}
	if (outside->repaired)
		filter_end(&filter);
	for (int i = 0; i < 2; i++)
		free_memory(image[i]);
	must(clReleaseProgram(program), "clReleaseProgram");
}

static const char plugin_source[] = "kernel void stage(global float *x, float gain)\n"
				    "{\n"
				    "	size_t i = get_global_id(0);\n"
				    "	float y = x[i];\n"
				    "	for (int j = 0; j < 50; j++)\n"
				    "		y = y * gain + 0.01f;\n"
				    "	x[i] = y;\n"
				    "}\n";

static cl_program shared_program;
static struct outside *plugin_host;

static void shared_build(void)
{
	shared_program = program_of(plugin_host, plugin_source, "");
}

static void *plugin_main(void *argument)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct outside *outside = *(struct outside **)argument;
	cl_command_queue queue = queue_of(outside, 0);
	cl_mem memory = memory_of(outside, 16 * KIB * sizeof(float));

	for (int i = 0; i < 8; i++) {
		cl_program program = shared_program;
		cl_kernel stage;

		if (outside->repaired) {
			pthread_once(&once, shared_build);
			program = shared_program;
		} else {
			program = program_of(outside, plugin_source, "");
		}
		stage = kernel_of(program, "stage");
		set(stage, "mf", memory, 0.9 - 0.05 * i);
		for (int j = 0; j < 12; j++)
			run(queue, stage, 16 * KIB, 64);
		finish(queue);
		free_kernel(stage);
		if (!outside->repaired)
			must(clReleaseProgram(program), "clReleaseProgram");
	}
	free_memory(memory);
	free_queue(queue);
	return NULL;
}

/* Three plugins of eight stages: each stage builds the program for itself. */
void outside_plugin_builds(struct outside *outside)
{
	struct outside *each[3] = {outside, outside, outside};

	plugin_host = outside;
	in_threads(3, plugin_main, each, sizeof(*each));
	if (shared_program)
		must(clReleaseProgram(shared_program), "clReleaseProgram");
}

/* A large program, with a stamp of the time among its options: no cache ever knows it. */
void outside_build_stamp(struct outside *outside)
{
	enum { kernels = 220, most = 700 };
	static char text[kernels * most];
	size_t length = 0;
	struct timespec now;
	char options[64];
	cl_program program;
	cl_kernel kernel;
	cl_mem memory = memory_of(outside, field_items * sizeof(float));

	for (int i = 0; i < kernels; i++)
		length += (size_t)snprintf(
			text + length, most,
			"kernel void form%d(global float *x, float by, int n)\n{\n"
			"	size_t i = get_global_id(0);\n"
			"	float4 a = (float4)(x[i], by, %d, n);\n"
			"	for (int j = 0; j < n; j++) {\n"
			"		a = mix(a.wxyz, clamp(a, 0.0f, %d.5f), by);\n"
			"		a.x = native_sin(a.y) + fmin(a.z, pow(a.w, 0.5f));\n"
			"	}\n"
			"	x[i] = dot(a, a.yzwx) + STAMP %% 2;\n}\n",
			i, i, i);
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(options, sizeof(options), "-D STAMP=%ldL",
		 outside->repaired ? 1700000000L : (long)now.tv_sec * 1000 + now.tv_nsec / 1000000);
	program = program_of(outside, text, options);
	kernel = kernel_of(program, "form7");
	set(kernel, "mfi", memory, 0.5, 1);
	for (int i = 0; i < 40; i++)
		run(outside->queue, kernel, 16 * KIB, 64);
	finish(outside->queue);
	free_memory(memory);
	free_kernel(kernel);
	must(clReleaseProgram(program), "clReleaseProgram");
}

/* A parameter that changes with each step is a macro; or it is an argument. */
void outside_options_each(struct outside *outside)
{
	static const char fixed[] = "kernel void gain(global float *x)\n"
				    "{\n"
				    "	x[get_global_id(0)] *= GAIN;\n"
				    "}\n";
	static const char given[] = "kernel void gain(global float *x, float by)\n"
				    "{\n"
				    "	x[get_global_id(0)] *= by;\n"
				    "}\n";
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem field = memory_of(outside, field_items * sizeof(float));
	cl_program program = NULL;

	set(advance, "mii", field, 4, field_items);
	for (int i = 0; i < 20; i++) {
		char options[32] = "";
		cl_kernel gain;

		if (!outside->repaired)
			snprintf(options, sizeof(options), "-D GAIN=0.%02df", 50 + i);
		if (!program)
			program = program_of(outside, outside->repaired ? given : fixed, options);
		gain = kernel_of(program, "gain");
		set(gain, outside->repaired ? "mf" : "m", field, 0.5 + 0.01 * i);
		for (int j = 0; j < 30; j++)
			run(outside->queue, advance, field_items, 64);
		run(outside->queue, gain, field_items, 64);
		finish(outside->queue);
		free_kernel(gain);
		if (outside->repaired && i < 19)
			continue;
		must(clReleaseProgram(program), "clReleaseProgram");
		program = NULL;
	}
	free_memory(field);
	free_kernel(advance);
}

/* The second half of a table is written behind the end of its buffer; nobody looks at what the
 * call returns. */
void outside_lost_errors(struct outside *outside)
{
	enum { items = 4 * KIB };
	static float table[2 * items];
	cl_kernel advance = kernel_of(outside->program, "advance");
	cl_mem memory = memory_of(outside, sizeof(table));
	size_t offset = outside->repaired ? items * sizeof(float) : items * sizeof(float) * 2;

	set(advance, "mii", memory, 40, 2 * items);
	for (int i = 0; i < 250; i++) {
		table[i] = (float)i;
		clEnqueueWriteBuffer(outside->queue, memory, CL_FALSE, 0, sizeof(table) / 2, table,
				     0, NULL, NULL);
		clEnqueueWriteBuffer(outside->queue, memory, CL_FALSE, offset, sizeof(table) / 2,
				     table + items, 0, NULL, NULL);
		for (int j = 0; j < 4; j++)
			run(outside->queue, advance, 2 * items, 64);
		finish(outside->queue);
	}
	free_memory(memory);
	free_kernel(advance);
}
