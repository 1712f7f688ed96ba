/* SPDX-License-Identifier: MIT */
/* What is moved to the device and back. */
#include "sittings.h"

#include <stdlib.h>
#include <string.h>

/* A table of a database on the device: changed rows are merged, then queries run. */
enum { ROWS = 40000, FIELDS = 32, MERGES = 40, CHANGED = 150, QUERIES = 3 };

static const char table_source[] =
	"kernel void apply(global float *table, global const float *rows)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	global const int *where = (global const int *)(rows + 150 * 32);\n"
	"	table[where[i / 32] * 32 + i % 32] = rows[i];\n"
	"}\n"
	"kernel void query(global const float *table, global float *sums, int column)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	float a = table[i * 32 + column], b = table[i * 32 + column + 7];\n"
	"	sums[i] = sums[i] * 0.5f + (a > b ? a : b);\n"
	"}\n";

struct delta {
	float rows[CHANGED][FIELDS];
	int where[CHANGED + 10]; /* whole lines of the cache */
};

static void delta_fill(struct delta *delta, int number)
{
	refill(delta->rows[0], (size_t)CHANGED * FIELDS, number);
	for (int i = 0; i < CHANGED; i++)
		delta->where[i] = (i * 263 + number * 17) % ROWS;
}

void sitting_delta_merge(struct app *app)
{
	enum { ROW = FIELDS * sizeof(float) };
	cl_program program = program_new(app, table_source, "");
	cl_kernel apply = kernel_new(program, "apply"), query = kernel_new(program, "query");
	struct delta *deltas = memory(MERGES * sizeof(*deltas));
	cl_mem table = seeded(app, ROWS * ROW, 1), sums = seeded(app, ROWS * sizeof(float), 2);
	cl_mem rows = buffer_new(app, sizeof(*deltas));
	float *result = memory(ROWS * sizeof(float));

	args(apply, "bb", table, rows);
	for (int n = 0; n < MERGES; n++) {
		struct delta *delta = &deltas[n];

		delta_fill(delta, n);
		if (app->repaired) {
			put(app->queue, rows, sizeof(*delta), delta);
			run(app->queue, apply, (size_t)CHANGED * FIELDS, 32);
		} else {
			for (int i = 0; i < CHANGED; i++)
				put_part(app->queue, table, (size_t)delta->where[i] * ROW, ROW,
					 delta->rows[i]);
		}
		for (int i = 0; i < QUERIES; i++) {
			args(query, "bbi", table, sums, (n + i * 5) % 20);
			run(app->queue, query, ROWS, 64);
		}
		flush(app->queue);
	}
	get(app->queue, sums, ROWS * sizeof(float), result);
	answer(total(result, ROWS));
	free(result);
	free(deltas);
	DROP(table);
	DROP(sums);
	DROP(rows);
	DROP(apply);
	DROP(query);
	DROP(program);
}

/* Colours of a film: each scene has its look, which is a table of colours. */
enum { PIXELS = 320 * 240, SHOTS = 180, SCENES = 4, EDGE = 33, IN_FLIGHT = 3 };
enum { FRAME_BYTES = PIXELS * 4, LOOK_BYTES = EDGE * EDGE * EDGE * 4 * sizeof(float) };

static const char look_source[] =
	"kernel void grade(global const uchar4 *in, global uchar4 *out, global const float4 *look)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	int4 at = convert_int4(in[i]) / 8;\n"
	"	float4 colour = look[(at.x * 33 + at.y) * 33 + at.z];\n"
	"	float4 next = look[((at.x + 1) * 33 + at.y) * 33 + at.z];\n"
	"	out[i] = convert_uchar4_sat((colour * 0.7f + next * 0.3f) * 255);\n"
	"}\n";

struct grader {
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem in[IN_FLIGHT], out[IN_FLIGHT], look;
	unsigned char *frames[IN_FLIGHT], *shown[IN_FLIGHT];
	cl_event done[IN_FLIGHT];
	int scene; /* that `look` has */
	bool keeps;
};

static void grader_look(struct grader *grader, int scene, const float *look)
{
	if (grader->keeps && grader->scene == scene)
		return;
	put(grader->queue, grader->look, LOOK_BYTES, look);
	grader->scene = scene;
}

static void grader_shot(struct grader *grader, int shot, int scene, const float *look)
{
	int slot = shot % IN_FLIGHT;

	if (grader->done[slot])
		settle(grader->done[slot]);
	memset(grader->frames[slot], shot, FRAME_BYTES);
	put(grader->queue, grader->in[slot], FRAME_BYTES, grader->frames[slot]);
	grader_look(grader, scene, look);
	args(grader->kernel, "bbb", grader->in[slot], grader->out[slot], grader->look);
	run(grader->queue, grader->kernel, PIXELS, 64);
	grader->done[slot] = get_after(grader->queue, grader->out[slot], FRAME_BYTES,
				       grader->shown[slot], 0, NULL);
	flush(grader->queue);
}

void sitting_grade_looks(struct app *app)
{
	struct grader grader = {.queue = app->queue,
				.kernel = kernel_of(app, look_source, "grade"),
				.look = buffer_new(app, LOOK_BYTES),
				.scene = -1,
				.keeps = app->repaired};
	float *looks[SCENES];

	for (int i = 0; i < SCENES; i++)
		looks[i] = floats(LOOK_BYTES / sizeof(float), (unsigned)i + 3);
	for (int i = 0; i < IN_FLIGHT; i++) {
		grader.in[i] = buffer_new(app, FRAME_BYTES);
		grader.out[i] = buffer_new(app, FRAME_BYTES);
		grader.frames[i] = memory(FRAME_BYTES);
		grader.shown[i] = memory(FRAME_BYTES);
	}
	for (int shot = 0; shot < SHOTS; shot++) {
		int scene = shot * SCENES / SHOTS;

		grader_shot(&grader, shot, scene, looks[scene]);
	}
	for (int i = 0; i < IN_FLIGHT; i++)
		settle(grader.done[i]);
	answer(grader.shown[0][77]);
	for (int i = 0; i < IN_FLIGHT; i++) {
		DROP(grader.in[i]);
		DROP(grader.out[i]);
		free(grader.frames[i]);
		free(grader.shown[i]);
	}
	for (int i = 0; i < SCENES; i++)
		free(looks[i]);
	DROP(grader.look);
	DROP(grader.kernel);
}

/* A robot's map: each scan of its lidar goes into it, and the way is planned around the robot. */
enum { MAP = 512, BEAMS = 1440, SCANS = 160, NEAR = 64 };

static const char map_source[] =
	"kernel void integrate(global float *map, global const float *scan,\n"
	"			global const float2 *ways, int x, int y)\n"
	"{\n"
	"	int i = get_global_id(0), beam = i % 1440, far = i / 1440 + 1;\n"
	"	float hit = scan[beam] * 48;\n"
	"	int cx = clamp(x + (int)(far * (ways[beam].x - 0.5f)), 0, 511);\n"
	"	int cy = clamp(y + (int)(far * (ways[beam].y - 0.5f)), 0, 511);\n"
	"	map[cy * 512 + cx] = clamp(map[cy * 512 + cx] + (far < hit ? -0.1f : 0.2f), 0.0f,\n"
	"				   1.0f);\n"
	"}\n"
	"kernel void around(global const float *map, global float *window, int x, int y)\n"
	"{\n"
	"	int i = get_global_id(0);\n"
	"	window[i] = map[(y - 32 + i / 64) * 512 + x - 32 + i % 64];\n"
	"}\n";

static int way_choose(const float *cells, int stride)
{
	int best = 0;
	float least = 1e9f;

	for (int x = 0; x < NEAR; x++) {
		float cost = 0;

		for (int y = 0; y < NEAR; y++)
			cost += cells[y * stride + x];
		if (cost < least) {
			least = cost;
			best = x;
		}
	}
	return best;
}

void sitting_robot_map(struct app *app)
{
	enum { MAP_BYTES = MAP * MAP * sizeof(float), NEAR_BYTES = NEAR * NEAR * sizeof(float) };
	cl_program program = program_new(app, map_source, "");
	cl_kernel integrate = kernel_new(program, "integrate"),
		  around = kernel_new(program, "around");
	cl_mem map = seeded(app, MAP_BYTES, 11), window = buffer_new(app, NEAR_BYTES);
	cl_mem scan = buffer_new(app, BEAMS * sizeof(float)),
	       ways = seeded(app, BEAMS * 2 * sizeof(float), 12);
	float *beams = memory(BEAMS * sizeof(float)), *cells = memory(MAP_BYTES);
	int x = 256, y = 256, turns = 0;

	for (int n = 0; n < SCANS; n++) {
		int way;

		refill(beams, BEAMS, n);
		put(app->queue, scan, BEAMS * sizeof(float), beams);
		args(integrate, "bbbii", map, scan, ways, x, y);
		run(app->queue, integrate, (size_t)BEAMS * 48, 64);
		if (app->repaired) {
			args(around, "bbii", map, window, x, y);
			run(app->queue, around, NEAR * NEAR, 64);
			get(app->queue, window, NEAR_BYTES, cells);
			way = way_choose(cells, NEAR);
		} else {
			get(app->queue, map, MAP_BYTES, cells);
			way = way_choose(cells + (size_t)(y - 32) * MAP + x - 32, MAP);
		}
		turns += way != NEAR / 2;
		x += way > NEAR / 2 && x < 400 ? 1 : x > 100 ? -1 : 0;
		y += n % 3 - 1;
	}
	answer(turns);
	free(beams);
	free(cells);
	DROP(map);
	DROP(window);
	DROP(scan);
	DROP(ways);
	DROP(integrate);
	DROP(around);
	DROP(program);
}

/* A rack of sound effects: each works on a block of samples. */
enum { SAMPLES = 64 * KIB, BLOCKS = 70, EFFECTS = 5 };

static const char rack_source[] = "kernel void equalizer(global float *s, float a)\n"
				  "{\n"
				  "	int i = get_global_id(0);\n"
				  "	float v = s[i];\n"
				  "	for (int r = 0; r < 8; r++)\n"
				  "		v = v * a + 0.05f * (1 - v * v);\n"
				  "	s[i] = v;\n"
				  "}\n"
				  "kernel void compressor(global float *s, float a)\n"
				  "{\n"
				  "	int i = get_global_id(0);\n"
				  "	s[i] = s[i] / (1 + a * fabs(s[i]));\n"
				  "}\n"
				  "kernel void exciter(global float *s, float a)\n"
				  "{\n"
				  "	int i = get_global_id(0);\n"
				  "	s[i] += a * s[i] * s[i] * s[i];\n"
				  "}\n"
				  "kernel void tremolo(global float *s, float a)\n"
				  "{\n"
				  "	int i = get_global_id(0);\n"
				  "	s[i] *= 1 - a * (float)(i % 441) / 441;\n"
				  "}\n"
				  "kernel void limiter(global float *s, float a)\n"
				  "{\n"
				  "	int i = get_global_id(0);\n"
				  "	s[i] = clamp(s[i], -a, a);\n"
				  "}\n";

struct rack {
	cl_command_queue queue;
	cl_mem block;
	cl_kernel effects[EFFECTS];
};

/* One effect for whoever has samples: what previews use, too. */
static void effect_process(struct rack *rack, int effect, float *samples)
{
	put(rack->queue, rack->block, SAMPLES * sizeof(float), samples);
	run(rack->queue, rack->effects[effect], SAMPLES, 64);
	get(rack->queue, rack->block, SAMPLES * sizeof(float), samples);
}

static void rack_process(struct rack *rack, float *samples)
{
	put(rack->queue, rack->block, SAMPLES * sizeof(float), samples);
	for (int i = 0; i < EFFECTS; i++)
		run(rack->queue, rack->effects[i], SAMPLES, 64);
	get(rack->queue, rack->block, SAMPLES * sizeof(float), samples);
}

void sitting_effect_rack(struct app *app)
{
	static const char *const names[EFFECTS] = {"equalizer", "compressor", "exciter", "tremolo",
						   "limiter"};
	cl_program program = program_new(app, rack_source, "");
	struct rack rack = {.queue = app->queue, .block = buffer_new(app, SAMPLES * sizeof(float))};
	float *samples = memory(SAMPLES * sizeof(float));
	double sum = 0;

	for (int i = 0; i < EFFECTS; i++) {
		rack.effects[i] = kernel_new(program, names[i]);
		args(rack.effects[i], "bf", rack.block, 0.9 - 0.1 * i);
	}
	for (int n = 0; n < BLOCKS; n++) {
		refill(samples, SAMPLES, n);
		if (app->repaired)
			rack_process(&rack, samples);
		else
			for (int i = 0; i < EFFECTS; i++)
				effect_process(&rack, i, samples);
		sum += (double)samples[n];
	}
	answer(sum);
	free(samples);
	for (int i = 0; i < EFFECTS; i++)
		DROP(rack.effects[i]);
	DROP(rack.block);
	DROP(program);
}
