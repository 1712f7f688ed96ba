/* SPDX-License-Identifier: MIT */
/* Objects for each draw, calls that fail, and what is never released. */
#include "vivas.h"

#include <stdlib.h>
#include <string.h>

/* A map renderer in which each layer's draw has a queue and a style's kernels
 * of its own. */
enum { STYLE = 12 };
struct draw {
	cl_command_queue queue;
	cl_kernel style[STYLE];
};

static struct draw draw_begin(const struct app *app, cl_program program)
{
	struct draw draw = {.queue = loose_queue(app)};

	for (int i = 0; i < STYLE; i++)
		draw.style[i] = kernel_new(program, i % 2 ? "stroke_shape" : "fill_shape");
	return draw;
}

static void draw_end(struct draw *draw)
{
	for (int i = 0; i < STYLE; i++)
		DROP(draw->style[i]);
	DROP(draw->queue);
}

void viva_draw_objects(struct app *app)
{
	enum { COUNT = 4096, DRAWS = 4000 };
	cl_program program = program_new(app, FIELD("fill_shape") FIELD("stroke_shape"), "");
	cl_mem map = seeded(app, COUNT * sizeof(float), 6);
	struct draw draw;
	float first = 0;

	if (app->repaired)
		draw = draw_begin(app, program);
	for (int i = 0; i < DRAWS; i++) {
		if (!app->repaired)
			draw = draw_begin(app, program);
		args(draw.style[i % STYLE / 2 * 2], "bi", map, 2);
		args(draw.style[i % STYLE / 2 * 2 + 1], "bi", map, 3);

		cl_event filled =
			run_after(draw.queue, draw.style[i % STYLE / 2 * 2], COUNT, 64, 0, NULL);

		settle(run_after(draw.queue, draw.style[i % STYLE / 2 * 2 + 1], COUNT, 64, 1,
				 &filled));
		DROP(filled);
		if (!app->repaired)
			draw_end(&draw);
	}
	if (app->repaired)
		draw_end(&draw);
	get(app->queue, map, sizeof(first), &first);
	answer((double)first);
	DROP(map);
	DROP(program);
}

/* A denoiser whose configured work-group is larger than any device allows. When
 * the launch fails, the reference code on the host does the frame. */
static bool denoise_launch(const struct app *app, cl_kernel kernel, size_t items)
{
	size_t local = app->repaired ? 64 : 16384;

	return !clEnqueueNDRangeKernel(app->queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL);
}

/* Each work-item has eight numbers. */
static const char denoise_tile[] = "kernel void denoise_tile(global float8 *v, int rounds)\n"
				   "{\n"
				   "	size_t i = get_global_id(0);\n"
				   "	uint8 u = as_uint8(v[i]);\n"
				   "	for (int r = 0; r < rounds; r++)\n"
				   "		u = (u ^ (u >> 7)) * 1664525u + 1013904223u;\n"
				   "	v[i] = convert_float8(u >> 8) / 16777216.0f;\n"
				   "}\n";

/* What the kernel computes, to the bit. */
static void denoise_reference(const float *raw, float *clear, size_t count, int rounds)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t u;

		memcpy(&u, &raw[i], sizeof(u));
		for (int r = 0; r < rounds; r++)
			u = (u ^ (u >> 7)) * 1664525u + 1013904223u;
		clear[i] = (float)(u >> 8) / 16777216.0f;
	}
}

void viva_group_fallback(struct app *app)
{
	enum { COUNT = 131072, BYTES = COUNT * sizeof(float), ROUNDS = 32 };
	cl_kernel kernel = kernel_of(app, denoise_tile, "denoise_tile");
	cl_mem tile = buffer_new(app, BYTES);
	float *raw = floats(COUNT, 5), *clear = memory(BYTES);
	double sum = 0;

	args(kernel, "bi", tile, ROUNDS);
	for (int i = 0; i < 100; i++) {
		raw[0] += (float)i;
		put(app->queue, tile, BYTES, raw);
		if (denoise_launch(app, kernel, COUNT / 8)) {
			get(app->queue, tile, BYTES, clear);
		} else {
			finish(app->queue);
			denoise_reference(raw, clear, COUNT, ROUNDS);
		}
		sum += total(clear, COUNT);
	}
	answer(sum);
	free(raw);
	free(clear);
	DROP(tile);
	DROP(kernel);
}

/* Events are kept for a profile that is never printed. */
struct profile {
	cl_event *events;
	size_t count;
};

static void profile_launch(struct profile *profile, cl_command_queue queue, cl_kernel kernel,
			   size_t items)
{
	profile->events[profile->count++] = run_after(queue, kernel, items, 64, 0, NULL);
}

void viva_trace_events(struct app *app)
{
	enum { COUNT = 16384, LAUNCHES = 3000 };
	struct profile profile = {calloc(LAUNCHES, sizeof(cl_event)), 0};
	cl_kernel kernel = kernel_of(app, FIELD("relax"), "relax");
	cl_mem grid = seeded(app, COUNT * sizeof(float), 15);
	float first = 0;

	args(kernel, "bi", grid, 4);
	for (int i = 0; i < LAUNCHES; i++) {
		profile_launch(&profile, app->queue, kernel, COUNT);
		if (i % 100 == 99)
			get(app->queue, grid, sizeof(first), &first);
		if (app->repaired)
			DROP(profile.events[i]);
	}
	answer((double)first);
	free(profile.events);
	DROP(grid);
	DROP(kernel);
}

/* Each client of a transcoder gets a queue, which outlives it. */
void viva_client_queues(struct app *app)
{
	enum { COUNT = 131072, CLIENTS = 150 };
	cl_kernel kernel = kernel_of(app, FIELD("transcode_clip"), "transcode_clip");
	cl_mem clip = seeded(app, COUNT * sizeof(float), 25);
	float first = 0;

	args(kernel, "bi", clip, 4);
	for (int i = 0; i < CLIENTS; i++) {
		cl_command_queue client = queue_new(app, 0);

		for (int part = 0; part < 4; part++)
			run(client, kernel, COUNT, 64);
		get(client, clip, sizeof(first), &first);
		if (app->repaired)
			DROP(client);
	}
	answer((double)first);
	DROP(clip);
	DROP(kernel);
}
