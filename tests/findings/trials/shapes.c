/* SPDX-License-Identifier: MIT */
/* Launches of a bad shape. */
#include "trials.h"

#include <stdlib.h>

static const char prime_source[] =
	"kernel void relax(global const float *old, global float *new, int n)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	if (i < n)\n"
	"		new[i] = 0.5f * old[i] + 0.25f * (old[max(i - 1, 0)] +\n"
	"						 old[min(i + 1, n - 1)]);\n"
	"}\n";

/* A rod of a prime number of cells cools. Its kernel is launched for just as many items, and the
 * driver finds no group size but one; repaired, for the next multiple of 64. */
void trial_prime_cells(struct app *app)
{
	enum { cells = 65537, bytes = cells * sizeof(float), steps = 60, loads = 24 };
	size_t items = app->repaired ? (cells + 63) / 64 * 64 : cells;
	cl_kernel relax = kernel_of(app, prime_source, "relax");
	cl_mem rod[2] = {buffer_new(app, bytes), buffer_new(app, bytes)};
	float *heat = memory(bytes);
	double sum = 0;

	for (int i = 0; i < loads; i++) {
		refill(heat, cells, i);
		put_now(app->queue, rod[0], bytes, heat);
		for (int j = 0; j < steps; j++) {
			args(relax, "bbi", rod[j % 2], rod[1 - j % 2], cells);
			run(app->queue, relax, items, 0);
		}
		get(app->queue, rod[0], bytes, heat);
		sum += total(heat, cells);
	}
	answer(sum);
	DROP(relax);
	DROP(rod[0]);
	DROP(rod[1]);
	free(heat);
}

#define ROW_FILTER                                                                   \
	"kernel void row_filter(global const float *in, global float *out, int w)\n" \
	"{\n"                                                                        \
	"	int x = get_global_id(0), y = get_global_id(1), at = y * w + x;\n"         \
	"	float sum = 0;\n"                                                          \
	"	for (int d = -2; d <= 2; d++)\n"                                           \
	"		sum += in[y * w + clamp(x + d, 0, w - 1)] * (3 - abs(d));\n"              \
	"	out[at] = sum * (1.0f / 9);\n"                                             \
	"}\n"

/* Pictures are filtered by a kernel written for a device that wants groups of one item, and says so
 * itself; repaired, it asks for 64. */
void trial_lone_groups(struct app *app)
{
	enum { w = 512, h = 128, bytes = w * h * sizeof(float), pictures = 120, times = 6 };
	const size_t all[2] = {w, h};
	cl_kernel filter = kernel_of(
		app,
		app->repaired ? "__attribute__((reqd_work_group_size(64, 1, 1)))\n" ROW_FILTER
			      : "__attribute__((reqd_work_group_size(1, 1, 1)))\n" ROW_FILTER,
		"row_filter");
	const size_t groups[2] = {app->repaired ? 64 : 1, 1};
	cl_mem planes[2] = {buffer_new(app, bytes), buffer_new(app, bytes)};
	float *picture = memory(bytes);
	double sum = 0;

	for (int i = 0; i < pictures; i++) {
		refill(picture, (size_t)w * h, i);
		put_now(app->queue, planes[0], bytes, picture);
		for (int j = 0; j < times; j++) {
			args(filter, "bbi", planes[j % 2], planes[1 - j % 2], w);
			run_at(app->queue, filter, 2, NULL, all, groups);
		}
		get(app->queue, planes[0], bytes, picture);
		sum += (double)picture[i * w + 3];
	}
	answer(sum);
	DROP(filter);
	DROP(planes[0]);
	DROP(planes[1]);
	free(picture);
}

static const char column_source[] =
	"kernel void columns(global const float *v, global int *peaks, int w, int h)\n"
	"{\n"
	"	int x = get_global_id(0), peak = 0;\n"
	"	for (int y = 1; y < h; y++)\n"
	"		peak += (int)(64 * log(2 + fabs(v[y * w + x] - v[(y - 1) * w + x])));\n"
	"	peaks[x] = peak;\n"
	"}\n" MIX("expose");

/* A spectrometer's picture, and how rough each of its 256 columns is: one group of 256 items counts
 * that while all of the device's other units look on. Repaired, eight groups. */
void trial_column_stats(struct app *app)
{
	enum { w = 256, h = 512, items = w * h, bytes = items * sizeof(float), shots = 60 };
	cl_program program = program_new(app, column_source, "");
	cl_kernel expose = kernel_new(program, "expose"), columns = kernel_new(program, "columns");
	cl_mem plate = buffer_new(app, bytes), rough = buffer_new(app, w * sizeof(int));
	float *light = floats(items, 8);
	int *peaks = memory(w * sizeof(*peaks));
	double sum = 0;

	put_now(app->queue, plate, bytes, light);
	args(expose, "bi", plate, 4);
	args(columns, "bbii", plate, rough, w, h);
	for (int i = 0; i < shots; i++) {
		run(app->queue, expose, items, 64);
		run(app->queue, columns, w, app->repaired ? 32 : w);
		get(app->queue, rough, w * sizeof(*peaks), peaks);
		for (int j = 0; j < w; j++)
			sum += peaks[j];
	}
	answer(sum);
	DROP(expose);
	DROP(columns);
	DROP(program);
	DROP(plate);
	DROP(rough);
	free(light);
	free(peaks);
}

static const char glyph_source[] =
	"kernel void glyph(global float *page, global const int *places, int first)\n"
	"{\n"
	"	int g = first + get_global_id(1), x = get_global_id(0);\n"
	"	float ink = page[places[g] + x];\n"
	"	for (int i = 0; i < 8; i++)\n"
	"		ink = ink * 0.75f + 0.01f * ((g + x + i) & 15);\n"
	"	page[places[g] + x] = ink;\n"
	"}\n";

/* Pages of text: a launch of 64 items for each glyph, with its number as an argument. Repaired, the
 * glyphs of a page are the second dimension of one launch. */
void trial_glyph_launches(struct app *app)
{
	enum { glyphs = 300, each = 64, items = glyphs * each, pages = 160 };
	cl_kernel glyph = kernel_of(app, glyph_source, "glyph");
	cl_mem page = buffer_new(app, items * sizeof(float));
	cl_mem places = buffer_new(app, glyphs * sizeof(int));
	const size_t one[2] = {each, 1}, all[2] = {each, glyphs};
	float *ink = memory(items * sizeof(*ink));
	int at[glyphs];
	double sum = 0;

	for (int i = 0; i < glyphs; i++)
		at[i] = i * 7 % glyphs * each;
	put_now(app->queue, places, sizeof(at), at);
	for (int i = 0; i < pages; i++) {
		refill(ink, items, i);
		put_now(app->queue, page, items * sizeof(float), ink);
		for (int j = 0; j < glyphs && !app->repaired; j++) {
			args(glyph, "bbi", page, places, j);
			run_at(app->queue, glyph, 2, NULL, one, one);
		}
		if (app->repaired) {
			args(glyph, "bbi", page, places, 0);
			run_at(app->queue, glyph, 2, NULL, all, one);
		}
		get(app->queue, page, items * sizeof(float), ink);
		sum += (double)ink[i * each + 3];
	}
	answer(sum);
	DROP(glyph);
	DROP(page);
	DROP(places);
	free(ink);
}
