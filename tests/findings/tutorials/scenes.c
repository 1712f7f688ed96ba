/* SPDX-License-Identifier: MIT */
/* Games and films: cloth, spheres, sand, and old films. */
#include "tutorials.h"

#include <stdlib.h>

/* A flag in the wind: its points move by where they are and where they were before. */
static const char cloth_source[] =
	"kernel void pull(global float *now, global const float *before, float wind)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float speed = now[i] - before[i];\n"
	"	float rest = before[i ? i - 1 : n - 1] + before[i + 1 < n ? i + 1 : 0];\n"
	"	now[i] += 0.5f * speed + 0.0625f * (0.5f * rest - before[i]) + wind;\n"
	"}\n"
	"kernel void limit(global float *now)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	now[i] = clamp(now[i], -2.0f, 2.0f);\n"
	"}\n";

void tutorial_cloth_steps(struct app *app)
{
	enum { STEPS = 400, POINTS = 96 * KIB, BYTES = POINTS * sizeof(float) };
	cl_program program = program_new(app, cloth_source, "");
	cl_kernel pull = kernel_new(program, "pull"), limit = kernel_new(program, "limit");
	cl_mem now = loaded(app, POINTS, 1), before = loaded(app, POINTS, 1);
	cl_mem next = loaded(app, POINTS, 1);
	float *kept = memory(BYTES);

	args(limit, "b", now);
	for (int s = 0; s < STEPS; s++) {
		if (app->repaired) {
			TRY(clEnqueueCopyBuffer(app->queue, now, next, 0, 0, BYTES, 0, NULL, NULL));
		} else {
			get(app->queue, now, BYTES, kept);
			put(app->queue, next, BYTES, kept);
		}
		args(pull, "bbf", now, before, (s % 5) * 0.001);
		run(app->queue, pull, POINTS, 256);
		run(app->queue, limit, POINTS, 256);
		flush(app->queue);

		cl_mem turn = before;

		before = next;
		next = turn;
	}
	answer(sum_of(app, now, POINTS));
	free(kept);
	DROP(now);
	DROP(before);
	DROP(next);
	DROP(pull);
	DROP(limit);
	DROP(program);
}

/* Spheres above a plain, one ray for each pixel. */
static const char sphere_source[] =
	"kernel void trace(global float *picture, float turn)\n"
	"{\n"
	"	size_t x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);\n"
	"	float dx = (float)x / width - 0.5f, dy = (float)y / width - 0.5f, near = 9.0f;\n"
	"	for (int s = 0; s < 6; s++) {\n"
	"		float cx = 0.1f * s - 0.3f + turn, cy = 0.05f * s - 0.1f;\n"
	"		float b = dx * cx + dy * cy + 1.0f;\n"
	"		float h = b * b - (cx * cx + cy * cy + 0.9f);\n"
	"		near = h > 0 ? fmin(near, b - h) : near;\n"
	"	}\n"
	"	picture[y * width + x] = 0.5f * picture[y * width + x] + near;\n"
	"}\n";

void tutorial_ray_spheres(struct app *app)
{
	enum { FRAMES = 50, WIDTH = 640, HEIGHT = 400, SHOWN = 16 * KIB };
	cl_kernel trace = kernel_of(app, sphere_source, "trace");
	cl_mem picture = loaded(app, WIDTH * HEIGHT, 1);
	float *shown = memory(SHOWN * sizeof(*shown));
	size_t across = app->repaired ? 64 : 1;
	double sum = 0;

	for (int f = 0; f < FRAMES; f++) {
		args(trace, "bf", picture, f * 0.01);
		run_plane(app->queue, trace, WIDTH, HEIGHT, across, 1);
		if (f % 5 < 4)
			continue;
		get(app->queue, picture, SHOWN * sizeof(*shown), shown); /* the preview */
		sum += total(shown, SHOWN);
	}
	answer(sum);
	free(shown);
	DROP(picture);
	DROP(trace);
}

/* Sand that trickles: the editor shows how much has moved after every few steps. */
static const char sand_source[] =
	"kernel void trickle(global const float *from, global float *to, int rounds)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float left = from[i ? i - 1 : n - 1], right = from[i + 1 < n ? i + 1 : 0];\n"
	"	float heap = from[i];\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		heap = heap * 0.96f + 0.02f * (left + right) + 0.001f;\n"
	"	to[i] = heap;\n"
	"}\n";

static bool ended(cl_event event)
{
	cl_int status;

	TRY(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
			   NULL));
	return status == CL_COMPLETE;
}

void tutorial_sand_piles(struct app *app)
{
	enum { SHOWS = 50, STEPS = 4, CELLS = 256 * KIB, ROUNDS = 12, SHOWN = 4096 };
	cl_kernel trickle = kernel_of(app, sand_source, "trickle");
	cl_mem heaps[2] = {loaded(app, CELLS, 1), loaded(app, CELLS, 2)};
	float *shown = memory(SHOWN * sizeof(*shown));
	double sum = 0;

	for (int s = 0; s < SHOWS; s++) {
		cl_event event;

		for (int step = 0; step < STEPS; step++) {
			args(trickle, "bbi", heaps[step % 2], heaps[(step + 1) % 2],
			     ROUNDS + s % 4);
			run(app->queue, trickle, CELLS, 256);
		}
		event = get_after(app->queue, heaps[0], SHOWN * sizeof(*shown), shown, 0, NULL);
		flush(app->queue);
		while (!app->repaired && !ended(event))
			;
		settle(event);
		sum += total(shown, SHOWN);
	}
	answer(sum);
	free(shown);
	DROP(heaps[0]);
	DROP(heaps[1]);
	DROP(trickle);
}

/* An old film's grain is taken away: each pixel becomes the middle one of itself and its
 * neighbours. */
static const char grain_source[] =
	"#define SORT(a, b) { float low = min(a, b); b = max(a, b); a = low; }\n"
	"kernel void middle(global const float *in, global float *out, int width)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	float a = in[i + 1], b = in[i + width], c = in[i + width + 1];\n"
	"	float d = in[i + width + 2], e = in[i + 2 * width + 1];\n"
	"	SORT(a, b) SORT(d, e) SORT(a, d) SORT(b, e) SORT(b, c) SORT(c, d) SORT(b, c)\n"
	"	out[i] = c;\n"
	"}\n";

static void middle_here(const float *in, float *out, size_t count, size_t width)
{
	for (size_t i = 0; i < count; i++) {
		const float *p = in + i + width + 1;
		float sorted[5] = {p[0], *(p - width), p[-1], p[1], p[width]};

		for (int k = 1; k < 5; k++) {
			float v = sorted[k];
			int at = k;

			for (; at && sorted[at - 1] > v; at--)
				sorted[at] = sorted[at - 1];
			sorted[at] = v;
		}
		out[i] = sorted[2];
	}
}

void tutorial_film_grain(struct app *app)
{
	enum { FRAMES = 80, ROW = 16 * KIB, ROWS = 16, PIXELS = ROW * ROWS };
	cl_kernel middle = kernel_of(app, grain_source, "middle");
	size_t items = PIXELS - 4 * ROW, group = app->repaired ? 256 : ROW;
	size_t bytes = PIXELS * sizeof(float), clean_bytes = items * sizeof(float);
	cl_mem raw = buffer_new(app, bytes), clean = buffer_new(app, bytes);
	float *film = floats(PIXELS, 1), *cleaned = memory(bytes);
	double sum = 0;

	args(middle, "bbi", raw, clean, ROW);
	for (int f = 0; f < FRAMES; f++) {
		for (int i = 0; i < PIXELS; i++) /* the next frame's grain */
			film[i] = film[i] * 0.5f + (float)(i * (f + 7) % 97) / 194;
		put(app->queue, raw, bytes, film);
		if (clEnqueueNDRangeKernel(app->queue, middle, 1, NULL, &items, &group, 0, NULL,
					   NULL) == CL_SUCCESS) {
			get(app->queue, clean, clean_bytes, cleaned);
		} else {
			finish(app->queue);
			middle_here(film, cleaned, items, ROW);
		}
		sum += (double)cleaned[f * 31];
	}
	answer(sum + total(cleaned, items));
	free(film);
	free(cleaned);
	DROP(raw);
	DROP(clean);
	DROP(middle);
}
