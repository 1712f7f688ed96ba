/* SPDX-License-Identifier: MIT */
/* What is seen: holograms, a robot's map, fingerprints, a rig of cameras. */
#include "interviews.h"

#include <stdlib.h>

/* Computed holograms: a plate is made of tiles, and each tile's fringes go to the host, where the
 * plate is put together. */
enum { TILE = 128 * KIB, TILES = 24, PLATES = 14 };

struct plate {
	const struct app *app;
	cl_command_queue home; /* what tiles go to the host by */
	cl_kernel fringe;
	cl_mem scene, tiles[2];
	cl_event sent[2];
	uint32_t *cells;
};

static void plate_tile(struct plate *plate, int number, int tile)
{
	int at = tile % 2;
	cl_event made;

	args(plate->fringe, "bbii", plate->scene, plate->tiles[at], 8, number * TILES + tile);
	run_with(plate->app->queue, plate->fringe, TILE, 64, plate->sent[at] ? 1 : 0,
		 &plate->sent[at], &made);
	flush(plate->app->queue);
	if (plate->sent[at])
		DROP(plate->sent[at]);
	plate->sent[at] = get_after(plate->home, plate->tiles[at], TILE * sizeof(uint32_t),
				    plate->cells + (size_t)tile * TILE, 1, &made);
	flush(plate->home);
	DROP(made);
}

void interview_hologram(struct app *app)
{
	struct plate plate = {.app = app, .home = app->queue};
	double sum = 0;

	if (app->repaired)
		plate.home = queue_new(app, 0);
	plate.scene = words_buffer(app, TILE, 12);
	plate.cells = memory((size_t)TILE * TILES * sizeof(uint32_t));
	plate.fringe = kernel_of(app, MIX("fringe"), "fringe");
	for (int i = 0; i < 2; i++)
		plate.tiles[i] = buffer_new(app, TILE * sizeof(uint32_t));
	for (int number = 0; number < PLATES; number++) {
		for (int tile = 0; tile < TILES; tile++)
			plate_tile(&plate, number, tile);
		for (int i = 0; i < 2; i++) {
			settle(plate.sent[i]);
			plate.sent[i] = NULL;
		}
		for (int tile = 0; tile < TILES; tile++) /* the seams */
			sum += plate.cells[(size_t)tile * TILE] >> 20;
	}
	answer(sum);
	free(plate.cells);
	DROP(plate.fringe);
	DROP(plate.scene);
	DROP(plate.tiles[0]);
	DROP(plate.tiles[1]);
	if (app->repaired)
		DROP(plate.home);
}

/* A robot's planner: it asks for a route, which the host walks over the map of costs, and the
 * device looks at how near its points come to an obstacle. The map is made anew at times. */
enum { MAP_WIDE = 512, MAP_CELLS = MAP_WIDE * MAP_WIDE, ASKED = 200, SCANS = 8, POINTS = 2 * KIB };

static const char map_source[] =
	"kernel void inflate(global const uint *seen, global uint *map, int wide, int scan)\n"
	"{\n"
	"	int i = get_global_id(0), n = get_global_size(0);\n"
	"	uint m = 0;\n"
	"	for (int k = -2; k <= 2; k++)\n"
	"		m = max(m, seen[(i + n + k * wide + scan) % n] & 1023);\n"
	"	map[i] = m;\n"
	"}\n"
	"kernel void near(global const uint *map, global const uint *points, global uint *out)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	uint at = points[i], m = 0;\n"
	"	for (int k = 0; k < 16; k++)\n"
	"		m = max(m, map[(at + k * 31) % 262144]);\n"
	"	out[i] = m;\n"
	"}\n";

static void route_walk(const uint32_t *map, uint32_t *points, int asked)
{
	uint32_t at = (uint32_t)asked * 977 % MAP_CELLS;

	for (int i = 0; i < POINTS; i++) {
		uint32_t right = (at + 1) % MAP_CELLS, down = (at + MAP_WIDE) % MAP_CELLS;

		points[i] = at;
		at = map[right] < map[down] ? right : down;
	}
}

void interview_route_map(struct app *app)
{
	const size_t bytes = MAP_CELLS * sizeof(uint32_t), part = POINTS * sizeof(uint32_t);
	cl_mem seen = words_buffer(app, MAP_CELLS, 77), map = words_buffer(app, MAP_CELLS, 78);
	cl_mem route = buffer_new(app, part), result = buffer_new(app, part);
	uint32_t *cells = memory(bytes), *points = memory(part), *nearest = memory(part);
	double sum = 0;

	app->program = program_new(app, map_source, "");

	cl_kernel inflate = kernel_new(app->program, "inflate");
	cl_kernel near = kernel_new(app->program, "near");

	for (int asked = 0; asked < ASKED; asked++) {
		bool scanned = asked % SCANS == 0;

		if (scanned) {
			args(inflate, "bbii", seen, map, MAP_WIDE, asked);
			run(app->queue, inflate, MAP_CELLS, 64);
		}
		if (scanned || !app->repaired)
			get(app->queue, map, bytes, cells);
		route_walk(cells, points, asked);
		put(app->queue, route, part, points);
		args(near, "bbb", map, route, result);
		run(app->queue, near, POINTS, 64);
		get(app->queue, result, part, nearest);
		sum += words_sum(nearest, POINTS);
	}
	answer(sum);
	free(cells);
	free(points);
	free(nearest);
	DROP(inflate);
	DROP(near);
	DROP(seen);
	DROP(map);
	DROP(route);
	DROP(result);
}

/* Fingerprints: the angle of the ridges about each point of a print. The sensor has 500 columns,
 * which no usual group divides. */
enum { PRINT_WIDE = 500, PRINT_HIGH = 360, PRINT_PADDED = 512, PRINTS = 50 };

static const char ridge_source[] =
	"kernel void ridge(global const uint *print, global uint *angles, int wide, int high)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1);\n"
	"	if (x >= wide || y >= high)\n"
	"		return;\n"
	"	int xx = 0, yy = 0;\n"
	"	for (int k = 0; k < 24; k++) {\n"
	"		int u = min(x + (k & 7), wide - 2), v = min(y + (k >> 3), high - 2);\n"
	"		int at = v * wide + u, p = print[at] & 255;\n"
	"		xx += abs((int)(print[at + 1] & 255) - p);\n"
	"		yy += abs((int)(print[at + wide] & 255) - p);\n"
	"	}\n"
	"	angles[y * wide + x] = (uint)(xx > yy ? xx - yy : yy - xx);\n"
	"}\n";

void interview_ridge_angles(struct app *app)
{
	const size_t cells = PRINT_WIDE * PRINT_HIGH, bytes = cells * sizeof(uint32_t);
	cl_mem print = buffer_new(app, bytes), angles = buffer_new(app, bytes);
	cl_kernel ridge = kernel_of(app, ridge_source, "ridge");
	uint32_t *found = memory(bytes);
	double sum = 0;

	args(ridge, "bbii", print, angles, PRINT_WIDE, PRINT_HIGH);
	for (int i = 0; i < PRINTS; i++) {
		uint32_t *sensed = words_new(cells, (uint32_t)i + 300);

		put(app->queue, print, bytes, sensed);
		if (app->repaired)
			run_plane(app->queue, ridge, PRINT_PADDED, PRINT_HIGH, 64, 1);
		else
			run_plane(app->queue, ridge, PRINT_WIDE, PRINT_HIGH, 1, 1);
		get(app->queue, angles, bytes, found);
		sum += words_sum(found, cells);
		free(sensed);
	}
	answer(sum);
	free(found);
	DROP(ridge);
	DROP(print);
	DROP(angles);
}

/* A rig of cameras above a field of play: each camera's picture goes through levels, each of which
 * needs the one before. The queue may reorder, and events say what comes after what. */
enum { CAMERAS = 4, LEVELS = 6, SHOTS = 90, VIEW = 256 };

struct rig {
	struct app *app;
	cl_command_queue queue; /* out of order */
	cl_kernel level;
	cl_mem views[CAMERAS][2];
	cl_event last[CAMERAS];
};

static void rig_launch(struct rig *rig, int camera, int level, int shot)
{
	cl_event *last = &rig->last[rig->app->repaired ? camera : 0], done;

	args(rig->level, "bbii", rig->views[camera][level % 2], rig->views[camera][1 - level % 2],
	     500, shot);
	done = run_after(rig->queue, rig->level, VIEW, VIEW, *last ? 1 : 0, last);
	if (*last)
		DROP(*last);
	*last = done;
}

void interview_camera_rig(struct app *app)
{
	struct rig rig = {.app = app};
	uint32_t view[VIEW];
	double sum = 0;

	rig.queue = queue_new(app, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	rig.level = kernel_of(app, MIX("level"), "level");
	for (int i = 0; i < CAMERAS; i++)
		for (int k = 0; k < 2; k++)
			rig.views[i][k] = words_buffer(app, VIEW, (uint32_t)(i * 2 + k));
	for (int shot = 0; shot < SHOTS; shot++) {
		for (int i = 0; i < CAMERAS; i++)
			for (int level = 0; level < LEVELS; level++)
				rig_launch(&rig, i, level, shot);
		flush(rig.queue);
		if (shot % 10 == 9)
			finish(rig.queue);
	}
	finish(rig.queue);
	for (int i = 0; i < CAMERAS; i++) {
		get(rig.queue, rig.views[i][0], sizeof(view), view);
		sum += words_sum(view, VIEW);
		if (rig.last[i])
			DROP(rig.last[i]);
		DROP(rig.views[i][0]);
		DROP(rig.views[i][1]);
	}
	answer(sum);
	DROP(rig.level);
	DROP(rig.queue);
}
