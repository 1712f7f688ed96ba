/* SPDX-License-Identifier: MIT */
/* Builds that are too many, too large or too late. */
#include "exams.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char shape_source[] = "#ifndef WIDTH\n#define WIDTH 1\n#endif\n" STIR(
	"stir_row") "kernel void conv(global float *v)\n"
		    "{\n"
		    "	int i = get_global_id(0), row = i / WIDTH * WIDTH;\n"
		    "	float sum = 0;\n"
		    "	for (int k = 0; k < WIDTH; k++)\n"
		    "		sum = fmax(sum, fabs(v[i] - (float)(row + k) * 0.001f));\n"
		    "	v[i] = sum;\n"
		    "}\n";

struct shapes {
	const char *options[32];
	cl_program program[32];
	int count;
	bool compares;
};

static cl_program shapes_get(struct shapes *shapes, struct app *app, const char *options)
{
	for (int i = 0; i < shapes->count; i++)
		if (shapes->compares ? !strcmp(shapes->options[i], options)
				     : shapes->options[i] == options)
			return shapes->program[i];

	int at = shapes->count++;

	shapes->options[at] = strdup(options);
	return shapes->program[at] = program_new(app, shape_source, options);
}

/* A runtime keeps the programs that it has built for shapes of tensors. It looks for a shape's
 * options by where their text lies, not by the text, and so never finds them. Repaired, it
 * compares the text. */
void exam_shape_cache(struct app *app)
{
	enum { items = 48 * KIB, bytes = items * sizeof(float), requests = 12, layers = 6 };
	struct shapes shapes = {.compares = app->repaired};
	cl_mem tensor = buffer_new(app, bytes);
	float *data = memory(bytes);
	double sum = 0;

	for (int i = 0; i < requests; i++) {
		char options[32];

		snprintf(options, sizeof(options), "-DWIDTH=%d", 3 + i % 3);

		cl_program program = shapes_get(&shapes, app, options);
		cl_kernel stir = kernel_new(program, "stir_row"),
			  conv = kernel_new(program, "conv");

		refill(data, items, i);
		put_now(app->queue, tensor, bytes, data);
		args(stir, "bi", tensor, 8);
		args(conv, "b", tensor);
		for (int j = 0; j < layers; j++) {
			run(app->queue, conv, items, 64);
			run(app->queue, stir, items, 64);
		}
		get(app->queue, tensor, bytes, data);
		sum += total(data, items);
		DROP(stir);
		DROP(conv);
	}
	answer(sum);
	for (int i = 0; i < shapes.count; i++) {
		DROP(shapes.program[i]);
		free((void *)shapes.options[i]);
	}
	DROP(tensor);
	free(data);
}

struct session {
	struct app *app;
	cl_program shared;
	int worker;
	double sum;
};

static void *sessions_run(void *pointer)
{
	enum { items = 32 * KIB, bytes = items * sizeof(float), sessions = 6, frames = 12 };
	struct session *s = pointer;
	cl_command_queue queue = queue_new(s->app, 0);
	cl_mem work = buffer_new(s->app, bytes);
	float *data = memory(bytes);

	for (int i = 0; i < sessions; i++) {
		cl_program program = s->shared;

		if (!program)
			program = program_new(s->app, STIR("grade"), "");

		cl_kernel grade = kernel_new(program, "grade");

		args(grade, "bi", work, 12);
		for (int j = 0; j < frames; j++) {
			refill(data, items, (i * frames + j) * 2 + s->worker);
			put(queue, work, bytes, data);
			run(queue, grade, items, 64);
			get(queue, work, bytes, data);
			s->sum += (double)data[j];
		}
		DROP(grade);
		if (!s->shared)
			DROP(program);
	}
	DROP(queue);
	DROP(work);
	free(data);
	return NULL;
}

/* A server whose two workers build the program for each session that they serve; repaired, it is
 * built before they start. */
void exam_worker_programs(struct app *app)
{
	cl_program program = app->repaired ? program_new(app, STIR("grade"), "") : NULL;
	struct session sessions[2] = {{app, program, 0, 0}, {app, program, 1, 0}};

	threads_run(2, sessions_run, sessions, sizeof(*sessions));
	answer(sessions[0].sum + sessions[1].sum);
	if (program)
		DROP(program);
}

/* A library's source of as many kernels as it has. */
static char *library_new(int count)
{
	enum { most = 1024 };
	char *source = memory((size_t)count * most), *at = source;

	for (int i = 0; i < count; i++)
		at += snprintf(at, most,
			       "kernel void blas%d(global float *v, int n)\n"
			       "{\n"
			       "	int i = get_global_id(0);\n"
			       "	float4 a = (float4)(v[i], i, n, %d);\n"
			       "	for (int k = 0; k < n; k++) {\n"
			       "		a = a * 0.5f + a.yzwx * 0.25f;\n"
			       "		a += native_sin(a.wxyz) * 0.125f;\n"
			       "		if (a.x > %d)\n"
			       "			a = rsqrt(fabs(a) + 1);\n"
			       "	}\n"
			       "	v[i] = a.x + a.y;\n"
			       "}\n",
			       i, i + 3, i + 20);
	return source;
}

/* A program takes two kernels of a library, and builds all 36 of its source; repaired, it builds
 * these two. */
void exam_unused_kernels(struct app *app)
{
	enum { items = 16 * KIB, bytes = items * sizeof(float), steps = 30 };
	char *source = library_new(app->repaired ? 2 : 36);
	cl_program program = program_new(app, source, "");
	cl_kernel kernel[2] = {kernel_new(program, "blas0"), kernel_new(program, "blas1")};
	cl_mem vector = buffer_new(app, bytes);
	float *data = floats(items, 10);

	put_now(app->queue, vector, bytes, data);
	for (int i = 0; i < steps; i++) {
		args(kernel[i % 2], "bi", vector, 20);
		run(app->queue, kernel[i % 2], items, 64);
	}
	get(app->queue, vector, bytes, data);
	answer(total(data, items));
	DROP(kernel[0]);
	DROP(kernel[1]);
	DROP(program);
	DROP(vector);
	free(data);
	free(source);
}

static const char layer_source[] = "#ifdef DEPTH\n"
				   "kernel void layer(global float *v, int depth)\n"
				   "{\n"
				   "	depth = DEPTH;\n"
				   "#else\n"
				   "kernel void layer(global float *v, int depth)\n"
				   "{\n"
				   "#endif\n"
				   "	size_t i = get_global_id(0);\n"
				   "	uint s = as_uint(v[i]) + (uint)i;\n"
				   "	for (int k = 0; k < depth; k++)\n"
				   "		s = (s ^ (s >> 13)) * 0x5bd1e995u + 1u;\n"
				   "	v[i] = (float)(s >> 9) * (1.0f / 8388608);\n"
				   "}\n";

/* A net of eight layers, each with a depth of its own, which is an option of its build, for the
 * compiler to unroll. Repaired, it is an argument, and one build does. */
void exam_layer_variants(struct app *app)
{
	enum { items = 16 * KIB, bytes = items * sizeof(float), layers = 8, samples = 30 };
	cl_program program[layers];
	cl_kernel kernel[layers];
	cl_mem tensor = buffer_new(app, bytes);
	float *data = memory(bytes);
	double sum = 0;

	for (int i = 0; i < layers; i++) {
		char options[32] = "";

		if (!app->repaired)
			snprintf(options, sizeof(options), "-DDEPTH=%d", 20 + 4 * i);
		if (app->repaired && i) {
			program[i] = program[0];
			TRY(clRetainProgram(program[i]));
		} else {
			program[i] = program_new(app, layer_source, options);
		}
		kernel[i] = kernel_new(program[i], "layer");
		args(kernel[i], "bi", tensor, 20 + 4 * i);
	}
	for (int i = 0; i < samples; i++) {
		refill(data, items, i);
		put_now(app->queue, tensor, bytes, data);
		for (int j = 0; j < layers; j++)
			run(app->queue, kernel[j], items, 64);
		get(app->queue, tensor, 4 * KIB, data);
		sum += total(data, KIB);
	}
	answer(sum);
	for (int i = 0; i < layers; i++) {
		DROP(kernel[i]);
		DROP(program[i]);
	}
	DROP(tensor);
	free(data);
}

static const char *const handler_source[4] = {STIR("resize"), STIR("turn_picture"), STIR("sepia"),
					      STIR("sketch")};
static const char *const handler_name[4] = {"resize", "turn_picture", "sepia", "sketch"};

static const char all_handlers[] = STIR("resize") STIR("turn_picture") STIR("sepia") STIR("sketch");

/* A picture server, which builds what a kind of request needs when the first of that kind comes.
 * Repaired, one program of all kinds is built at the start. */
void exam_lazy_handlers(struct app *app)
{
	enum { items = 64 * KIB, bytes = items * sizeof(float), requests = 100 };
	cl_program all = app->repaired ? program_new(app, all_handlers, "") : NULL;
	cl_mem picture = buffer_new(app, bytes);
	cl_kernel handler[4] = {NULL};
	float *data = memory(bytes);
	double sum = 0;

	for (int i = 0; i < requests; i++) {
		int kind = i * 4 / requests * (i % 2);

		if (!handler[kind])
			handler[kind] =
				all ? kernel_new(all, handler_name[kind])
				    : kernel_of(app, handler_source[kind], handler_name[kind]);
		refill(data, items, i);
		put(app->queue, picture, bytes, data);
		args(handler[kind], "bi", picture, 12 + kind);
		run(app->queue, handler[kind], items, 64);
		get(app->queue, picture, bytes, data);
		sum += total(data, KIB);
	}
	answer(sum);
	for (int i = 0; i < 4; i++)
		DROP(handler[i]);
	if (all)
		DROP(all);
	DROP(picture);
	free(data);
}
