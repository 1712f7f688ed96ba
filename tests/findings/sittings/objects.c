/* SPDX-License-Identifier: MIT */
/* What is made and released. */
#include "sittings.h"

#include <stdio.h>
#include <stdlib.h>

/* Quotes for a book of options: the model is a program with its numbers compiled in. */
enum { QUOTES = 16, MODELS = 4, PATHS = 16384 };

static const char quote_source[] =
	"kernel void price(global float *out, float spot)\n"
	"{\n"
	"	uint seed = get_global_id(0) * 747796405u + 2891336453u;\n"
	"	float s = spot, sum = 0;\n"
	"	for (int i = 0; i < STEPS; i++) {\n"
	"		seed = seed * 1664525u + 1013904223u;\n"
	"		s *= 1 + VOLATILITY * ((float)(seed >> 8) / 16777216.0f - 0.5f);\n"
	"		sum += s;\n"
	"	}\n"
	"	out[get_global_id(0)] = KIND ? fmax(sum / STEPS - spot, 0.0f) : fmax(s - spot, 0.0f);\n"
	"}\n";

struct model {
	int steps, kind;
	double volatility;
	cl_program program;
	cl_kernel kernel;
};

static void model_build(struct app *app, struct model *model)
{
	char options[128];

	snprintf(options, sizeof(options), "-DSTEPS=%d -DKIND=%d -DVOLATILITY=%.3ff", model->steps,
		 model->kind, model->volatility);
	model->program = program_new(app, quote_source, options);
	model->kernel = kernel_new(model->program, "price");
}

static void model_drop(struct model *model)
{
	DROP(model->kernel);
	DROP(model->program);
	model->kernel = NULL;
}

void sitting_quote_models(struct app *app)
{
	struct model models[MODELS] = {{.steps = 24, .kind = 0, .volatility = 0.010},
				       {.steps = 24, .kind = 1, .volatility = 0.015},
				       {.steps = 48, .kind = 0, .volatility = 0.020},
				       {.steps = 48, .kind = 1, .volatility = 0.012}};
	cl_mem out = buffer_new(app, PATHS * sizeof(float));
	float *paths = memory(PATHS * sizeof(float));
	double sum = 0;

	for (int i = 0; i < QUOTES; i++) {
		struct model *model = &models[i * 7 % MODELS];

		if (!model->kernel)
			model_build(app, model);
		args(model->kernel, "bf", out, 80 + 0.5 * i);
		run(app->queue, model->kernel, PATHS, 64);
		get(app->queue, out, PATHS * sizeof(float), paths);
		sum += total(paths, PATHS);
		if (!app->repaired)
			model_drop(model);
	}
	for (int i = 0; i < MODELS; i++)
		if (models[i].kernel)
			model_drop(&models[i]);
	answer(sum);
	free(paths);
	DROP(out);
}

/* A panorama: each photo is blended in by weights of its own. */
enum { PANORAMA = 10 * MIB, PHOTOS = 14, SEAM = 1024 };

static const char blend_source[] =
	"kernel void weigh(global float *weights, int photo)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	weights[i] = 1.0f / (1 + abs(i % 4096 - photo * 256));\n"
	"}\n"
	"kernel void blend(global float *panorama, global const float *weights, float light)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	panorama[i] += (light - panorama[i]) * weights[i];\n"
	"}\n";

struct blender {
	struct app *app;
	cl_kernel weigh, blend;
	cl_mem panorama, kept;
	float seam[SEAM];
};

static cl_mem weights_take(struct blender *blender)
{
	if (!blender->app->repaired)
		return buffer_new(blender->app, PANORAMA * sizeof(float));
	if (!blender->kept)
		blender->kept = buffer_new(blender->app, PANORAMA * sizeof(float));
	return blender->kept;
}

static void weights_give(struct blender *blender, cl_mem weights)
{
	if (weights != blender->kept)
		DROP(weights);
}

static double blend_photo(struct blender *blender, int photo)
{
	cl_command_queue queue = blender->app->queue;
	cl_mem weights = weights_take(blender);

	args(blender->weigh, "bi", weights, photo);
	run(queue, blender->weigh, PANORAMA, 256);
	args(blender->blend, "bbf", blender->panorama, weights, 0.5 + 0.02 * photo);
	run(queue, blender->blend, PANORAMA, 256);
	get(queue, blender->panorama, sizeof(blender->seam), blender->seam);
	weights_give(blender, weights);
	return total(blender->seam, SEAM);
}

void sitting_blend_weights(struct app *app)
{
	cl_program program = program_new(app, blend_source, "");
	struct blender *blender = memory(sizeof(*blender));
	double seams = 0;

	*blender = (struct blender){.app = app,
				    .weigh = kernel_new(program, "weigh"),
				    .blend = kernel_new(program, "blend"),
				    .panorama = seeded(app, PANORAMA * sizeof(float), 12)};
	for (int i = 0; i < PHOTOS; i++)
		seams += blend_photo(blender, i);
	answer(seams);
	if (blender->kept)
		DROP(blender->kept);
	DROP(blender->panorama);
	DROP(blender->weigh);
	DROP(blender->blend);
	DROP(program);
	free(blender);
}
