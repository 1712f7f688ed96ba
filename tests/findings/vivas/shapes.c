/* SPDX-License-Identifier: MIT */
/* One queue for all, launches that are too many, and work-groups of the wrong size. */
#include "vivas.h"

#include <stdlib.h>

/* A camera's frames: up, filtered, down; four of them are on their way at any time. */
enum { PIXELS = 98304, FRAME_BYTES = PIXELS * sizeof(float), IN_FLIGHT = 4 };
struct camera {
	cl_command_queue up, filter, down;
	cl_kernel kernel;
	cl_mem frames[IN_FLIGHT];
	float *raw[IN_FLIGHT], *sharp[IN_FLIGHT];
	cl_event shown[IN_FLIGHT];
};

static void frame_start(struct camera *camera, int slot)
{
	cl_event there = put_after(camera->up, camera->frames[slot], FRAME_BYTES, camera->raw[slot],
				   0, NULL);

	flush(camera->up);
	args(camera->kernel, "bi", camera->frames[slot], 2);

	cl_event sharp = run_after(camera->filter, camera->kernel, PIXELS, 64, 1, &there);

	flush(camera->filter);
	camera->shown[slot] = get_after(camera->down, camera->frames[slot], FRAME_BYTES,
					camera->sharp[slot], 1, &sharp);
	flush(camera->down);
	DROP(there);
	DROP(sharp);
}

void viva_camera_queue(struct app *app)
{
	struct camera camera = {.up = app->queue, .filter = app->queue, .down = app->queue};
	double sum = 0;

	camera.kernel = kernel_of(app, FIELD("sharpen"), "sharpen");
	if (app->repaired) {
		camera.filter = queue_new(app, 0);
		camera.down = queue_new(app, 0);
	}
	for (int i = 0; i < IN_FLIGHT; i++) {
		camera.frames[i] = buffer_new(app, FRAME_BYTES);
		camera.raw[i] = floats(PIXELS, (unsigned)i);
		camera.sharp[i] = memory(FRAME_BYTES);
	}
	for (int i = 0; i < 400; i++) {
		int slot = i % IN_FLIGHT;

		if (i >= IN_FLIGHT)
			settle(camera.shown[slot]);
		sum += total(camera.sharp[slot], PIXELS / 8);
		camera.raw[slot][0] = (float)i;
		frame_start(&camera, slot);
	}
	for (int i = 0; i < IN_FLIGHT; i++) {
		settle(camera.shown[i]);
		free(camera.raw[i]);
		free(camera.sharp[i]);
		DROP(camera.frames[i]);
	}
	answer(sum);
	DROP(camera.kernel);
	if (app->repaired) {
		DROP(camera.filter);
		DROP(camera.down);
	}
}

/* A spreadsheet is computed row by row, though no row needs another one. */
void viva_sheet_rows(struct app *app)
{
	enum { ROWS = 512, COLUMNS = 64 };
	cl_kernel kernel = kernel_of(app,
				     "kernel void recalc(global float *cells, int first)\n"
				     "{\n"
				     "	size_t i = (size_t)first * 64 + get_global_id(0);\n"
				     "	cells[i] = cells[i] * 0.5f + (float)(i % 7);\n"
				     "}\n",
				     "recalc");
	cl_mem cells = seeded(app, ROWS * COLUMNS * sizeof(float), 19);
	float first = 0;

	for (int change = 0; change < 60; change++) {
		for (int row = 0; row < ROWS; row += app->repaired ? ROWS : 1) {
			args(kernel, "bi", cells, row);
			run(app->queue, kernel, app->repaired ? ROWS * COLUMNS : COLUMNS, 64);
		}
		get(app->queue, cells, sizeof(first), &first);
	}
	answer((double)first);
	DROP(cells);
	DROP(kernel);
}

/* Hashes of blocks: each work-item is a work-group, as in the first sample its author has read. */
void viva_lone_hash(struct app *app)
{
	enum { BLOCKS = 131072 };
	cl_kernel kernel = kernel_of(app,
				     "kernel void hash_blocks(global uint *words)\n"
				     "{\n"
				     "	size_t i = get_global_id(0);\n"
				     "	uint h = words[i];\n"
				     "	for (uint k = 0; k < 24; k++)\n"
				     "		h = (h ^ k) * 16777619u + (h >> 7);\n"
				     "	words[i] = h;\n"
				     "}\n",
				     "hash_blocks");
	cl_mem words = seeded(app, BLOCKS * sizeof(cl_uint), 27);
	cl_uint first = 0;

	args(kernel, "b", words);
	for (int i = 0; i < 100; i++)
		run(app->queue, kernel, BLOCKS, app->repaired ? 64 : 1);
	get(app->queue, words, sizeof(first), &first);
	answer(first);
	DROP(words);
	DROP(kernel);
}

/* A genetic search: the whole population is one work-group, so one compute unit has all of it. */
void viva_one_tribe(struct app *app)
{
	enum { POPULATION = 2048 };
	cl_kernel kernel = kernel_of(app, FIELD("evolve"), "evolve");
	cl_mem genes = seeded(app, POPULATION * sizeof(float), 37);
	float best = 0;

	args(kernel, "bi", genes, 900);
	for (int generation = 0; generation < 300; generation++) {
		run(app->queue, kernel, POPULATION, app->repaired ? 64 : POPULATION);
		if (generation % 20 == 19)
			get(app->queue, genes, sizeof(best), &best);
	}
	answer((double)best);
	DROP(genes);
	DROP(kernel);
}
