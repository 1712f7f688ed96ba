/* SPDX-License-Identifier: MIT */
/* Faults around programs: what is built, how often, and what is asked of it. */
#include "colloquia.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* scene_build: a scene's shader is built when the scene comes up, and by then the device has drawn all
 * of the scene before. */
enum { SCENES = 16, DRAWS = 22 };

static cl_program scene_program(const struct app *app, int number)
{
	char source[512];

	snprintf(source, sizeof(source),
		 "kernel void draw_scene(global float *v, int n)\n"
		 "{\n"
		 "	size_t i = get_global_id(0);\n"
		 "	float a = v[i];\n"
		 "	for (int k = 0; k < n; k++)\n"
		 "		a = a * 0.875f + %d.125f;\n"
		 "	v[i] = a;\n"
		 "}\n",
		 number);
	return program_new(app, source, "");
}

void colloquium_scene_build(struct app *app)
{
	cl_mem canvas = filled(app, 2 * MIB, 1);
	cl_program program = scene_program(app, 0), next = NULL;
	float some[16];

	for (int n = 0; n < SCENES; n++) {
		cl_kernel draw = kernel_new(program, "draw_scene");

		args(draw, "bi", canvas, 16);
		for (int k = 0; k < DRAWS; k++)
			run(app->queue, draw, MIB / 2, 0);
		flush(app->queue);
		if (app->repaired && n + 1 < SCENES)
			next = scene_program(app, n + 1);
		finish(app->queue);
		DROP(draw);
		DROP(program);
		if (!app->repaired && n + 1 < SCENES)
			next = scene_program(app, n + 1);
		program = next;
	}
	read_now(app->queue, canvas, sizeof(some), some);
	answer(total(some, 16));
	DROP(canvas);
}

/* shader_pack: a pack has 20 materials, and all are built at start; the scene shows three. */
enum { MATERIALS = 20, SHOWN = 3, VIEWS = 160 };

static cl_program material_new(const struct app *app, int number)
{
	char source[768];

	snprintf(source, sizeof(source),
		 "constant float shine_%d = %d.5f;\n"
		 "kernel void material_%d(global float *v, int n)\n"
		 "{\n"
		 "	size_t i = get_global_id(0);\n"
		 "	float a = v[i];\n"
		 "	for (int k = 0; k < n + %d; k++)\n"
		 "		a = a * 0.%d5f + shine_%d * 0.01f;\n"
		 "	v[i] = a;\n"
		 "}\n",
		 number, number, number, number % 3, 1 + number % 8, number);
	return program_new(app, source, "");
}

void colloquium_shader_pack(struct app *app)
{
	cl_program programs[MATERIALS] = {NULL};
	cl_kernel kernels[SHOWN];
	cl_mem view = filled(app, MIB, 3);
	float some[16];

	for (int i = 0; i < (app->repaired ? SHOWN : MATERIALS); i++)
		programs[i] = material_new(app, i);
	for (int i = 0; i < SHOWN; i++) {
		char name[32];

		snprintf(name, sizeof(name), "material_%d", i);
		kernels[i] = kernel_new(programs[i], name);
		args(kernels[i], "bi", view, 12);
	}
	for (int n = 0; n < VIEWS; n++) {
		for (int i = 0; i < SHOWN; i++)
			run(app->queue, kernels[i], MIB / 4, 0);
		if (n % 8 == 7)
			finish(app->queue);
	}
	read_now(app->queue, view, sizeof(some), some);
	answer(total(some, 16));
	for (int i = 0; i < SHOWN; i++)
		DROP(kernels[i]);
	for (int i = 0; i < MATERIALS; i++)
		if (programs[i])
			DROP(programs[i]);
	DROP(view);
}

/* infer_cache: built programs are kept by a key, which holds the request's number as well as the
 * batch's shape. */
enum { REQUESTS = 30, SHAPES = 3, LAYERS = 10 };

struct kept {
	unsigned key;
	cl_program program;
	cl_kernel kernel;
};

static unsigned request_key(const struct app *app, int number)
{
	unsigned shape = (unsigned)(number % SHAPES);

	return app->repaired ? shape : shape | (unsigned)number << 8;
}

static cl_kernel request_kernel(const struct app *app, struct kept *kept, int number)
{
	unsigned key = request_key(app, number);
	struct kept *at = kept;

	while (at->program && at->key != key)
		at++;
	if (!at->program) {
		char options[32];

		snprintf(options, sizeof(options), "-DSHAPE=%d", number % SHAPES + 1);
		at->key = key;
		at->program = program_new(app,
					  "kernel void infer(global float *v, int n)\n"
					  "{\n"
					  "	size_t i = get_global_id(0);\n"
					  "	float a = v[i];\n"
					  "	for (int k = 0; k < n; k++)\n"
					  "		a = a * 0.5f + SHAPE;\n"
					  "	v[i] = a;\n"
					  "}\n",
					  options);
		at->kernel = kernel_new(at->program, "infer");
	}
	return at->kernel;
}

void colloquium_infer_cache(struct app *app)
{
	static struct kept kept[REQUESTS + 1];
	cl_mem batch = filled(app, MIB, 2);
	float some[16];
	double sum = 0;

	for (int n = 0; n < REQUESTS; n++) {
		cl_kernel infer = request_kernel(app, kept, n);

		args(infer, "bi", batch, 8);
		for (int k = 0; k < LAYERS; k++)
			run(app->queue, infer, MIB / 4, 0);
		read_now(app->queue, batch, sizeof(some), some);
		sum += total(some, 16);
	}
	answer(sum);
	for (struct kept *at = kept; at->program; at++) {
		DROP(at->kernel);
		DROP(at->program);
	}
	DROP(batch);
}
