/* SPDX-License-Identifier: MIT */
/* Weather, pictures from orbit, and how an illness spreads between regions. */
#include "audits.h"

#include <stdlib.h>

/* A storm on a ring of rows: wind, vapour, rain and heat, in four stages for each step. */
enum { ROWS = 48, COLUMNS = 128, CELLS = ROWS * COLUMNS, STORM_STEPS = 900 };

static const char storm_source[] =
	"#define WEST(i) ((i) % COLUMNS ? (i) - 1 : (i) + COLUMNS - 1)\n"
	"#define EAST(i) ((i) % COLUMNS < COLUMNS - 1 ? (i) + 1 : (i) - COLUMNS + 1)\n"
	"kernel void blow(global float *wind, global const float *heat)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	wind[i] = wind[i] * 0.98f + 0.02f * (heat[WEST(i)] - heat[EAST(i)]);\n"
	"}\n"
	"kernel void carry(global float *next, global const float *vapour,\n"
	"		  global const float *wind)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float slope = vapour[WEST(i)] - vapour[EAST(i)];\n"
	"	next[i] = clamp(vapour[i] + 0.5f * wind[i] * slope, 0.0f, 4.0f);\n"
	"}\n"
	"kernel void condense(global float *vapour, global float *rain,\n"
	"		     global const float *next, global const float *heat)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float drop = fmax(next[i] - heat[i], 0.0f) * 0.125f;\n"
	"	vapour[i] = next[i] - drop + 0.01f * heat[i];\n"
	"	rain[i] = rain[i] * 0.99f + drop;\n"
	"}\n"
	"kernel void warm(global float *heat, global const float *rain)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float sun = 0.5f + 0.5f * (float)(i / COLUMNS) / 48;\n"
	"	heat[i] = heat[i] * 0.99f + 0.01f * sun + 0.001f * rain[i];\n"
	"}\n";

static void storm_stage(struct app *app, cl_kernel kernel)
{
	run(app->queue, kernel, CELLS, 64);
	if (!app->repaired)
		finish(app->queue);
}

void audit_storm_cells(struct app *app)
{
	static const char *const names[] = {"blow", "carry", "condense", "warm"};
	cl_program program = program_new(app, storm_source, "-DCOLUMNS=128");
	cl_mem heat = loaded(app, CELLS, 3), vapour = loaded(app, CELLS, 4);
	cl_mem wind = zeroed(app, CELLS * sizeof(float)), rain = zeroed(app, CELLS * sizeof(float));
	cl_mem next = buffer_new(app, CELLS * sizeof(float));
	float *fallen = memory(CELLS * sizeof(float));
	cl_kernel stages[4];

	for (int i = 0; i < 4; i++)
		stages[i] = kernel_new(program, names[i]);
	args(stages[0], "bb", wind, heat);
	args(stages[1], "bbb", next, vapour, wind);
	args(stages[2], "bbbb", vapour, rain, next, heat);
	args(stages[3], "bb", heat, rain);
	for (int step = 0; step < STORM_STEPS; step++)
		for (int i = 0; i < 4; i++)
			storm_stage(app, stages[i]);
	get(app->queue, rain, CELLS * sizeof(float), fallen);
	answer(total(fallen, CELLS));
	for (int i = 0; i < 4; i++)
		DROP(stages[i]);
	DROP(program);
	DROP(heat);
	DROP(vapour);
	DROP(wind);
	DROP(rain);
	DROP(next);
	free(fallen);
}

/* Strips of a satellite's scene are calibrated and made smaller for the browser. */
enum {
	SCENE = 4 * MIB,
	TILES = 220,
	TILE = 64 * KIB,
	TILE_STEP = 18752,
	THUMB = TILE / 4,
};

static const char swath_source[] =
	"kernel void calibrate(global float *tile, global const float *gains)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float x = tile[i];\n"
	"	for (int k = 0; k < 12; k++)\n"
	"		x = x * gains[(i + k) & 255] + 0.03125f * gains[k];\n"
	"	tile[i] = x;\n"
	"}\n"
	"kernel void shrink(global float *thumb, global const float *tile)\n"
	"{\n"
	"	int i = get_global_id(0), at = i / 128 * 512 + i % 128 * 2;\n"
	"	thumb[i] = 0.25f * (tile[at] + tile[at + 1] + tile[at + 256] + tile[at + 257]);\n"
	"}\n";

struct swath_lane {
	cl_command_queue queue;
	cl_mem tile, thumb;
};

void audit_swath_tiles(struct app *app)
{
	cl_program program = program_new(app, swath_source, "");
	cl_kernel calibrate = kernel_new(program, "calibrate");
	cl_kernel shrink = kernel_new(program, "shrink");
	cl_mem gains = loaded(app, 256, 8);
	float *scene = floats(SCENE, 5), *thumbs = memory(TILES * THUMB * sizeof(float));
	struct swath_lane lanes[2];
	int count = app->repaired ? 2 : 1;

	for (int i = 0; i < count; i++) {
		lanes[i].queue = queue_new(app, 0);
		lanes[i].tile = buffer_new(app, TILE * sizeof(float));
		lanes[i].thumb = buffer_new(app, THUMB * sizeof(float));
	}
	for (size_t t = 0; t < TILES; t++) {
		struct swath_lane *lane = &lanes[t % (size_t)count];

		put(lane->queue, lane->tile, TILE * sizeof(float), scene + t * TILE_STEP);
		args(calibrate, "bb", lane->tile, gains);
		run(lane->queue, calibrate, TILE, 64);
		args(shrink, "bb", lane->thumb, lane->tile);
		run(lane->queue, shrink, THUMB, 64);
		TRY(clEnqueueReadBuffer(lane->queue, lane->thumb, CL_FALSE, 0,
					THUMB * sizeof(float), thumbs + t * THUMB, 0, NULL, NULL));
		flush(lane->queue);
	}
	for (int i = 0; i < count; i++)
		finish(lanes[i].queue);
	answer(total(thumbs, TILES * THUMB));
	for (int i = 0; i < count; i++) {
		DROP(lanes[i].queue);
		DROP(lanes[i].tile);
		DROP(lanes[i].thumb);
	}
	DROP(gains);
	DROP(calibrate);
	DROP(shrink);
	DROP(program);
	free(scene);
	free(thumbs);
}

/* An illness in 256 regions. Each day has its table of who travels, which begins at another record
 * of a file; one queue brings the tables, the other one computes. */
enum {
	REGIONS = 256,
	TABLE = REGIONS * REGIONS,
	DAYS = 420,
	DAY_STEP = 1024,
	RECORDS = TABLE + DAYS * DAY_STEP,
};

static const char region_source[] =
	"kernel void travel(global float *flows, global const float *table,\n"
	"		   global const float *ill)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float p = table[i] * ill[i % 256];\n"
	"	for (int k = 0; k < 16; k++)\n"
	"		p = p * (1.0f - 0.0625f * p);\n"
	"	flows[i] = p;\n"
	"}\n"
	"kernel void infect(global float *ill, global const float *flows)\n"
	"{\n"
	"	int r = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (int k = 0; k < 256; k++)\n"
	"		sum += flows[r * 256 + k];\n"
	"	ill[r] = 0.875f * ill[r] + 0.125f * sum / (1.0f + sum);\n"
	"}\n";

void audit_region_days(struct app *app)
{
	cl_program program = program_new(app, region_source, "");
	cl_kernel travel = kernel_new(program, "travel"), infect = kernel_new(program, "infect");
	cl_command_queue bringer = queue_new(app, 0);
	cl_mem tables[2], flows = buffer_new(app, TABLE * sizeof(float));
	cl_mem ill = loaded(app, REGIONS, 2);
	float *records = floats(RECORDS, 77), now[REGIONS];
	cl_event done[DAYS];

	for (int i = 0; i < 2; i++)
		tables[i] = buffer_new(app, TABLE * sizeof(float));
	for (int day = 0; day < DAYS; day++) {
		/* A table that is being read must not be written. */
		int reader = day - (app->repaired ? 2 : 1);
		cl_event brought = put_after(bringer, tables[day % 2], TABLE * sizeof(float),
					     records + day * DAY_STEP, reader >= 0,
					     reader >= 0 ? &done[reader] : NULL);

		flush(bringer);
		args(travel, "bbb", flows, tables[day % 2], ill);
		done[day] = run_after(app->queue, travel, TABLE, 64, 1, &brought);
		args(infect, "bb", ill, flows);
		run(app->queue, infect, REGIONS, 32);
		flush(app->queue);
		DROP(brought);
	}
	get(app->queue, ill, sizeof(now), now);
	answer(total(now, REGIONS));
	for (int day = 0; day < DAYS; day++)
		DROP(done[day]);
	for (int i = 0; i < 2; i++)
		DROP(tables[i]);
	DROP(bringer);
	DROP(flows);
	DROP(ill);
	DROP(travel);
	DROP(infect);
	DROP(program);
	free(records);
}
