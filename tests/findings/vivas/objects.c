/* SPDX-License-Identifier: MIT */
/* Programs, kernels, buffers and queues that are made too often, or never released. */
#include "vivas.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cache of programs for each size of tile. Its keys are compared as pointers. */
struct tiles {
	char *keys[4];
	cl_program programs[4];
};

static cl_program tile_program(const struct app *app, struct tiles *tiles, int tile)
{
	char options[32];
	int slot = tile % 4;

	snprintf(options, sizeof(options), "-DTILE=%d", 8 << slot);

	char *key = strdup(options);
	bool known = app->repaired ? tiles->keys[slot] && !strcmp(tiles->keys[slot], key)
				   : tiles->keys[slot] == key;

	if (known) {
		free(key);
		return tiles->programs[slot];
	}
	if (tiles->programs[slot])
		DROP(tiles->programs[slot]);
	tiles->programs[slot] = program_new(app,
					    "kernel void tile_mean(global float *v)\n"
					    "{\n"
					    "	size_t i = get_global_id(0);\n"
					    "	v[i] = v[i] * 0.5f + (float)(i % TILE);\n"
					    "}\n",
					    options);
	free(tiles->keys[slot]);
	tiles->keys[slot] = key;
	return tiles->programs[slot];
}

void viva_tile_compile(struct app *app)
{
	enum { COUNT = 65536 };
	struct tiles tiles = {.keys = {NULL}};
	cl_mem image = seeded(app, COUNT * sizeof(float), 3);
	float pixel = 0;
	double sum = 0;

	for (int job = 0; job < 20; job++) {
		cl_kernel kernel = kernel_new(tile_program(app, &tiles, job), "tile_mean");

		args(kernel, "b", image);
		for (int i = 0; i < 6; i++)
			run(app->queue, kernel, COUNT, 64);
		get(app->queue, image, sizeof(pixel), &pixel);
		sum += (double)pixel;
		DROP(kernel);
	}
	answer(sum);
	for (int i = 0; i < 4; i++) {
		free(tiles.keys[i]);
		DROP(tiles.programs[i]);
	}
	DROP(image);
}

/* A game builds the shaders of a level when the last one has been played to its end. */
enum { LEVELS = 8, LEVEL_ITEMS = 131072 };
struct level {
	const struct app *app;
	int number;
	cl_program program;
};

static void *level_load(void *data)
{
	struct level *level = data;
	char options[32];

	snprintf(options, sizeof(options), "-DLEVEL=%d", level->number);
	level->program = program_new(level->app,
				     "kernel void level_shade(global float *v)\n"
				     "{\n"
				     "	size_t i = get_global_id(0);\n"
				     "	uint u = as_uint(v[i]);\n"
				     "	for (int r = 0; r < 12; r++)\n"
				     "		u = (u ^ (u >> 7)) * 1664525u + LEVEL;\n"
				     "	v[i] = (float)(u >> 8) / 16777216.0f;\n"
				     "}\n",
				     options);
	return NULL;
}

static void level_play(const struct app *app, const struct level *level, cl_mem scene)
{
	cl_kernel kernel = kernel_new(level->program, "level_shade");
	float pixel = 0;

	args(kernel, "b", scene);
	for (int frame = 0; frame < 60; frame++) {
		run(app->queue, kernel, LEVEL_ITEMS, 64);
		if (frame % 20 == 19)
			get(app->queue, scene, sizeof(pixel), &pixel);
	}
	answer((double)pixel);
	DROP(kernel);
}

void viva_lazy_levels(struct app *app)
{
	cl_mem scene = seeded(app, LEVEL_ITEMS * sizeof(float), 3);
	struct level levels[LEVELS];
	pthread_t loader;

	for (int i = 0; i < LEVELS; i++)
		levels[i] = (struct level){app, i, NULL};
	level_load(&levels[0]);
	for (int i = 0; i < LEVELS; i++) {
		bool ahead = app->repaired && i + 1 < LEVELS;

		if (ahead && pthread_create(&loader, NULL, level_load, &levels[i + 1]))
			must(-1, "pthread_create");
		level_play(app, &levels[i], scene);
		if (ahead)
			pthread_join(loader, NULL);
		else if (i + 1 < LEVELS)
			level_load(&levels[i + 1]);
		DROP(levels[i].program);
	}
	DROP(scene);
}

/* A video filter takes its scratch memory anew for each frame. */
struct scratch {
	cl_mem luma, chroma;
};

static void scratch_take(const struct app *app, struct scratch *scratch, size_t bytes)
{
	scratch->luma = buffer_new(app, bytes);
	scratch->chroma = buffer_new(app, bytes);
}

static void scratch_give(struct scratch *scratch)
{
	DROP(scratch->luma);
	DROP(scratch->chroma);
}

void viva_frame_scratch(struct app *app)
{
	enum { COUNT = 2097152 };
	cl_kernel kernel = kernel_of(app,
				     "kernel void split(global float *luma, global float *chroma,\n"
				     "		  int frame)\n"
				     "{\n"
				     "	size_t i = get_global_id(0);\n"
				     "	luma[i] = (float)frame;\n"
				     "	chroma[i] = (float)(frame + 1);\n"
				     "}\n",
				     "split");
	struct scratch scratch;
	float pixel = 0;
	double sum = 0;

	if (app->repaired)
		scratch_take(app, &scratch, COUNT * sizeof(float));
	for (int frame = 0; frame < 60; frame++) {
		if (!app->repaired)
			scratch_take(app, &scratch, COUNT * sizeof(float));
		args(kernel, "bbi", scratch.luma, scratch.chroma, frame);
		run(app->queue, kernel, COUNT, 64);
		get(app->queue, scratch.chroma, sizeof(pixel), &pixel);
		sum += (double)pixel;
		if (!app->repaired)
			scratch_give(&scratch);
	}
	answer(sum);
	if (app->repaired)
		scratch_give(&scratch);
	DROP(kernel);
}
