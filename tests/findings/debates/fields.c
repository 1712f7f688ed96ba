/* SPDX-License-Identifier: MIT */
/* Simulations: water, weather, a terrain. */
#include "debates.h"

#include <stdlib.h>

/* A storm surge along a channel: discharge, level and friction of each cell, step by step. */
static const char surge_source[] =
	"kernel void discharge(global const float *level, global float *flow)\n"
	"{\n"
	"	size_t i = get_global_id(0), next = i + 1 < get_global_size(0) ? i + 1 : i;\n"
	"	flow[i] += 0.25f * (level[i] - level[next]);\n"
	"}\n"
	"kernel void raise(global float *level, global const float *flow)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	level[i] += 0.25f * ((i ? flow[i - 1] : 0) - flow[i]);\n"
	"}\n"
	"kernel void friction(global float *flow, float drag)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	flow[i] -= drag * flow[i] * fabs(flow[i]);\n"
	"}\n";

struct surge {
	cl_command_queue queue;
	bool settled; /* each stage is at an end before the next one is given */
};

static void surge_stage(const struct surge *surge, cl_kernel kernel, size_t cells)
{
	run(surge->queue, kernel, cells, 64);
	if (surge->settled)
		finish(surge->queue);
}

void debate_surge_model(struct app *app)
{
	enum { CELLS = 16 * KIB, STEPS = 900 };
	struct surge surge = {.queue = app->queue, .settled = !app->repaired};
	cl_program program = program_new(app, surge_source, "");
	cl_kernel discharge = kernel_new(program, "discharge"),
		  raise = kernel_new(program, "raise"), friction = kernel_new(program, "friction");
	cl_mem level = loaded(app, CELLS, 3), flow = loaded(app, CELLS, 4);
	float *last = memory(CELLS * sizeof(*last));

	args(discharge, "bb", level, flow);
	args(raise, "bb", level, flow);
	args(friction, "bf", flow, 0.01);
	for (int step = 0; step < STEPS; step++) {
		surge_stage(&surge, discharge, CELLS);
		surge_stage(&surge, raise, CELLS);
		surge_stage(&surge, friction, CELLS);
		if (step % 30 == 29)
			flush(app->queue);
	}
	get(app->queue, level, CELLS * sizeof(*last), last);
	answer(total(last, CELLS));
	free(last);
	DROP(level);
	DROP(flow);
	DROP(discharge);
	DROP(raise);
	DROP(friction);
	DROP(program);
}

/* Radar scans of a storm: each tile of a scan is cleared of clutter on its own, then cells are
 * found in all of them. */
void debate_storm_tiles(struct app *app)
{
	enum { TILES = 24, TILE = 256, SCANS = 60, STORMS = 2 * KIB, ALL = TILES * TILE };
	cl_program program = program_new(app, MIX("clutter") MIX("cells"), "");
	cl_kernel clutter[TILES], cells = kernel_new(program, "cells");
	cl_command_queue queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_mem raw = loaded(app, ALL, 8), clear = loaded(app, ALL, 9), found = loaded(app, ALL, 10);
	cl_mem from[TILES], to[TILES];
	float *data = memory(STORMS * sizeof(*data));
	double sum = 0;

	for (size_t t = 0; t < TILES; t++) {
		cl_buffer_region region = {t * TILE * sizeof(float), TILE * sizeof(float)};
		cl_int status;

		from[t] = clCreateSubBuffer(raw, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
					    &region, &status);
		must(status, "clCreateSubBuffer");
		to[t] = clCreateSubBuffer(clear, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
					  &region, &status);
		must(status, "clCreateSubBuffer");
		clutter[t] = kernel_new(program, "clutter");
		args(clutter[t], "bbi", from[t], to[t], 600);
	}
	args(cells, "bbi", clear, found, 4);
	for (int scan = 0; scan < SCANS; scan++) {
		for (int t = 0; t < TILES; t++) {
			run(queue, clutter[t], TILE, TILE);
			if (!app->repaired)
				TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
		}
		if (app->repaired)
			TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
		run(queue, cells, ALL, 64);
		TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
		get(queue, found, STORMS * sizeof(*data), data);
		sum += total(data, STORMS);
	}
	answer(sum);
	free(data);
	for (int t = 0; t < TILES; t++) {
		DROP(from[t]);
		DROP(to[t]);
		DROP(clutter[t]);
	}
	DROP(raw);
	DROP(clear);
	DROP(found);
	DROP(queue);
	DROP(cells);
	DROP(program);
}

/* A game's terrain: slope and light of each post, for the hours of a day. */
static const char terrain_source[] =
	"kernel void shade(global const float *height, global float *light, float sun, int width)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float east = height[(i + 1) % n] - height[i];\n"
	"	float south = height[(i + width) % n] - height[i];\n"
	"	float slope = rsqrt(1 + east * east + south * south);\n"
	"	light[i] = 0.5f * light[i] + slope * max(0.0f, sun - 0.1f * east);\n"
	"}\n";

void debate_terrain_shade(struct app *app)
{
	enum { WIDTH = 512, POSTS = WIDTH * WIDTH, HOURS = 120 };
	cl_kernel shade = kernel_of(app, terrain_source, "shade");
	cl_mem height = loaded(app, POSTS, 21), light = loaded(app, POSTS, 22);
	float *last = memory(POSTS * sizeof(*last));
	size_t local = app->repaired ? 128 : 1;

	for (int hour = 0; hour < HOURS; hour++) {
		double sun = hour % 24 < 12 ? hour % 24 / 12.0 : (24 - hour % 24) / 12.0;

		args(shade, "bbfi", height, light, sun, WIDTH);
		run(app->queue, shade, POSTS, local);
		flush(app->queue);
	}
	get(app->queue, light, POSTS * sizeof(*last), last);
	answer(total(last, POSTS));
	free(last);
	DROP(height);
	DROP(light);
	DROP(shade);
}
