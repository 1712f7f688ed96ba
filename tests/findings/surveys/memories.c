/* SPDX-License-Identifier: MIT */
/* Buffers and objects, and how long they live. */
#include "surveys.h"

#include <stdlib.h>

/* Flow between two pictures: slopes, then where they go. */
static const char flow_source[] =
	"kernel void slopes(global const float *a, global const float *b, global float *x,\n"
	"		    global float *y, global float *t, int width)\n"
	"{\n"
	"	int i = (int)get_global_id(0), last = (int)get_global_size(0) - 1;\n"
	"	x[i] = 0.5f * (a[min(i + 1, last)] - a[max(i - 1, 0)]);\n"
	"	y[i] = 0.5f * (a[min(i + width, last)] - a[max(i - width, 0)]);\n"
	"	t[i] = b[i] - a[i];\n"
	"}\n"
	"kernel void go(global const float *x, global const float *y, global const float *t,\n"
	"		global float *flow, int rounds)\n"
	"{\n"
	"	int i = (int)get_global_id(0);\n"
	"	float u = 0, v = 0;\n"
	"	for (int r = 0; r < rounds; r++) {\n"
	"		float miss = (x[i] * u + y[i] * v + t[i]) / (1 + x[i] * x[i] + y[i] * y[i]);\n"
	"		u -= x[i] * miss;\n"
	"		v -= y[i] * miss;\n"
	"	}\n"
	"	flow[i] = u + v;\n"
	"}\n";

enum { FLOW_WIDTH = 768, FLOW_PIXELS = FLOW_WIDTH * 512, FLOW_BYTES = FLOW_PIXELS * 4 };
enum { FLOW_PAIRS = 80 };

struct flow_scratch {
	cl_mem x, y, t;
};

static void scratch_open(const struct app *app, struct flow_scratch *scratch)
{
	scratch->x = buffer_new(app, FLOW_BYTES);
	scratch->y = buffer_new(app, FLOW_BYTES);
	scratch->t = buffer_new(app, FLOW_BYTES);
}

static void scratch_close(const struct flow_scratch *scratch)
{
	DROP(scratch->t);
	DROP(scratch->y);
	DROP(scratch->x);
}

void survey_flow_scratch(struct app *app)
{
	cl_program program = program_new(app, flow_source, "");
	cl_kernel slopes = kernel_new(program, "slopes"), go = kernel_new(program, "go");
	cl_mem a = numbers(app, FLOW_PIXELS, 97), b = numbers(app, FLOW_PIXELS, 101);
	cl_mem flow = buffer_new(app, FLOW_BYTES);
	struct flow_scratch scratch;
	float mean;
	double sum = 0;

	if (app->repaired)
		scratch_open(app, &scratch);
	for (int pair = 0; pair < FLOW_PAIRS; pair++) {
		if (!app->repaired)
			scratch_open(app, &scratch);
		args(slopes, "bbbbbi", pair % 2 ? b : a, pair % 2 ? a : b, scratch.x, scratch.y,
		     scratch.t, FLOW_WIDTH);
		run(app->queue, slopes, FLOW_PIXELS, 128);
		args(go, "bbbbi", scratch.x, scratch.y, scratch.t, flow, 4);
		run(app->queue, go, FLOW_PIXELS, 128);
		get(app->queue, flow, sizeof(mean), &mean);
		sum += (double)mean;
		if (!app->repaired)
			scratch_close(&scratch);
	}
	if (app->repaired)
		scratch_close(&scratch);
	answer(sum + sum_of(app, flow, FLOW_PIXELS));
	DROP(flow);
	DROP(b);
	DROP(a);
	DROP(go);
	DROP(slopes);
	DROP(program);
}

/* Tiles of a map, drawn as they are asked for. */
static const char tile_source[] =
	"kernel void draw(global const float *roads, global float *tile, int offset, int rounds)\n"
	"{\n"
	"	int i = (int)get_global_id(0);\n"
	"	float v = 0, far = roads[(i + offset) & 65535];\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		v = v * 0.75f + 0.25f * fabs(far - v) + 0.001f;\n"
	"	tile[i] = v;\n"
	"}\n";

enum { TILE_PIXELS = 512 * 512, TILE_BYTES = TILE_PIXELS * 4, TILES = 160 };

struct tiles {
	cl_mem roads, drawn;
	float *shown;
};

static void tile_draw(const struct app *app, struct tiles *tiles, cl_kernel draw, int number)
{
	if (!tiles->drawn || !app->repaired)
		tiles->drawn = buffer_new(app, TILE_BYTES);
	args(draw, "bbii", tiles->roads, tiles->drawn, number * 37, 3);
	run(app->queue, draw, TILE_PIXELS, 128);
	get(app->queue, tiles->drawn, TILE_BYTES, tiles->shown);
}

void survey_map_tiles(struct app *app)
{
	struct tiles tiles = {numbers(app, 64 * 1024, 103), NULL, memory(TILE_BYTES)};
	cl_kernel draw = kernel_of(app, tile_source, "draw");
	double sum = 0;

	for (int n = 0; n < TILES; n++) {
		tile_draw(app, &tiles, draw, n);
		sum += (double)tiles.shown[n * 19];
	}
	answer(sum);
	free(tiles.shown);
	DROP(tiles.drawn);
	DROP(tiles.roads);
	DROP(draw);
}

/* A library of signal processing: its caller has a program and buffers, and wants a call that has
 * all that it needs. */
static const char convolve_source[] =
	"kernel void convolve(global const float *in, global float *out,\n"
	"		      constant const float *taps, int count)\n"
	"{\n"
	"	int i = (int)get_global_id(0), last = (int)get_global_size(0) - 1;\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < count; k++)\n"
	"		sum = mad(in[min(i + k, last)], taps[k], sum);\n"
	"	out[i] = 0.25f + 0.5f * sum / (float)count;\n"
	"}\n";

enum { SIGNAL = 2048, SIGNAL_TAPS = 8, SIGNAL_CALLS = 3000 };

struct convolver {
	cl_program program;
	cl_command_queue queue;
	cl_kernel kernel;
};

static void convolver_open(const struct app *app, struct convolver *convolver)
{
	convolver->queue = queue_new(app, 0);
	convolver->kernel = kernel_new(convolver->program, "convolve");
}

static void convolver_close(const struct convolver *convolver)
{
	DROP(convolver->kernel);
	DROP(convolver->queue);
}

static void convolve(const struct app *app, struct convolver *convolver, cl_mem in, cl_mem out,
		     cl_mem taps)
{
	if (!convolver->queue || !app->repaired)
		convolver_open(app, convolver);
	args(convolver->kernel, "bbbi", in, out, taps, SIGNAL_TAPS);
	run(convolver->queue, convolver->kernel, SIGNAL, 128);
	finish(convolver->queue);
	if (!app->repaired)
		convolver_close(convolver);
}

void survey_convolve_call(struct app *app)
{
	struct convolver convolver = {program_new(app, convolve_source, ""), NULL, NULL};
	cl_mem signals[2] = {numbers(app, SIGNAL, 107), numbers(app, SIGNAL, 109)};
	cl_mem taps = numbers(app, SIGNAL_TAPS, 113);

	for (int n = 0; n < SIGNAL_CALLS; n++)
		convolve(app, &convolver, signals[n % 2], signals[!(n % 2)], taps);
	answer(sum_of(app, signals[0], SIGNAL));
	if (app->repaired)
		convolver_close(&convolver);
	DROP(taps);
	DROP(signals[1]);
	DROP(signals[0]);
	DROP(convolver.program);
}

/* Meshes of all sizes; the buffer grows where one is larger than all that were before. */
static const char mesh_source[] = "kernel void soften(global float *points, int rounds)\n"
				  "{\n"
				  "	int i = (int)get_global_id(0);\n"
				  "	float v = points[i];\n"
				  "	for (int r = 0; r < rounds; r++)\n"
				  "		v = v * 0.96875f + 0.015625f * (v * v + 0.5f);\n"
				  "	points[i] = v;\n"
				  "}\n";

void survey_clean_pool(struct app *app)
{
	enum { MOST = 256 * 1024, MESHES = 60 };

	cl_kernel soften = kernel_of(app, mesh_source, "soften");
	float *points = memory(MOST * sizeof(*points));
	size_t room = 0;
	cl_mem mesh = NULL;
	double sum = 0;

	for (int n = 0; n < MESHES; n++) {
		size_t count = (size_t)(1 + n * 29 % 16) * MOST / 16;

		if (count > room) {
			if (mesh)
				DROP(mesh);
			room = count * 2 < MOST ? count * 2 : MOST;
			mesh = buffer_new(app, room * sizeof(*points));
		}
		refill(points, count, n);
		put(app->queue, mesh, count * sizeof(*points), points);
		args(soften, "bi", mesh, 2);
		for (int pass = 0; pass < 10; pass++)
			run(app->queue, soften, count, 128);
		get(app->queue, mesh, count * sizeof(*points), points);
		sum += (double)points[n * 23];
	}
	answer(sum);
	free(points);
	DROP(mesh);
	DROP(soften);
}
