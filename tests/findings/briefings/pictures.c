/* SPDX-License-Identifier: MIT */
/* Pictures: pages, a car's camera, satellite bands, the sky of a planetarium, a game's ground. */
#include "briefings.h"

#include <stdlib.h>

/* Scanned invoices: each page's ink is found and smoothed, and its profile of rows tells the lines
 * of text.
 */
enum { PAGE_WIDTH = 1024, PAGE_ROWS = 768, PAGE = PAGE_WIDTH * PAGE_ROWS, PAGES = 100 };

static const char page_source[] =
	"kernel void ink(global const uchar *page, global float *dark)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	dark[i] = (float)(255 - page[i]) / 255.0f;\n"
	"}\n"
	"kernel void smooth(global const float *dark, global float *soft, int width)\n"
	"{\n"
	"	int i = get_global_id(0), x = i % width;\n"
	"	float left = dark[x ? i - 1 : i], right = dark[x < width - 1 ? i + 1 : i];\n"
	"	soft[i] = 0.25f * left + 0.5f * dark[i] + 0.25f * right;\n"
	"}\n"
	"kernel void profile(global const float *soft, global float *rows, int width)\n"
	"{\n"
	"	int y = get_global_id(0);\n"
	"	float4 sum = 0;\n"
	"	for (int x = 0; x < width; x += 4)\n"
	"		sum += vload4(0, soft + y * width + x);\n"
	"	rows[y] = sum.x + sum.y + sum.z + sum.w;\n"
	"}\n";

struct desk {
	cl_mem page, dark, soft, rows;
};

static struct desk desk_new(const struct app *app)
{
	return (struct desk){buffer_new(app, PAGE), buffer_new(app, PAGE * sizeof(float)),
			     buffer_new(app, PAGE * sizeof(float)),
			     buffer_new(app, PAGE_ROWS * sizeof(float))};
}

static void desk_drop(struct desk *desk)
{
	DROP(desk->page);
	DROP(desk->dark);
	DROP(desk->soft);
	DROP(desk->rows);
}

void briefing_invoices(struct app *app)
{
	cl_program program = program_new(app, page_source, "");
	cl_kernel ink = kernel_new(program, "ink"), smooth = kernel_new(program, "smooth");
	cl_kernel profile = kernel_new(program, "profile");
	uint8_t *scan = memory(PAGE);
	float *rows = memory(PAGE_ROWS * sizeof(*rows));
	struct desk desk = {NULL, NULL, NULL, NULL};
	double lines = 0;

	if (app->repaired)
		desk = desk_new(app);
	for (int page = 0; page < PAGES; page++) {
		picture(scan, PAGE, page);
		if (!app->repaired)
			desk = desk_new(app);
		put(app->queue, desk.page, PAGE, scan);
		args(ink, "bb", desk.page, desk.dark);
		run(app->queue, ink, PAGE, 128);
		args(smooth, "bbi", desk.dark, desk.soft, PAGE_WIDTH);
		run(app->queue, smooth, PAGE, 128);
		args(profile, "bbi", desk.soft, desk.rows, PAGE_WIDTH);
		run(app->queue, profile, PAGE_ROWS, 16);
		get(app->queue, desk.rows, PAGE_ROWS * sizeof(*rows), rows);
		lines += total(rows, PAGE_ROWS);
		if (!app->repaired)
			desk_drop(&desk);
	}
	if (app->repaired)
		desk_drop(&desk);
	answer(lines);
	DROP(ink);
	DROP(smooth);
	DROP(profile);
	DROP(program);
	free(scan);
	free(rows);
}

/* A car's fisheye camera: each frame is made straight by a map of where each pixel comes from. */
enum { VIEW_WIDTH = 384, VIEW_HEIGHT = 256, VIEW = VIEW_WIDTH * VIEW_HEIGHT, VIEWS = 500 };

static const char view_source[] =
	"kernel void straighten(global const uchar *frame, global const float2 *map,\n"
	"		       global uchar *view, int width)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float2 from = map[i];\n"
	"	int x = (int)from.x, y = (int)from.y;\n"
	"	float part = from.x - (float)x;\n"
	"	global const uchar *p = frame + y * width + x;\n"
	"	view[i] = (uchar)((float)p[0] * (1 - part) + (float)p[1] * part);\n"
	"}\n";

static float *lens_new(void)
{
	float *lens = memory(VIEW * 2 * sizeof(*lens));

	for (int i = 0; i < VIEW; i++) {
		float x = (float)(i % VIEW_WIDTH) / VIEW_WIDTH - 0.5f;
		float y = (float)(i / VIEW_WIDTH) / VIEW_HEIGHT - 0.5f;
		float bend = 0.75f + 0.5f * (x * x + y * y);

		lens[2 * i] = (x * bend + 0.5f) * (VIEW_WIDTH - 2);
		lens[2 * i + 1] = (y * bend + 0.5f) * (VIEW_HEIGHT - 2);
	}
	return lens;
}

void briefing_fisheye(struct app *app)
{
	cl_kernel straighten = kernel_of(app, view_source, "straighten");
	size_t lens_bytes = VIEW * 2 * sizeof(float);
	float *lens = lens_new();
	uint8_t *frame = memory(VIEW), *view = memory(VIEW);
	cl_mem in = buffer_new(app, VIEW), out = buffer_new(app, VIEW);
	cl_mem map = loaded(app, lens_bytes, lens);
	double light = 0;

	args(straighten, "bbbi", in, map, out, VIEW_WIDTH);
	for (int i = 0; i < VIEWS; i++) {
		picture(frame, VIEW, i);
		if (!app->repaired)
			put(app->queue, map, lens_bytes, lens);
		put(app->queue, in, VIEW, frame);
		run(app->queue, straighten, VIEW, 64);
		get(app->queue, out, VIEW, view);
		light += view[VIEW / 2 + 7] + view[(i * 379) % VIEW];
	}
	answer(light);
	DROP(in);
	DROP(out);
	DROP(map);
	DROP(straighten);
	free(lens);
	free(frame);
	free(view);
}

/* A satellite's red and infrared bands come down scene by scene, and an index of what grows there
 * goes to the archive. While a scene is worked on the next one may come.
 */
enum { SCENE = 49152, SCENES = 400 };

static const char scene_source[] =
	"kernel void growth(global const float2 *bands, global float *index, int rounds)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float red = bands[i].x, near = bands[i].y, v = 0;\n"
	"	for (int r = 0; r < rounds; r++)\n"
	"		v = v * 0.5f + (near - red) / (near + red + 0.1f + v * v);\n"
	"	index[i] = v;\n"
	"}\n";

struct scene {
	cl_command_queue queue;
	cl_kernel growth;
	float *bands, *index;
	cl_mem in, out;
	cl_event archived;
};

void briefing_orbit_bands(struct app *app)
{
	cl_program program = program_new(app, scene_source, "");
	cl_command_queue second = queue_new(app, 0);
	size_t in_bytes = SCENE * 2 * sizeof(float), out_bytes = SCENE * sizeof(float);
	struct scene scenes[2];
	double green = 0;

	for (int i = 0; i < 2; i++) {
		scenes[i] = (struct scene){i && app->repaired ? second : app->queue,
					   kernel_new(program, "growth"),
					   memory(in_bytes),
					   memory(out_bytes),
					   buffer_new(app, in_bytes),
					   buffer_new(app, out_bytes),
					   NULL};
		args(scenes[i].growth, "bbi", scenes[i].in, scenes[i].out, 4);
	}
	for (int i = 0; i < SCENES + 2; i++) {
		struct scene *scene = &scenes[i % 2];

		if (scene->archived) {
			settle(scene->archived);
			green += (double)scene->index[i % SCENE];
			scene->archived = NULL;
		}
		if (i >= SCENES)
			continue;
		refill(scene->bands, 2 * SCENE, i);
		put(scene->queue, scene->in, in_bytes, scene->bands);
		run(scene->queue, scene->growth, SCENE, 64);
		scene->archived =
			get_after(scene->queue, scene->out, out_bytes, scene->index, 0, NULL);
		flush(scene->queue);
	}
	answer(green);
	for (int i = 0; i < 2; i++) {
		DROP(scenes[i].growth);
		DROP(scenes[i].in);
		DROP(scenes[i].out);
		free(scenes[i].bands);
		free(scenes[i].index);
	}
	DROP(second);
	DROP(program);
}

/* A planetarium's dome: the stars of each zone of the sky move, and the dome is drawn. */
enum { ZONES = 32, ZONE_STARS = 4, STARS = ZONES * ZONE_STARS, DOME = 256 * 256, NIGHTS = 200 };

static const char dome_source[] =
	"kernel void draw(global const float *stars, global float *dome, int count)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float x = (float)(i % 256) / 256, y = (float)(i / 256) / 256, light = 0;\n"
	"	int zone = i / 2048;\n"
	"	for (int s = zone * count; s < zone * count + count; s++) {\n"
	"		light += max(0.0f, 0.02f - fabs(x - stars[s]) * y);\n"
	"	}\n"
	"	dome[i] = dome[i] * 0.9f + light;\n"
	"}\n";

void briefing_planetarium(struct app *app)
{
	cl_kernel draw = kernel_of(app, dome_source, "draw");
	size_t zone_bytes = ZONE_STARS * sizeof(float), dome_bytes = DOME * sizeof(float);
	float *sky = floats(STARS, 5), *picture_of = memory(dome_bytes);
	cl_mem stars = buffer_new(app, STARS * sizeof(float));
	cl_mem dome = loaded(app, dome_bytes, picture_of);
	double light = 0;

	args(draw, "bbi", stars, dome, ZONE_STARS);
	for (int night = 0; night < NIGHTS; night++) {
		for (int zone = 0; zone < ZONES; zone++) {
			float *own = sky + zone * ZONE_STARS;

			for (int s = 0; s < ZONE_STARS; s++)
				own[s] += own[s] < 1 ? 0.001f * (float)(zone + 1) : -1.0f;
			if (!app->repaired)
				TRY(clEnqueueWriteBuffer(app->queue, stars, CL_FALSE,
							 (size_t)zone * zone_bytes, zone_bytes, own,
							 0, NULL, NULL));
		}
		if (app->repaired)
			put(app->queue, stars, STARS * sizeof(float), sky);
		run(app->queue, draw, DOME, 64);
		get(app->queue, dome, dome_bytes, picture_of);
		light += (double)picture_of[night * 7 % DOME];
	}
	answer(light);
	DROP(stars);
	DROP(dome);
	DROP(draw);
	free(sky);
	free(picture_of);
}

/* A game's ground: where the player goes, a patch of heights is set into the map round him, and
 * the map's slopes are made anew.
 */
enum { GROUND_WIDTH = 128, GROUND = GROUND_WIDTH * GROUND_WIDTH, PATCH = 32, PATCHES = 1000 };

static const char ground_source[] =
	"kernel void slopes(global const float *height, global float *slope, int width)\n"
	"{\n"
	"	int i = get_global_id(0), x = i % width;\n"
	"	float r = height[x < width - 1 ? i + 1 : i];\n"
	"	float d = height[i < width * (width - 1) ? i + width : i];\n"
	"	float a = r - height[i], b = d - height[i];\n"
	"	slope[i] = slope[i] * 0.5f + sqrt(a * a + b * b);\n"
	"}\n";

/* The driver may have no transfers of boxes: row by row then. */
static void patch_put(const struct app *app, cl_mem height, int x, int y, const float *patch)
{
	const size_t to[3] = {(size_t)x * sizeof(float), (size_t)y, 0}, from[3] = {0, 0, 0};
	const size_t region[3] = {PATCH * sizeof(float), PATCH, 1};
	size_t pitch = app->repaired ? GROUND_WIDTH * sizeof(float) : PATCH;

	if (clEnqueueWriteBufferRect(app->queue, height, CL_FALSE, to, from, region, pitch, 0, 0, 0,
				     patch, 0, NULL, NULL) == CL_SUCCESS)
		return;
	for (int row = 0; row < PATCH; row++)
		TRY(clEnqueueWriteBuffer(app->queue, height, CL_FALSE,
					 (size_t)((y + row) * GROUND_WIDTH + x) * sizeof(float),
					 PATCH * sizeof(float), patch + row * PATCH, 0, NULL,
					 NULL));
}

void briefing_terrain(struct app *app)
{
	cl_kernel slopes = kernel_of(app, ground_source, "slopes");
	size_t bytes = GROUND * sizeof(float);
	float *patch = memory(PATCH * PATCH * sizeof(*patch)), *result = floats(GROUND, 9);
	cl_mem height = loaded(app, bytes, result), slope = loaded(app, bytes, result);

	args(slopes, "bbi", height, slope, GROUND_WIDTH);
	for (int i = 0; i < PATCHES; i++) {
		refill(patch, PATCH * PATCH, i);
		patch_put(app, height, i * 5 % (GROUND_WIDTH - PATCH),
			  i * 11 % (GROUND_WIDTH - PATCH), patch);
		run(app->queue, slopes, GROUND, 64);
		finish(app->queue);
	}
	get(app->queue, slope, bytes, result);
	answer(total(result, GROUND));
	DROP(height);
	DROP(slope);
	DROP(slopes);
	free(patch);
	free(result);
}
