/* SPDX-License-Identifier: MIT */
/* Programs that have nothing to mend, whatever they look like: forecasts, chess and maps. */
#include "audits.h"

#include <stdlib.h>

/* Four members of a forecast, each with a queue; of every eight days the rain is read while the
 * next eight are being computed. */
enum { MEMBERS = 4, WEEKS = 16, WEEK_DAYS = 8, AREA = 48 * KIB, GAUGES = 256 };

static const char member_source[] =
	"kernel void day(global float *air, int shift)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float x = air[i];\n"
	"	for (int k = 0; k < 16; k++)\n"
	"		x = x * 0.96875f + 0.03125f * (float)((i + k * shift) & 7);\n"
	"	air[i] = x;\n"
	"}\n"
	"kernel void gauge(global float *rain, global const float *air)\n"
	"{\n"
	"	int g = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < 32; k++)\n"
	"		sum += air[g * 32 + k];\n"
	"	rain[g] = sum / 32;\n"
	"}\n";

struct member {
	cl_command_queue queue;
	cl_kernel day, gauge;
	cl_mem air, rain[2];
	float shown[2][GAUGES];
	cl_event read[2];
};

static void member_week(struct member *member, int number, int week)
{
	for (int day = 0; day < WEEK_DAYS; day++) {
		args(member->day, "bi", member->air, number + day);
		run(member->queue, member->day, AREA, 64);
	}
	args(member->gauge, "bb", member->rain[week % 2], member->air);
	run(member->queue, member->gauge, GAUGES, 64);
	member->read[week % 2] =
		get_after(member->queue, member->rain[week % 2], GAUGES * sizeof(float),
			  member->shown[week % 2], 0, NULL);
	flush(member->queue);
}

void audit_clean_members(struct app *app)
{
	static struct member members[MEMBERS];
	cl_program program = program_new(app, member_source, "");
	double rain = 0;

	for (int i = 0; i < MEMBERS; i++) {
		members[i].queue = queue_new(app, 0);
		members[i].day = kernel_new(program, "day");
		members[i].gauge = kernel_new(program, "gauge");
		members[i].air = loaded(app, AREA, (unsigned)i + 20);
		for (int k = 0; k < 2; k++)
			members[i].rain[k] = buffer_new(app, GAUGES * sizeof(float));
	}
	for (int week = 0; week <= WEEKS; week++) {
		for (int i = 0; week < WEEKS && i < MEMBERS; i++)
			member_week(&members[i], i, week);
		for (int i = 0; week && i < MEMBERS; i++) {
			settle(members[i].read[(week - 1) % 2]);
			rain += total(members[i].shown[(week - 1) % 2], GAUGES);
		}
	}
	answer(rain);
	for (int i = 0; i < MEMBERS; i++) {
		DROP(members[i].queue);
		DROP(members[i].day);
		DROP(members[i].gauge);
		DROP(members[i].air);
		DROP(members[i].rain[0]);
		DROP(members[i].rain[1]);
	}
	DROP(program);
}

/* A search that goes deeper: which positions are looked at next hangs on all scores so far. */
enum { DEPTHS = 200, LINES = 96 * KIB, PLIES = 16 };

static const char depth_source[] =
	"kernel void look(global int *scores, global const int *roots, int depth)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	uint state = (uint)(roots[i & 15] * 31 + i + depth);\n"
	"	int score = 0;\n"
	"	for (int k = 0; k < 20; k++) {\n"
	"		state = state * 1664525u + 1013904223u;\n"
	"		score += (int)(state >> 28) - 8;\n"
	"	}\n"
	"	scores[i] = score;\n"
	"}\n"
	"kernel void best(global int *tops, global const int *scores)\n"
	"{\n"
	"	int r = get_global_id(0), top = -1000;\n"
	"	for (int k = 0; k < 96; k++)\n"
	"		top = max(top, scores[r + k * 1024]);\n"
	"	tops[r] = top;\n"
	"}\n";

void audit_clean_depths(struct app *app)
{
	enum { TOPS = 1024 };
	cl_program program = program_new(app, depth_source, "");
	cl_kernel look = kernel_new(program, "look"), best = kernel_new(program, "best");
	cl_mem scores = buffer_new(app, LINES * sizeof(int)), roots = zeroed(app, sizeof(int[16]));
	cl_mem tops = buffer_new(app, TOPS * sizeof(int));
	int lines[PLIES] = {0}, found[TOPS];
	double sum = 0;

	args(best, "bb", tops, scores);
	for (int depth = 0; depth < DEPTHS; depth++) {
		put(app->queue, roots, sizeof(lines), lines);
		args(look, "bbi", scores, roots, depth);
		run(app->queue, look, LINES, 64);
		run(app->queue, best, TOPS, 64);
		get(app->queue, tops, sizeof(found), found);
		for (int i = 0; i < TOPS; i++)
			lines[i % PLIES] = lines[i % PLIES] * 5 + found[i] + depth;
		for (int i = 0; i < PLIES; i++)
			lines[i] &= 0xffff;
		sum += found[depth];
	}
	answer(sum);
	DROP(look);
	DROP(best);
	DROP(scores);
	DROP(roots);
	DROP(tops);
	DROP(program);
}

/* A walk over a map: the device keeps the last twelve tiles, and a queue of its own brings those
 * that come into view, and takes the small views away. */
enum { KEPT = 12, VIEWS = 150, SEEN = 4, MAP_TILE = 48 * KIB, MAP_STEP = 5008, VIEW = 4 * KIB };

static const char atlas_source[] =
	"kernel void paint(global float *view, global const float *tile, int corner)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float x = tile[i];\n"
	"	for (int k = 0; k < 16; k++)\n"
	"		x = x * 0.875f + 0.125f * (float)((i >> k) & 1);\n"
	"	if (i < 1024)\n"
	"		view[corner * 1024 + i] = x;\n"
	"}\n";

struct atlas {
	cl_command_queue loader;
	cl_mem tiles[KEPT], views[2];
	int numbers[KEPT];
	cl_event painted[2], taken[2];
	float *land, *shown[2];
};

/* The tile's place on the device; brought is the event of its way there, if it must go. */
static cl_mem atlas_tile(struct atlas *atlas, int number, cl_event *brought)
{
	int place = number % KEPT;

	if (atlas->numbers[place] != number) {
		atlas->numbers[place] = number;
		*brought = put_after(atlas->loader, atlas->tiles[place], MAP_TILE * sizeof(float),
				     atlas->land + (size_t)number * MAP_STEP, 0, NULL);
		flush(atlas->loader);
	}
	return atlas->tiles[place];
}

static void atlas_view(struct app *app, struct atlas *atlas, cl_kernel paint, int view)
{
	/* Two tiles on, one tile back. */
	int first = view / 2 + view % 2 * 2, slot = view % 2;

	for (int corner = 0; corner < SEEN; corner++) {
		cl_event brought = NULL;
		cl_mem tile = atlas_tile(atlas, first + corner, &brought);
		bool last = corner == SEEN - 1;

		args(paint, "bbi", atlas->views[slot], tile, corner);
		run_with(app->queue, paint, MAP_TILE, 64, brought != NULL, &brought,
			 last ? &atlas->painted[slot] : NULL);
		if (brought)
			DROP(brought);
	}
	flush(app->queue);
	atlas->taken[slot] = get_after(atlas->loader, atlas->views[slot], VIEW * sizeof(float),
				       atlas->shown[slot], 1, &atlas->painted[slot]);
	flush(atlas->loader);
	DROP(atlas->painted[slot]);
}

void audit_clean_atlas(struct app *app)
{
	static struct atlas atlas;
	cl_kernel paint = kernel_of(app, atlas_source, "paint");
	double sum = 0;

	atlas.loader = queue_new(app, 0);
	atlas.land = floats(MAP_TILE + (VIEWS + 8) * MAP_STEP, 18);
	for (int i = 0; i < KEPT; i++) {
		atlas.tiles[i] = buffer_new(app, MAP_TILE * sizeof(float));
		atlas.numbers[i] = -1;
	}
	for (int i = 0; i < 2; i++) {
		atlas.views[i] = buffer_new(app, VIEW * sizeof(float));
		atlas.shown[i] = memory(VIEW * sizeof(float));
	}
	for (int view = 0; view <= VIEWS; view++) {
		int before = (view + 1) % 2;

		if (view < VIEWS)
			atlas_view(app, &atlas, paint, view);
		if (!view)
			continue;
		settle(atlas.taken[before]);
		sum += total(atlas.shown[before], VIEW);
	}
	answer(sum);
	DROP(atlas.loader);
	for (int i = 0; i < KEPT; i++)
		DROP(atlas.tiles[i]);
	for (int i = 0; i < 2; i++) {
		DROP(atlas.views[i]);
		free(atlas.shown[i]);
	}
	DROP(paint);
	free(atlas.land);
}
