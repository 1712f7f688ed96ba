/* SPDX-License-Identifier: MIT */
/* Pictures: comics that are coloured, jewellery that is rendered, albums that are made ready. */
#include "hearings.h"

#include <stdlib.h>

/* Comics: each panel of line art goes through five filters before it is proofed. */

static const char comic_source[] =
	"kernel void inks(global const float *art, global float *mask, int width)\n"
	"{\n"
	"	int i = get_global_id(0), n = get_global_size(0);\n"
	"	float left = art[max(i - 1, 0)], up = art[max(i - width, 0)];\n"
	"	float down = art[min(i + width, n - 1)];\n"
	"	mask[i] = art[i] * 2 - (left + up + down) / 3;\n"
	"}\n"
	"kernel void flats(global const float *mask, global float *page, float hue)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	page[i] = mask[i] < 0.5f ? hue : 1 - hue * mask[i];\n"
	"}\n"
	"kernel void shadows(global float *page, global const float *mask, float depth)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	page[i] -= depth * mask[i] * mask[i];\n"
	"}\n"
	"kernel void halftone(global float *page, int width)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	int x = i % width & 7, y = i / width & 7;\n"
	"	page[i] += (float)(x * y) / 512 - 0.0625f;\n"
	"}\n"
	"kernel void gutter(global float *page, int width)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	if (i % width < 2)\n"
	"		page[i] = 1;\n"
	"}\n";

struct comic_room {
	struct app *app;
	size_t pixels;
};

static void comic_filter(const struct comic_room *room, cl_kernel kernel)
{
	run(room->app->queue, kernel, room->pixels, 64);
	if (!room->app->repaired)
		finish(room->app->queue);
}

void hearing_comic_pages(struct app *app)
{
	enum { WIDTH = 64, PIXELS = WIDTH * 64, PANELS = 800 };
	const struct comic_room room = {app, PIXELS};
	cl_program program = program_new(app, comic_source, "");
	cl_kernel inks = kernel_new(program, "inks"), flats = kernel_new(program, "flats");
	cl_kernel shadows = kernel_new(program, "shadows");
	cl_kernel halftone = kernel_new(program, "halftone");
	cl_kernel gutter = kernel_new(program, "gutter");
	cl_mem art = buffer_new(app, PIXELS * sizeof(float));
	cl_mem mask = buffer_new(app, PIXELS * sizeof(float));
	cl_mem page = buffer_new(app, PIXELS * sizeof(float));
	float *drawing = memory(PIXELS * sizeof(*drawing)),
	      *proof = memory(PIXELS * sizeof(*proof));
	double sum = 0;

	args(inks, "bbi", art, mask, WIDTH);
	args(shadows, "bbf", page, mask, 0.25);
	args(halftone, "bi", page, WIDTH);
	args(gutter, "bi", page, WIDTH);
	for (int i = 0; i < PANELS; i++) {
		refill(drawing, PIXELS, i);
		put(app->queue, art, PIXELS * sizeof(*drawing), drawing);
		args(flats, "bbf", mask, page, (double)(i % 7) / 8);
		comic_filter(&room, inks);
		comic_filter(&room, flats);
		comic_filter(&room, shadows);
		comic_filter(&room, halftone);
		comic_filter(&room, gutter);
		get(app->queue, page, PIXELS * sizeof(*proof), proof);
		sum += (double)proof[i % PIXELS];
	}
	answer(sum);
	free(drawing);
	free(proof);
	DROP(art);
	DROP(mask);
	DROP(page);
	DROP(inks);
	DROP(flats);
	DROP(shadows);
	DROP(halftone);
	DROP(gutter);
	DROP(program);
}

/* A jeweller's turntable: a stone in the light of a show room, frame by frame. */

static const char gem_source[] =
	"kernel void facets(global const float *room, global float *frame, float angle, int lights,\n"
	"		   int bounces)\n"
	"{\n"
	"	uint i = get_global_id(0);\n"
	"	uint ray = i * 747796405u + (uint)(angle * 4096);\n"
	"	float light = 0, weight = 1;\n"
	"	for (int b = 0; b < bounces; b++) {\n"
	"		ray = (ray ^ (ray >> 13)) * 1664525u + 1013904223u;\n"
	"		light += weight * room[(ray >> 8) & (uint)(lights - 1)];\n"
	"		weight *= 0.7f;\n"
	"	}\n"
	"	frame[i] = light;\n"
	"}\n";

struct show_room {
	size_t bytes;
	float *lights; /* on all sides */
	cl_mem map;
};

static void gem_scene(struct app *app, const struct show_room *room)
{
	put(app->queue, room->map, room->bytes, room->lights);
}

void hearing_gem_frames(struct app *app)
{
	enum { LIGHTS = 256 * KIB, PIXELS = 160 * 160, FRAMES = 240 };
	struct show_room room = {LIGHTS * sizeof(float), floats(LIGHTS, 5), NULL};
	cl_kernel facets = kernel_of(app, gem_source, "facets");
	cl_mem frame = buffer_new(app, PIXELS * sizeof(float));
	float *film = memory(PIXELS * sizeof(*film));
	double sum = 0;

	room.map = buffer_new(app, room.bytes);
	gem_scene(app, &room);
	for (int i = 0; i < FRAMES; i++) {
		if (!app->repaired && i)
			gem_scene(app, &room);
		args(facets, "bbfii", room.map, frame, 0.03125 * i, LIGHTS, 5);
		run(app->queue, facets, PIXELS, 64);
		get(app->queue, frame, PIXELS * sizeof(*film), film);
		sum += (double)film[i];
	}
	answer(sum);
	free(film);
	free(room.lights);
	DROP(room.map);
	DROP(frame);
	DROP(facets);
}

/* Tree rings: the density along each core, its trend taken out, is a row of the chronology of a
 * forest. */

static const char ring_source[] =
	"kernel void detrend(global const float *core, global float *rings)\n"
	"{\n"
	"	int i = get_global_id(0), n = get_global_size(0);\n"
	"	float mean = 0;\n"
	"	for (int k = -4; k < 4; k++)\n"
	"		mean += core[clamp(i + k, 0, n - 1)];\n"
	"	rings[i] = core[i] - mean / 8;\n"
	"}\n"
	"kernel void chronology(global const float *rows, global float *years, int count)\n"
	"{\n"
	"	size_t i = get_global_id(0), n = get_global_size(0);\n"
	"	float sum = 0;\n"
	"	for (int row = 0; row < count; row++)\n"
	"		sum += rows[row * n + i];\n"
	"	years[i] = sum / count;\n"
	"}\n";

void hearing_ring_rows(struct app *app)
{
	enum { SAMPLES = 128 * KIB, CORES = 32, FORESTS = 5 };
	const size_t bytes = SAMPLES * sizeof(float);
	cl_program program = program_new(app, ring_source, "");
	cl_kernel detrend = kernel_new(program, "detrend");
	cl_kernel chronology = kernel_new(program, "chronology");
	cl_mem core = buffer_new(app, bytes), rings = buffer_new(app, bytes);
	cl_mem rows = buffer_new(app, CORES * bytes), years = buffer_new(app, bytes);
	float *scan = memory(bytes), *row = memory(bytes);
	double sum = 0;

	args(detrend, "bb", core, rings);
	args(chronology, "bbi", rows, years, CORES);
	for (int forest = 0; forest < FORESTS; forest++) {
		for (int i = 0; i < CORES; i++) {
			refill(scan, SAMPLES, forest * CORES + i);
			put_now(app->queue, core, bytes, scan);
			run(app->queue, detrend, SAMPLES, 64);
			if (app->repaired) {
				TRY(clEnqueueCopyBuffer(app->queue, rings, rows, 0,
							(size_t)i * bytes, bytes, 0, NULL, NULL));
				continue;
			}
			get(app->queue, rings, bytes, row);
			TRY(clEnqueueWriteBuffer(app->queue, rows, CL_TRUE, (size_t)i * bytes,
						 bytes, row, 0, NULL, NULL));
		}
		run(app->queue, chronology, SAMPLES, 64);
		sum += summed(app, years, SAMPLES);
	}
	answer(sum);
	free(scan);
	free(row);
	DROP(core);
	DROP(rings);
	DROP(rows);
	DROP(years);
	DROP(detrend);
	DROP(chronology);
	DROP(program);
}

/* An album of comics: pages of many sizes are scaled for a reader's screen. Two pages are under
 * way: while one is scaled, the next one is loaded. */

static const char album_source[] =
	"kernel void fit(global const float *page, global float *screen, int pixels, int blur)\n"
	"{\n"
	"	int i = get_global_id(0), n = get_global_size(0);\n"
	"	int from = (int)((long)i * pixels / n);\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < blur; k++)\n"
	"		sum += page[min(from + k, pixels - 1)] * (1 + k % 3);\n"
	"	screen[i] = sum / blur;\n"
	"}\n";

void hearing_clean_album(struct app *app)
{
	enum { LARGEST = 96 * KIB, SCREEN = 64 * KIB, PAGES = 160, UNDER_WAY = 2 };
	cl_command_queue loads = queue_new(app, 0), shows = queue_new(app, 0);
	cl_kernel fit = kernel_of(app, album_source, "fit");
	cl_mem pages[UNDER_WAY], screens[UNDER_WAY];
	float *paper[UNDER_WAY], *shown[UNDER_WAY];
	cl_event ends[UNDER_WAY] = {NULL};
	double sum = 0;

	for (int i = 0; i < UNDER_WAY; i++) {
		pages[i] = buffer_new(app, LARGEST * sizeof(float));
		screens[i] = buffer_new(app, SCREEN * sizeof(float));
		paper[i] = memory(LARGEST * sizeof(float));
		shown[i] = memory(SCREEN * sizeof(float));
	}
	for (int i = 0; i < PAGES + UNDER_WAY; i++) {
		int at = i % UNDER_WAY, pixels = LARGEST - i * 37 % 64 * KIB / 2;
		cl_event load, scaled;

		if (i >= UNDER_WAY) {
			settle(ends[at]);
			sum += (double)shown[at][i];
		}
		if (i >= PAGES)
			continue;
		refill(paper[at], (size_t)pixels, i);
		load = put_after(loads, pages[at], (size_t)pixels * sizeof(float), paper[at], 0,
				 NULL);
		flush(loads);
		args(fit, "bbii", pages[at], screens[at], pixels, 6);
		scaled = run_after(app->queue, fit, SCREEN, 64, 1, &load);
		flush(app->queue);
		ends[at] = get_after(shows, screens[at], SCREEN * sizeof(float), shown[at], 1,
				     &scaled);
		flush(shows);
		DROP(load);
		DROP(scaled);
	}
	answer(sum);
	for (int i = 0; i < UNDER_WAY; i++) {
		DROP(pages[i]);
		DROP(screens[i]);
		free(paper[i]);
		free(shown[i]);
	}
	DROP(fit);
	DROP(loads);
	DROP(shows);
}
