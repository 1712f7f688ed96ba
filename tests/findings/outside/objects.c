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
void outside_compacted_prime(struct app *app)
{
	enum { left = 65521 };
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_kernel sharpen = kernel_new(app->program, "sharpen");
	cl_mem points = buffer_new(app, field_items * sizeof(float));
	cl_mem other = buffer_new(app, field_items * sizeof(float));
	size_t items = app->repaired ? (left + 255) / 256 * 256 : left;

	args(sharpen, "bbf", points, other, 0.5);
	for (int i = 0; i < 800; i++)
		run(app->queue, sharpen, field_items, 0);
	args(advance, "bii", other, 1, left);
	for (int i = 0; i < 1200; i++)
		run(app->queue, advance, items, 0);
	finish(app->queue);
	DROP(points);
	DROP(other);
	DROP(advance);
	DROP(sharpen);
}

/* Groups of 15 for a stencil, from a machine where that was the best; another kernel has 64. */
void outside_odd_local(struct app *app)
{
	enum { width = 960, height = 540 };
	cl_kernel smear = kernel_new(app->program, "smear");
	cl_kernel sharpen = kernel_new(app->program, "sharpen");
	cl_mem image[2];

	for (int i = 0; i < 2; i++)
		image[i] = buffer_new(app, width * height * sizeof(float));
	for (int i = 0; i < 180; i++) {
		args(sharpen, "bbf", image[0], image[1], 0.5);
		run(app->queue, sharpen, width * height, 64);
		for (int j = 0; j < 2; j++) {
			args(smear, "bbi", image[!j], image[j], width);
			run_plane(app->queue, smear, width, height, app->repaired ? 64 : 5,
				  app->repaired ? 4 : 3);
		}
		if (i % 10 == 9)
			finish(app->queue);
	}
	for (int i = 0; i < 2; i++)
		DROP(image[i]);
	DROP(smear);
	DROP(sharpen);
}

/* A sum over the whole field by one group, or by 64. */
void outside_last_group(struct app *app)
{
	enum { most = 64 * 64 };
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_kernel total = kernel_new(app->program, "total");
	cl_mem field = buffer_new(app, 4 * field_items * sizeof(float));
	cl_mem sums = buffer_new(app, most * sizeof(float));
	float host[most];

	args(advance, "bii", field, 4, 4 * field_items);
	args(total, "bbi", field, sums, 4 * field_items);
	for (int i = 0; i < 200; i++) {
		run(app->queue, advance, 4 * field_items, 64);
		for (int j = 0; j < 4; j++) {
			run(app->queue, total, app->repaired ? most : 64, 64);
		}
		if (i % 20 == 19)
			get(app->queue, sums, sizeof(host), host);
	}
	finish(app->queue);
	DROP(field);
	DROP(sums);
	DROP(advance);
	DROP(total);
}

/* A launch for each bin of particles, with the bin's offset. */
void outside_bins_each(struct app *app)
{
	enum { bins = 256, each = 64 };
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem particles = buffer_new(app, bins * each * sizeof(float));
	size_t items = app->repaired ? bins * each : each, local = each;

	args(advance, "bii", particles, 10, bins * each);
	for (int i = 0; i < 200; i++) {
		for (size_t at = 0; at < bins * each; at += items)
			TRY(clEnqueueNDRangeKernel(app->queue, advance, 1, &at, &items, &local, 0,
						   NULL, NULL));
		if (i % 10 == 9)
			finish(app->queue);
	}
	DROP(particles);
	DROP(advance);
}

/* Memory of a function that needs some for a moment. */
struct scratch {
	struct app *app;
	cl_mem kept;
	size_t bytes;
};

static cl_mem scratch_begin(struct scratch *scratch, size_t bytes)
{
	if (!scratch->app->repaired)
		return buffer_new(scratch->app, bytes);
	if (bytes > scratch->bytes) {
		if (scratch->kept)
			DROP(scratch->kept);
		scratch->kept = buffer_new(scratch->app, scratch->bytes = bytes);
	}
	return scratch->kept;
}

static void scratch_end(struct scratch *scratch, cl_mem memory)
{
	if (memory != scratch->kept)
		DROP(memory);
}

/* Levels of a pyramid, each in new memory that is used twice. */
void outside_scratch_each(struct app *app)
{
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_kernel sharpen = kernel_new(app->program, "sharpen");
	cl_mem field = buffer_new(app, 40 * MIB);
	struct scratch levels[3] = {{.app = app}, {.app = app}, {.app = app}};

	args(advance, "bii", field, 6, field_items);
	for (int i = 0; i < 300; i++)
		run(app->queue, advance, field_items, 64);
	finish(app->queue);
	for (int i = 0; i < 10; i++) {
		for (int j = 0; j < 3; j++) {
			size_t bytes = (size_t)(40 - 2 * j) * MIB;
			cl_mem level = scratch_begin(&levels[j], bytes);

			args(sharpen, "bbf", field, level, 0.5);
			run(app->queue, sharpen, bytes / sizeof(float), 64);
			args(sharpen, "bbf", level, field, 0.25);
			run(app->queue, sharpen, field_items, 64);
			finish(app->queue);
			scratch_end(&levels[j], level);
		}
	}
	for (int i = 0; i < 3; i++)
		if (levels[i].kept)
			DROP(levels[i].kept);
	DROP(field);
	DROP(advance);
	DROP(sharpen);
}

/* A cache of tiles, which forgets the oldest; forgotten is not released. */
void outside_cache_leaks(struct app *app)
{
	enum { slots = 24, keys = 64, items = 32 * KIB };
	static float data[items];
	struct {
		cl_mem memory;
		int key, used;
	} cache[slots] = {0};
	cl_kernel advance = kernel_new(app->program, "advance");

	for (int i = 0; i < 2500; i++) {
		int key = i % 3 ? i * 7 % 11 : i * 13 % keys, at = 0;

		for (int j = 0; j < slots && cache[at].key != key; j++)
			if ((cache[j].memory && cache[j].key == key) ||
			    cache[j].used < cache[at].used)
				at = j;
		if (!cache[at].memory || cache[at].key != key) {
			if (cache[at].memory && app->repaired)
				DROP(cache[at].memory);
			cache[at].memory = buffer_new(app, sizeof(data));
			cache[at].key = key;
			data[0] = (float)key;
			put_now(app->queue, cache[at].memory, sizeof(data), data);
		}
		cache[at].used = i + 1;
		args(advance, "bii", cache[at].memory, 6, items);
		run(app->queue, advance, items, 64);
	}
	finish(app->queue);
	for (int i = 0; i < slots; i++)
		if (cache[i].memory)
			DROP(cache[i].memory);
	DROP(advance);
}

static void *history_main(void *argument)
{
	enum { most = 32 };
	struct app *app = *(struct app **)argument;
	cl_command_queue queue = queue_new(app, 0);
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem memory = buffer_new(app, 32 * KIB * sizeof(float));
	cl_event history[most] = {NULL};

	args(advance, "bii", memory, 4, 32 * KIB);
	for (int i = 0; i < 4000; i++) {
		cl_event event;

		event = run_after(queue, advance, 32 * KIB, 64, 0, NULL);
		if (i % 4) {
			free_event(&event);
			continue;
		}
		if (history[i / 4 % most])
			TRY(clWaitForEvents(1, &history[i / 4 % most]));
		free_event(&history[i / 4 % most]);
		TRY(clRetainEvent(event));
		history[i / 4 % most] = event;
		if (app->repaired) /* the history has one of its own */
			free_event(&event);
	}
	finish(queue);
	for (int i = 0; i < most; i++)
		free_event(&history[i]);
	DROP(memory);
	DROP(advance);
	DROP(queue);
	return NULL;
}

/* Two threads keep a history of events, and retain what they own already. */
void outside_history_events(struct app *app)
{
	struct app *both[2] = {app, app};

	threads_run(2, history_main, both, sizeof(*both));
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

static struct filter filter_begin(struct app *app, cl_program program)
{
	struct filter filter = {kernel_new(program, "soften"), NULL};
	cl_int status;

	filter.sampler = clCreateSampler(app->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE,
					 CL_FILTER_NEAREST, &status);
	must(status, "clCreateSampler");
	return filter;
}

static void filter_end(struct filter *filter)
{
	TRY(clReleaseSampler(filter->sampler));
	DROP(filter->kernel);
}

/* Six filters over small pictures: kernel and sampler of each live for one of them. */
void outside_filter_objects(struct app *app)
{
	enum { side = 4, filters = 6 };
	static const cl_image_format format = {CL_RGBA, CL_FLOAT};
	static const cl_image_desc shape = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = side, .image_height = side};
	cl_program program = program_new(app, image_source, "");
	struct filter filter = {0};
	cl_mem image[2];
	cl_int status;

	for (int i = 0; i < 2; i++) {
		image[i] = clCreateImage(app->context, CL_MEM_READ_WRITE, &format, &shape, NULL,
					 &status);
		must(status, "clCreateImage");
	}
	for (int i = 0; i < 6000; i++) {
		for (int j = 0; j < filters; j++) {
			if (!filter.kernel)
				filter = filter_begin(app, program);
			args(filter.kernel, "bbs", image[j % 2], image[!(j % 2)], filter.sampler);
			run_plane(app->queue, filter.kernel, side, side, side, side);
			if (app->repaired)
				continue;
			filter_end(&filter);
			filter.kernel = NULL;
		}
		if (i % 8 == 7)
			finish(app->queue);
	}
	if (app->repaired)
		filter_end(&filter);
	for (int i = 0; i < 2; i++)
		DROP(image[i]);
	DROP(program);
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
static struct app *plugin_host;

static void shared_build(void)
{
	shared_program = program_new(plugin_host, plugin_source, "");
}

static void *plugin_main(void *argument)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct app *app = *(struct app **)argument;
	cl_command_queue queue = queue_new(app, 0);
	cl_mem memory = buffer_new(app, 16 * KIB * sizeof(float));

	for (int i = 0; i < 8; i++) {
		cl_program program = shared_program;
		cl_kernel stage;

		if (app->repaired) {
			pthread_once(&once, shared_build);
			program = shared_program;
		} else {
			program = program_new(app, plugin_source, "");
		}
		stage = kernel_new(program, "stage");
		args(stage, "bf", memory, 0.9 - 0.05 * i);
		for (int j = 0; j < 12; j++)
			run(queue, stage, 16 * KIB, 64);
		finish(queue);
		DROP(stage);
		if (!app->repaired)
			DROP(program);
	}
	DROP(memory);
	DROP(queue);
	return NULL;
}

/* Three plugins of eight stages: each stage builds the program for itself. */
void outside_plugin_builds(struct app *app)
{
	struct app *each[3] = {app, app, app};

	plugin_host = app;
	threads_run(3, plugin_main, each, sizeof(*each));
	if (shared_program)
		DROP(shared_program);
}

/* A large program, with a stamp of the time among its options: no cache ever knows it. */
void outside_build_stamp(struct app *app)
{
	enum { kernels = 220, most = 700 };
	static char text[kernels * most];
	size_t length = 0;
	struct timespec now;
	char options[64];
	cl_program program;
	cl_kernel kernel;
	cl_mem memory = buffer_new(app, field_items * sizeof(float));

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
		 app->repaired ? 1700000000L : (long)now.tv_sec * 1000 + now.tv_nsec / 1000000);
	program = program_new(app, text, options);
	kernel = kernel_new(program, "form7");
	args(kernel, "bfi", memory, 0.5, 1);
	for (int i = 0; i < 40; i++)
		run(app->queue, kernel, 16 * KIB, 64);
	finish(app->queue);
	DROP(memory);
	DROP(kernel);
	DROP(program);
}

/* A parameter that changes with each step is a macro; or it is an argument. */
void outside_options_each(struct app *app)
{
	static const char fixed[] = "kernel void gain(global float *x)\n"
				    "{\n"
				    "	x[get_global_id(0)] *= GAIN;\n"
				    "}\n";
	static const char given[] = "kernel void gain(global float *x, float by)\n"
				    "{\n"
				    "	x[get_global_id(0)] *= by;\n"
				    "}\n";
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem field = buffer_new(app, field_items * sizeof(float));
	cl_program program = NULL;

	args(advance, "bii", field, 4, field_items);
	for (int i = 0; i < 20; i++) {
		char options[32] = "";
		cl_kernel gain;

		if (!app->repaired)
			snprintf(options, sizeof(options), "-D GAIN=0.%02df", 50 + i);
		if (!program)
			program = program_new(app, app->repaired ? given : fixed, options);
		gain = kernel_new(program, "gain");
		args(gain, app->repaired ? "bf" : "b", field, 0.5 + 0.01 * i);
		for (int j = 0; j < 30; j++)
			run(app->queue, advance, field_items, 64);
		run(app->queue, gain, field_items, 64);
		finish(app->queue);
		DROP(gain);
		if (app->repaired && i < 19)
			continue;
		DROP(program);
		program = NULL;
	}
	DROP(field);
	DROP(advance);
}

/* The second half of a table is written behind the end of its buffer; nobody looks at what the
 * call returns. */
void outside_lost_errors(struct app *app)
{
	enum { items = 4 * KIB };
	static float table[2 * items];
	cl_kernel advance = kernel_new(app->program, "advance");
	cl_mem memory = buffer_new(app, sizeof(table));
	size_t offset = app->repaired ? items * sizeof(float) : items * sizeof(float) * 2;

	args(advance, "bii", memory, 40, 2 * items);
	for (int i = 0; i < 250; i++) {
		table[i] = (float)i;
		clEnqueueWriteBuffer(app->queue, memory, CL_FALSE, 0, sizeof(table) / 2, table, 0,
				     NULL, NULL);
		clEnqueueWriteBuffer(app->queue, memory, CL_FALSE, offset, sizeof(table) / 2,
				     table + items, 0, NULL, NULL);
		for (int j = 0; j < 4; j++)
			run(app->queue, advance, 2 * items, 64);
		finish(app->queue);
	}
	DROP(memory);
	DROP(advance);
}
